//! Why there is no network, or no choice.

use std::fmt;

use super::format::KIND;
use crate::search::Halt;

/// Why bytes or numbers do not make a network.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file does not start as that of a network does.
    Foreign,
    /// The file was written in another version of the format.
    Version {
        /// The version found.
        found: u32,
    },
    /// The file is shorter or longer than it says.
    Length {
        /// The bytes found.
        found: usize,
        /// The bytes that should be there.
        expected: u64,
    },
    /// The checksum does not fit the content.
    Checksum,
    /// The content makes no sense although the checksum fits.
    Content {
        /// Where, in bytes after the header.
        at: usize,
    },
    /// There is no such variant.
    Variant {
        /// Why not.
        reason: String,
    },
    /// The network reads other features of a position than this version works out.
    Inputs {
        /// How many numbers it reads.
        found: usize,
        /// How many numbers there are.
        expected: usize,
    },
    /// A hidden layer has no channel.
    NoChannels,
    /// There are too few or too many weights.
    Count {
        /// The weights found.
        found: usize,
        /// The weights that the layers have; none when there are too many to count.
        expected: Option<usize>,
    },
    /// A weight is infinite or no number.
    NotFinite {
        /// The number of the weight.
        index: usize,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => write!(
                f,
                "the file is not a network: it does not start with {}",
                KIND.letters
            ),
            Self::Version { found } => write!(
                f,
                "the network has format version {found}, this package reads version {}",
                KIND.version
            ),
            Self::Length { found, expected } => write!(
                f,
                "the network is truncated or has been added to: it has {found} bytes and should \
                 have {expected}"
            ),
            Self::Checksum => f.write_str("the network is damaged: its checksum does not fit"),
            Self::Content { at } => write!(f, "the network makes no sense at byte {at}"),
            Self::Variant { reason } => {
                write!(f, "the network is for a variant that is none: {reason}")
            }
            Self::Inputs { found, expected } => write!(
                f,
                "the network reads {found} numbers for each position, this package works out \
                 {expected}"
            ),
            Self::NoChannels => f.write_str("the network has 0 channels, it needs at least 1"),
            Self::Count {
                found,
                expected: Some(expected),
            } => write!(
                f,
                "the network has {found} weights, its layers need {expected}"
            ),
            Self::Count {
                found,
                expected: None,
            } => write!(
                f,
                "the network has {found} weights, its layers need more than there can be"
            ),
            Self::NotFinite { index } => {
                write!(f, "weight {index} of the network is infinite or no number")
            }
        }
    }
}

impl std::error::Error for NetworkError {}

/// Why a network chose nothing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A limit was reached.
    Halted(Halt),
    /// The numbers in the network are so large that sums overflow.
    Logit {
        /// The number of the position.
        index: usize,
        /// The action.
        action: usize,
        /// Its logit, infinite or no number.
        logit: f32,
    },
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Halted(halt) => halt.fmt(f),
            Self::Logit {
                index,
                action,
                logit,
            } => write!(
                f,
                "position {index}: the logit of action {action} is {logit}"
            ),
        }
    }
}

impl std::error::Error for ChoiceError {}

impl From<Halt> for ChoiceError {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}
