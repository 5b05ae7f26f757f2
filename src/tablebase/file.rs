//! The file of a table.
//!
//! ```text
//! head: a whole file, see `crate::file_header`: copies, one byte | the board as text
//! for each number of stones, from the most to none:
//!     sums: a whole file: the checksum of each block of the rows, u64
//!     rows: blocks of 64 KiB, the last one shorter
//! ```
//!
//! The lengths follow from the variant. A table is written from its start to its end, level by level, so one
//! that is cut short is a table up to the last whole level.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::fill::{ROWS, fill};
use super::layout::{Layout, PADDING};
use super::{Damaged, TablebaseError};
use crate::file_header::{FileKind, HEADER, checksum};
use crate::files::{check_free_or_regular, named};
use crate::game::{Board, Opening, Variant};
use crate::memory::zeroed;
use crate::threads::map_in_order;

pub(super) const HEAD: FileKind = FileKind {
    name: "tablebase",
    letters: "MIJNTABL",
    version: 1,
    oldest: 1,
};
const SUMS: FileKind = FileKind {
    name: "list of checksums of a tablebase",
    letters: "MIJNSUMS",
    version: 1,
    oldest: 1,
};

/// The bytes that share a checksum.
pub(super) const BLOCK: usize = 1 << 16;

/// No head of a table has more bytes: the text of a board has at most 64 rows of 64 cells.
const LONGEST_HEAD: u64 = 1 << 13;

/// The bytes that are read or written between two looks at whether to stop.
const PIECE: usize = 8 << 20;

/// How far the building of a table has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of stones of the rows in work.
    pub stones: usize,
    /// The bytes of rows that are filled.
    pub done: usize,
    /// The bytes of all rows.
    pub total: usize,
}

/// What the table of a variant takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows, one for every way to place and hold pieces, nearly each once up to symmetry.
    pub rows: u64,
    /// Values, one for each empty cell of a row.
    pub values: u64,
    /// The bytes of the file.
    pub file_bytes: usize,
    /// The most memory that building takes, in bytes.
    pub build_bytes: usize,
}

/// The places of the parts of a file, by the number of stones.
#[derive(Debug)]
pub(super) struct Places {
    /// Where the rows of a level start.
    pub(super) rows: Vec<usize>,
    /// The bytes of the file.
    pub(super) end: usize,
}

impl Places {
    pub(super) fn new(layout: &Layout, variant: &Variant) -> Self {
        let mut end = head(variant).len();
        let mut rows = vec![0; layout.cells];
        for (stones, level) in layout.levels.iter().enumerate().rev() {
            rows[stones] = end + sums_bytes(level.bytes);
            end = rows[stones] + level.bytes;
        }
        Self { rows, end }
    }
}

fn sums_bytes(rows: usize) -> usize {
    HEADER + 8 * rows.div_ceil(BLOCK)
}

/// The size of a variant's table.
pub(super) fn size(layout: &Layout, variant: &Variant) -> Size {
    let (rows, values) = layout.counts();
    let levels = layout.levels.windows(2);
    let two = levels.map(|pair| pair[0].bytes + pair[1].bytes).max();
    Size {
        rows,
        values,
        file_bytes: Places::new(layout, variant).end,
        build_bytes: two.unwrap_or(0) + (4 << 20),
    }
}

fn head(variant: &Variant) -> Vec<u8> {
    let mut content = vec![variant.copies()];
    content.extend(variant.board().to_text().into_bytes());
    HEAD.seal(&content)
}

/// The variant of a table, with the opening rule `anywhere`, as every rule has the same table.
pub(super) fn read_head(file: &[u8]) -> Result<Variant, TablebaseError> {
    let (_, content, _) = HEAD.open_start(file)?;
    let variant = content.split_first().and_then(|(&copies, board)| {
        let board = Board::from_text(std::str::from_utf8(board).ok()?).ok()?;
        Variant::new(board, Opening::Anywhere, copies.into()).ok()
    });
    variant.ok_or(TablebaseError::Header)
}

/// The checksums of the blocks of some rows, from the bytes before them.
pub(super) fn read_sums(sums: &[u8], stones: usize) -> Result<Vec<u64>, Damaged> {
    let (_, content) = SUMS.open(sums).map_err(|_| Damaged { stones })?;
    let (words, _) = content.as_chunks();
    Ok(words.iter().map(|&word| u64::from_le_bytes(word)).collect())
}

/// The bytes of a file that hold the checksums of some rows.
pub(super) fn sums_of<'a>(
    file: &'a [u8],
    places: &Places,
    layout: &Layout,
    stones: usize,
) -> &'a [u8] {
    let end = places.rows[stones];
    &file[end - sums_bytes(layout.levels[stones].bytes)..end]
}

