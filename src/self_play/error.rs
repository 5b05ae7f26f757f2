//! Errors of self-play.

use thiserror::Error;

use super::Progress;
use crate::memory::OutOfMemory;
use crate::search::Halt;
use crate::tree_search::UpdateError;

/// Why games were not played to their end.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SelfPlayError {
    /// The stop flag was set, or memory does not suffice.
    #[error(transparent)]
    Halted(#[from] Halt),
    /// The evaluation of a position cannot be used.
    #[error("the network's evaluation cannot be used: {0}")]
    Evaluation(UpdateError),
}

/// A progress that no games can have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no self-play has {} games with {} samples", .0.games, .0.samples)]
pub struct ProgressError(pub Progress);

impl From<OutOfMemory> for SelfPlayError {
    fn from(error: OutOfMemory) -> Self {
        Self::Halted(error.into())
    }
}

impl From<UpdateError> for SelfPlayError {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::OutOfMemory(error) => error.into(),
            _ => Self::Evaluation(error),
        }
    }
}
