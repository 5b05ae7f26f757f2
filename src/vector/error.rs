//! Why a batch cannot play actions. On an error no game has moved.

use std::fmt;

use crate::game::{PlayError, Position};
use crate::memory::OutOfMemory;

/// Actions that a batch cannot play.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// Not one action a game.
    Length {
        /// The number of games.
        expected: usize,
        /// The number of actions given.
        found: usize,
    },
    /// The batch has never been reset.
    NotReset,
    /// An index that no action has.
    UnknownAction {
        /// The number of the game.
        game: usize,
        /// The index.
        action: i64,
        /// The position that the game is in.
        position: Box<Position>,
    },
    /// An action that cannot be played.
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
    /// Memory does not suffice.
    OutOfMemory(OutOfMemory),
}

impl From<OutOfMemory> for StepError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found } => {
                write!(f, "{expected} games need {expected} actions, not {found}")
            }
            Self::OutOfMemory(error) => error.fmt(f),
            Self::NotReset => f.write_str("the games have not started, reset them first"),
            Self::UnknownAction { game, action, .. } => {
                write!(f, "game {game}: action {action} does not exist")
            }
            Self::Play {
                game,
                action,
                error,
                ..
            } => write!(f, "game {game}: action {action}: {error}"),
        }
    }
}

impl std::error::Error for StepError {}
