//! What the network says about leaves, made ready for the trees.

use super::super::state::State;
use super::edges::{Best, Logits, groups};
use crate::lanes::{LANES, Vector};
use crate::wide::Work;

/// What the network says about one position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    /// For the side to move.
    pub(super) value: f32,
    /// Its legal actions.
    pub(super) count: u16,
    /// The place of the action with the largest logit among them, the first of equal ones.
    pub(super) best: u16,
}

/// A position's evaluation as a tree takes it over.
#[derive(Clone, Copy)]
pub(super) struct Evaluation<'a> {
    pub(super) head: Head,
    /// As many as its actions fill.
    pub(super) logits: &'a [Logits],
}

/// The evaluations of a batch of leaves, in memory that is kept.
#[derive(Debug, Default)]
pub(super) struct Evaluations {
    pub(super) heads: Vec<Head>,
    pub(super) logits: Vec<Logits>,
}

impl Evaluations {
    /// Memory for this many leaves with this many actions at most: their heads and logits.
    pub(super) fn rows(
        &mut self,
        leaves: usize,
        num_actions: usize,
    ) -> (&mut [Head], &mut [Logits]) {
        let groups = leaves * groups(num_actions);
        if self.heads.len() < leaves {
            self.heads.resize(leaves, Head::default());
            self.logits.resize(groups, Logits::NOTHING);
        }
        (&mut self.heads[..leaves], &mut self.logits[..groups])
    }

    #[inline(always)]
    pub(super) fn get(&self, row: usize, num_actions: usize) -> Evaluation<'_> {
        let head = self.heads[row];
        let own = &self.logits[row * groups(num_actions)..];
        Evaluation {
            head,
            logits: &own[..groups(usize::from(head.count))],
        }
    }
}

/// Takes in what the network says about leaves; gives the first one of which it cannot be used.
pub(super) struct TakeIn<'a, S: State> {
    pub(super) rules: &'a S::Rules,
    pub(super) num_actions: usize,
    pub(super) leaves: &'a [S],
    /// The network's logits, one for every action.
    pub(super) rows: &'a [f32],
    pub(super) values: &'a [f32],
    pub(super) heads: &'a mut [Head],
    pub(super) logits: &'a mut [Logits],
}

impl<S: State> Work for TakeIn<'_, S> {
    type Result = Option<usize>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Option<usize> {
        let most = groups(self.num_actions);
        // What is picked is written in whole groups, which may end behind the last action.
        let mut picked = vec![0.0; (most + 1) * LANES];
        let rows = self.rows.chunks_exact(self.num_actions);
        let outputs = self.heads.iter_mut().zip(self.logits.chunks_mut(most));
        let inputs = self.leaves.iter().zip(rows).zip(self.values);
        for (row, (((leaf, numbers), &value), (head, logits))) in inputs.zip(outputs).enumerate() {
            let count = leaf.pick_legal::<V>(self.rules, numbers, &mut picked);
            match level::<V>(&mut picked, count, &mut logits[..groups(count)]) {
                Some(best) if value.is_finite() => {
                    *head = Head {
                        value,
                        count: count as u16,
                        best: best as u16,
                    }
                }
                _ => return Some(row),
            }
        }
        None
    }
}

/// Writes logits less the largest; the place of the largest, the first of equal ones, unless one is not
/// a number or plus infinity, or all are minus infinity.
#[inline(always)]
fn level<V: Vector>(picked: &mut [f32], count: usize, logits: &mut [Logits]) -> Option<usize> {
    let (_, end) = picked.split_at_mut(count);
    V::splat(f32::NEG_INFINITY).store(end.first_chunk_mut()?);
    let (all, _) = picked.as_chunks::<LANES>();
    let mut best = Best::<V>::new();
    let infinity = V::splat(f32::INFINITY);
    let mut usable = infinity.is_equal(infinity);
    for (group, (numbers, _)) in all.iter().zip(&*logits).enumerate() {
        let numbers = V::load(numbers);
        usable = usable.and(infinity.is_above(numbers));
        best.take(group, numbers);
    }
    let largest = best.largest();
    if !usable.all() || largest == f32::NEG_INFINITY {
        return None;
    }
    for (numbers, logits) in all.iter().zip(logits) {
        let numbers = V::load(numbers).sub(V::splat(largest));
        numbers.store(&mut logits.numbers);
    }
    Some(best.place())
}

/// Writes what nobody knows anything about: all actions are equally likely.
pub(super) fn even(count: usize, logits: &mut [Logits]) {
    logits.fill(Logits::NOTHING);
    for place in 0..count {
        logits[place / LANES].numbers[place % LANES] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Portable;

    #[test]
    #[allow(clippy::float_cmp)] // whole numbers
    fn logits_are_less_the_largest() {
        let mut picked = [7.0; 24];
        picked[..9].copy_from_slice(&[1., f32::NEG_INFINITY, 3., -200., 3., 0., 0., 0., 2.]);
        let mut logits = [Logits::NOTHING; 2];
        assert_eq!(level::<Portable>(&mut picked, 9, &mut logits), Some(2));
        let expected = [-2., f32::NEG_INFINITY, 0., -203., 0., -3., -3., -3.];
        assert_eq!(logits[0].numbers, expected);
        assert_eq!(logits[1].numbers[0], -1.0);
        assert_eq!(logits[1].numbers[1..], [f32::NEG_INFINITY; 7]);
    }

    #[test]
    fn logits_that_cannot_be_used() {
        let mut logits = [Logits::NOTHING];
        let mut level = |picked: &mut [f32]| level::<Portable>(picked, 3, &mut logits);
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
