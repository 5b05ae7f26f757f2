//! Positions that a caller gives to the games of a batch, and the state of a batch in pickles.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::encode::VariantSet;
use crate::game::{Player, Position, Variant, format_position, parse_position};
use crate::memory::{OutOfMemory, with_room};
use crate::python::errors::classes;
use crate::python::rules::position::PyPosition;
use crate::python::rules::variant::PyVariant;
use crate::vector::{BatchEnv, SavedGame};

/// Named in the error if memory does not suffice.
const STATE: &str = "the state of the games";

/// Whether the batch has started, and for each game the index of its variant, the position as text,
/// the streams, the seat, whether it is over, and whether the agent has not acted in it yet.
pub(super) type SavedBatch = (bool, Vec<(usize, String, [u64; 2], usize, bool, bool)>);

/// The indices of variants, by variant; the first of equal ones.
pub(super) struct Indices(HashMap<Arc<Variant>, usize>);

impl Indices {
    pub(super) fn of(variants: &VariantSet) -> Self {
        let all = variants.all().iter().enumerate();
        // Later entries of equal variants would replace the first.
        Self(all.rev().map(|(i, it)| (Arc::clone(it), i)).collect())
    }

    /// The positions with the indices of their variants.
    ///
    /// # Errors
    ///
    /// Unless the games, all or those that the mask selects, can be put at these positions.
    pub(super) fn place(
        &self,
        core: &dyn BatchEnv,
        positions: &[PyPosition],
        mask: Option<&[bool]>,
    ) -> PyResult<Vec<(usize, Position)>> {
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
        let mut placed = with_room("the positions", positions.len())?;
        for (i, position) in positions.iter().enumerate() {
            let variant = &position.variant;
            let Some(&index) = self.0.get(variant) else {
                let theirs = PyVariant(variant.clone()).__repr__();
                let ours = match &core.config().variants.all() {
                    [only] => format!("plays {}", PyVariant(only.clone()).__repr__()),
                    all => format!("has {} variants, and it is none of them", all.len()),
                };
                let message = format!("position {i} is of {theirs}, the environment {ours}");
                return Err(classes::PositionError::new_err(message));
            };
            if position.core.is_over(variant) {
                let text = format_position(variant, &position.core);
                let message = format!("position {i} ({text}) is over, no action can follow it");
                return Err(classes::PositionError::new_err(message));
            }
            placed.push((index, position.core));
        }
        Ok(placed)
    }
}

/// All that changes in a batch.
pub(super) fn saved(core: &dyn BatchEnv) -> Result<SavedBatch, OutOfMemory> {
    let variants = &core.config().variants;
    let saved = core.save()?;
    let mut games = with_room(STATE, saved.len())?;
    games.extend(saved.into_iter().map(|game| {
        let text = format_position(variants.get(game.variant), &game.position);
        let (streams, seat) = (game.streams, game.seat.index());
        (game.variant, text, streams, seat, game.over, game.fresh)
    }));
    Ok((core.is_started(), games))
}

/// Restores a state that [`saved`] returned, unless it is stopped.
pub(super) fn restore(
    core: &mut dyn BatchEnv,
    (started, games): SavedBatch,
    stop: &AtomicBool,
) -> PyResult<()> {
    if games.len() != core.num_envs() {
        let (expected, found) = (core.num_envs(), games.len());
        let message = format!("the state is of {found} games, not of {expected}");
        return Err(PyValueError::new_err(message));
    }
    let variants = Arc::clone(&core.config().variants);
    let mut saved = with_room(STATE, games.len())?;
    for (variant, text, streams, seat, over, fresh) in games {
        if stop.load(Ordering::Relaxed) {
            return Ok(()); // the caller raises KeyboardInterrupt
        }
        let count = variants.all().len();
        let Some(its) = variants.all().get(variant) else {
            let message = format!("the state has variant {variant}, there are only {count}");
            return Err(PyValueError::new_err(message));
        };
        saved.push(SavedGame {
            variant,
            position: parse_position(its, &text)?,
            streams,
            seat: Player::ALL[seat % 2],
            over,
            fresh,
        });
    }
    core.restore(started, &saved);
    Ok(())
}
