//! Positions that a caller gives to the games of a batch, and the state of a batch in pickles.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::{Player, format_position, parse_position};
use crate::memory::{OutOfMemory, with_room};
use crate::python::errors::classes;
use crate::python::rules::position::PyPosition;
use crate::python::rules::variant::PyVariant;
use crate::vector::{BatchEnv, SavedGame};

/// Named in the error if memory does not suffice.
const STATE: &str = "the state of the games";

/// Whether the batch has started, and for each game the position as text, the streams, the seat,
/// whether it is over, and whether the agent has not acted in it yet.
pub(super) type SavedBatch = (bool, Vec<(String, [u64; 2], usize, bool, bool)>);

/// Fails unless the games, all or those that the mask selects, can be put at these positions.
pub(super) fn check_positions(
    core: &BatchEnv,
    positions: &[PyPosition],
    mask: Option<&[bool]>,
) -> PyResult<()> {
    let variant = core.config().variants.get(0);
    let games = core.num_envs();
    let (expected, found) = (
        mask.map_or(games, |mask| mask.iter().filter(|&&it| it).count()),
        positions.len(),
    );
    if found != expected {
        let message = format!("{expected} games need {expected} positions, not {found}");
        return Err(PyValueError::new_err(message));
    }
    if expected < games && !core.is_started() {
        let message = "games that the mask leaves out were never started; call reset first";
        return Err(classes::GameOverError::new_err(message));
    }
    for (i, position) in positions.iter().enumerate() {
        if position.variant != *variant {
            let theirs = PyVariant(position.variant.clone()).__repr__();
            let ours = PyVariant(variant.clone()).__repr__();
            let message = format!("position {i} is of {theirs}, the environment plays {ours}");
            return Err(classes::PositionError::new_err(message));
        }
        if position.core.is_over(variant) {
            let text = format_position(variant, &position.core);
            let message = format!("position {i} ({text}) is over, no action can follow it");
            return Err(classes::PositionError::new_err(message));
        }
    }
    Ok(())
}

/// All that changes in a batch.
pub(super) fn saved(core: &BatchEnv) -> Result<SavedBatch, OutOfMemory> {
    let variant = core.config().variants.get(0);
    let saved = core.save()?;
    let mut games = with_room(STATE, saved.len())?;
    games.extend(saved.into_iter().map(|game| {
        let text = format_position(variant, &game.position);
        let seat = game.seat.index();
        (text, game.streams, seat, game.over, game.fresh)
    }));
    Ok((core.is_started(), games))
}

/// Restores a state that [`saved`] returned.
pub(super) fn restore(core: &mut BatchEnv, (started, games): SavedBatch) -> PyResult<()> {
    if games.len() != core.num_envs() {
        let (expected, found) = (core.num_envs(), games.len());
        let message = format!("the state is of {found} games, not of {expected}");
        return Err(PyValueError::new_err(message));
    }
    let variant = core.config().variants.get(0).clone();
    let mut saved = with_room(STATE, games.len())?;
    for (text, streams, seat, over, fresh) in games {
        let position = parse_position(&variant, &text)?;
        saved.push(SavedGame {
            variant: 0,
            position,
            streams,
            seat: Player::ALL[seat % 2],
            over,
            fresh,
        });
    }
    core.restore(started, &saved);
    Ok(())
}
