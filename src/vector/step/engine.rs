//! The games of a batch and the operations on all of them, for any [`GameState`].

use std::iter;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::ends::Ends;
use super::game::{Game, StepContext};
use super::loops::{
    FindUnplayable, GameBlock, Sample, Step, WriteMasks, WriteObservations, playable, write_view,
};
use super::state::GameState;
use crate::game::Position;
use crate::memory::{OutOfMemory, filled, with_room};
use crate::simd::dispatch;
use crate::threads::Pool;
use crate::vector::batch::{BatchEnv, Ending, SavedGame};
use crate::vector::buffers::{Buffers, Observations, View};
use crate::vector::config::{Config, Opponent, Seeds};
use crate::vector::error::StepError;

/// Named in the error if memory does not suffice.
const GAMES: &str = "the games";
const PENDING: &str = "the games that wait for the opponent";

/// The games of a batch.
#[derive(Debug)]
pub(crate) struct GameEngine<S: GameState> {
    context: StepContext<S>,
    games: Vec<Game<S>>,
    ends: Ends<S>,
    /// The ends that the blocks after the first found, kept for their memory.
    more_ends: Vec<Ends<S>>,
    /// The games as they were before the step or reset under way.
    before: Option<Vec<Game<S>>>,
    started: bool,
    started_before: bool,
    /// The games that wait for an outside opponent, ascending.
    pending: Vec<usize>,
    pool: Pool,
}

impl<S: GameState> GameEngine<S> {
    /// A batch that must be reset before the first step.
    ///
    /// # Errors
    ///
    /// When memory does not suffice for the games or the tables of the variants.
    ///
    /// # Panics
    ///
    /// If `num_envs` is 0.
    pub(crate) fn new(
        config: Config,
        num_envs: usize,
        num_threads: usize,
    ) -> Result<Self, OutOfMemory> {
        assert!(num_envs > 0);
        let context = StepContext::new(config)?;
        Ok(Self {
            games: filled(GAMES, num_envs, Game::new(&context))?,
            context,
            ends: Ends::new(),
            more_ends: Vec::new(),
            before: None,
            started: false,
            started_before: false,
            pending: Vec::new(),
            pool: Pool::new(num_threads),
        })
    }

    /// A list with room for every game that may wait for an outside opponent.
    fn room_for_pending(&self) -> Result<Vec<usize>, OutOfMemory> {
        match self.context.config.opponent {
            Opponent::Outside => with_room(PENDING, self.games.len()),
            Opponent::SelfPlay | Opponent::Policy(_) => Ok(Vec::new()),
        }
    }

    /// Checks that every action can be played; games that restart in this step take any action.
    fn check_actions(&mut self, actions: &[i64]) -> Result<(), StepError> {
        let (expected, found) = (self.games.len(), actions.len());
        if expected != found {
            return Err(StepError::Length { expected, found });
        }
        if !self.started {
            return Err(StepError::NotReset);
        }
        let share = share_of(actions.len(), &self.pool);
        let games = self.games.chunks(share);
        let work = games
            .zip(actions.chunks(share))
            .map(|(games, actions)| FindUnplayable {
                context: &self.context,
                games,
                actions,
            });
        let mut found = self.pool.run(work, dispatch).enumerate();
        let unplayable = found.find_map(|(block, game)| Some(block * share + game?));
        drop(found);
        match unplayable {
            None => Ok(()),
            Some(i) => {
                let Game { state, over, .. } = &self.games[i];
                Err(self.context.why_not(i, state, *over, actions[i]))
            }
        }
    }
}

impl<S: GameState> BatchEnv for GameEngine<S> {
    fn config(&self) -> &Config {
        &self.context.config
    }

    fn num_envs(&self) -> usize {
        self.games.len()
    }

    fn is_started(&self) -> bool {
        self.started
    }

    fn position(&self, game: usize) -> Position {
        self.games[game].state.position(&self.context.rules)
    }

    fn variant(&self, game: usize) -> usize {
        self.games[game].state.variant()
    }

