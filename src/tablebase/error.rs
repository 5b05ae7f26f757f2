//! What can go wrong with a table.

use std::io;

use thiserror::Error;

use super::layout::MAX_POINTS;
use crate::file_header::FileError;
use crate::memory::OutOfMemory;

/// Why a table cannot be built or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TablebaseError {
    /// The board is too large.
    #[error("a tablebase needs a board of at most 16 cells, this one has {cells}")]
    TooManyCells {
        /// The cells of the board.
        cells: usize,
    },
    /// There are too many pieces of each type.
    #[error("a tablebase needs at most 3 copies of each piece, this variant has {copies}")]
    TooManyCopies {
        /// The copies.
        copies: u8,
    },
    /// Values do not fit the table.
    #[error(
        "a tablebase holds margins of at most {MAX_POINTS} points, a player of this variant can make {points}"
    )]
    TooManyPoints {
        /// The most points of a player.
        points: u16,
    },
    /// The file is not a table, or not a whole one.
    #[error(transparent)]
    File(#[from] FileError),
    /// The header does not name a board and a number of copies.
    #[error("the tablebase is damaged: its header names no variant")]
    Header,
    /// A part of the file has changed.
    #[error(transparent)]
    Damaged(#[from] Damaged),
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The work was stopped.
    #[error("the work on the tablebase was stopped")]
    Stopped,
    /// Memory does not suffice.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// A part of a table whose checksum does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the tablebase is damaged: a checksum does not match among the rows with {stones} stones; build it again"
)]
pub struct Damaged {
    /// The number of stones of the rows in which it lies.
    pub stones: usize,
}
