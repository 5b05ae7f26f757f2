//! Errors of networks: reading one, and choosing with one.

use thiserror::Error;

use super::MAX_NETWORK_BYTES;
use crate::file_header::FileError;
use crate::game::BoardError;
use crate::memory::OutOfMemory;
use crate::search::Halt;

/// How to get a network in place of an old one.
const ANOTHER: &str = "train one with mijnlieff train, and write its file with mijnlieff export";

/// Why bytes or numbers do not make a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file is not a whole network of this version.
    #[error(transparent)]
    File(FileError),
    /// The file has the format of an earlier version.
    #[error("the network has format version {version}, which is not read any more: {ANOTHER}")]
    Old {
        /// The version of the format.
        version: u32,
    },
    /// The content is invalid although the checksum matches.
    #[error("the network is invalid at byte {at}")]
    Content {
        /// Where, in bytes after the header.
        at: usize,
    },
    /// The variant or the canvas is invalid.
    #[error("the network names an invalid variant: {reason}")]
    Variant {
        /// Why not.
        reason: String,
    },
    /// The network reads other features of a position than this version works out.
    #[error(
        "the network reads {found} numbers for each position, this package works out {expected}: {ANOTHER}"
    )]
    Inputs {
        /// How many numbers it reads.
        found: usize,
        /// How many numbers there are.
        expected: usize,
    },
    /// The file names another form of network, such as "symmetric", which earlier versions had.
    #[error("the network has the form {found:?}, this package reads \"cells\" only: {ANOTHER}")]
    Architecture {
        /// The name found, cut when it is long.
        found: String,
    },
    /// It has 0 units or heads.
    #[error("the network has 0 {what}, it needs at least 1")]
    Nothing {
        /// What there has to be.
        what: &'static str,
    },
    /// Heads cannot share the units equally.
    #[error("the network has {units} units, which must be a multiple of its {heads} heads")]
    Heads {
        /// The units of a cell.
        units: usize,
        /// The heads.
        heads: usize,
    },
    /// There are too few or too many weights.
    #[error("the network has {found} weights, its layers need {}", describe(*.expected))]
    Count {
        /// The weights found.
        found: usize,
        /// The weights that the layers have; none when there are too many to count.
        expected: Option<usize>,
    },
    /// A weight is infinite or NaN.
    #[error("weight {index} of the network is infinite or NaN")]
    NotFinite {
        /// The number of the weight.
        index: usize,
    },
    /// A weight is too large for a number of 16 bits.
    #[error(
        "weight {index} of the network is {weight}, too large for 16 bits: at most {}",
        Self::MOST_IN_HALF
    )]
    TooLargeForHalf {
        /// The number of the weight.
        index: usize,
        /// The weight, as text.
        weight: String,
    },
    /// It would take too much memory, though not its file.
    #[error(
        "the network takes {bytes} bytes when it is ready to evaluate, of which at most \
         {MAX_NETWORK_BYTES} are allowed"
    )]
    TooLarge {
        /// How much it would take.
        bytes: u64,
    },
    /// There is not enough memory for it.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl NetworkError {
    /// The largest number of 16 bits.
    pub(super) const MOST_IN_HALF: f32 = 65_504.0;
}

impl From<FileError> for NetworkError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Version { kind, found } if (1..kind.oldest).contains(&found) => {
                Self::Old { version: found }
            }
            _ => Self::File(error),
        }
    }
}

/// An observation on a canvas whose cells make no board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("observation {row} shows no board: {error}")]
pub struct NoBoardError {
    /// The number of the observation.
    pub row: usize,
    /// Why not.
    pub error: BoardError,
}

/// Why a network chose nothing.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A limit was reached.
    #[error(transparent)]
    Halted(#[from] Halt),
    /// The numbers in the network are so large that sums overflow.
    #[error("position {index}: the logit of action {action} is {logit}, not finite")]
    Logit {
        /// The number of the position.
        index: usize,
        /// The action.
        action: usize,
        /// Its logit, infinite or NaN.
        logit: f32,
    },
}

impl From<OutOfMemory> for ChoiceError {
    fn from(error: OutOfMemory) -> Self {
        Self::Halted(error.into())
    }
}

fn describe(expected: Option<usize>) -> String {
    expected.map_or("more than can be counted".to_owned(), |count| {
        count.to_string()
    })
}
