//! Evaluations that a search cannot use.

#![forbid(unsafe_code)]

use std::fmt;

/// Why an evaluation of leaves was refused; nothing has changed.
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
    /// A value is not a finite number.
    Value {
        /// The leaf.
        row: usize,
        /// What was given.
        value: f32,
    },
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
            Self::Value { row, value } => write!(f, "leaf {row}: the value is {value}"),
        }
    }
}

impl std::error::Error for UpdateError {}
