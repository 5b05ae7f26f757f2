//! Points.
//!
//! A run of `n` cells scores `n - 2`, and `n - 2` is also the number of triples of consecutive cells
//! in it (none for `n < 3`). So the points of a player are the triples that the stones cover.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{Cell, CellSet};

/// The largest board whose points are looked up: 2^16 entries of one byte.
const MAX_TABLE_CELLS: usize = 16;

/// The tables of a board for counting points fast.
#[derive(Clone, Default)]
pub(super) struct ScoreTables {
    num_cells: usize,
    /// For each cell, the other two cells of every triple that it belongs to.
    partners: Vec<Vec<CellSet>>,
    /// The points of every set of cells, on small boards, computed when first asked for.
    points: OnceLock<Arc<[u8]>>,
}

/// The triples that lie in a set of stones.
#[inline]
pub(super) fn count(triples: &[CellSet], stones: CellSet) -> u16 {
    let covered = triples.iter().map(|&triple| stones.is_superset(triple));
    covered.map(u16::from).sum()
}

impl fmt::Debug for ScoreTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScoreTables").finish_non_exhaustive()
    }
}

impl ScoreTables {
    pub(super) fn new(num_cells: usize, triples: &[CellSet]) -> Self {
        let partners = |cell: Cell| -> Vec<CellSet> {
            let own = CellSet::EMPTY.with(cell);
            let with_cell = triples.iter().filter(|triple| triple.contains(cell));
            with_cell.map(|&triple| triple - own).collect()
        };
        Self {
            num_cells,
            partners: CellSet::first(num_cells)
                .into_iter()
                .map(partners)
                .collect(),
            points: OnceLock::new(),
        }
    }

    #[inline]
    pub(super) fn points(&self, triples: &[CellSet], stones: CellSet) -> u16 {
        match self.table() {
            Some(table) => u16::from(table[stones.bits() as usize]),
            None => count(triples, stones),
        }
    }

    #[inline]
    pub(super) fn gain(&self, stones: CellSet, cell: Cell) -> u16 {
        match self.table() {
            Some(table) => {
                let [after, before] = [stones.with(cell), stones].map(|set| set.bits() as usize);
                u16::from(table[after] - table[before])
            }
            None => self.partners[cell.index()]
                .iter()
                .map(|&others| u16::from(stones.is_superset(others)))
                .sum(),
        }
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

    /// Each set from the set without its first cell, which has a smaller number. A board of 16 cells
    /// has fewer than 4 x 16 triples, so a byte holds the points.
    fn build_table(&self) -> Arc<[u8]> {
        let mut table = vec![0_u8; 1 << self.num_cells];
        for bits in 1..table.len() {
            let first = bits.trailing_zeros() as usize;
            let others = bits & (bits - 1);
            let stones = CellSet::from_bits(others as u64);
            let covered = self.partners[first]
                .iter()
                .filter(|&&pair| stones.is_superset(pair));
            table[bits] = table[others] + covered.count() as u8;
        }
        table.into()
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

    #[test]
    fn the_table_agrees_with_counting() {
        for text in [
            "####\n####\n####\n####",
            "##..\n####\n.###",
            "#####\n#####\n#####\n#####",
        ] {
            let board = Board::from_text(text).unwrap();
            for seed in 0..2000_u64 {
                let bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - board.num_cells());
                let stones = CellSet::from_bits(bits);
                let covered = board.triples().iter().filter(|&&t| stones.is_superset(t));
                assert_eq!(usize::from(board.points(stones)), covered.count());
                for cell in board.all() - stones {
                    let after = board.points(stones.with(cell));
                    assert_eq!(board.gain(stones, cell), after - board.points(stones));
                }
            }
        }
    }
}
