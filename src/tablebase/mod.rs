//! The exact margin of every position of a board, in a file.
//!
//! The table of the standard game strongly solves it, in the words of Allis (1994): it holds the value of every
//! position, of play that is not perfect too. All opening rules share it.
//!
//! A row belongs to the cells and the hands of both players, seen by the side to move. It has a value for
//! each empty cell, the best margin of placing a piece there; so it serves for every set of allowed
//! cells, and the margin of a position is the largest value among those. See `layout.rs` for the order of
//! the rows, `fill.rs` for how they are computed and `file.rs` for how they are kept.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use mijnlieff::game::{Board, Opening, Position, Variant};
//! use mijnlieff::tablebase::Tablebase;
//!
//! let board = Board::from_text("###\n###")?;
//! let variant = Variant::new(board, Opening::Anywhere, 1)?;
//! let path = std::env::temp_dir().join(format!("mijnlieff-doc-{}.tablebase", std::process::id()));
//! Tablebase::build(&variant, &path, 1, &AtomicBool::new(false), |_| ())?;
//! let table = Tablebase::open(&path)?;
//! std::fs::remove_file(&path)?;
//! assert_eq!(table.margin(&variant, &Position::new(&variant))?, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod census;
mod error;
mod file;
mod fill;
mod layout;
mod lookup;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use memmap2::Mmap;

pub use census::{Census, CensusPosition, Exchange, Facts, MarginCounts, PlyCensus};
pub use error::{Damaged, TablebaseError};
pub use file::{Progress, Size};

use self::file::{BLOCK, HEAD, Places};
use self::layout::Layout;
use crate::file_header::{FileError, checksum};
use crate::files::{check_regular, named};
use crate::game::Variant;

/// A table in a file, which is mapped into memory.
///
/// All methods take `&self`, and several threads may use it at once. The file must not be written to
/// while it is open.
pub struct Tablebase {
    /// Of the opening rule `anywhere`, as every rule has the same table.
    variant: Variant,
    layout: Layout,
    map: Mmap,
    /// By the number of stones.
    levels: Vec<Rows>,
}

/// Where the rows with some number of stones lie, and which of them were found to be whole.
struct Rows {
    start: usize,
    sums: Vec<u64>,
    /// A bit for each block: set when its checksum was compared.
    checked: Vec<AtomicU64>,
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tablebase({} bytes)", self.map.len())
    }
}

impl Tablebase {
    /// What the table of a variant's board and copies takes.
    ///
    /// # Errors
    ///
    /// When the board has more than 16 cells or the variant more than 3 copies, when its margins do not
    /// fit, or memory does not suffice.
    pub fn size(variant: &Variant) -> Result<Size, TablebaseError> {
        Ok(file::size(&Layout::new(variant)?, variant))
    }

    /// Builds the table of a variant's board and copies into a new file, see [`Tablebase::size`].
    ///
    /// It grows as `PATH.partial` and gets its name when it is whole. A partial file is continued, so a
    /// build that was ended in any way loses at most the rows with one number of stones. `progress` is
    /// told now and then, by any thread, how far the work has come.
    ///
    /// # Errors
    ///
    /// As [`Tablebase::size`], when the file is there already or cannot be written, when another process
    /// builds it, or when `stop` is set.
    pub fn build(
        variant: &Variant,
        path: &Path,
        num_threads: usize,
        stop: &AtomicBool,
        progress: impl Fn(Progress) + Sync,
    ) -> Result<(), TablebaseError> {
        file::build(variant, path, num_threads, stop, progress)
    }

    /// Opens a table. Its rows are checked later, when they are read for the first time.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is not a whole table of this version, or its lists of checksums are
    /// damaged.
    pub fn open(path: &Path) -> Result<Self, TablebaseError> {
        let map = map(path).map_err(|error| named(path, &error))?;
        let variant = file::read_head(&map)?;
        let layout = Layout::new(&variant)?;
        let places = Places::new(&layout, &variant);
        if map.len() != places.end {
            return Err(TablebaseError::File(FileError::Length {
                kind: HEAD,
                found: map.len(),
                expected: places.end as u64,
            }));
        }
        let levels = places.rows.iter().enumerate().map(|(stones, &start)| {
            let sums = file::sums_of(&map, &places, &layout, stones);
            let sums = file::read_sums(sums, stones)?;
            let checked = (0..sums.len().div_ceil(64)).map(|_| AtomicU64::new(0));
            let checked = checked.collect();
            Ok(Rows {
                start,
                sums,
                checked,
            })
        });
        let levels = levels.collect::<Result<_, Damaged>>()?;
        Ok(Self {
            variant,
            layout,
            map,
            levels,
        })
    }

    /// Whether it holds the positions of this variant: those of any opening rule.
    #[must_use]
    pub fn serves(&self, variant: &Variant) -> bool {
        self.variant.equals_but_for_opening(variant)
    }

    /// The variant of its positions, with the opening rule `anywhere`.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Compares the checksums of all rows.
    ///
    /// # Errors
    ///
    /// When one does not match, or `stop` is set.
    pub fn check(&self, stop: &AtomicBool) -> Result<(), TablebaseError> {
        for (stones, rows) in self.levels.iter().enumerate() {
            for block in 0..rows.sums.len() {
                if stop.load(Ordering::Relaxed) {
                    return Err(TablebaseError::Stopped);
                }
                self.check_block(stones, block)?;
            }
        }
        Ok(())
    }

    /// The row that starts at a byte of its level, and what follows it.
    #[inline]
    fn row(&self, stones: usize, start: usize) -> Result<u64, Damaged> {
        let last = start + self.layout.levels[stones].row_bytes - 1;
        self.check_block(stones, start / BLOCK)?;
        self.check_block(stones, last / BLOCK)?;
        let at = self.levels[stones].start + start;
        let word = self.map[at..at + 8].try_into().expect("8 bytes");
        Ok(u64::from_le_bytes(word))
    }

    #[inline]
    fn check_block(&self, stones: usize, block: usize) -> Result<(), Damaged> {
        let checked = &self.levels[stones].checked[block / 64];
        if checked.load(Ordering::Relaxed) >> (block % 64) & 1 == 1 {
            return Ok(());
        }
        self.read_block(stones, block)
    }

    #[cold]
    #[inline(never)]
    fn read_block(&self, stones: usize, block: usize) -> Result<(), Damaged> {
        let rows = &self.levels[stones];
        let bytes = &self.map[rows.start..][..self.layout.levels[stones].bytes];
        let bytes = bytes.chunks(BLOCK).nth(block).expect("the block is there");
        if checksum(bytes) != rows.sums[block] {
            return Err(Damaged { stones });
        }
        rows.checked[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        Ok(())
    }
}

#[allow(unsafe_code, reason = "the file must not change while it is mapped")]
fn map(path: &Path) -> io::Result<Mmap> {
    check_regular(path)?;
    let file = File::open(path)?;
    // SAFETY: `Tablebase` says that nobody may write to an open table, and nothing here does: a table
    // gets its name when it is whole.
    unsafe { Mmap::map(&file) }
}
