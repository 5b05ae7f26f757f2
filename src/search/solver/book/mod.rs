//! The book: exact margins of every early position of the standard game, whatever the opening rule.
//!
//! It holds the positions with 1 to [`Book::STONES`] stones in which a stone can be placed, one for
//! all symmetric ones; a [shortened](shorten_book) one those with fewer stones. A position is found by its
//! whole key, so one that cannot be reached is not in the book, rather than answered wrongly.

mod format;
mod make;

use std::fmt;
use std::sync::OnceLock;

use thiserror::Error;

use crate::file_header::FileError;
use crate::game::{Board, Position, Variant};
use crate::memory::OutOfMemory;
use crate::small_board::{Geometry, SmallState};

pub use format::shorten_book;
pub use make::{canonical_counts, make_book};

/// Why a file was not read as a book.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file is not a whole book of this version.
    #[error(transparent)]
    File(#[from] FileError),
    /// The content is invalid although the checksum matches.
    #[error("the book is invalid at byte {at}")]
    Content {
        /// Where, in bytes after the header.
        at: usize,
    },
    /// Memory does not suffice for the book or the tables of the board.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// The tables of the board that all books are about, made once. They are made before the lock is
/// taken: a process forked while another thread holds the lock would wait for that thread for ever.
fn standard_geometry() -> Result<&'static Geometry, OutOfMemory> {
    static STANDARD: OnceLock<Geometry> = OnceLock::new();
    if let Some(geometry) = STANDARD.get() {
        return Ok(geometry);
    }
    let geometry = Geometry::new(&Board::default())?;
    Ok(STANDARD.get_or_init(|| geometry))
}

/// Exact margins by position.
pub struct Book {
    geometry: &'static Geometry,
    groups: Vec<Group>,
    entries: Box<[u8]>,
    len: usize,
    /// The most stones on a position.
    stones: usize,
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Book({} positions)", self.len)
    }
}

/// Positions that differ in nothing but the hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    planes: u32,
    /// Where its entries start.
    start: u32,
    len: u32,
}

impl Group {
    /// Stones on the board. The planes differ where a stone is.
    fn stones(self) -> u32 {
        (self.planes as u16 ^ (self.planes >> 16) as u16).count_ones()
    }
}

/// The most stones on a position of a book, [`Book::STONES`] if some have more.
fn most_stones(groups: &[Group]) -> usize {
    let mut most = 0;
    for group in groups {
        most = most.max(group.stones() as usize);
        // In the whole book one of the first groups is enough.
        if most >= Book::STONES {
            return Book::STONES;
        }
    }
    most
}

impl Book {
    /// The most stones on a position of the whole book.
    pub const STONES: usize = 5;

    /// Reads a book.
    ///
    /// # Errors
    ///
    /// When the bytes are not exactly those of a book of this version, or memory does not suffice.
    pub fn parse(bytes: &[u8]) -> Result<Self, BookError> {
        let (groups, entries, len) = format::read(bytes)?;
        Ok(Self {
            geometry: standard_geometry()?,
            stones: most_stones(&groups),
            groups,
            entries,
            len,
        })
    }

    /// Whether the book is about positions of this variant: the standard board and two copies.
    #[must_use]
    pub fn serves(variant: &Variant) -> bool {
        variant.equals_but_for_opening(&Variant::default())
    }

    /// How many positions it holds.
    #[must_use]
    pub fn num_positions(&self) -> usize {
        self.len
    }

    /// The most stones on a position that it holds.
    #[must_use]
    pub fn stones(&self) -> usize {
        self.stones
    }

    /// The margin of a position for the side to move; none when it is not in the book.
    ///
    /// The variant of the position must be one that the book [serves](Book::serves).
    #[must_use]
    pub fn margin(&self, position: &Position) -> Option<i32> {
        if position.ply() == 0 || position.occupied().len() > self.stones {
            return None;
        }
        let (planes, hands) = key_of(self.geometry, SmallState::new(position));
        let group = self
            .groups
            .binary_search_by_key(&planes, |group| group.planes);
        let group = self.groups[group.ok()?];
        let entries = &self.entries[group.start as usize..];
        format::find(entries, group.len, hands)
    }
}

/// A canonical position: planes, then hands.
type Key = (u32, u32);

fn key_of(geometry: &Geometry, state: SmallState<2>) -> Key {
    let (a, b) = geometry.canonical(state.planes());
    (u32::from(a) | u32::from(b) << 16, state.hands)
}
