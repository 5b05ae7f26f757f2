//! A small transposition table for short searches beside the large one for long searches.

use super::table::TranspositionTable;
use crate::memory::OutOfMemory;

/// The small table stays in the caches, and is new in a moment. It holds several times what a
/// search of [`SHORT`] empty cells stores.
const SMALL_BYTES: usize = 4 << 20;
/// A large table of fewer bytes serves short searches too.
const LARGE_BYTES: usize = 4 * SMALL_BYTES;
/// A search is short with this many empty cells and fewer: some 30,000 positions, rarely 200,000.
const SHORT: u32 = 11;

/// The tables of a solver, which all of its searches share.
#[derive(Debug)]
pub(super) struct Tables {
    small: Option<TranspositionTable>,
    large: TranspositionTable,
}

impl Tables {
    /// A table of at most `bytes` for keys of this width, or the smallest there can be, and a small
    /// one where that is worth it.
    pub(super) fn new(bytes: usize, key_bits: u32) -> Result<Self, OutOfMemory> {
        let large = TranspositionTable::new(bytes, key_bits)?;
        let has_small = large.bytes() >= LARGE_BYTES
            && TranspositionTable::least_bytes(key_bits) <= SMALL_BYTES;
        let small = has_small.then(|| TranspositionTable::new(SMALL_BYTES, key_bits));
        Ok(Self {
            small: small.transpose()?,
            large,
        })
    }

    /// The memory that both take.
    pub(super) fn bytes(&self) -> usize {
        self.large.bytes() + self.small.as_ref().map_or(0, TranspositionTable::bytes)
    }

    /// The table of the search of a position with this many empty cells.
    pub(super) fn of_search(&self, empty: u32) -> &TranspositionTable {
        match &self.small {
            Some(small) if empty <= SHORT => small,
            _ => &self.large,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_searches_have_a_table_that_fits_the_caches() {
        let tables = Tables::new(64 << 20, 48).unwrap();
        assert_eq!(tables.of_search(SHORT).bytes(), SMALL_BYTES);
        assert_eq!(tables.of_search(SHORT + 1).bytes(), 64 << 20);
        assert_eq!(tables.bytes(), (64 << 20) + SMALL_BYTES);
    }

    #[test]
    fn one_table_is_enough_where_little_memory_is_allowed_or_keys_need_a_large_one() {
        for (bytes, key_bits) in [(LARGE_BYTES - 1, 48), (64 << 20, 64)] {
            let tables = Tables::new(bytes, key_bits).unwrap();
            assert!(std::ptr::eq(tables.of_search(1), tables.of_search(16)));
            assert_eq!(tables.bytes(), tables.of_search(16).bytes());
        }
    }
}
