//! The trees of a batch: their leaves gathered into one set of rows, their results into arrays.

#![forbid(unsafe_code)]

mod fetch;
mod passes;
pub(crate) mod results;
pub(crate) mod roots;

use std::collections::HashMap;
use std::fmt;
use std::iter;
use std::mem;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use self::passes::{
    Backpropagate, ForEachTree, NO_ROW, Restart, RunWithRollouts, Simulate, ThreadMemory, TreeBlock,
};
use self::results::{LeafCounts, Results, TreeNode};
use self::roots::{NextRoot, RootPosition};
use crate::encode::VariantSet;
use crate::game::Cell;
use crate::memory::{OutOfMemory, filled, make_room, make_room_in_map, with_room};
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::simd::dispatch;
use crate::threads::Pool;
use crate::tree_search::TreeSearch;
use crate::tree_search::config::TreeConfig;
use crate::tree_search::error::UpdateError;
use crate::tree_search::memory::TREES;
use crate::tree_search::memory::edges::groups;
use crate::tree_search::memory::store::Store;
use crate::tree_search::search::evaluation::{LeafEvaluations, LeafValues, StoreLogits};
use crate::tree_search::search::exact::Exact;
use crate::tree_search::search::known::KnownEvaluations;
use crate::tree_search::search::rule::SelectionRule;
use crate::tree_search::search::tree::{SearchContext, Tree};
use crate::vector::buffers::Observations;
use crate::vector::step::loops::write_rows;
use crate::vector::step::state::GameState;

/// Trees below which another thread costs more than it saves.
const TREES_PER_THREAD: usize = 64;

/// The most simulations of a tree for which room is reserved at the start.
const MOST_ROOM: usize = 256;

/// The trees over positions of one [`GameState`].
pub(crate) struct TreeBatch<S: GameState> {
    variants: Arc<VariantSet>,
    rules: S::Rules,
    config: TreeConfig,
    rule: SelectionRule,
    /// One for each variant, or none.
    solvers: Vec<Arc<Solver>>,
    /// The most actions that are legal in a position.
    most_edges: usize,
    trees: Vec<Tree<S>>,
    /// The nodes of the trees of each thread.
    stores: Vec<Store<S>>,
    /// Memory of each thread.
    threads: Vec<ThreadMemory<S>>,
    pool: Pool,
    /// The position whose evaluation each tree waits for.
    waiting: Vec<Option<S>>,
    /// Whether all trees have simulated as far as they can.
    simulated: bool,
    /// The row of each tree's leaf.
    rows: Vec<u32>,
    /// The leaves, each position once.
    leaves: Vec<S>,
    seen: HashMap<S::Key, u32, FxBuildHasher>,
    evaluations: LeafEvaluations,
    /// Whether the evaluations are those of the leaves.
    evaluated: bool,
    /// Evaluated and shared leaves so far.
    counts: LeafCounts,
}

