//! Evaluations that a search cannot use.

#![forbid(unsafe_code)]

use thiserror::Error;

use crate::memory::OutOfMemory;

/// Why an evaluation of leaves was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// No leaf waits for an evaluation.
    #[error("no leaf waits for an update: call select first")]
    NothingSelected,
    /// A logit is not a number, or plus infinity.
    #[error("leaf {row}: the logit of action {action} is {logit}, it must be finite or -inf")]
    Logit {
        /// The leaf.
        row: usize,
        /// The action.
        action: usize,
        /// The number given.
        logit: f32,
    },
    /// Minus infinity for every legal action of a leaf.
    #[error("leaf {row}: the logit of every legal action is -inf, one must be finite")]
    NoLegalAction {
        /// The leaf.
        row: usize,
    },
    /// A value, or an expected outcome, is out of range or not a number.
    #[error("leaf {row}: the value is {value}, it must be -1 to 1")]
    Value {
        /// The leaf.
        row: usize,
        /// The number given.
        value: f32,
    },
    /// An expected margin is not a number.
    #[error("leaf {row}: the margin is NaN")]
    Margin {
        /// The leaf.
        row: usize,
    },
    /// Memory does not suffice.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}
