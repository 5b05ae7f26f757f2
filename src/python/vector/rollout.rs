//! `mijnlieff.rollout`.

use std::sync::atomic::AtomicBool;

use ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray2, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Position;
use crate::python::convert::integers;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::position::{PyPosition, common_variant};
use crate::vector;

/// Games that take less time than a thread to watch for Ctrl-C.
const QUICK: usize = 4096;

/// The largest number of games in one call; beyond it a mistyped number would take all memory.
const MAX_GAMES: usize = 1 << 28;

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
    positions: Vec<PyPosition>,
    repeats: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
    num_threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results<'py>> {
    let repeats = repeats.map_or(Ok(1), |given| integers::count("repeats", given))?;
    let seed = seed.map_or(Ok(0), |given| integers::seed("seed", given))?;
    let num_threads = num_threads.map_or(Ok(1), |given| integers::threads(Some(given)))?;
    let variant = common_variant(&positions)?;
    let games = positions.len().saturating_mul(repeats);
    if !(1..=MAX_GAMES).contains(&games) {
        let message = format!("a call plays 1 to {MAX_GAMES} games, not {games}");
        return Err(PyValueError::new_err(message));
    }
    let cores: Vec<Position> = positions.iter().map(|position| position.core).collect();
    let play = |num_threads, stop: &AtomicBool| {
        vector::rollout(&variant, &cores, repeats, seed, num_threads, stop)
    };
    let results = if games <= QUICK {
        play(1, &AtomicBool::new(false))
    } else {
        run_interruptible(py, |stop| play(num_threads, stop))?
    };
    let shape = (cores.len(), repeats);
    let results = Array2::from_shape_vec(shape, results).expect("a result for each game");
    let points = Array3::from_shape_fn((shape.0, shape.1, 2), |(row, repeat, player)| {
        results[[row, repeat]].score[player] as i16
    });
    let plies = results.mapv(|result| result.plies as i16);
    Ok((points.into_pyarray(py), plies.into_pyarray(py)))
}