    fn write_variants(&self, variants: &mut [i64]) {
        assert_eq!(variants.len(), self.games.len());
        for (number, game) in variants.iter_mut().zip(&self.games) {
            *number = game.state.variant() as i64;
        }
    }

    fn endings(&self) -> &[Ending] {
        &self.ends.endings
    }

    fn write_finals(&self, observations: &mut Observations<'_>) {
        dispatch(WriteObservations {
            rules: &self.context.rules,
            states: self.ends.states.iter(),
            observations,
            first: 0,
        });
    }

    fn save(&self) -> Result<Vec<SavedGame>, OutOfMemory> {
        let mut saved = with_room("the state of the games", self.games.len())?;
        saved.extend(self.games.iter().map(|game| game.save(&self.context)));
        Ok(saved)
    }

    fn restore(&mut self, started: bool, saved: &[SavedGame]) {
        assert_eq!(saved.len(), self.games.len());
        self.roll_back();
        for (game, saved) in self.games.iter_mut().zip(saved) {
            *game = Game::restore(&self.context, saved);
        }
        self.started = started;
    }

    fn seed(&mut self, seeds: Seeds<'_>) {
        for (i, game) in self.games.iter_mut().enumerate() {
            if let Some(seed) = seeds.of(i) {
                game.seed(seed);
            }
        }
    }

    fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) -> Result<(), OutOfMemory> {
        assert!(mask.is_none_or(|mask| mask.len() == self.games.len()));
        let mut pending = self.room_for_pending()?;
        for (i, game) in self.games.iter_mut().enumerate() {
            if mask.is_none_or(|mask| mask[i]) {
                if let Some(seed) = seeds.of(i) {
                    game.seed(seed);
                }
                if game.reset(&self.context) {
                    pending.push(i);
                }
            }
        }
        (self.pending, self.started) = (pending, true);
        Ok(())
    }

    fn set_positions(&mut self, positions: &[(usize, Position)], mask: Option<&[bool]>) {
        let chosen = mask.map_or(self.games.len(), |mask| {
            assert_eq!(mask.len(), self.games.len());
            mask.iter().filter(|&&chosen| chosen).count()
        });
        assert_eq!(positions.len(), chosen);
        assert!(self.started || chosen == self.games.len());
        let variants = &self.context.config.variants;
        let is_over =
            |(variant, position): &(usize, Position)| position.is_over(variants.get(*variant));
        assert!(!positions.iter().any(is_over));
        let games = self.games.iter_mut().enumerate();
        let games = games.filter(|&(i, _)| mask.is_none_or(|mask| mask[i]));
        for ((_, game), (variant, position)) in games.zip(positions) {
            game.place(S::from_position(&self.context.rules, *variant, position));
        }
        self.started = true;
    }

    fn write_masks(&self, masks: &mut [i8]) {
        let width = self.context.config.variants.num_actions();
        assert_eq!(masks.len(), self.games.len() * width);
        dispatch(WriteMasks {
            rules: &self.context.rules,
            states: self.games.iter().map(|game| (&game.state, game.over)),
            masks,
        });
    }

    fn observe(&self, view: &mut View<'_>) {
        view.assert_rows(&self.context.config.variants, self.games.len());
        write_view(&self.context, &self.games, view, 0);
    }

    fn sample_actions(&mut self, actions: &mut [i64]) {
        assert_eq!(actions.len(), self.games.len());
        let share = share_of(actions.len(), &self.pool);
        let games = self.games.chunks_mut(share);
        let work = games
            .zip(actions.chunks_mut(share))
            .map(|(games, actions)| Sample {
                context: &self.context,
                games,
                actions,
            });
        self.pool.run(work, dispatch).for_each(drop);
    }

    fn step(&mut self, actions: &[i64], buffers: Buffers<'_>) -> Result<&[Ending], StepError> {
        buffers.assert_rows(&self.context.config.variants, self.games.len());
        self.check_actions(actions)?;
        self.ends.clear();
        let share = share_of(actions.len(), &self.pool);
        let blocks = actions.len().div_ceil(share);
        self.more_ends.resize_with(blocks - 1, Ends::new);
        self.ends.make_room(actions.len())?;
        for more in &mut self.more_ends {
            more.make_room(share)?;
        }
        let block = GameBlock {
            context: &self.context,
            first: 0,
            games: &mut self.games,
            actions,
            buffers,
        };
        let ends = iter::once(&mut self.ends).chain(&mut self.more_ends);
        let work = block.split(share).zip(ends);
        let work = work.map(|(block, ends)| Step { block, ends });
        self.pool.run(work, Step::run).for_each(drop);
        for more in &mut self.more_ends {
            self.ends.append(more);
        }
        Ok(&self.ends.endings)
    }

    fn start_step(&mut self, actions: &[i64]) -> Result<(), StepError> {
        self.check_actions(actions)?;
        self.ends.clear();
        let room = (self.ends.make_room(actions.len())).and_then(|()| self.room_for_pending());
        let mut pending = room?;
        self.hold()?;
        for (i, (game, &action)) in self.games.iter_mut().zip(actions).enumerate() {
            let action = playable(&self.context, game, action);
            let effect = game.act(&self.context, action);
            if effect.pending {
                pending.push(i);
            }
            self.ends.add(i, &effect);
        }
        self.pending = pending;
        Ok(())
    }

    fn start_reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) -> Result<(), OutOfMemory> {
        self.hold()?;
        let done = self.reset(seeds, mask);
        if done.is_err() {
            self.roll_back();
        }
        done
    }

    fn pending(&self) -> &[usize] {
        &self.pending
    }

    fn answer(&mut self, actions: &[i64]) -> Result<(), StepError> {
        let (expected, found) = (self.pending.len(), actions.len());
        if expected != found {
            return Err(StepError::Length { expected, found });
        }
        for (&i, &action) in self.pending.iter().zip(actions) {
            let state = &self.games[i].state;
            if !self.context.can_play(state, action) {
                return Err(self.context.why_not(i, state, false, action));
            }
        }
        let mut still = with_room(PENDING, self.pending.len())?;
        for (&i, &action) in self.pending.iter().zip(actions) {
            let effect = self.games[i].answer(&self.context, action as usize);
            if effect.pending {
                still.push(i);
            }
            self.ends.add(i, &effect);
        }
        self.pending = still;
        Ok(())
    }

    fn hold(&mut self) -> Result<(), OutOfMemory> {
        let mut before = with_room("the games as they were", self.games.len())?;
        before.extend_from_slice(&self.games);
        self.before = Some(before);
        self.started_before = self.started;
        self.ends.clear();
        Ok(())
    }

    fn release(&mut self) {
        self.before = None;
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.context.stop)
    }

    fn roll_back(&mut self) {
        if let Some(games) = self.before.take() {
            (self.games, self.started) = (games, self.started_before);
        }
        self.pending.clear();
        self.ends.clear();
    }

    fn finish_step(&mut self, mut buffers: Buffers<'_>) -> Result<&[Ending], OutOfMemory> {
        assert!(self.pending.is_empty());
        buffers.assert_rows(&self.context.config.variants, self.games.len());
        self.ends.sort()?;
        self.before = None;
        self.observe(&mut buffers.view);
        buffers.rewards.fill(0.0);
        buffers.terminations.fill(false);
        for ending in &self.ends.endings {
            buffers.rewards[ending.game as usize] = ending.reward;
            buffers.terminations[ending.game as usize] = true;
        }
        Ok(&self.ends.endings)
    }
}

/// The number of games in a block; there are at most as many blocks as threads of the pool.
fn share_of(games: usize, pool: &Pool) -> usize {
    /// Games whose bytes in any array fill whole cache lines, which two threads should not share.
    const LINE: usize = 64;
    let blocks = pool.blocks(games);
    if blocks == 1 {
        games
    } else {
        games.div_ceil(blocks).next_multiple_of(LINE)
    }
}
