//! Positions that a caller gives to the games of a batch, and the state of a batch in pickles.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::check_count;
use crate::game::{Player, Position, format_position, parse_position};
use crate::memory::{OutOfMemory, with_room};
use crate::python::convert::pickles::{Pickled, pickled};
use crate::python::exceptions;
use crate::python::rules::position::PyPosition;
use crate::python::rules::variant::PyVariant;
use crate::vector::{BatchEnv, SavedGame};

/// Named in the error if memory does not suffice.
const STATE: &str = "the state of the games";

/// A game of a batch, with all that its future depends on.
#[pyclass(
    name = "SavedGame",
    module = "mijnlieff._mijnlieff",
    frozen,
    get_all,
    new = "from_fields"
)]
pub(crate) struct PySavedGame {
    /// The index of its variant.
    variant: usize,
    /// Its position, as `Position.notation` writes it.
    notation: String,
    /// The states of its stream and of that of its sampled actions.
    streams: (u64, u64),
    /// The agent's side, 0 or 1; not used in self-play.
    seat: usize,
    /// Whether it has ended and waits for its reset.
    over: bool,
    /// Whether the agent has not acted in it yet.
    fresh: bool,
}

#[pymethods]
impl PySavedGame {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py>> {
        let names = ["variant", "notation", "streams", "seat", "over", "fresh"];
        pickled(slf, &names)
    }
}

/// The positions with the indices of their variants.
///
/// # Errors
///
/// Unless the games, all or those that the mask selects, can be put at these positions. The mask has an
/// entry for each game.
pub(super) fn placed(
    core: &dyn BatchEnv,
    positions: &[PyPosition],
    mask: Option<&[bool]>,
) -> PyResult<Vec<(usize, Position)>> {
    let games = core.num_envs();
    let (expected, found) = (
        mask.map_or(games, |mask| mask.iter().filter(|&&it| it).count()),
        positions.len(),
    );
    check_count(expected, "positions", found)?;
    if expected < games && !core.is_started() {
        let message = "games that the mask leaves out were never started; call reset first";
        return Err(exceptions::GameOverError::new_err(message));
    }
    let variants = &core.config().variants;
    let mut placed = with_room("the positions", positions.len())?;
    for (i, position) in positions.iter().enumerate() {
        let variant = &position.variant;
        let Some(index) = variants.index_of(variant) else {
            let theirs = PyVariant(variant.clone()).__repr__();
            let ours = match variants.all() {
                [only] => format!("plays {}", PyVariant(only.clone()).__repr__()),
                all => format!("has {} variants, and it is none of them", all.len()),
            };
            let message = format!("position {i} is of {theirs}, the environment {ours}");
            return Err(exceptions::PositionError::new_err(message));
        };
        if position.core.is_over(variant) {
            let text = format_position(variant, &position.core);
            let message = format!("position {i} ({text}) is over, no action can follow it");
            return Err(exceptions::PositionError::new_err(message));
        }
        placed.push((index, position.core));
    }
    Ok(placed)
}

/// Whether a batch has started, and its games; not all of them where it is stopped, after which the
/// caller raises `KeyboardInterrupt`.
pub(super) fn saved(
    core: &dyn BatchEnv,
    stop: &AtomicBool,
) -> Result<(bool, Vec<PySavedGame>), OutOfMemory> {
    let variants = &core.config().variants;
    let saved = core.save()?;
    let mut games = with_room(STATE, saved.len())?;
    for game in saved {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let variant = variants.get(game.variant);
        games.push(PySavedGame {
            variant: game.variant,
            notation: format_position(variant, &game.position),
            streams: game.streams.into(),
            seat: game.seat.index(),
            over: game.over,
            fresh: game.fresh,
        });
    }
    Ok((core.is_started(), games))
}

/// The games of a state that [`saved`] returned; fewer if it is stopped.
pub(super) fn to_restore(
    core: &dyn BatchEnv,
    games: &[Py<PySavedGame>],
    stop: &AtomicBool,
) -> PyResult<Vec<SavedGame>> {
    if games.len() != core.num_envs() {
        let (expected, found) = (core.num_envs(), games.len());
        let message = format!("the state is of {found} games, not of {expected}");
        return Err(PyValueError::new_err(message));
    }
    let variants = Arc::clone(&core.config().variants);
    let mut saved = with_room(STATE, games.len())?;
    for game in games.iter().map(Py::get) {
        if stop.load(Ordering::Relaxed) {
            break; // the caller raises KeyboardInterrupt
        }
        let count = variants.all().len();
        let Some(variant) = variants.all().get(game.variant) else {
            let number = game.variant;
            let message = format!("the state has variant {number}, there are only {count}");
            return Err(PyValueError::new_err(message));
        };
        let Some(&seat) = Player::ALL.get(game.seat) else {
            let message = format!("the state has seat {}, there are only 0 and 1", game.seat);
            return Err(PyValueError::new_err(message));
        };
        saved.push(SavedGame {
            variant: game.variant,
            position: parse_position(variant, &game.notation)?,
            streams: game.streams.into(),
            seat,
            over: game.over,
            fresh: game.fresh,
        });
    }
    Ok(saved)
}
