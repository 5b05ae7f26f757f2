//! The trees of a batch: their leaves gathered into one set of rows, their results into arrays.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::super::buffers::Observations;
use super::super::pool::Pool;
use super::super::state::State;
use super::config::TreeConfig;
use super::error::UpdateError;
use super::evaluate::Exact;
use super::results::{Results, TreeNode};
use super::rule::Rule;
use super::tree::{Shared, Tree};
use crate::encode::num_actions;
use crate::game::{Position, Variant};
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::wide::{Work, widely};

/// Forest below which another thread costs more than it saves.
const TREES_PER_THREAD: usize = 64;

/// A tree that waits for nothing.
const NO_ROW: u32 = u32::MAX;

/// What a [`super::TreeSearch`] can do, whatever form its positions have.
pub(super) trait Batch: fmt::Debug + Send + Sync {
    fn restart(&mut self, positions: &[Position]);
    fn select(&mut self, limits: Limits<'_>) -> Result<usize, Halt>;
    fn write_leaves(&self, observations: Observations<'_>, action_mask: &mut [i8]);
    fn update(&mut self, logits: &[f32], values: &[f32]) -> Result<(), UpdateError>;
    fn roll_out(&mut self, limits: Limits<'_>) -> Result<(), Halt>;
    fn is_done(&self) -> bool;
    fn results(&self) -> Results;
    fn nodes(&self, tree: usize) -> Vec<TreeNode>;
    fn bytes(&self) -> usize;
}

/// Forest over positions of one form.
pub(super) struct Forest<S: State> {
    variant: Arc<Variant>,
    rules: S::Rules,
    config: TreeConfig,
    rule: Rule,
    solver: Option<Arc<Solver>>,
    trees: Vec<Tree<S>>,
    /// Memory in which a tree is cut down to a part of itself, one for each thread.
    spare: Vec<Tree<S>>,
    pool: Pool,
    threads: usize,
    /// The row of each tree's leaf.
    rows: Vec<u32>,
    /// The leaves, each position once.
    leaves: Vec<S>,
    seen: HashMap<S::Key, u32, FxBuildHasher>,
}

impl<S: State> fmt::Debug for Forest<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forest")
            .field("trees", &self.trees.len())
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl<S: State + PartialEq> Forest<S> {
    pub(super) fn new(
        variant: &Arc<Variant>,
        positions: &[Position],
        config: TreeConfig,
        solver: Option<Arc<Solver>>,
        threads: usize,
    ) -> Self {
        let rules = S::rules(variant);
        let trees: Vec<Tree<S>> = positions
            .iter()
            .zip(0_u64..)
            .map(|(position, i)| {
                let root = S::from_position(&rules, position);
                Tree::new(root, config.seed.wrapping_add(i))
            })
            .collect();
        let blocks = threads.min(trees.len() / TREES_PER_THREAD).max(1);
        let spare = trees.iter().take(blocks);
        Self {
            spare: spare.map(|tree| Tree::new(*tree.root(), 0)).collect(),
            rows: vec![NO_ROW; trees.len()],
            leaves: Vec::new(),
            seen: HashMap::default(),
            rule: Rule::new(&config),
            pool: Pool::new(threads),
            variant: variant.clone(),
            threads: blocks,
            rules,
            config,
            solver,
            trees,
        }
    }

    /// Does something with every tree, in as many threads as pay.
    fn for_each(
        &mut self,
        limits: Limits<'_>,
        job: impl Fn(&Shared<'_, S>, usize, &mut Tree<S>, &mut Tree<S>) -> Result<(), Halt> + Sync,
    ) -> Result<(), Halt> {
        let shared = Shared {
            rules: &self.rules,
            config: &self.config,
            rule: &self.rule,
            exact: Exact {
                variant: &self.variant,
                solver: self.solver.as_deref(),
                limits,
            },
        };
        let share = self.trees.len().div_ceil(self.threads);
        let blocks = self.trees.chunks_mut(share).zip(&mut self.spare);
        let blocks = blocks.enumerate().map(|(number, (trees, spare))| Block {
            shared: &shared,
            first: number * share,
            trees,
            spare,
            job: &job,
        });
        self.pool.run(blocks, widely).collect()
    }

    /// Gives every leaf a row, equal ones the same.
    fn gather(&mut self) {
        self.leaves.clear();
        self.seen.clear();
        for (tree, row) in self.trees.iter().zip(&mut self.rows) {
            *row = match tree.leaf() {
                None => NO_ROW,
                Some(leaf) => *self.seen.entry(leaf.key()).or_insert_with(|| {
                    self.leaves.push(*leaf);
                    self.leaves.len() as u32 - 1
                }),
            };
        }
    }

    /// Checks an evaluation of the leaves.
    fn check(&self, logits: &[f32], values: &[f32]) -> Result<(), UpdateError> {
        if self.leaves.is_empty() {
            return Err(UpdateError::NothingSelected);
        }
        let width = num_actions(&self.variant);
        assert_eq!(values.len(), self.leaves.len());
        assert_eq!(logits.len(), values.len() * width);
        for (row, &value) in values.iter().enumerate() {
            if !value.is_finite() {
                return Err(UpdateError::Value { row, value });
            }
        }
        // One pass that the compiler vectorises; the culprit is looked for only if there is one.
        let is_bad = |logit: &f32| logit.is_nan() || *logit == f32::INFINITY;
        if logits.iter().any(is_bad)
            && let Some(at) = logits.iter().position(is_bad)
        {
            let (row, action, logit) = (at / width, at % width, logits[at]);
            return Err(UpdateError::Logit { row, action, logit });
        }
        for (row, (leaf, logits)) in self.leaves.iter().zip(logits.chunks(width)).enumerate() {
            let mut legal =
                (0..leaf.count_legal(&self.rules)).map(|i| leaf.nth_legal(&self.rules, i));
            if legal.all(|action| logits[action] == f32::NEG_INFINITY) {
                return Err(UpdateError::NoLegalAction { row });
            }
        }
        Ok(())
    }
}

impl<S: State + PartialEq> Batch for Forest<S> {
    fn restart(&mut self, positions: &[Position]) {
        let variant = self.variant.clone();
        let rules = S::rules(&variant);
        self.leaves.clear();
        self.rows.fill(NO_ROW);
        let restarted = self.for_each(Limits::default(), |shared, number, tree, spare| {
            let root = S::from_position(&rules, &positions[number]);
            tree.restart(root, shared, spare);
            Ok(())
        });
        debug_assert!(restarted.is_ok());
    }

    fn select(&mut self, limits: Limits<'_>) -> Result<usize, Halt> {
        self.for_each(limits, |shared, _, tree, _| tree.simulate(shared))?;
        self.gather();
        Ok(self.leaves.len())
    }

    fn write_leaves(&self, mut observations: Observations<'_>, action_mask: &mut [i8]) {
        let width = num_actions(&self.variant);
        let masks = action_mask.chunks_exact_mut(width);
        S::write_observations(&self.rules, self.leaves.iter(), &mut observations, 0);
        for (leaf, mask) in self.leaves.iter().zip(masks) {
            leaf.write_mask(&self.rules, false, mask);
        }
    }

    fn update(&mut self, logits: &[f32], values: &[f32]) -> Result<(), UpdateError> {
        self.check(logits, values)?;
        let width = num_actions(&self.variant);
        let rows = std::mem::take(&mut self.rows);
        let updated = self.for_each(Limits::default(), |shared, number, tree, _| {
            if rows[number] != NO_ROW {
                let row = rows[number] as usize;
                tree.expand(shared, &logits[row * width..][..width], values[row]);
            }
            Ok(())
        });
        debug_assert!(updated.is_ok());
        self.rows = rows;
        self.rows.fill(NO_ROW);
        self.leaves.clear();
        Ok(())
    }

    fn roll_out(&mut self, limits: Limits<'_>) -> Result<(), Halt> {
        let logits = vec![0.0; num_actions(&self.variant)];
        self.for_each(limits, |shared, _, tree, _| {
            loop {
                if limits.is_stopped() {
                    return Err(Halt::Stopped);
                }
                tree.simulate(shared)?;
                let Some(value) = tree.play_out(shared) else {
                    return Ok(());
                };
                tree.expand(shared, &logits, value);
            }
        })
    }

    fn is_done(&self) -> bool {
        self.trees.iter().all(|tree| tree.is_done(&self.config))
    }

    fn results(&self) -> Results {
        let mut results = Results::new(self.trees.len(), num_actions(&self.variant));
        for (row, tree) in self.trees.iter().enumerate() {
            results.write(row, tree, &self.rule, &self.config);
        }
        results
    }

    fn nodes(&self, tree: usize) -> Vec<TreeNode> {
        TreeNode::of(&self.trees[tree])
    }

    fn bytes(&self) -> usize {
        let trees = self.trees.iter().chain(&self.spare);
        trees.map(Tree::bytes).sum()
    }
}

/// The trees of one thread.
struct Block<'a, S: State, J> {
    shared: &'a Shared<'a, S>,
    first: usize,
    trees: &'a mut [Tree<S>],
    spare: &'a mut Tree<S>,
    job: &'a J,
}

impl<S, J> Work for Block<'_, S, J>
where
    S: State,
    J: Fn(&Shared<'_, S>, usize, &mut Tree<S>, &mut Tree<S>) -> Result<(), Halt>,
{
    type Result = Result<(), Halt>;

    #[inline(always)]
    fn run(self) -> Self::Result {
        for (i, tree) in self.trees.iter_mut().enumerate() {
            (self.job)(self.shared, self.first + i, tree, self.spare)?;
        }
        Ok(())
    }
}
