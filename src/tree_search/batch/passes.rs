//! The loops over all trees or all leaves of a batch, for [`crate::simd`].

use super::fetch::fetch_ahead;
use super::roots::NextRoot;
use crate::memory::{OutOfMemory, make_room};
use crate::search::Halt;
use crate::simd::{Kernel, LANES, Simd};
use crate::tree_search::memory::TREES;
use crate::tree_search::memory::edges::{Logits, groups};
use crate::tree_search::memory::store::{Prediction, Store};
use crate::tree_search::search::evaluation::{LeafEvaluation, LeafEvaluations, even};
use crate::tree_search::search::known::{KnownEvaluations, Workspace};
use crate::tree_search::search::tree::{SearchContext, Tree};
use crate::vector::step::state::GameState;

/// A tree that waits for nothing.
pub(crate) const NO_ROW: u32 = u32::MAX;

/// Scratch memory of a thread.
#[derive(Debug)]
pub(crate) struct ThreadMemory<S: GameState> {
    /// The store to which restarted trees move.
    pub(crate) store: Store<S>,
    /// The restarted trees, until all are done.
    pub(crate) trees: Vec<Tree<S>>,
    pub(crate) workspace: Workspace<S>,
    /// The logits of a position without a network.
    logits: Vec<Logits>,
}

impl<S: GameState + PartialEq> ThreadMemory<S> {
    pub(crate) fn new(nodes: usize, most_edges: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            store: Store::with_room(nodes, most_edges)?,
            trees: Vec::new(),
            workspace: Workspace {
                scratch: vec![[0.0; LANES]; groups(most_edges)],
                known: KnownEvaluations::none(),
                solved: 0,
                recalled: 0,
            },
            logits: vec![Logits::NOTHING; groups(most_edges)],
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + self.trees.capacity() * size_of::<Tree<S>>()
    }
}

/// A tree of a batch.
pub(crate) struct TreeMut<'a, S> {
    pub(crate) number: usize,
    pub(crate) tree: &'a mut Tree<S>,
    /// The position whose evaluation the tree waits for.
    pub(crate) waiting: &'a mut Option<S>,
}

/// A task for each tree.
pub(crate) trait ForEachTree<S: GameState>: Copy + Send + Sync {
    fn visit<V: Simd>(
        &self,
        simd: V,
        context: &SearchContext<'_, S>,
        at: TreeMut<'_, S>,
        store: &mut Store<S>,
        thread: &mut ThreadMemory<S>,
    ) -> Result<(), Halt>;
}

/// The trees of one thread and the task for them.
pub(crate) struct TreeBlock<'a, S: GameState, E> {
    pub(crate) context: &'a SearchContext<'a, S>,
    pub(crate) first: usize,
    pub(crate) trees: &'a mut [Tree<S>],
    pub(crate) waiting: &'a mut [Option<S>],
    pub(crate) store: &'a mut Store<S>,
    pub(crate) thread: &'a mut ThreadMemory<S>,
    pub(crate) visit: E,
}

impl<S: GameState + PartialEq, E: ForEachTree<S>> Kernel for TreeBlock<'_, S, E> {
    type Result = Result<(), Halt>;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> Self::Result {
        for (i, waiting) in self.waiting.iter_mut().enumerate() {
            self.context.exact.limits.check_stop()?;
            fetch_ahead(self.trees, i, self.store);
            let at = TreeMut {
                number: self.first + i,
                tree: &mut self.trees[i],
                waiting,
            };
            self.visit
                .visit(simd, self.context, at, self.store, self.thread)?;
        }
        Ok(())
    }
}

/// Makes the trees of the next searches, in the second store.
#[derive(Clone, Copy)]
pub(crate) struct Restart<'a> {
    pub(crate) roots: &'a [NextRoot],
}

