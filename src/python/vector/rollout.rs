//! `mijnlieff.rollout`.

use ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray2, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Position;
use crate::python::convert::integers;
use crate::python::interrupt::run;
use crate::python::rules::batch::{common_variant, positions};
use crate::python::rules::position::PyPosition;
use crate::vector;

/// Up to this many games take less time than other threads, and one that watches for Ctrl-C, save.
const QUICK: usize = 4096;

/// The largest number of games in one call; beyond it a mistyped number would take all memory.
const MAX_GAMES: usize = 1 << 28;

/// Points `(B, repeats, 2)` and plies `(B, repeats)`.
type Results<'py> = (Bound<'py, PyArray3<i16>>, Bound<'py, PyArray2<i16>>);

/// Play positions to the end at random and return the points and the numbers of plies.
#[pyfunction]
#[pyo3(
    signature = (positions, repeats=1, seed=0, num_threads=None)
)]
pub(crate) fn rollout(
    py: Python<'_>,
    #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
    #[pyo3(from_py_with = integers::repeats)] repeats: usize,
    #[pyo3(from_py_with = integers::seed)] seed: u64,
    #[pyo3(from_py_with = integers::num_threads)] num_threads: Option<usize>,
) -> PyResult<Results<'_>> {
    let variant = common_variant(&positions)?;
    let games = positions.len().saturating_mul(repeats);
    if !(1..=MAX_GAMES).contains(&games) {
        let message = format!("a call plays 1 to {MAX_GAMES} games, not {games}");
        return Err(PyValueError::new_err(message));
    }
    let cores: Vec<Position> = positions.iter().map(|position| position.core).collect();
    let quick = games <= QUICK;
    let num_threads = if quick {
        1
    } else {
        integers::threads_or_cores(num_threads)
    };
    let results = run(py, quick, |stop| {
        vector::rollout(&variant, &cores, repeats, seed, num_threads, stop)
    })?;
    let shape = (cores.len(), repeats);
    let results = Array2::from_shape_vec(shape, results).expect("a result for each game");
    let points = Array3::from_shape_fn((shape.0, shape.1, 2), |(row, repeat, player)| {
        results[[row, repeat]].score[player] as i16
    });
    let plies = results.mapv(|result| result.plies as i16);
    Ok((points.into_pyarray(py), plies.into_pyarray(py)))
}
