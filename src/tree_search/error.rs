//! Evaluations that a search cannot use.

#![forbid(unsafe_code)]

use std::fmt;

use crate::memory::OutOfMemory;
use crate::search::Halt;

/// Why an evaluation of leaves was not taken in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum UpdateError {
    /// No leaf waits for an evaluation.
    NothingSelected,
    /// A logit is not a number, or plus infinity.
    Logit {
        /// The leaf.
        row: usize,
        /// The action.
        action: usize,
        /// What was given.
        logit: f32,
    },
    /// Minus infinity for every legal action of a leaf.
    NoLegalAction {
        /// The leaf.
        row: usize,
    },
    /// A value is not a number, or too large to add up.
    Value {
        /// The leaf.
        row: usize,
        /// What was given.
        value: f32,
    },
    /// The trees could not grow.
    Halted(Halt),
}

impl From<Halt> for UpdateError {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}

impl From<OutOfMemory> for UpdateError {
    fn from(error: OutOfMemory) -> Self {
        Self::Halted(error.into())
    }
}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingSelected => f.write_str("no leaf waits for an update: call select first"),
            Self::Logit { row, action, logit } => {
                write!(f, "leaf {row}: the logit of action {action} is {logit}")
            }
            Self::NoLegalAction { row } => {
                write!(f, "leaf {row}: the logit of every legal action is -inf")
            }
            Self::Halted(halt) => halt.fmt(f),
            Self::Value { row, value } => write!(f, "leaf {row}: the value is {value}"),
        }
    }
}

impl std::error::Error for UpdateError {}
