//! Errors of functions on states. Nothing is returned with them.

use thiserror::Error;

use crate::encode::WordsError;
use crate::memory::OutOfMemory;
use crate::vector::StepError;

/// Why a call on states failed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FunctionalError {
    /// Words that are not a state of the variant.
    #[error("state {index} ({words}): {error}")]
    State {
        /// The number of the state.
        index: usize,
        /// Its words, as hexadecimal numbers.
        words: String,
        /// Why not.
        error: Box<WordsError>,
    },
    /// An action that cannot be played.
    #[error(transparent)]
    Action(StepError),
    /// A game that an illegal action has ended, where a position is asked for.
    #[error("state {index}: an illegal action has ended the game, which a Position cannot show")]
    IllegalEnd {
        /// The number of the state.
        index: usize,
    },
    /// Memory does not suffice.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// The call was stopped.
    #[error("the call was stopped")]
    Stopped,
}

/// The result of a call on states.
pub type Result<T> = std::result::Result<T, FunctionalError>;

impl FunctionalError {
    /// The error of the state of this number.
    #[cold]
    pub(super) fn of(index: usize, words: &[u64], error: WordsError) -> Self {
        let words: Vec<String> = words.iter().map(|word| format!("{word:#x}")).collect();
        let (words, error) = (words.join(" "), Box::new(error));
        Self::State {
            index,
            words,
            error,
        }
    }
}
