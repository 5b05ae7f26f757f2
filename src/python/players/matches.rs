//! Random openings, and matches between built-in policies.

use std::sync::Arc;

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::policy::PyBuiltinPolicy;
use crate::game::Position;
use crate::policy::{Match, opening};
use crate::python::convert::integers;
use crate::python::errors::not_halted;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::position::{PyPosition, check_playable, common_variant};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Positions after `plies` uniformly random actions, none of them finished.
#[pyfunction]
#[pyo3(
    signature = (count, plies, variant=None, seed=None, first=None),
    text_signature = "(count, plies, variant=None, seed=0, first=0)"
)]
pub(crate) fn random_openings(
    count: &Bound<'_, PyAny>,
    plies: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
    seed: Option<&Bound<'_, PyAny>>,
    first: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyPosition>> {
    let count = integers::count("count", count)?;
    let plies = integers::count("plies", plies)?;
    let (seed, first) = parse_streams(seed, first)?;
    let variant = PyVariant::or_default(variant).0;
    let numbers = (first..).take(count);
    numbers
        .map(|number| {
            let core = opening(&variant, plies, seed.wrapping_add(number))
                .map_err(|error| PyValueError::new_err(error.to_string()))?;
            let variant = Arc::clone(&variant);
            Ok(PyPosition { variant, core })
        })
        .collect()
}

/// Margins of `policy`, int64 ``(len(openings), 2)``: as Light, as Dark.
#[pyfunction]
#[pyo3(
    signature = (openings, policy, opponent, seed=None, first=None, num_threads=None),
    text_signature = "(openings, policy, opponent, seed=0, first=0, num_threads=None)"
)]
pub(crate) fn play_match<'py>(
    py: Python<'py>,
    openings: Vec<PyPosition>,
    policy: &Bound<'py, PyBuiltinPolicy>,
    opponent: &Bound<'py, PyBuiltinPolicy>,
    seed: Option<&Bound<'py, PyAny>>,
    first: Option<&Bound<'py, PyAny>>,
    num_threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let (seed, first) = parse_streams(seed, first)?;
    let num_threads = integers::threads(num_threads)?;
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
    })?;
    let margins = margins.map_err(|halt| not_halted(&halt))?;
    let pairs = margins.into_iter();
    let rows: Vec<[i64; 2]> = pairs
        .map(|pair| [pair.as_light, pair.as_dark].map(i64::from))
        .collect();
    Ok(Array2::from(rows).into_pyarray(py))
}

/// The seed of openings or games, and the number of the first of them; 0 unless given.
fn parse_streams(
    seed: Option<&Bound<'_, PyAny>>,
    first: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u64, u64)> {
    Ok((
        seed.map_or(Ok(0), |given| integers::seed("seed", given))?,
        first.map_or(Ok(0), |given| integers::seed("first", given))?,
    ))
}