impl<S: GameState + PartialEq> ForEachTree<S> for Restart<'_> {
    fn visit<V: Simd>(
        &self,
        simd: V,
        context: &SearchContext<'_, S>,
        TreeMut { number, tree, .. }: TreeMut<'_, S>,
        store: &mut Store<S>,
        thread: &mut ThreadMemory<S>,
    ) -> Result<(), Halt> {
        make_room(&mut thread.trees, TREES, 1)?;
        let restarted = match &self.roots[number] {
            NextRoot::Follow(root) => {
                let root = S::from_position(context.rules, root.variant, &root.position);
                tree.restarted(simd, root, context, store, &mut thread.store)?
            }
            NextRoot::Fresh { root, seed } => {
                let root = S::from_position(context.rules, root.variant, &root.position);
                Tree::new(root, *seed)
            }
            NextRoot::Idle => tree.idle(),
        };
        thread.trees.push(restarted);
        Ok(())
    }
}

/// Simulates until the tree waits for an evaluation or is done.
#[derive(Clone, Copy)]
pub(crate) struct Simulate;

impl<S: GameState + PartialEq> ForEachTree<S> for Simulate {
    #[inline(always)]
    fn visit<V: Simd>(
        &self,
        simd: V,
        context: &SearchContext<'_, S>,
        TreeMut { tree, waiting, .. }: TreeMut<'_, S>,
        store: &mut Store<S>,
        thread: &mut ThreadMemory<S>,
    ) -> Result<(), Halt> {
        if waiting.is_none() {
            *waiting = tree.simulate(simd, context, store, &mut thread.workspace)?;
        }
        Ok(())
    }
}

/// Hands every tree the evaluation that it waits for.
#[derive(Clone, Copy)]
pub(crate) struct Backpropagate<'a> {
    /// The row of each tree's leaf.
    pub(crate) rows: &'a [u32],
    pub(crate) evaluations: &'a LeafEvaluations,
    pub(crate) most_edges: usize,
    /// Whether to simulate on at once.
    pub(crate) simulate: bool,
}

impl<S: GameState + PartialEq> ForEachTree<S> for Backpropagate<'_> {
    #[inline(always)]
    fn visit<V: Simd>(
        &self,
        simd: V,
        context: &SearchContext<'_, S>,
        TreeMut {
            number,
            tree,
            waiting,
        }: TreeMut<'_, S>,
        store: &mut Store<S>,
        thread: &mut ThreadMemory<S>,
    ) -> Result<(), Halt> {
        if let Some(leaf) = *waiting {
            let row = self.rows[number] as usize;
            let evaluation = self.evaluations.get(row, self.most_edges);
            tree.make_room(store)?;
            thread.workspace.known.keep(&leaf, evaluation)?;
            *waiting = None;
            tree.expand(simd, context, store, &leaf, evaluation);
            if self.simulate {
                *waiting = tree.simulate(simd, context, store, &mut thread.workspace)?;
            }
        }
        Ok(())
    }
}

/// Runs all simulations with random games in place of a network.
#[derive(Clone, Copy)]
pub(crate) struct RunWithRollouts;

impl<S: GameState + PartialEq> ForEachTree<S> for RunWithRollouts {
    #[inline(always)]
    fn visit<V: Simd>(
        &self,
        simd: V,
        context: &SearchContext<'_, S>,
        TreeMut { tree, waiting, .. }: TreeMut<'_, S>,
        store: &mut Store<S>,
        thread: &mut ThreadMemory<S>,
    ) -> Result<(), Halt> {
        loop {
            context.exact.limits.check_stop()?;
            if waiting.is_none() {
                *waiting = tree.simulate(simd, context, store, &mut thread.workspace)?;
            }
            let Some(leaf) = *waiting else {
                return Ok(());
            };
            let count = leaf.count_legal(context.rules);
            tree.make_room(store)?;
            *waiting = None;
            let head = Prediction {
                value: tree.rollout_value(context, &leaf),
                count: count as u16,
                best: 0,
            };
            let logits = &mut thread.logits[..groups(count)];
            even(count, logits);
            tree.expand(simd, context, store, &leaf, LeafEvaluation { head, logits });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::step::packed_game::PackedGame;

    #[test]
    fn the_memory_of_a_thread_is_that_of_its_store_and_trees() {
        let mut memory = ThreadMemory::<PackedGame>::new(10, 65).unwrap();
        assert!(memory.store.bytes() > 0);
        assert_eq!(memory.bytes(), memory.store.bytes());
        memory.trees.reserve_exact(3);
        let trees = memory.trees.capacity() * size_of::<Tree<PackedGame>>();
        assert_eq!(memory.bytes(), memory.store.bytes() + trees);
    }
}
