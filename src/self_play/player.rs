//! The games of one variant on a thread: as many at once as it has trees.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{ArrayRef1, ArrayView2};

use super::config::SelfPlayConfig;
use super::error::SelfPlayError;
use super::evaluator::Evaluator;
use super::game::{GAMES, Game, GameContext};
use crate::encode::{Layout, VariantSet, num_actions};
use crate::game::Variant;
use crate::memory::{filled, make_room, with_room};
use crate::network::Network;
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::tree_search::{LeafCounts, NextRoot, TreeConfig, TreeSearch, tree_search_with_seeds};
use crate::vector::Observations;

/// The memory of a thread for evaluations that it keeps: some 200,000 positions of the standard game.
const KEPT_BYTES: usize = 64 << 20;

/// What the threads of a call share for the games of one variant.
pub(super) struct GamePlayer<'a, E: ?Sized> {
    pub(super) variants: &'a VariantSet,
    /// Of the variant.
    pub(super) index: usize,
    pub(super) config: &'a SelfPlayConfig,
    pub(super) solver: Option<&'a Arc<Solver>>,
    pub(super) evaluator: &'a E,
    pub(super) limits: Limits<'a>,
    /// The games that each thread plays at once.
    pub(super) slots: usize,
    /// The numbers of the games.
    pub(super) numbers: Vec<u64>,
    /// How many of them have been begun by any thread.
    pub(super) begun: AtomicUsize,
}

impl<E: Evaluator + ?Sized> GamePlayer<'_, E> {
    /// Plays games until all have been begun and its own are over, and appends them.
    pub(super) fn play(&self, over: &mut Vec<Game>) -> Result<LeafCounts, SelfPlayError> {
        let slots = self.slots.min(self.numbers.len());
        let mut games = with_room(GAMES, slots)?;
        while games.len() < slots
            && let Some(game) = self.next_game(over)?
        {
            games.push(Some(game));
        }
        if games.is_empty() {
            return Ok(LeafCounts::default());
        }
        let variant = self.variants.get(self.index);
        let mut roots = with_room(GAMES, games.len())?;
        roots.extend(games.iter().flatten().map(|it| (it.position, it.tree_seed)));
        let tree = self.config.tree;
        let solver = self.solver.cloned();
        let mut search = tree_search_with_seeds(variant, &roots, tree, Layout::Flat, solver, 1)?;
        search.keep_evaluations(KEPT_BYTES);
        let mut memory = LeafMemory::new(variant, games.len())?;
        let mut next = with_room(GAMES, games.len())?;
        loop {
            self.search(&mut *search, &mut memory)?;
            let results = search.results(self.limits)?;
            next.clear();
            for (tree, slot) in games.iter_mut().enumerate() {
                let Some(game) = slot else {
                    next.push(NextRoot::Idle);
                    continue;
                };
                let action = results.actions[tree] as usize;
                let policy = results.policy_targets.row(tree);
                let policy = policy.as_slice().expect("C order");
                game.play_searched(variant, action, results.root_values[tree], policy)?;
                next.push(self.go_on(slot, over)?);
            }
            if games.iter().all(Option::is_none) {
                return Ok(search.counts());
            }
            search.restart_each(&next, self.limits)?;
        }
    }

    /// Plays on to the next root to search: of the same game, or of the next if that is over.
    fn go_on(&self, slot: &mut Option<Game>, over: &mut Vec<Game>) -> Result<NextRoot, Halt> {
        if let Some(game) = slot
            && game.play_on(self.context())?
        {
            return Ok(NextRoot::Follow(game.position.into()));
        }
        let next = self.next_game(over)?;
        make_room(over, GAMES, 1)?;
        over.extend(mem::replace(slot, next));
        Ok(slot
            .as_ref()
            .map_or(NextRoot::Idle, |game| NextRoot::Fresh {
                root: game.position.into(),
                seed: game.tree_seed,
            }))
    }

    /// The next game with a root to search; those before it are over.
    fn next_game(&self, over: &mut Vec<Game>) -> Result<Option<Game>, Halt> {
        loop {
            if self.limits.is_stopped() {
                return Err(Halt::Stopped);
            }
            let begun = self.begun.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = self.numbers.get(begun) else {
                return Ok(None);
            };
            let context = self.context();
            let mut game = Game::start(context, self.variants.all().len(), number);
            if game.play_on(context)? {
                return Ok(Some(game));
            }
            make_room(over, GAMES, 1)?;
            over.push(game);
        }
    }

    fn context(&self) -> GameContext<'_> {
        GameContext {
            variant: self.variants.get(self.index),
            config: self.config,
            solver: self.solver,
            limits: self.limits,
        }
    }

    /// Runs the searches of all trees.
    fn search(
        &self,
        search: &mut dyn TreeSearch,
        memory: &mut LeafMemory,
    ) -> Result<(), SelfPlayError> {
        let variant = self.variants.get(self.index);
        let length = Layout::Flat.len(variant);
        let width = num_actions(variant);
        loop {
            let leaves = search.select(self.limits)?;
            if leaves == 0 {
                return Ok(());
            }
            let observations = &mut memory.observations[..leaves * length];
            let mask = &mut memory.mask[..leaves * width];
            search.write_leaves(Observations::Float32(Layout::Flat, observations), mask);
            let rows = ArrayView2::from_shape((leaves, length), &*observations);
            let rows = rows.expect("as many numbers as the shape has");
            let found = self.evaluator.evaluate(self.index, &rows, self.limits)?;
            let values = &mut memory.values[..leaves];
            for (value, row) in values.iter_mut().zip(found.values.outer_iter()) {
                *value = search_value(&self.config.tree, &row);
            }
            let logits = found.logits.as_slice().expect("C order");
            search.store_evaluations(logits, values)?;
            search.backpropagate(self.limits)?;
        }
    }
}

/// The value for a search, from the outcome and the margin that a network expects.
fn search_value(config: &TreeConfig, values: &ArrayRef1<f32>) -> f32 {
    let share = values[1] * (Network::MARGIN_UNIT / TreeConfig::FULL_MARGIN);
    let weight = config.margin_weight;
    (1.0 - weight) * values[0] + weight * share.clamp(-1.0, 1.0)
}

/// The inputs of the network, and the values it gives.
struct LeafMemory {
    observations: Vec<f32>,
    mask: Vec<i8>,
    values: Vec<f32>,
}

impl LeafMemory {
    fn new(variant: &Variant, leaves: usize) -> Result<Self, Halt> {
        const LEAVES: &str = "the leaves of a search";
        let length = leaves.saturating_mul(Layout::Flat.len(variant));
        Ok(Self {
            observations: filled(LEAVES, length, 0.0)?,
            mask: filled(LEAVES, leaves.saturating_mul(num_actions(variant)), 0)?,
            values: filled(LEAVES, leaves, 0.0)?,
        })
    }
}