impl<S: GameState> fmt::Debug for TreeBatch<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeBatch")
            .field("trees", &self.trees.len())
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl<S: GameState + PartialEq> TreeBatch<S> {
    pub(crate) fn new(
        variants: &Arc<VariantSet>,
        roots: &[(RootPosition, u64)],
        config: TreeConfig,
        solvers: Vec<Arc<Solver>>,
        num_threads: usize,
    ) -> Result<Self, OutOfMemory> {
        let rules = S::rules(variants)?;
        let mut trees = with_room::<Tree<S>>(TREES, roots.len())?;
        trees.extend(roots.iter().map(|&(root, seed)| {
            let state = S::from_position(&rules, root.variant, &root.position);
            Tree::new(state, seed)
        }));
        // A canvas can have more actions than any board of it.
        let most_edges = variants.num_actions().min(4 * Cell::MAX);
        let blocks = num_threads.min(trees.len() / TREES_PER_THREAD).max(1);
        let share = trees.len().div_ceil(blocks);
        let nodes = share * (config.num_simulations.min(MOST_ROOM) + 1);
        let new_store = || Store::with_room(nodes, most_edges);
        let new_thread = || ThreadMemory::new(nodes, most_edges);
        Ok(Self {
            stores: iter::repeat_with(new_store)
                .take(blocks)
                .collect::<Result<_, _>>()?,
            threads: iter::repeat_with(new_thread)
                .take(blocks)
                .collect::<Result<_, _>>()?,
            waiting: filled(TREES, trees.len(), None)?,
            simulated: false,
            rows: filled(TREES, trees.len(), NO_ROW)?,
            leaves: Vec::new(),
            seen: HashMap::default(),
            evaluations: LeafEvaluations::default(),
            evaluated: false,
            counts: LeafCounts::default(),
            rule: SelectionRule::new(&config),
            pool: Pool::new(num_threads),
            variants: variants.clone(),
            rules,
            config,
            solvers,
            most_edges,
            trees,
        })
    }

    /// Gives every leaf a row, equal ones the same.
    fn gather(&mut self) -> Result<(), OutOfMemory> {
        const LEAVES: &str = "the leaves of a search";
        self.leaves.clear();
        self.seen.clear();
        for (leaf, row) in self.waiting.iter().zip(&mut self.rows) {
            let Some(leaf) = leaf else {
                *row = NO_ROW;
                continue;
            };
            let found = self.leaves.len();
            let room = make_room(&mut self.leaves, LEAVES, 1);
            let room = room.and(make_room_in_map(&mut self.seen, LEAVES, 1));
            if room.is_err() {
                self.leaves.clear(); // so that the next call gathers again
                return room;
            }
            *row = *self.seen.entry(leaf.key()).or_insert_with(|| {
                self.leaves.push(*leaf);
                found as u32
            });
        }
        Ok(())
    }

    /// The number of trees in a block, which has its own store.
    fn share_of_trees(&self) -> usize {
        self.trees.len().div_ceil(self.stores.len())
    }

    fn store(&self, tree: usize) -> &Store<S> {
        &self.stores[tree / self.share_of_trees()]
    }

    /// The number of leaves in a block; there are at most as many blocks as threads.
    fn share_of_leaves(&self) -> usize {
        let blocks = self.threads.len().min(self.leaves.len() / TREES_PER_THREAD);
        self.leaves.len().div_ceil(blocks.max(1))
    }

    /// Why the logits of a leaf cannot be used.
    fn why_not(&self, row: usize, logits: &[f32]) -> UpdateError {
        let leaf = &self.leaves[row];
        let mut legal = (0..leaf.count_legal(&self.rules)).map(|i| leaf.nth_legal(&self.rules, i));
        let is_bad = |&action: &usize| logits[action].is_nan() || logits[action] == f32::INFINITY;
        match legal.find(is_bad) {
            Some(action) => {
                let logit = logits[action];
                UpdateError::Logit { row, action, logit }
            }
            None => UpdateError::NoLegalAction { row },
        }
    }

    /// Runs a task on every tree, on as many threads as are worth it.
    fn for_each(&mut self, limits: Limits<'_>, visit: impl ForEachTree<S>) -> Result<(), Halt> {
        let context = SearchContext {
            rules: &self.rules,
            config: &self.config,
            rule: &self.rule,
            exact: Exact {
                rules: &self.rules,
                config: &self.config,
                variants: &self.variants,
                solvers: &self.solvers,
                limits,
            },
        };
        let share = self.share_of_trees();
        let trees = self.trees.chunks_mut(share);
        let waiting = self.waiting.chunks_mut(share);
        let memory = self.stores.iter_mut().zip(&mut self.threads);
        let blocks = trees.zip(waiting).zip(memory).enumerate();
        let blocks = blocks.map(|(number, ((trees, waiting), (store, thread)))| TreeBlock {
            context: &context,
            first: number * share,
            trees,
            waiting,
            store,
            thread,
            visit,
        });
        self.pool.run(blocks, dispatch).collect()
    }
}

impl<S: GameState + PartialEq> TreeSearch for TreeBatch<S> {
    fn extend(
        &mut self,
        variants: Arc<VariantSet>,
        solvers: Vec<Arc<Solver>>,
    ) -> Result<(), OutOfMemory> {
        self.rules = S::rules(&variants)?;
        (self.variants, self.solvers) = (variants, solvers);
        Ok(())
    }

    fn num_trees(&self) -> usize {
        self.trees.len()
    }

    fn restart_each(&mut self, roots: &[NextRoot], limits: Limits<'_>) -> Result<(), Halt> {
        assert_eq!(roots.len(), self.trees.len());
        let restarted = self.for_each(limits, Restart { roots });
        if restarted.is_ok() {
            self.leaves.clear();
            self.waiting.fill(None);
            (self.simulated, self.evaluated) = (false, false);
            let mut trees = self.trees.iter_mut();
            for (store, thread) in self.stores.iter_mut().zip(&mut self.threads) {
                mem::swap(store, &mut thread.store);
                for (restarted, tree) in thread.trees.drain(..).zip(&mut trees) {
                    tree.replace(restarted);
                }
            }
        }
        for thread in &mut self.threads {
            thread.store.clear();
            thread.trees.clear();
        }
        restarted
    }

    fn keep_evaluations(&mut self, most_bytes: usize) {
        let share = most_bytes / self.threads.len();
        for thread in &mut self.threads {
            thread.workspace.known = KnownEvaluations::within(share);
        }
    }

    fn select(&mut self, limits: Limits<'_>) -> Result<usize, Halt> {
        if self.leaves.is_empty() {
            if !self.simulated {
                self.for_each(limits, Simulate)?;
                self.simulated = true;
            }
            self.gather()?;
        }
        Ok(self.leaves.len())
    }

