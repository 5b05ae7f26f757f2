//! Searches by a native network.

use std::sync::Arc;

use ndarray::{ArrayRef2, ArrayView2};

use super::error::SelfPlayError;
use crate::encode::{Layout, VariantSet, num_actions};
use crate::game::{Position, Variant};
use crate::memory::filled;
use crate::network::{BoardNetwork, Evaluations, Network};
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::tree_search::{LeafValues, TreeConfig, TreeSearch, tree_search};
use crate::vector::Observations;

/// The inputs of the network.
pub(super) struct LeafMemory {
    observations: Vec<f32>,
    mask: Vec<i8>,
}

impl LeafMemory {
    /// Memory for as many leaves as there are trees.
    pub(super) fn new(variant: &Variant, leaves: usize) -> Result<Self, Halt> {
        const LEAVES: &str = "the leaves of a search";
        let length = leaves.saturating_mul(Layout::Flat.len(variant));
        Ok(Self {
            observations: filled(LEAVES, length, 0.0)?,
            mask: filled(LEAVES, leaves.saturating_mul(num_actions(variant)), 0)?,
        })
    }

    /// Runs the searches of all trees.
    pub(super) fn run(
        &mut self,
        search: &mut dyn TreeSearch,
        variant: &Variant,
        limits: Limits<'_>,
        evaluate: impl Fn(&ArrayRef2<f32>) -> Result<Evaluations, Halt>,
    ) -> Result<(), SelfPlayError> {
        let length = Layout::Flat.len(variant);
        let width = num_actions(variant);
        loop {
            let leaves = search.select(limits)?;
            if leaves == 0 {
                return Ok(());
            }
            let observations = &mut self.observations[..leaves * length];
            let mask = &mut self.mask[..leaves * width];
            search.write_leaves(Observations::Float32(Layout::Flat, observations), mask);
            let rows = ArrayView2::from_shape((leaves, length), &*observations);
            let found = evaluate(&rows.expect("as many numbers as the shape has"))?;
            let (pairs, _) = found.values.as_slice().expect("C order").as_chunks();
            let logits = found.logits.as_slice().expect("C order");
            let unit = Network::MARGIN_UNIT;
            search.store_evaluations(logits, LeafValues::OutcomesAndMargins { pairs, unit })?;
            search.backpropagate(limits)?;
        }
    }
}

/// The action that a search by a network chooses in a position that is not over, on one thread.
///
/// # Errors
///
/// When a limit is reached, memory does not suffice or an evaluation cannot be used.
///
/// # Panics
///
/// If the game is over, or the network is for another board.
pub fn choose_by_search(
    network: &BoardNetwork,
    variant: &Arc<Variant>,
    position: Position,
    config: TreeConfig,
    solver: Arc<Solver>,
    limits: Limits<'_>,
) -> Result<usize, SelfPlayError> {
    let variants = Arc::new(VariantSet::one(variant.clone()));
    let roots = [(position.into(), config.seed)];
    let mut search = tree_search(&variants, &roots, config, Layout::Flat, vec![solver], 1)?;
    let mut memory = LeafMemory::new(variant, 1)?;
    let evaluate = |rows: &_| network.evaluate(rows, 1, limits);
    memory.run(&mut *search, variant, limits, evaluate)?;
    Ok(search.results(limits)?.actions[0] as usize)
}
