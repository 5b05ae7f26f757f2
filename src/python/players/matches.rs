//! Random openings, and matches between built-in policies.

use std::sync::atomic::Ordering;

use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::policy::PyBuiltinPolicy;
use crate::memory::with_room;
use crate::policy::{Match, OpeningError, opening};
use crate::python::convert::arrays::shaped;
use crate::python::convert::integers;
use crate::python::convert::lists::Listed;
use crate::python::errors::not_halted;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::position::{
    PyPosition, check_playable, common_variant, cores, position_list,
};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Positions after `plies` uniformly random actions, none of them finished.
#[pyfunction]
#[pyo3(
    signature = (count, plies, variant=None, seed=None, first=None),
    text_signature = "(count, plies, variant=None, seed=0, first=0)"
)]
pub(crate) fn random_openings<'py>(
    py: Python<'py>,
    count: &Bound<'_, PyAny>,
    plies: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
    seed: Option<&Bound<'_, PyAny>>,
    first: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let count = integers::count("count", count)?;
    let plies = integers::count("plies", plies)?;
    let (seed, first) = parse_streams(seed, first)?;
    let variant = PyVariant::or_default(variant).0;
    let mut openings = with_room("the openings", count)?;
    let drawn = run_interruptible(py, |stop| {
        for number in 0..count as u64 {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let seed = seed.wrapping_add(first).wrapping_add(number);
            openings.push(opening(&variant, plies, seed)?);
        }
        Ok(())
    })?;
    drawn.map_err(|error: OpeningError| PyValueError::new_err(error.to_string()))?;
    position_list(py, &variant, openings.into_iter())
}

/// Margins of `policy`, int64 ``(len(openings), 2)``: as Light, as Dark.
#[pyfunction]
#[pyo3(
    signature = (openings, policy, opponent, seed=None, first=None, num_threads=None),
    text_signature = "(openings, policy, opponent, seed=0, first=0, num_threads=None)"
)]
pub(crate) fn play_match<'py>(
    py: Python<'py>,
    openings: Listed<PyPosition>,
    policy: &Bound<'py, PyBuiltinPolicy>,
    opponent: &Bound<'py, PyBuiltinPolicy>,
    seed: Option<&Bound<'py, PyAny>>,
    first: Option<&Bound<'py, PyAny>>,
    num_threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let (seed, first) = parse_streams(seed, first)?;
    let num_threads = integers::threads(num_threads)?;
    let variant = common_variant(&openings.0)?;
    for (i, position) in openings.0.iter().enumerate() {
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
    let starts = cores(&openings.0)?;
    let margins = run_interruptible(py, |stop| {
        game.play(&starts, first, num_threads, Limits::stopped_by(stop))
    })?;
    let margins = margins.map_err(|halt| not_halted(&halt))?;
    let mut numbers = with_room("the margins", 2 * margins.len())?;
    for pair in &margins {
        numbers.extend([pair.as_light, pair.as_dark].map(i64::from));
    }
    Ok(shaped(py, numbers, (starts.len(), 2)))
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
