//! Observations of positions as new arrays.

use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Zeroable;
use pyo3::prelude::*;

use crate::encode::{Feature, Layout, Numbering, exchange_packed, pack};
use crate::game::{Player, Position, Variant};
use crate::memory::zeroed;
use crate::python::convert::arrays::{AnyArray, Dtype, shaped};
use crate::python::interrupt::{run_interruptible, without_gil};

/// Up to this many positions take less time than starting the thread that makes Ctrl-C work.
const QUICK_POSITIONS: usize = 4096;

/// Named in the error if memory does not suffice.
const OBSERVATIONS: &str = "the observations";

/// A position with its variant.
pub(super) trait OfVariant: Sync {
    fn parts(&self) -> (&Variant, &Position);
}

/// The observations of positions in an array of this shape: those of the side to move, or of one
/// player.
///
/// There are positions, and `numbering` is that of the first, with the layout. Without a canvas all
/// are of its variant.
pub(super) fn observations(
    py: Python<'_>,
    numbering: Numbering<'_>,
    positions: &[impl OfVariant],
    player: Option<Player>,
    layout: Layout,
    dtype: Option<&Bound<'_, PyAny>>,
    shape: &[usize],
) -> PyResult<AnyArray> {
    if layout == Layout::Packed {
        let words = rows(py, OBSERVATIONS, positions, 1, |position, row| {
            let (variant, position) = position.parts();
            row[0] = pack(variant, position);
            if is_off_turn(position, player) {
                row[0] = exchange_packed(row[0]);
            }
        })?;
        return Ok(shaped(py, words, shape).into_any());
    }
    Ok(match dtype.map_or(Ok(Dtype::Float32), Dtype::parse)? {
        Dtype::Float32 => {
            let numbers = features::<f32, _>(py, numbering, positions, player, layout)?;
            shaped(py, numbers, shape).into_any()
        }
        Dtype::Uint8 => {
            let numbers = features::<u8, _>(py, numbering, positions, player, layout)?;
            shaped(py, numbers, shape).into_any()
        }
    })
}

fn features<T: Feature + Zeroable, P: OfVariant>(
    py: Python<'_>,
    numbering: Numbering<'_>,
    positions: &[P],
    player: Option<Player>,
    layout: Layout,
) -> PyResult<Vec<T>> {
    let length = numbering.observation_len(layout);
    rows(py, OBSERVATIONS, positions, length, |position, row| {
        let (variant, position) = position.parts();
        let numbering = Numbering::new(variant, numbering.canvas());
        numbering.observe(position, layout, row);
        if is_off_turn(position, player) {
            numbering.exchange_sides(layout, row);
        }
    })
}

/// Whether it is the other player's turn.
fn is_off_turn(position: &Position, player: Option<Player>) -> bool {
    player.is_some_and(|player| player != position.side_to_move())
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
    let mut write_all = |stop: &AtomicBool| {
        for (position, row) in positions.iter().zip(numbers.chunks_exact_mut(length)) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            write(position, row);
        }
    };
    if positions.len() <= QUICK_POSITIONS {
        without_gil(py, positions.len(), || write_all(&AtomicBool::new(false)));
    } else {
        run_interruptible(py, write_all)?;
    }
    Ok(numbers)
}
