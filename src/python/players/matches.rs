//! Random openings, and matches between built-in policies.

use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::policy::PyBuiltinPolicy;
use crate::memory::with_room;
use crate::policy::{Match, opening};
use crate::python::convert::arrays::{Array2, shaped};
use crate::python::convert::integers::{Count, First, Plies, Seed, Threads};
use crate::python::interrupt::run_interruptible;
use crate::python::rules::batch::{Positions, common_variant, cores, position_list};
use crate::python::rules::position::check_all_playable;
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Positions after `plies` uniformly random actions, none of them finished.
///
/// Opening ``i`` is that of seed ``seed + first + i`` (modulo 2**64), so seeds less than `count`
/// apart share openings. One whose game ends on the way is drawn again.
///
/// Raises:
///     ValueError: a thousand games in a row ended before `plies` actions, or a number out of
///         range.
///     MemoryError: memory does not suffice.
#[pyfunction]
#[pyo3(signature = (
    count, plies, variant=None, seed: "SupportsIndex" = 0, first: "SupportsIndex" = 0
) -> "list[Position]")]
pub(crate) fn random_openings(
    py: Python<'_>,
    count: Count,
    plies: Plies,
    variant: Option<PyVariant>,
    #[pyo3(from_py_with = Seed::number)] seed: u64,
    #[pyo3(from_py_with = First::number)] first: u64,
) -> PyResult<Bound<'_, PyList>> {
    let variant = PyVariant::or_default(variant).0;
    let mut openings = with_room("the openings", count.0)?;
    run_interruptible(py, |stop| {
        let mut numbers = (0..count.0 as u64).take_while(|_| !stop.load(Ordering::Relaxed));
        numbers.try_for_each(|number| {
            let seed = seed.wrapping_add(first).wrapping_add(number);
            opening(&variant, plies.0, seed).map(|core| openings.push(core))
        })
    })??;
    position_list(py, &variant, openings.into_iter())
}

/// Margins of `policy`, int64 ``(len(openings), 2)``: as Light, as Dark.
///
/// Each opening is played twice, with the seats exchanged. Opening ``i`` draws from streams of
/// ``seed + first + i`` and of the seeds of the policies, whatever the number of threads; the
/// decisions that the policies count for themselves do not change. Runs without the GIL and stops
/// on Ctrl-C.
///
/// Raises:
///     ValueError: no openings, openings of several variants, or a number out of range.
///     TypeError: an opening is not a `Position`.
///     GameOverError: an opening is finished.
#[pyfunction]
#[pyo3(signature = (
    openings, policy, opponent, seed: "SupportsIndex" = 0, first: "SupportsIndex" = 0,
    num_threads=None
))]
pub(crate) fn play_match(
    py: Python<'_>,
    openings: Positions,
    policy: &Bound<'_, PyBuiltinPolicy>,
    opponent: &Bound<'_, PyBuiltinPolicy>,
    #[pyo3(from_py_with = Seed::number)] seed: u64,
    #[pyo3(from_py_with = First::number)] first: u64,
    num_threads: Option<Threads>,
) -> PyResult<Array2<i64>> {
    let num_threads = Threads::or_cores(num_threads);
    let variant = common_variant(&openings)?;
    check_all_playable(&openings, "opening")?;
    let players = [policy.get(), opponent.get()];
    let game = Match {
        variant: &variant,
        policies: [
            players[0].core(py, std::slice::from_ref(&variant))?,
            players[1].core(py, std::slice::from_ref(&variant))?,
        ],
        policy_seeds: players.map(|player| player.seed),
        seed,
    };
    let starts = cores(&openings)?;
    let margins = run_interruptible(py, |stop| {
        game.play(&starts, first, num_threads, Limits::stopped_by(stop))
    })??;
    let mut numbers = with_room("the margins", 2 * margins.len())?;
    for pair in &margins {
        numbers.extend([pair.as_light, pair.as_dark].map(i64::from));
    }
    Ok(shaped(py, numbers, (starts.len(), 2)))
}
