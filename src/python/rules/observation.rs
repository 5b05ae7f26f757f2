//! Observations of positions as new arrays.

use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Zeroable;
use pyo3::prelude::*;

use crate::encode::{Canvas, Feature, Layout, exchange_packed, exchange_sides, observe, pack};
use crate::game::{Player, Position, Variant};
use crate::memory::zeroed;
use crate::python::convert::arrays::{AnyArray, Dtype, shaped};
use crate::python::interrupt::{run_interruptible, without_gil};

/// Up to this many positions take less time than starting the thread that makes Ctrl-C work.
const QUICK_POSITIONS: usize = 4096;

/// Named in the error if memory does not suffice.
const OBSERVATIONS: &str = "the observations";

/// The observations of positions of one variant, in an array of this shape: those of the side to
/// move, or of one player.
pub(super) fn observations(
    py: Python<'_>,
    variant: &Variant,
    positions: &[Position],
    player: Option<Player>,
    layout: Layout,
    dtype: Option<&Bound<'_, PyAny>>,
    shape: &[usize],
) -> PyResult<AnyArray> {
    layout.check(variant)?;
    if layout == Layout::Packed {
        let words = rows(py, OBSERVATIONS, positions, 1, |position, row| {
            row[0] = pack(variant, position);
            if is_off_turn(position, player) {
                row[0] = exchange_packed(row[0]);
            }
        })?;
        return Ok(shaped(py, words, shape).into_any());
    }
    Ok(match dtype.map_or(Ok(Dtype::Float32), Dtype::parse)? {
        Dtype::Float32 => shaped(
            py,
            features::<f32>(py, variant, positions, player, layout)?,
            shape,
        )
        .into_any(),
        Dtype::Uint8 => shaped(
            py,
            features::<u8>(py, variant, positions, player, layout)?,
            shape,
        )
        .into_any(),
    })
}

/// The observations of positions on a canvas that holds their boards, in an array of this shape: those
/// of the side to move, or of one player. `parts` gives the variant and the position.
pub(super) fn canvas_observations<P: Sync>(
    py: Python<'_>,
    canvas: Canvas,
    positions: &[P],
    parts: impl Fn(&P) -> (&Variant, &Position) + Sync,
    player: Option<Player>,
    dtype: Option<&Bound<'_, PyAny>>,
    shape: &[usize],
) -> PyResult<AnyArray> {
    Ok(match dtype.map_or(Ok(Dtype::Float32), Dtype::parse)? {
        Dtype::Float32 => shaped(
            py,
            canvas_features::<P, f32>(py, canvas, positions, parts, player)?,
            shape,
        )
        .into_any(),
        Dtype::Uint8 => shaped(
            py,
            canvas_features::<P, u8>(py, canvas, positions, parts, player)?,
            shape,
        )
        .into_any(),
    })
}

fn canvas_features<P: Sync, T: Feature + Zeroable>(
    py: Python<'_>,
    canvas: Canvas,
    positions: &[P],
    parts: impl Fn(&P) -> (&Variant, &Position) + Sync,
    player: Option<Player>,
) -> PyResult<Vec<T>> {
    let length = canvas.observation_len();
    rows(py, OBSERVATIONS, positions, length, |position, row| {
        let (variant, position) = parts(position);
        canvas.observe(variant, position, row);
        if is_off_turn(position, player) {
            canvas.exchange_sides(row);
        }
    })
}

fn features<T: Feature + Zeroable>(
    py: Python<'_>,
    variant: &Variant,
    positions: &[Position],
    player: Option<Player>,
    layout: Layout,
) -> PyResult<Vec<T>> {
    let length = layout.len(variant);
    rows(py, OBSERVATIONS, positions, length, |position, row| {
        observe(variant, position, layout, row);
        if is_off_turn(position, player) {
            exchange_sides(variant, layout, row);
        }
    })
}

/// Whether it is the other player's turn.
fn is_off_turn(position: &Position, player: Option<Player>) -> bool {
    player.is_some_and(|player| player != position.side_to_move())
}

/// A row of numbers for each position, written without the GIL when there are many.
pub(super) fn rows<P: Sync, T: Zeroable + Send>(
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
