//! Rows of numbers for lists of positions.

use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Zeroable;
use pyo3::prelude::*;

use crate::memory::zeroed;
use crate::python::interrupt::{run_interruptible, without_gil};

/// Up to this many positions take less time than starting the thread that makes Ctrl-C work.
const QUICK_POSITIONS: usize = 4096;

/// Visits every position with its number, without the GIL when there are many.
pub(super) fn visit_each<P: Sync>(
    py: Python<'_>,
    positions: &[P],
    mut visit: impl FnMut(usize, &P) + Send,
) -> PyResult<()> {
    let mut visit_all = |stop: &AtomicBool| {
        for (number, position) in positions.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            visit(number, position);
        }
    };
    if positions.len() <= QUICK_POSITIONS {
        without_gil(py, positions.len(), || visit_all(&AtomicBool::new(false)));
        Ok(())
    } else {
        run_interruptible(py, visit_all)
    }
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
