//! Errors of a step of a batch. On an error no game has moved.

use thiserror::Error;

use crate::game::{PlayError, Position};

/// Actions that a batch cannot play.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// Not one action for each game.
    #[error("{expected} games need {expected} actions, not {found}")]
    Length {
        /// The number of games.
        expected: usize,
        /// The number of actions given.
        found: usize,
    },
    /// The batch has never been reset.
    #[error("the games have not started, reset them first")]
    NotReset,
    /// An index that no action has.
    #[error("game {game}: action {action} does not exist")]
    UnknownAction {
        /// The number of the game.
        game: usize,
        /// The index.
        action: i64,
        /// The position that the game is in.
        position: Box<Position>,
    },
    /// An action that cannot be played.
    #[error("game {game}: action {action}: {error}")]
    Play {
        /// The number of the game.
        game: usize,
        /// The action.
        action: i64,
        /// The position that the game is in.
        position: Box<Position>,
        /// Why it cannot be played there.
        error: PlayError,
    },
}
