//! `mijnlieff.envs.rollout`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::memory::zeroed;
use crate::python::convert::arrays::{Array2, Array3, shaped};
use crate::python::convert::integers::{Repeats, Seed, Threads};
use crate::python::interrupt::run_unless_quick;
use crate::python::rules::batch::{Positions, common_variant, cores};
use crate::search::{Halt, Limits};
use crate::vector;

/// Up to this many games, neither threads nor Ctrl-C during the call are worth their cost.
const QUICK: usize = 4096;

/// The largest number of games in one call; beyond it a mistyped number would take all memory.
const MAX_GAMES: usize = 1 << 28;

/// Named in the error if memory does not suffice.
const RESULTS: &str = "the results of random games";

/// Points `(B, repeats, 2)` and plies `(B, repeats)`.
type Results = (Array3<i16>, Array2<i16>);

/// Play positions to the end at random and return the points and the numbers of plies.
///
/// Every action is drawn from the legal ones, each equally likely. Repeat ``r`` of position ``i``
/// is number ``n = i * repeats + r`` and draws from stream 1 of ``seed + n``, as game ``n`` of a
/// `VectorEnv` does in ``sample_actions``. Runs without the GIL and stops on Ctrl-C.
///
/// Args:
///     positions: of one variant; one that is over stays as it is.
///     repeats: games from each position, at least 1.
///     seed: 0 to 2**64 - 1.
///     num_threads: 1 to 1024; None is as many as there are cores.
///
/// Returns:
///     The points of Light and Dark at the end, int16 ``(B, repeats, 2)``, and the actions it took,
///     int16 ``(B, repeats)``.
///
/// Raises:
///     ValueError: no position or positions of several variants, no game or more than 2**28, or a
///         number of threads out of range.
///     TypeError: an item is not a `Position`, or a number not an integer.
#[pyfunction]
#[pyo3(signature = (
    positions, repeats: "SupportsIndex" = 1, seed: "SupportsIndex" = 0, num_threads=None
))]
pub(crate) fn rollout(
    py: Python<'_>,
    positions: Positions,
    #[pyo3(from_py_with = Repeats::number)] repeats: usize,
    #[pyo3(from_py_with = Seed::number)] seed: u64,
    num_threads: Option<Threads>,
) -> PyResult<Results> {
    let variant = common_variant(&positions)?;
    let games = positions.len().saturating_mul(repeats);
    if !(1..=MAX_GAMES).contains(&games) {
        let message = format!("a call plays 1 to {MAX_GAMES} games, not {games}");
        return Err(PyValueError::new_err(message));
    }
    let cores = cores(&positions)?;
    let is_quick = games <= QUICK;
    let num_threads = if is_quick {
        1
    } else {
        Threads::or_cores(num_threads)
    };
    let played = run_unless_quick(py, is_quick, |stop| -> Result<_, Halt> {
        let limits = Limits::stopped_by(stop);
        let mut points = zeroed(RESULTS, 2 * games)?;
        let mut plies = zeroed(RESULTS, games)?;
        let results = vector::rollout(&variant, &cores, repeats, seed, num_threads, limits)?;
        let rows = points.chunks_exact_mut(2).zip(&mut plies);
        for (result, (points, plies)) in results.iter().zip(rows) {
            limits.check_stop()?;
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
