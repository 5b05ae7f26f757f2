//! Random openings, and matches between built-in policies.

use std::sync::Arc;

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;

use super::policy::PyBuiltinPolicy;
use crate::game::Position;
use crate::policy::{Match, opening};
use crate::python::convert::integers;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::batch::{common_variant, positions};
use crate::python::rules::position::{PyPosition, check_playable};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Positions after `plies` uniformly random actions, none of them finished.
#[pyfunction]
#[pyo3(
    signature = (count, plies, variant=None, seed=0, first=0)
)]
pub(crate) fn random_openings(
    #[pyo3(from_py_with = integers::count)] count: usize,
    #[pyo3(from_py_with = integers::plies)] plies: usize,
    variant: Option<PyVariant>,
    #[pyo3(from_py_with = integers::seed)] seed: u64,
    #[pyo3(from_py_with = integers::first)] first: u64,
) -> PyResult<Vec<PyPosition>> {
    let variant = PyVariant::or_default(variant).0;
    let numbers = (first..).take(count);
    numbers
        .map(|number| {
            let core = opening(&variant, plies, seed.wrapping_add(number))?;
            let variant = Arc::clone(&variant);
            Ok(PyPosition { variant, core })
        })
        .collect()
}

/// Margins of `policy`, int64 ``(len(openings), 2)``: as Light, as Dark.
#[pyfunction]
#[pyo3(
    signature = (openings, policy, opponent, seed=0, first=0, num_threads=None)
)]
pub(crate) fn play_match<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = positions)] openings: Vec<PyPosition>,
    policy: &Bound<'py, PyBuiltinPolicy>,
    opponent: &Bound<'py, PyBuiltinPolicy>,
    #[pyo3(from_py_with = integers::seed)] seed: u64,
    #[pyo3(from_py_with = integers::first)] first: u64,
    #[pyo3(from_py_with = integers::num_threads)] num_threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let num_threads = integers::threads_or_cores(num_threads);
    let variant = common_variant(&openings)?;
    for (i, position) in openings.iter().enumerate() {
        check_playable(position, &format!("opening {i}: "))?;
    }
    let players = [policy.get(), opponent.get()];
    let game = Match {
        variant: &variant,
        policies: [
            players[0].core(py, &variant)?,
            players[1].core(py, &variant)?,
        ],
        policy_seeds: players.map(|player| player.seed),
        seed,
    };
    let starts: Vec<Position> = openings.iter().map(|position| position.core).collect();
    let margins = run_interruptible(py, |stop| {
        game.play(&starts, first, num_threads, Limits::stopped_by(stop))
    })??;
    let pairs = margins.into_iter();
    let rows: Vec<[i64; 2]> = pairs
        .map(|pair| [pair.as_light, pair.as_dark].map(i64::from))
        .collect();
    Ok(Array2::from(rows).into_pyarray(py))
}
