//! The network's evaluations of leaves, converted for the trees.

use crate::memory::{OutOfMemory, make_room};
use crate::simd::{Kernel, LANES, Simd, Vector};
use crate::tree_search::config::TreeConfig;
use crate::tree_search::error::UpdateError;
use crate::tree_search::memory::edges::{Largest, Logits, groups};
use crate::tree_search::memory::store::Prediction;
use crate::vector::step::state::GameState;

/// The largest value accepted: 1, and what rounding may add.
pub(crate) const MAX_VALUE: f32 = 1.001;

/// What a network expects of leaves, each for its side to move.
#[derive(Clone, Copy, Debug)]
pub enum LeafValues<'a> {
    /// The values that a search works with, -1 to 1.
    Values(&'a [f32]),
    /// Two numbers for each, of which [`TreeConfig::margin_weight`] makes such a value.
    OutcomesAndMargins {
        /// The outcome, -1 to 1, and the margin.
        pairs: &'a [[f32; 2]],
        /// Points per unit of the margin.
        unit: f32,
    },
}

impl LeafValues<'_> {
    /// How many leaves they are for.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::OutcomesAndMargins { pairs, .. } => pairs.len(),
        }
    }

    /// The value of a leaf in a search.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    #[inline]
    pub(crate) fn value(self, row: usize, config: &TreeConfig) -> Result<f32, UpdateError> {
        let checked = |value: f32| {
            if (-MAX_VALUE..=MAX_VALUE).contains(&value) {
                Ok(value)
            } else {
                Err(UpdateError::Value { row, value })
            }
        };
        match self {
            Self::Values(values) => checked(values[row]),
            Self::OutcomesAndMargins { pairs, unit } => {
                let [outcome, margin] = pairs[row];
                let outcome = checked(outcome)?;
                if margin.is_nan() {
                    return Err(UpdateError::Margin { row });
                }
                Ok(config.expected_value(outcome, margin * unit))
            }
        }
    }
}

/// A position's evaluation as a tree stores it.
#[derive(Clone, Copy)]
pub(crate) struct LeafEvaluation<'a> {
    pub(crate) head: Prediction,
    /// As many as its actions fill.
    pub(crate) logits: &'a [Logits],
}

impl LeafEvaluation<'_> {
    /// The groups that the logits of a position fill.
    #[inline(always)]
    pub(crate) fn groups(head: Prediction) -> usize {
        groups(usize::from(head.count))
    }
}

/// The evaluations of a batch of leaves, in memory that is kept.
#[derive(Debug, Default)]
pub(crate) struct LeafEvaluations {
    pub(crate) heads: Vec<Prediction>,
    pub(crate) logits: Vec<Logits>,
}

impl LeafEvaluations {
    /// Memory for this many leaves with this many edges at most: their heads and logits.
    pub(crate) fn rows(
        &mut self,
        leaves: usize,
        most_edges: usize,
    ) -> Result<(&mut [Prediction], &mut [Logits]), OutOfMemory> {
        const EVALUATIONS: &str = "the evaluations of a search";
        let groups = leaves.saturating_mul(groups(most_edges));
        if self.heads.len() < leaves {
            let (heads, logits) = (leaves - self.heads.len(), groups - self.logits.len());
            make_room(&mut self.heads, EVALUATIONS, heads)?;
            make_room(&mut self.logits, EVALUATIONS, logits)?;
            self.heads.resize(leaves, Prediction::default());
            self.logits.resize(groups, Logits::NOTHING);
        }
        Ok((&mut self.heads[..leaves], &mut self.logits[..groups]))
    }

    #[inline(always)]
    pub(crate) fn get(&self, row: usize, most_edges: usize) -> LeafEvaluation<'_> {
        let head = self.heads[row];
        let own = &self.logits[row * groups(most_edges)..];
        LeafEvaluation {
            head,
            logits: &own[..LeafEvaluation::groups(head)],
        }
    }
}

