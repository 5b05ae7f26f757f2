//! Evaluations that are kept, for networks that do not change between searches.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::evaluation::LeafEvaluation;
use crate::memory::{OutOfMemory, make_room, make_room_in_map};
use crate::simd::Lanes;
use crate::tree_search::memory::edges::Logits;
use crate::tree_search::memory::store::Prediction;
use crate::vector::step::state::GameState;

/// Named in the error if memory does not suffice.
const KEPT: &str = "the evaluations that a search keeps";

/// What the simulations of a thread work with, beside the trees.
#[derive(Debug)]
pub(crate) struct Workspace<S: GameState> {
    /// Numbers of the edges of one node.
    pub(crate) scratch: Vec<Lanes>,
    /// The evaluations of positions that trees of this thread have reached.
    pub(crate) known: KnownEvaluations<S>,
    /// The leaves that have been solved, each time that one was reached first in a tree.
    pub(crate) solved: u64,
    /// The leaves whose evaluation was known.
    pub(crate) recalled: u64,
}

/// Evaluations by position, forgotten all at once when they fill the memory they may take.
#[derive(Debug)]
pub(crate) struct KnownEvaluations<S: GameState> {
    places: HashMap<S::Key, (Prediction, u32), FxBuildHasher>,
    logits: Vec<Logits>,
    /// The most memory that they may take; 0 keeps none.
    most_bytes: usize,
}

impl<S: GameState> KnownEvaluations<S> {
    /// Keeps none.
    pub(crate) fn none() -> Self {
        Self::within(0)
    }

    /// Keeps those that fit into this many bytes.
    pub(crate) fn within(most_bytes: usize) -> Self {
        Self {
            places: HashMap::default(),
            logits: Vec::new(),
            most_bytes,
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, state: &S) -> Option<LeafEvaluation<'_>> {
        if self.most_bytes == 0 {
            return None;
        }
        let &(head, start) = self.places.get(&state.key())?;
        let groups = LeafEvaluation::groups(head);
        let logits = &self.logits[start as usize..][..groups];
        Some(LeafEvaluation { head, logits })
    }

    /// Keeps an evaluation. Without memory for it, nothing has changed.
    pub(crate) fn keep(
        &mut self,
        state: &S,
        evaluation: LeafEvaluation<'_>,
    ) -> Result<(), OutOfMemory> {
        if self.most_bytes == 0 {
            return Ok(());
        }
        let LeafEvaluation { head, logits } = evaluation;
        if self.bytes() + size_of_val(logits) > self.most_bytes {
            self.places.clear();
            self.logits.clear();
        }
        make_room(&mut self.logits, KEPT, logits.len())?;
        make_room_in_map(&mut self.places, KEPT, 1)?;
        let start = self.logits.len() as u32;
        // Several trees may have waited for it; the first has brought it here.
        self.places.entry(state.key()).or_insert_with(|| {
            self.logits.extend_from_slice(logits);
            (head, start)
        });
        Ok(())
    }

    /// The memory that those kept need.
    fn bytes(&self) -> usize {
        // A map is half full on average, and has a byte for each place.
        let place = 2 * (size_of::<(S::Key, (Prediction, u32))>() + 1);
        self.places.len() * place + self.logits.len() * size_of::<Logits>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::encode::VariantSet;
    use crate::game::Variant;
    use crate::simd::LANES;
    use crate::vector::step::packed_game::PackedGame;

    /// Keeps evaluations with this many groups of logits until the others are forgotten, and returns
    /// the memory that they took up to then.
    fn bytes_taken(most_bytes: usize, groups: usize) -> usize {
        let variants = Arc::new(VariantSet::one(Arc::new(Variant::default())));
        let rules = PackedGame::rules(&variants).unwrap();
        let mut known = KnownEvaluations::<PackedGame>::within(most_bytes);
        let head = Prediction {
            count: (LANES * groups) as u16,
            ..Prediction::default()
        };
        let logits = &vec![Logits::NOTHING; groups];
        let mut states = vec![PackedGame::start(&rules, 0)];
        let (mut kept, mut bytes) = (0, 0);
        while known.places.len() >= kept {
            let state = states.pop().unwrap();
            if state.is_over(&rules) {
                continue;
            }
            kept = known.places.len();
            // A map has a byte for each of its places and keeps an eighth of them free.
            let place = size_of::<(u64, (Prediction, u32))>() + 1;
            let logits_bytes = known.logits.len() * size_of::<Logits>();
            bytes = known.places.capacity() * 8 / 7 * place + logits_bytes;
            // A map is between a quarter and seven eighths full, so half on average.
            assert_eq!(known.bytes(), 2 * kept * place + logits_bytes);
            known.keep(&state, LeafEvaluation { head, logits }).unwrap();
            let legal = (0..state.count_legal(&rules)).map(|place| state.nth_legal(&rules, place));
            states.extend(legal.map(|action| state.play(&rules, action)));
        }
        assert_eq!(known.places.len(), 1, "the others were forgotten");
        bytes
    }

    #[test]
    fn what_is_kept_takes_about_as_much_memory_as_it_may() {
        for most_bytes in [1 << 17, 5 << 15, 3 << 16, 7 << 15, 1 << 18] {
            for groups in [0, 1, 8] {
                let bytes = bytes_taken(most_bytes, groups);
                assert!(
                    (most_bytes / 2..most_bytes * 5 / 4).contains(&bytes),
                    "{bytes} bytes for {groups} groups where {most_bytes} are allowed"
                );
            }
        }
    }
}
