//! The games of one variant on a thread: as many at once as it has trees.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::config::SelfPlayConfig;
use super::error::SelfPlayError;
use super::evaluator::Evaluator;
use super::game::{GAMES, Game, GameContext};
use super::search::LeafMemory;
use crate::encode::{Layout, VariantSet};
use crate::memory::{make_room, with_room};
use crate::search::solver::Solver;
use crate::search::{Halt, Limits};
use crate::tree_search::{LeafCounts, NextRoot, tree_search};

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
        let seeded = games.iter().flatten();
        roots.extend(seeded.map(|it| (it.position.into(), it.tree_seed)));
        let tree = self.config.tree;
        let own = Arc::new(VariantSet::one(variant.clone()));
        let solvers = self.solver.cloned().into_iter().collect();
        let mut search = tree_search(&own, &roots, tree, Layout::Flat, solvers, 1)?;
        search.keep_evaluations(KEPT_BYTES);
        let mut memory = LeafMemory::new(variant, games.len())?;
        let mut next = with_room(GAMES, games.len())?;
        loop {
            memory.run(&mut *search, variant, self.limits, |rows| {
                self.evaluator.evaluate(self.index, rows, self.limits)
            })?;
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
                next.push(self.next_root(slot, over)?);
            }
            if games.iter().all(Option::is_none) {
                return Ok(search.counts());
            }
            search.restart_each(&next, self.limits)?;
        }
    }

    /// Plays on to the next root to search: of the same game, or of the next if that is over.
    fn next_root(&self, slot: &mut Option<Game>, over: &mut Vec<Game>) -> Result<NextRoot, Halt> {
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
            self.limits.check_stop()?;
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
}
