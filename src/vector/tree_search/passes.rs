//! What is done with all trees or all leaves of a batch, as loops for [`crate::wide`].

use std::mem;

use super::super::state::State;
use super::edges::{Logits, groups};
use super::evaluation::{Evaluation, Evaluations, Head, even};
use super::fetch::fetch_ahead;
use super::store::Store;
use super::tree::{Shared, Tree};
use crate::game::Position;
use crate::lanes::{LANES, Lanes, Vector};
use crate::search::{Halt, Limits};
use crate::wide::Work;

/// A tree that waits for nothing.
pub(super) const NO_ROW: u32 = u32::MAX;

/// Memory that a thread works in.
#[derive(Debug)]
pub(super) struct Spare<S> {
    /// To which trees move that start again.
    store: Store<S>,
    /// Numbers of the edges of one node.
    scratch: Vec<Lanes>,
    /// The logits of a position without a network.
    logits: Vec<Logits>,
}

impl<S: State + PartialEq> Spare<S> {
    pub(super) fn new(nodes: usize, num_actions: usize) -> Self {
        Self {
            store: Store::with_room(nodes),
            scratch: vec![[0.0; LANES]; groups(num_actions)],
            logits: vec![Logits::NOTHING; groups(num_actions)],
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.store.bytes()
    }
}

/// Something to do with a tree.
pub(super) trait EachTree<S: State>: Copy + Send + Sync {
    /// Does it with the tree of this number and the position whose evaluation it waits for.
    fn visit<V: Vector>(
        &self,
        shared: &Shared<'_, S>,
        number: usize,
        tree: &mut Tree<S>,
        waiting: &mut Option<S>,
        store: &mut Store<S>,
        spare: &mut Spare<S>,
    ) -> Result<(), Halt>;

    /// Does what is left when all trees of a store have been visited.
    fn finish(&self, _: &mut Store<S>, _: &mut Spare<S>) {}
}

/// The trees of one thread and what to do with them.
pub(super) struct Block<'a, S: State, E> {
    pub(super) shared: &'a Shared<'a, S>,
    pub(super) first: usize,
    pub(super) trees: &'a mut [Tree<S>],
    pub(super) waiting: &'a mut [Option<S>],
    pub(super) store: &'a mut Store<S>,
    pub(super) spare: &'a mut Spare<S>,
    pub(super) visit: E,
}

impl<S: State + PartialEq, E: EachTree<S>> Work for Block<'_, S, E> {
    type Result = Result<(), Halt>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Result {
        for (i, waiting) in self.waiting.iter_mut().enumerate() {
            fetch_ahead(self.trees, i, self.store);
            let tree = &mut self.trees[i];
            self.visit.visit::<V>(
                self.shared,
                self.first + i,
                tree,
                waiting,
                self.store,
                self.spare,
            )?;
        }
        self.visit.finish(self.store, self.spare);
        Ok(())
    }
}

/// Starts the next searches.
#[derive(Clone, Copy)]
pub(super) struct Restart<'a> {
    pub(super) positions: &'a [Position],
}

impl<S: State + PartialEq> EachTree<S> for Restart<'_> {
    fn visit<V: Vector>(
        &self,
        shared: &Shared<'_, S>,
        number: usize,
        tree: &mut Tree<S>,
        _: &mut Option<S>,
        store: &mut Store<S>,
        spare: &mut Spare<S>,
    ) -> Result<(), Halt> {
        let root = S::from_position(shared.rules, &self.positions[number]);
        tree.restart::<V>(root, shared, store, &mut spare.store);
        Ok(())
    }

    fn finish(&self, store: &mut Store<S>, spare: &mut Spare<S>) {
        mem::swap(store, &mut spare.store);
        spare.store.clear();
    }
}

/// Simulates until the tree waits for an evaluation or is done.
#[derive(Clone, Copy)]
pub(super) struct Simulate;

impl<S: State + PartialEq> EachTree<S> for Simulate {
    #[inline(always)]
    fn visit<V: Vector>(
        &self,
        shared: &Shared<'_, S>,
        _: usize,
        tree: &mut Tree<S>,
        waiting: &mut Option<S>,
        store: &mut Store<S>,
        spare: &mut Spare<S>,
    ) -> Result<(), Halt> {
        if waiting.is_none() {
            *waiting = tree.simulate::<V>(shared, store, &mut spare.scratch)?;
        }
        Ok(())
    }
}

/// Hands every tree the evaluation that it waits for.
#[derive(Clone, Copy)]
pub(super) struct Advance<'a> {
    /// The row of each tree's leaf.
    pub(super) rows: &'a [u32],
    pub(super) evaluations: &'a Evaluations,
    pub(super) num_actions: usize,
    /// Whether to simulate on at once.
    pub(super) simulate: bool,
}

impl<S: State + PartialEq> EachTree<S> for Advance<'_> {
    #[inline(always)]
    fn visit<V: Vector>(
        &self,
        shared: &Shared<'_, S>,
        number: usize,
        tree: &mut Tree<S>,
        waiting: &mut Option<S>,
        store: &mut Store<S>,
        spare: &mut Spare<S>,
    ) -> Result<(), Halt> {
        if let Some(leaf) = waiting.take() {
            let row = self.rows[number] as usize;
            let evaluation = self.evaluations.get(row, self.num_actions);
            tree.expand::<V>(shared, store, &leaf, evaluation);
            if self.simulate {
                *waiting = tree.simulate::<V>(shared, store, &mut spare.scratch)?;
            }
        }
        Ok(())
    }
}

/// Simulates to the end with random games for a network.
#[derive(Clone, Copy)]
pub(super) struct RollOut<'a> {
    pub(super) limits: Limits<'a>,
}

impl<S: State + PartialEq> EachTree<S> for RollOut<'_> {
    #[inline(always)]
    fn visit<V: Vector>(
        &self,
        shared: &Shared<'_, S>,
        _: usize,
        tree: &mut Tree<S>,
        waiting: &mut Option<S>,
        store: &mut Store<S>,
        spare: &mut Spare<S>,
    ) -> Result<(), Halt> {
        loop {
            if self.limits.is_stopped() {
                return Err(Halt::Stopped);
            }
            if waiting.is_none() {
                *waiting = tree.simulate::<V>(shared, store, &mut spare.scratch)?;
            }
            let Some(leaf) = waiting.take() else {
                return Ok(());
            };
            let count = leaf.count_legal(shared.rules);
            let head = Head {
                value: tree.play_out(shared, &leaf),
                count: count as u16,
                best: 0,
            };
            let logits = &mut spare.logits[..groups(count)];
            even(count, logits);
            tree.expand::<V>(shared, store, &leaf, Evaluation { head, logits });
        }
    }
}
