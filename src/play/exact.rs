//! Exact values of the positions of a game.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use crate::game::{Position, Variant};
use crate::search::solver::Solver;

const KEPT: usize = 1024;

/// The margin after each legal action, for the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Margins(BTreeMap<usize, i32>);

impl Margins {
    /// None without any action.
    pub(super) fn new(margins: impl IntoIterator<Item = (usize, i32)>) -> Option<Self> {
        let margins: BTreeMap<_, _> = margins.into_iter().collect();
        (!margins.is_empty()).then_some(Self(margins))
    }

    pub(super) fn by_action(&self) -> &BTreeMap<usize, i32> {
        &self.0
    }

    /// The margin with perfect play.
    pub(super) fn best(&self) -> i32 {
        self.0.values().copied().max().expect("there is an action")
    }

    /// The points that an action gives away, and whether the outcome too: a win that becomes a draw or a
    /// loss, or a draw that becomes a loss. None if its margin was not given.
    pub(super) fn loss(&self, action: usize) -> Option<(i32, bool)> {
        let (best, margin) = (self.best(), *self.0.get(&action)?);
        Some((best - margin, margin.signum() < best.signum()))
    }
}

type Key = (Arc<Variant>, Position);

/// What was found of the latest positions.
#[derive(Clone, Debug, Default)]
pub(super) struct Exact {
    /// No margins where a position could not be solved.
    found: HashMap<Key, Option<Margins>>,
    /// The positions in the order in which they came.
    order: VecDeque<Key>,
}

#[allow(
    clippy::mutable_key_type,
    reason = "variants are hashed and compared by what never changes"
)]
impl Exact {
    pub(super) fn get(&self, variant: &Arc<Variant>, position: &Position) -> Option<&Margins> {
        self.found.get(&(Arc::clone(variant), *position))?.as_ref()
    }

    /// Whether a position can be solved and was not tried yet.
    pub(super) fn lacks(&self, variant: &Arc<Variant>, position: &Position) -> bool {
        !position.is_over(variant)
            && Solver::is_within_reach(variant, position)
            && !self.found.contains_key(&(Arc::clone(variant), *position))
    }

    pub(super) fn keep(
        &mut self,
        variant: &Arc<Variant>,
        position: Position,
        margins: Option<Margins>,
    ) {
        let key = (Arc::clone(variant), position);
        if self.found.insert(key.clone(), margins).is_none() {
            self.order.push_back(key);
        }
        if self.found.len() > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.found.remove(&oldest);
        }
    }

    /// Forgets which positions could not be solved, so that they are tried again.
    pub(super) fn forget_failures(&mut self) {
        self.found.retain(|_, margins| margins.is_some());
        self.order.retain(|key| self.found.contains_key(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::opening;

    #[test]
    fn only_the_latest_are_kept() {
        let variant = Arc::new(Variant::default());
        let mut exact = Exact::default();
        let positions: Vec<_> = (0..2000)
            .map(|seed| opening(&variant, 8, seed).unwrap())
            .collect();
        for &position in &positions {
            exact.keep(&variant, position, None);
        }
        let known = |exact: &Exact, it: &Position| !exact.lacks(&variant, it);
        assert!(positions[1500..].iter().all(|it| known(&exact, it)));
        assert!(!known(&exact, &positions[0]));
        exact.forget_failures();
        assert!(!positions.iter().any(|it| known(&exact, it)));
        for &position in &positions[..1100] {
            exact.keep(&variant, position, None);
        }
        assert!(positions[100..1100].iter().all(|it| known(&exact, it)));
    }
}