/// Builds the table of a variant's board and copies into a new file.
///
/// It grows as `PATH.partial`, level by level, and gets its name when it is whole. A partial file of an earlier
/// build is continued, so a build that was ended in any way loses at most the level in work.
pub(super) fn build(
    variant: &Variant,
    path: &Path,
    num_threads: usize,
    stop: &AtomicBool,
    progress: impl Fn(Progress) + Sync,
) -> Result<(), TablebaseError> {
    check_free(path)?;
    let partial = partial_path(path);
    let layout = Layout::new(variant)?;
    let builder = Builder {
        layout: &layout,
        places: Places::new(&layout, variant),
        num_threads,
        stop,
        filled: AtomicUsize::new(0),
        total: layout.levels.iter().map(|level| level.bytes).sum(),
        progress,
    };
    let of_partial = |error: io::Error| named(&partial, &error);
    let mut file = open_partial(&partial).map_err(of_partial)?;
    builder
        .run(&mut file, &head(variant))
        .map_err(|error| match error {
            TablebaseError::Io(error) => of_partial(error).into(),
            other => other,
        })?;
    file.sync_all().map_err(of_partial)?;
    // Something may have come there in the meantime.
    check_free(path)?;
    fs::rename(&partial, path).map_err(|error| named(path, &error))?;
    Ok(())
}

/// Fails unless the path names nothing yet, not even a link to nothing.
fn check_free(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() {
        let message = "the path of a tablebase must not be empty";
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    let error = match fs::symlink_metadata(path) {
        Ok(_) => io::Error::new(ErrorKind::AlreadyExists, "it exists already"),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => error,
    };
    Err(named(path, &error))
}

/// Opens the file that a table grows in, which this process then has for itself.
fn open_partial(partial: &Path) -> io::Result<File> {
    check_free_or_regular(partial)?;
    let mut file = OpenOptions::new();
    let file = file.read(true).write(true).create(true).truncate(false);
    let file = file.open(partial)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(ErrorKind::ResourceBusy.into()),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// The file that a table grows in.
fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

struct Builder<'a, P> {
    layout: &'a Layout,
    places: Places,
    num_threads: usize,
    stop: &'a AtomicBool,
    /// The bytes of rows that are filled.
    filled: AtomicUsize,
    /// The bytes of all rows.
    total: usize,
    progress: P,
}

impl<P: Fn(Progress) + Sync> Builder<'_, P> {
    fn run(&self, file: &mut File, head: &[u8]) -> Result<(), TablebaseError> {
        let mut found = Vec::new();
        Read::by_ref(file)
            .take(LONGEST_HEAD)
            .read_to_end(&mut found)?;
        let is_begun = found.starts_with(head);
        if !is_begun {
            if read_head(&found).is_ok() {
                let other = "it is the start of another table: delete it, or choose another file";
                return Err(io::Error::new(ErrorKind::AlreadyExists, other).into());
            }
            // Nothing yet, or a damaged file.
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(head)?;
        }
        let mut after = Vec::new();
        let mut goes_on = is_begun;
        for (stones, level) in self.layout.levels.iter().enumerate().rev() {
            let known = if goes_on {
                self.read(file, stones)?
            } else {
                None
            };
            after = if let Some(rows) = known {
                self.report(stones, level.bytes);
                rows
            } else {
                let start = self.places.rows[stones] - sums_bytes(level.bytes);
                file.set_len(start as u64)?;
                file.seek(SeekFrom::Start(start as u64))?;
                goes_on = false;
                let done = |bytes| self.report(stones, bytes);
                let rows = fill(
                    self.layout,
                    stones,
                    &after,
                    self.num_threads,
                    self.stop,
                    done,
                )?;
                self.write(file, &rows)?;
                self.report(stones, PADDING);
                rows
            };
        }
        file.set_len(self.places.end as u64)?;
        // The last report may have ended the build too.
        self.check_stop()
    }

    fn check_stop(&self) -> Result<(), TablebaseError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(TablebaseError::Stopped);
        }
        Ok(())
    }

    fn report(&self, stones: usize, bytes: usize) {
        let done = self.filled.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let total = self.total;
        (self.progress)(Progress {
            stones,
            done,
            total,
        });
    }

    /// The rows of a level in the file; none if they are not there or not as they were written.
    fn read(&self, file: &mut File, stones: usize) -> Result<Option<Vec<u8>>, TablebaseError> {
        self.check_stop()?;
        let bytes = self.layout.levels[stones].bytes;
        let start = self.places.rows[stones] - sums_bytes(bytes);
        if file.metadata()?.len() < (start + sums_bytes(bytes) + bytes) as u64 {
            return Ok(None);
        }
        file.seek(SeekFrom::Start(start as u64))?;
        let mut sums = vec![0; sums_bytes(bytes)];
        file.read_exact(&mut sums)?;
        let Ok(sums) = read_sums(&sums, stones) else {
            return Ok(None);
        };
        let mut rows = zeroed(ROWS, bytes)?;
        for piece in rows.chunks_mut(PIECE) {
            self.check_stop()?;
            file.read_exact(piece)?;
        }
        let whole = self.sums(&rows)? == sums;
        Ok(whole.then_some(rows))
    }

    /// Writes a level where the file ends, and waits until it is on the disk.
    fn write(&self, file: &mut File, rows: &[u8]) -> Result<(), TablebaseError> {
        let sums = self.sums(rows)?;
        let sums: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        file.write_all(&SUMS.seal(&sums))?;
        for piece in rows.chunks(PIECE) {
            self.check_stop()?;
            file.write_all(piece)?;
        }
        file.sync_data()?;
        Ok(())
    }

    fn sums(&self, rows: &[u8]) -> Result<Vec<u64>, TablebaseError> {
        let sum = |(): &mut (), block: &[u8]| Ok(checksum(block));
        map_in_order(rows.chunks(BLOCK), self.num_threads, || (), sum)
    }
}
