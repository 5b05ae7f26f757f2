//! Rows of numbers for lists of positions.

use std::sync::atomic::Ordering;

use bytemuck::Zeroable;
use pyo3::prelude::*;

use crate::memory::zeroed;
use crate::python::interrupt::run_by_size;

/// Up to this many positions take less time than starting the thread that makes Ctrl-C work.
const QUICK_POSITIONS: usize = 4096;

/// Visits every position with its number, without the GIL when there are many.
pub(super) fn visit_each<P: Sync>(
    py: Python<'_>,
    positions: &[P],
    mut visit: impl FnMut(usize, &P) + Send,
) -> PyResult<()> {
    run_by_size(py, positions.len(), QUICK_POSITIONS, |stop| {
        for (number, position) in positions.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            visit(number, position);
        }
    })
}

/// A row of numbers for each position, written without the GIL when there are many.
pub(crate) fn rows<P: Sync, T: Zeroable + Send>(
    py: Python<'_>,
    what: &'static str,
    positions: &[P],
    length: usize,
    write: impl Fn(&P, &mut [T]) + Sync,
) -> PyResult<Vec<T>> {
    let mut numbers = zeroed(what, positions.len().saturating_mul(length))?;
    visit_each(py, positions, |number, position| {
        write(position, &mut numbers[number * length..][..length]);
    })?;
    Ok(numbers)
}
