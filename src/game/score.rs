//! Points.
//!
//! A run of `n` cells scores `n - 2`, and `n - 2` is also the number of triples of consecutive cells
//! in it (none for `n < 3`). So the points of a player are the triples that the stones cover. On small
//! boards they are looked up, on large ones the lines of the stones are counted ([`Lines`]).

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::CellSet;
use super::lines::{Gains, Lines};

/// The largest board whose points are looked up: 2^16 entries of one byte.
const MAX_TABLE_CELLS: usize = 16;

/// How the points of a board are found.
#[derive(Clone, Default)]
pub(super) struct ScoreTables {
    num_cells: usize,
    pub(super) lines: Lines,
    /// The points of every set of cells, on small boards, computed when first asked for.
    points: OnceLock<Arc<[u8]>>,
}

impl fmt::Debug for ScoreTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScoreTables").finish_non_exhaustive()
    }
}

impl ScoreTables {
    pub(super) fn new(num_cells: usize, lines: Lines) -> Self {
        Self {
            num_cells,
            lines,
            points: OnceLock::new(),
        }
    }

    #[inline]
    pub(super) fn points(&self, stones: CellSet) -> u16 {
        match self.table() {
            Some(table) => u16::from(table[stones.bits() as usize]),
            None => self.count(stones),
        }
    }

    #[inline(never)] // keeps `points` short enough for the ends of games
    fn count(&self, stones: CellSet) -> u16 {
        self.lines.points(stones)
    }

    #[inline]
    pub(super) fn gains(&self, stones: CellSet, cells: CellSet) -> Gains {
        let Some(table) = self.table() else {
            return self.lines.gains(stones);
        };
        let points = |set: CellSet| table[set.bits() as usize];
        let before = points(stones);
        let mut gains = Gains::default();
        for cell in cells {
            let gain = points(stones.with(cell)) - before;
            if gain > 0 {
                gains.add(cell, gain);
            }
        }
        gains
    }

    #[inline]
    fn table(&self) -> Option<&[u8]> {
        if self.num_cells > MAX_TABLE_CELLS {
            return None;
        }
        Some(match self.points.get() {
            Some(table) => table,
            None => self.new_table(),
        })
    }

    /// Builds the table and keeps it. It is built before the lock is taken: a process forked
    /// while another thread holds the lock would wait for that thread for ever.
    #[cold]
    fn new_table(&self) -> &[u8] {
        let table = self.build_table();
        self.points.get_or_init(|| table)
    }

    /// A board of 16 cells has fewer than 4 x 16 triples, so a byte holds the points.
    fn build_table(&self) -> Arc<[u8]> {
        let sets = (0..1 << self.num_cells).map(CellSet::from_bits);
        sets.map(|stones| self.lines.points(stones) as u8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Board;
    use super::*;

    #[test]
    fn a_run_scores_its_length_less_two() {
        for length in 1..=20 {
            let board = Board::from_text(&"#".repeat(length)).unwrap();
            assert_eq!(
                usize::from(board.points(board.all())),
                length.saturating_sub(2)
            );
        }
        let board = Board::default();
        // 2 points in each of 4 rows and 4 columns; 2 + 1 + 1 along each diagonal direction.
        assert_eq!(board.points(board.all()), 24);
        // Cells 3, 4, 5 follow each other in number but not in a row.
        assert_eq!(board.points(CellSet::from_bits(0b11_1000)), 0);
    }
}
