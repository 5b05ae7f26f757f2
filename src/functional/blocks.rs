//! States in blocks, which several threads work through.

use std::sync::atomic::Ordering;

use super::{FunctionalError, Result, Run};
use crate::encode::{Layout, PositionWords};
use crate::game::Variant;
use crate::threads::map_in_order;
use crate::vector::step::packed_game::PackedGame;
use crate::vector::step::state::GameState;

/// States that a thread works on before it looks whether to stop, and takes the next.
pub(super) const STATES_PER_BLOCK: usize = 1024;

/// States for which the tables of packed games take less time than they save.
const MIN_PACKED: usize = 128;

/// Whether to work on so many states as packed games.
pub(super) fn packs(variant: &Variant, layout: Layout, states: usize) -> bool {
    states >= MIN_PACKED && PackedGame::fits(variant, layout)
}

/// Many states of a variant.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'a> {
    variant: &'a Variant,
    states: &'a [u64],
}

/// Some states of many.
pub(super) struct Block<'a> {
    pub(super) all: Blocks<'a>,
    /// The number of the first state.
    pub(super) first: usize,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(variant: &'a Variant, states: &'a [u64]) -> Self {
        Self { variant, states }
    }

    /// The words of the state of this number.
    #[inline]
    pub(super) fn words(self, index: usize) -> &'a [u64] {
        let count = PositionWords::num_words(self.variant);
        &self.states[index * count..][..count]
    }

    /// The state of this number.
    #[inline]
    pub(super) fn read(self, index: usize) -> Result<PositionWords> {
        let words = self.words(index);
        PositionWords::read(self.variant, words)
            .map_err(|error| FunctionalError::of(index, words, error))
    }

    /// The game of this number as a batch steps it, and whether it is over.
    #[inline(always)]
    pub(super) fn game<S: GameState>(self, rules: &S::Rules, index: usize) -> Result<(S, bool)> {
        match S::from_words(rules, self.words(index)) {
            Some(state) => Ok((state, state.is_over(rules))),
            None => self.game_of_position(rules, index),
        }
    }

    #[inline(never)]
    fn game_of_position<S: GameState>(self, rules: &S::Rules, index: usize) -> Result<(S, bool)> {
        let PositionWords { position, illegal } = self.read(index)?;
        let state = S::from_position(rules, 0, &position);
        let over = illegal || state.is_over(rules);
        Ok((state, over))
    }

    /// Does `work` for every block and what belongs to it. The first error in the order of the
    /// states comes back.
    pub(super) fn run<T: Send>(
        self,
        run: Run<'_>,
        outputs: impl ExactSizeIterator<Item = T> + Send,
        work: impl Fn(Block<'a>, T) -> Result<()> + Sync,
    ) -> Result<()> {
        let work = |(): &mut (), (number, output): (usize, T)| {
            if run.stop.load(Ordering::Relaxed) {
                return Err(FunctionalError::Stopped);
            }
            let first = number * STATES_PER_BLOCK;
            work(Block { all: self, first }, output)
        };
        map_in_order(outputs.enumerate(), run.num_threads, || (), work).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Opening};

    #[test]
    fn many_states_of_sixteen_cells_are_packed() {
        let standard = Variant::default();
        assert!(packs(&standard, Layout::Flat, MIN_PACKED));
        assert!(!packs(&standard, Layout::Flat, MIN_PACKED - 1));
        let board = Board::from_text("####\n####\n####\n####\n####").unwrap();
        let large = Variant::new(board, Opening::Anywhere, 3).unwrap();
        assert!(!packs(&large, Layout::Flat, MIN_PACKED));
    }
}