/// Takes the network's logits for leaves; returns the first leaf whose logits are invalid.
pub(crate) struct StoreLogits<'a, S: GameState> {
    pub(crate) rules: &'a S::Rules,
    pub(crate) num_actions: usize,
    pub(crate) most_edges: usize,
    pub(crate) leaves: &'a [S],
    /// The network's logits, one for every action.
    pub(crate) rows: &'a [f32],
    /// Already with the values.
    pub(crate) heads: &'a mut [Prediction],
    pub(crate) logits: &'a mut [Logits],
}

impl<S: GameState> Kernel for StoreLogits<'_, S> {
    type Result = Option<usize>;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> Option<usize> {
        let most = groups(self.most_edges);
        // `pick` writes whole groups, which may end behind the last action.
        let mut picked = vec![0.0; (most + 1) * LANES];
        let rows = self.rows.chunks_exact(self.num_actions);
        let outputs = self.heads.iter_mut().zip(self.logits.chunks_mut(most));
        let inputs = self.leaves.iter().zip(rows);
        for (row, ((leaf, numbers), (head, logits))) in inputs.zip(outputs).enumerate() {
            let count = leaf.pick_legal(simd, self.rules, numbers, &mut picked);
            let Some(best) = level(simd, &mut picked, count, &mut logits[..groups(count)]) else {
                return Some(row);
            };
            (head.count, head.best) = (count as u16, best as u16);
        }
        None
    }
}

/// Writes logits less the largest; the place of the largest, the first of equal ones, unless one is not
/// a number or plus infinity, or all are minus infinity.
#[inline(always)]
fn level<V: Simd>(
    simd: V,
    picked: &mut [f32],
    count: usize,
    logits: &mut [Logits],
) -> Option<usize> {
    let (_, end) = picked.split_at_mut(count);
    simd.splat(f32::NEG_INFINITY).store(end.first_chunk_mut()?);
    let (all, _) = picked.as_chunks::<LANES>();
    let mut best = Largest::new(simd);
    let infinity = simd.splat(f32::INFINITY);
    let mut usable = infinity.is_equal(infinity);
    for (group, (numbers, _)) in all.iter().zip(&*logits).enumerate() {
        let numbers = simd.load(numbers);
        usable = usable.and(infinity.is_above(numbers));
        best.take(group, numbers);
    }
    let largest = best.largest();
    if !usable.all() || largest == f32::NEG_INFINITY {
        return None;
    }
    for (numbers, logits) in all.iter().zip(logits) {
        let numbers = simd.load(numbers).sub(simd.splat(largest));
        numbers.store(&mut logits.numbers);
    }
    Some(best.place())
}

/// Writes the logits of a position without an evaluation: all actions are equally likely.
pub(crate) fn even(count: usize, logits: &mut [Logits]) {
    logits.fill(Logits::NOTHING);
    for place in 0..count {
        logits[place / LANES].numbers[place % LANES] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    #[test]
    #[allow(clippy::float_cmp)] // whole numbers
    fn logits_are_less_the_largest() {
        let mut picked = [7.0; 24];
        picked[..9].copy_from_slice(&[1., f32::NEG_INFINITY, 3., -200., 3., 0., 0., 0., 2.]);
        let mut logits = [Logits::NOTHING; 2];
        assert_eq!(level(Portable, &mut picked, 9, &mut logits), Some(2));
        let expected = [-2., f32::NEG_INFINITY, 0., -203., 0., -3., -3., -3.];
        assert_eq!(logits[0].numbers, expected);
        assert_eq!(logits[1].numbers[0], -1.0);
        assert_eq!(logits[1].numbers[1..], [f32::NEG_INFINITY; 7]);
    }

    #[test]
    fn logits_that_cannot_be_used() {
        let mut logits = [Logits::NOTHING];
        let mut level = |picked: &mut [f32]| level(Portable, picked, 3, &mut logits);
        for bad in [f32::NAN, f32::INFINITY] {
            let mut picked = [0.0; 16];
            picked[2] = bad;
            assert_eq!(level(&mut picked), None);
            picked[2] = 1.0;
            picked[3] = bad; // no legal action
            assert_eq!(level(&mut picked), Some(2));
        }
        assert_eq!(level(&mut [f32::NEG_INFINITY; 16]), None);
    }
}
