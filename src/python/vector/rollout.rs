//! `mijnlieff.rollout`.

use std::sync::atomic::Ordering;

use numpy::{PyArray2, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::memory::{OutOfMemory, zeroed};
use crate::python::convert::arrays::shaped;
use crate::python::convert::integers;
use crate::python::convert::lists::Listed;
use crate::python::interrupt::run_unless_quick;
use crate::python::rules::position::{PyPosition, common_variant, cores};
use crate::vector;

/// Games that take less time than a thread to watch for Ctrl-C.
const QUICK: usize = 4096;

/// The largest number of games in one call; beyond it a mistyped number would take all memory.
const MAX_GAMES: usize = 1 << 28;

/// What the memory is for, where there is none.
const RESULTS: &str = "the results of random games";

/// Points `(B, repeats, 2)` and plies `(B, repeats)`.
type Results<'py> = (Bound<'py, PyArray3<i16>>, Bound<'py, PyArray2<i16>>);

/// Play positions to the end at random and return the points and the numbers of plies.
#[pyfunction]
#[pyo3(
    signature = (positions, repeats=None, seed=None, num_threads=None),
    text_signature = "(positions, repeats=1, seed=0, num_threads=1)"
)]
pub(crate) fn rollout<'py>(
    py: Python<'py>,
    positions: Listed<PyPosition>,
    repeats: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    num_threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results<'py>> {
    let repeats = repeats.map_or(Ok(1), |given| integers::count("repeats", given))?;
    let seed = seed.map_or(Ok(0), |given| integers::seed("seed", given))?;
    let num_threads = num_threads.map_or(Ok(1), |given| integers::threads(Some(given)))?;
    let variant = common_variant(&positions.0)?;
    let games = positions.0.len().saturating_mul(repeats);
    if !(1..=MAX_GAMES).contains(&games) {
        let message = format!("a call plays 1 to {MAX_GAMES} games, not {games}");
        return Err(PyValueError::new_err(message));
    }
    let cores = cores(&positions.0)?;
    let is_quick = games <= QUICK;
    let num_threads = if is_quick { 1 } else { num_threads };
    let played = run_unless_quick(py, is_quick, |stop| -> Result<_, OutOfMemory> {
        let mut points = zeroed(RESULTS, 2 * games)?;
        let mut plies = zeroed(RESULTS, games)?;
        let results = vector::rollout(&variant, &cores, repeats, seed, num_threads, stop)?;
        let rows = points.chunks_exact_mut(2).zip(&mut plies);
        for (result, (points, plies)) in results.iter().zip(rows) {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            points.copy_from_slice(&result.score.map(|points| points as i16));
            *plies = result.plies as i16;
        }
        Ok((points, plies))
    })?;
    let (points, plies) = played?;
    Ok((
        shaped(py, points, (cores.len(), repeats, 2)),
        shaped(py, plies, (cores.len(), repeats)),
    ))
}
