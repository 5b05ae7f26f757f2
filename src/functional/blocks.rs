//! States in blocks, which several threads work through.

use std::sync::atomic::Ordering;

use super::{FunctionalError, Result, Run};
use crate::encode::PositionWords;
use crate::game::Variant;
use crate::threads::map_in_order;

/// States that a thread works on before it looks whether to stop, and takes the next.
pub(super) const STATES_PER_BLOCK: usize = 1024;

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