    fn write_leaves(&mut self, mut observations: Observations<'_>, action_mask: &mut [i8]) {
        if self.leaves.is_empty() {
            return;
        }
        let width = self.variants.num_actions();
        let share = self.share_of_leaves();
        let masks = action_mask.chunks_mut(share * width);
        let blocks = self.leaves.chunks(share).zip(masks).map(|(leaves, masks)| {
            let observations = observations.take(&self.variants, leaves.len());
            (leaves, observations, masks)
        });
        let rules = &self.rules;
        let write = |(leaves, mut observations, masks): (&[S], _, _)| {
            let states = leaves.iter().map(|leaf| (leaf, false));
            write_rows(rules, states, &mut observations, 0, masks);
        };
        self.pool.run(blocks, write).for_each(drop);
    }

    fn store_evaluations(
        &mut self,
        logits: &[f32],
        values: LeafValues<'_>,
    ) -> Result<(), UpdateError> {
        if self.leaves.is_empty() {
            return Err(UpdateError::NothingSelected);
        }
        let width = self.variants.num_actions();
        assert_eq!(values.len(), self.leaves.len());
        assert_eq!(logits.len(), values.len() * width);
        self.evaluated = false;
        let share = self.share_of_leaves();
        let (heads, outputs) = self.evaluations.rows(self.leaves.len(), self.most_edges)?;
        for (row, head) in heads.iter_mut().enumerate() {
            head.value = values.value(row, &self.config)?;
        }
        let inputs = self.leaves.chunks(share).zip(logits.chunks(share * width));
        let outputs = outputs.chunks_mut(share * groups(self.most_edges));
        let blocks = inputs.zip(heads.chunks_mut(share).zip(outputs));
        let blocks = blocks.map(|((leaves, rows), (heads, logits))| StoreLogits {
            rules: &self.rules,
            num_actions: width,
            most_edges: self.most_edges,
            leaves,
            rows,
            heads,
            logits,
        });
        let unusable = self.pool.run(blocks, dispatch).enumerate();
        let mut unusable = unusable.filter_map(|(block, row)| Some(block * share + row?));
        let first = unusable.next();
        drop(unusable);
        if let Some(row) = first {
            return Err(self.why_not(row, &logits[row * width..][..width]));
        }
        self.evaluated = true;
        let waiting = self.waiting.iter().flatten().count() as u64;
        let leaves = self.leaves.len() as u64;
        self.counts.evaluated += leaves;
        self.counts.shared += waiting - leaves;
        Ok(())
    }

    fn backpropagate(&mut self, limits: Limits<'_>) -> Result<(), Halt> {
        assert!(self.evaluated, "the leaves have been evaluated");
        // To simulate on while a tree is in the cache saves fetching it again. Work that may be
        // stopped is left to `select`, which can report it.
        let simulate = self.solvers.is_empty();
        let rows = mem::take(&mut self.rows);
        let evaluations = mem::take(&mut self.evaluations);
        let backpropagate = Backpropagate {
            rows: &rows,
            evaluations: &evaluations,
            most_edges: self.most_edges,
            simulate,
        };
        let advanced = self.for_each(limits, backpropagate);
        (self.rows, self.evaluations) = (rows, evaluations);
        // Trees that have not advanced still wait for their leaves: the next selection lists them
        // again.
        self.leaves.clear();
        (self.simulated, self.evaluated) = (simulate && advanced.is_ok(), false);
        advanced
    }

    fn run_with_rollouts(&mut self, limits: Limits<'_>) -> Result<(), Halt> {
        self.leaves.clear();
        (self.simulated, self.evaluated) = (false, false);
        self.for_each(limits, RunWithRollouts)
    }

    fn is_done(&self) -> bool {
        self.trees.iter().all(|tree| tree.is_done(&self.config))
    }

    fn results(&self, limits: Limits<'_>) -> Result<Results, Halt> {
        assert!(self.is_done(), "the search is not done");
        let width = self.variants.num_actions();
        let mut results = Results::new(self.trees.len(), width)?;
        for (row, tree) in self.trees.iter().enumerate() {
            limits.check_stop()?;
            if tree.idle {
                continue;
            }
            let (store, rules, rule) = (self.store(row), &self.rules, &self.rule);
            results.write(row, tree, store, rules, rule, &self.config);
        }
        Ok(results)
    }

    fn nodes(&self, tree: usize, limits: Limits<'_>) -> Result<Vec<TreeNode>, Halt> {
        TreeNode::of(&self.trees[tree], self.store(tree), &self.rules, limits)
    }

    fn counts(&self) -> LeafCounts {
        let mut counts = self.counts;
        for thread in &self.threads {
            counts.recalled += thread.workspace.recalled;
            counts.solved += thread.workspace.solved;
        }
        counts
    }

    fn bytes(&self) -> usize {
        let trees = self.trees.iter().map(Tree::bytes).sum::<usize>();
        let stores = self.stores.iter().map(Store::bytes).sum::<usize>();
        trees + stores + self.threads.iter().map(ThreadMemory::bytes).sum::<usize>()
    }
}
