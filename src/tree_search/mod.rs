//! Tree search over many positions at once, the network outside.
//!
//! A [`TreeSearch`] has one tree for each position. [`TreeSearch::select`] runs simulations in every
//! tree until each has reached a position that needs an evaluation, [`TreeSearch::write_leaves`]
//! writes these leaves into the caller's arrays, and [`TreeSearch::update`] takes the network's
//! evaluation of them. Finished games get their exact value without the network, and so do positions
//! with few empty cells if so configured. Forced passes have no nodes. A position that several trees
//! have reached is evaluated once.
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

use self::batch::TreeBatch;
use crate::encode::{Layout, VariantSet};
use crate::game::{Position, Variant};
use crate::memory::{OutOfMemory, with_room};
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::vector::Observations;
use crate::vector::step::packed_game::PackedGame;
use crate::vector::step::wide_game::WideGame;

/// Named in the error if memory does not suffice.
const ROOTS: &str = "the positions of a search";

/// Starts a search from every position.
///
/// It can write observations of the `layout` only. `solver` is asked about positions with at most
/// [`TreeConfig::solve_roots_below`] or [`TreeConfig::solve_leaves_below`] empty cells.
///
/// # Errors
///
/// When there is no memory for the trees.
///
/// # Panics
///
/// If there is no position, one is over, or `threads` is 0.
pub fn tree_search(
    variant: &Arc<Variant>,
    positions: &[Position],
    config: TreeConfig,
    layout: Layout,
    solver: Option<Arc<Solver>>,
    num_threads: usize,
) -> Result<Box<dyn TreeSearch>, OutOfMemory> {
    let variants = Arc::new(VariantSet::one(variant.clone()));
    let roots = positions.iter().map(|&position| position.into());
    let seeded = seeded(&config, roots)?;
    let solvers = solver.into_iter().collect();
    start(&variants, &seeded, config, layout, solvers, num_threads)
}

/// As [`tree_search`], with a seed for each tree.
///
/// # Errors
///
/// When there is no memory for the trees.
///
/// # Panics
///
/// As [`tree_search`].
pub fn tree_search_with_seeds(
    variant: &Arc<Variant>,
    roots: &[(RootPosition, u64)],
    config: TreeConfig,
    layout: Layout,
    solver: Option<Arc<Solver>>,
    num_threads: usize,
) -> Result<Box<dyn TreeSearch>, OutOfMemory> {
    let variants = Arc::new(VariantSet::one(variant.clone()));
    let solvers = solver.into_iter().collect();
    start(&variants, roots, config, layout, solvers, num_threads)
}

/// Starts a search from every position, of variants that may differ.
///
/// Observations and actions are those of the canvas of the set, the layout being planes then; a set of
/// one variant without a canvas has its own. `solvers` has one for each variant, or is empty; see
/// [`tree_search`]. Tree `i` is as it would be in a search of other variants on the same canvas,
/// given equal evaluations.
///
/// # Errors
///
/// When there is no memory for the trees.
///
/// # Panics
///
/// If there is no position, one is over, a variant does not exist, `solvers` has another length, or
/// `threads` is 0.
pub fn tree_search_of_variants(
    variants: &Arc<VariantSet>,
    roots: &[RootPosition],
    config: TreeConfig,
    layout: Layout,
    solvers: Vec<Arc<Solver>>,
    num_threads: usize,
) -> Result<Box<dyn TreeSearch>, OutOfMemory> {
    let seeded = seeded(&config, roots.iter().copied())?;
    start(variants, &seeded, config, layout, solvers, num_threads)
}

fn start(
    variants: &Arc<VariantSet>,
    roots: &[(RootPosition, u64)],
    config: TreeConfig,
    layout: Layout,
    mut solvers: Vec<Arc<Solver>>,
    num_threads: usize,
) -> Result<Box<dyn TreeSearch>, OutOfMemory> {
    assert!(!roots.is_empty() && num_threads > 0);
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

/// The roots of trees with the seeds of a configuration.
fn seeded(
    config: &TreeConfig,
    roots: impl ExactSizeIterator<Item = RootPosition>,
) -> Result<Vec<(RootPosition, u64)>, OutOfMemory> {
    let mut seeded = with_room(ROOTS, roots.len())?;
    let seeds = (0_u64..).map(|tree| config.seed.wrapping_add(tree));
    seeded.extend(roots.zip(seeds));
    Ok(seeded)
}

/// Searches over a batch of positions, all with as many simulations.
///
/// The positions are of one variant, or of several whose observations and actions share a canvas.
///
/// Tree `i` depends on its position, its stream of the seed and the evaluations, not on the other
/// trees or the number of threads.
///
/// [`tree_search`], [`tree_search_with_seeds`] and [`tree_search_of_variants`] start one.
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
    fn len(&self) -> usize;

    /// Always false.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Starts the next searches. A tree that already contains its new position keeps that subtree.
    ///
    /// # Errors
    ///
    /// When the stop flag was set or memory does not suffice; nothing has changed.
    ///
    /// # Panics
    ///
    /// If there are not as many positions as trees.
    fn restart(&mut self, positions: &[Position], limits: Limits<'_>) -> Result<(), Halt> {
        let mut roots = with_room(ROOTS, positions.len())?;
        roots.extend(positions.iter().map(|&it| NextRoot::Follow(it.into())));
        self.restart_each(&roots, limits)
    }

    /// Starts the next searches, of new trees too.
    ///
    /// # Errors
    ///
    /// As [`TreeSearch::restart`].
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
    /// side to move, between -1 and 1.
    ///
    /// # Errors
    ///
    /// When nothing has been selected or a number cannot be used, nothing has changed. When memory
    /// does not suffice for the trees to grow, see [`TreeSearch::backpropagate`].
    ///
    /// # Panics
    ///
    /// If there are not as many numbers as the leaves need.
    fn update(&mut self, logits: &[f32], values: &[f32]) -> Result<(), UpdateError> {
        self.store_evaluations(logits, values)?;
        Ok(self.backpropagate(Limits::default())?)
    }

    /// The first half of [`TreeSearch::update`], which reads the numbers and changes no tree.
    ///
    /// # Errors
    ///
    /// When nothing has been selected, a number cannot be used or memory does not suffice; nothing
    /// has changed.
    ///
    /// # Panics
    ///
    /// If there are not as many numbers as the leaves need.
    fn store_evaluations(&mut self, logits: &[f32], values: &[f32]) -> Result<(), UpdateError>;

    /// The second half of [`TreeSearch::update`]: the trees grow.
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
    /// When there is no memory for as many.
    ///
    /// # Panics
    ///
    /// If there is no such tree.
    fn nodes(&self, tree: usize) -> Result<Vec<TreeNode>, OutOfMemory>;

    /// The memory that the trees take.
    #[must_use]
    fn bytes(&self) -> usize;
}
