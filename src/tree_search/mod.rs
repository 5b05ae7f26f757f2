//! Tree search over many positions at once, the network outside.
//!
//! A [`TreeSearch`] has one tree for each position. [`TreeSearch::select`] runs simulations in every
//! tree until each has reached a position that needs an evaluation, [`TreeSearch::write_leaves`]
//! writes these leaves into the caller's arrays, [`TreeSearch::store_evaluations`] takes the network's
//! evaluation of them, and with [`TreeSearch::backpropagate`] the trees grow. Finished games get their
//! exact value without the network, and so do positions with few empty cells if so configured. Forced
//! passes have no nodes. A position that several trees have reached is evaluated once.
//!
//! Values are for the side to move. Their signs follow the side to move, not the depth: passes let a
//! player move twice.

mod batch;
mod config;
mod error;
mod memory;
mod search;

use std::fmt;
use std::sync::Arc;

pub use batch::results::{LeafCounts, Results, TreeNode};
pub use batch::roots::{NextRoot, RootPosition};
pub use config::{Backup, Root, TreeConfig};
pub use error::UpdateError;
pub use search::evaluation::LeafValues;

use self::batch::TreeBatch;
use crate::encode::{Layout, VariantSet};
use crate::memory::OutOfMemory;
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::vector::Observations;
use crate::vector::step::packed_game::PackedGame;
use crate::vector::step::wide_game::WideGame;

/// Starts a search from every position, each tree with a seed; [`TreeConfig::seeded`] numbers them.
///
/// It can write observations of the `layout` only. Observations and actions are those of the canvas of
/// the set, the layout being planes then; a set of one variant without a canvas has its own. Tree `i`
/// is as it would be in a search of other variants on the same canvas, given equal evaluations.
///
/// `solvers` has one for each variant, or is empty. They are asked about positions with at most
/// [`TreeConfig::solve_roots_below`] or [`TreeConfig::solve_leaves_below`] empty cells.
///
/// # Errors
///
/// When there is no memory for the trees.
///
/// # Panics
///
/// If there is no position, one is over, a variant does not exist, or `solvers` has another
/// length.
pub fn tree_search(
    variants: &Arc<VariantSet>,
    roots: &[(RootPosition, u64)],
    config: TreeConfig,
    layout: Layout,
    mut solvers: Vec<Arc<Solver>>,
    num_threads: usize,
) -> Result<Box<dyn TreeSearch>, OutOfMemory> {
    assert!(!roots.is_empty());
    for (root, _) in roots {
        assert!(!root.position.is_over(variants.get(root.variant)));
    }
    assert!(solvers.is_empty() || solvers.len() == variants.all().len());
    if !config.solves() {
        solvers.clear();
    }
    // Variants on a canvas may become more.
    if variants.canvas().is_none() && PackedGame::fits(variants.get(0), layout) {
        let batch = TreeBatch::<PackedGame>::new(variants, roots, config, solvers, num_threads)?;
        Ok(Box::new(batch))
    } else {
        let batch = TreeBatch::<WideGame>::new(variants, roots, config, solvers, num_threads)?;
        Ok(Box::new(batch))
    }
}

/// Searches over a batch of positions, all with as many simulations.
///
/// The positions are of one variant, or of several whose observations and actions share a canvas.
///
/// Tree `i` depends on its position, its stream of the seed and the evaluations, not on the other
/// trees or the number of threads.
///
/// [`tree_search`] starts one.
pub trait TreeSearch: fmt::Debug + Send + Sync {
    /// Replaces the variants by more: a set on the same canvas that begins with them. Then searches can
    /// start from positions of the others too.
    ///
    /// # Errors
    ///
    /// When there is no memory for their tables; nothing has changed.
    fn extend(
        &mut self,
        variants: Arc<VariantSet>,
        solvers: Vec<Arc<Solver>>,
    ) -> Result<(), OutOfMemory>;

    /// How many trees there are.
    #[must_use]
    fn num_trees(&self) -> usize;

    /// Starts the next searches.
    ///
    /// # Errors
    ///
    /// When the stop flag was set or memory does not suffice; nothing has changed.
    ///
    /// # Panics
    ///
    /// If there are not as many roots as trees.
    fn restart_each(&mut self, roots: &[NextRoot], limits: Limits<'_>) -> Result<(), Halt>;

    /// From now on keeps evaluations, in at most about this many bytes, so that a position is
    /// evaluated once in all searches. The network must not change any more.
    ///
    /// Each thread keeps its own; when they do not fit, all are forgotten.
    fn keep_evaluations(&mut self, most_bytes: usize);

    /// The leaves of all searches so far.
    #[must_use]
    fn counts(&self) -> LeafCounts;

    /// Simulates until every tree has a leaf to evaluate or is done; returns how many different leaves
    /// there are, 0 when all searches are done. Calling it again changes nothing.
    ///
    /// # Errors
    ///
    /// When the stop flag was set or memory does not suffice; the next call continues the search.
    fn select(&mut self, limits: Limits<'_>) -> Result<usize, Halt>;

    /// Writes the selected leaves: observations and legal actions, one row each.
    ///
    /// # Panics
    ///
    /// If there is not room for that many rows.
    fn write_leaves(&mut self, observations: Observations<'_>, action_mask: &mut [i8]);

    /// Takes the evaluation of the selected leaves: logits, `num_actions` a row, and values for the
    /// side to move. It changes no tree.
    ///
    /// # Errors
    ///
    /// When nothing has been selected, a number cannot be used or memory does not suffice; nothing
    /// has changed.
    ///
    /// # Panics
    ///
    /// If there are not as many numbers as the leaves need.
    fn store_evaluations(
        &mut self,
        logits: &[f32],
        values: LeafValues<'_>,
    ) -> Result<(), UpdateError>;

    /// The trees grow by the leaves that have been evaluated.
    ///
    /// # Errors
    ///
    /// When the stop flag was set or memory does not suffice. Some trees have grown then; the next
    /// call of [`TreeSearch::select`] has the leaves of the others again.
    ///
    /// # Panics
    ///
    /// If the selected leaves have not been evaluated.
    fn backpropagate(&mut self, limits: Limits<'_>) -> Result<(), Halt>;

    /// Runs all simulations without a network: all actions have equal prior probability, and the value
    /// of a leaf is the result of one game of random actions from there.
    ///
    /// # Errors
    ///
    /// When the stop flag was set or memory does not suffice; the next call continues.
    fn run_with_rollouts(&mut self, limits: Limits<'_>) -> Result<(), Halt>;

    /// Whether all searches are done.
    #[must_use]
    fn is_done(&self) -> bool;

    /// The results of searches that are done.
    ///
    /// # Errors
    ///
    /// When the stop flag was set or there is no memory for the results.
    ///
    /// # Panics
    ///
    /// If they are not done.
    fn results(&self, limits: Limits<'_>) -> Result<Results, Halt>;

    /// The nodes of one tree, each before its children.
    ///
    /// # Errors
    ///
    /// When the stop flag was set or there is no memory for as many.
    ///
    /// # Panics
    ///
    /// If there is no such tree.
    fn nodes(&self, tree: usize, limits: Limits<'_>) -> Result<Vec<TreeNode>, Halt>;

    /// The memory that the trees take.
    #[must_use]
    fn bytes(&self) -> usize;
}
