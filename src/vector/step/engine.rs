//! The games of a batch and the operations on all of them, for any form of a game.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::ends::Ends;
use super::game::{Ending, Game, SavedGame, StepContext};
use super::loops::{
    FindUnplayable, GameBlock, Sample, Step, WriteMasks, WriteObservations, playable, write_view,
};
use super::state::GameState;
use crate::game::{PlayError, Position};
use crate::memory::{OutOfMemory, filled, with_room};
use crate::simd::dispatch;
use crate::threads::Pool;
use crate::vector::buffers::{Buffers, Observations, View};
use crate::vector::config::{Config, Opponent, Seeds};
use crate::vector::error::StepError;

/// Named in the error if memory does not suffice.
const GAMES: &str = "the games";
const PENDING: &str = "the games that wait for the opponent";

/// The games of a batch in one form.
#[derive(Debug)]
pub(crate) struct GameEngine<S: GameState> {
    shared: StepContext<S>,
    games: Vec<Game<S>>,
    ends: Ends<S>,
    /// The ends that the blocks after the first found, kept for their memory.
    more_ends: Vec<Ends<S>>,
    /// The games as they were before the step or reset under way.
    before: Option<Vec<Game<S>>>,
}

impl<S: GameState> GameEngine<S> {
    pub(crate) fn new(config: Config, num_envs: usize) -> Result<Self, OutOfMemory> {
        let shared = StepContext::new(config)?;
        Ok(Self {
            games: filled(GAMES, num_envs, Game::new(&shared))?,
            shared,
            ends: Ends::new(),
            more_ends: Vec::new(),
            before: None,
        })
    }

    pub(crate) fn config(&self) -> &Config {
        &self.shared.config
    }

    pub(crate) fn len(&self) -> usize {
        self.games.len()
    }

    pub(crate) fn position(&self, game: usize) -> Position {
        self.games[game].state.position(&self.shared.rules)
    }

    /// The index of a game's variant.
    pub(crate) fn variant(&self, game: usize) -> usize {
        self.games[game].state.variant()
    }

    /// Writes the index of the variant of every game.
    pub(crate) fn write_variants(&self, variants: &mut [i64]) {
        for (number, game) in variants.iter_mut().zip(&self.games) {
            *number = game.state.variant() as i64;
        }
    }

    pub(crate) fn is_over(&self, game: usize) -> bool {
        self.games[game].over
    }

    pub(crate) fn endings(&self) -> &[Ending] {
        &self.ends.endings
    }

    pub(crate) fn final_position(&self, ending: usize) -> Position {
        self.ends.states[ending].position(&self.shared.rules)
    }

    pub(crate) fn write_finals(&self, observations: &mut Observations<'_>) {
        dispatch(WriteObservations {
            rules: &self.shared.rules,
            states: self.ends.states.iter(),
            observations,
            first: 0,
        });
    }

    pub(crate) fn save(&self) -> Result<Vec<SavedGame>, OutOfMemory> {
        let mut saved = with_room("the state of the games", self.games.len())?;
        saved.extend(self.games.iter().map(|game| game.save(&self.shared)));
        Ok(saved)
    }

    pub(crate) fn restore(&mut self, saved: &[SavedGame]) {
        self.roll_back();
        for (game, saved) in self.games.iter_mut().zip(saved) {
            *game = Game::restore(&self.shared, saved);
        }
    }

    pub(crate) fn seed(&mut self, seeds: Seeds<'_>) {
        for (i, game) in self.games.iter_mut().enumerate() {
            if let Some(seed) = seeds.of(i) {
                game.seed(seed);
            }
        }
    }

    /// Starts new games and lists those that wait for an outside opponent.
    pub(crate) fn reset(
        &mut self,
        seeds: Seeds<'_>,
        mask: Option<&[bool]>,
    ) -> Result<Vec<usize>, OutOfMemory> {
        let mut pending = self.room_for_pending()?;
        for (i, game) in self.games.iter_mut().enumerate() {
            if mask.is_none_or(|mask| mask[i]) {
                if let Some(seed) = seeds.of(i) {
                    game.seed(seed);
                }
                if game.reset(&self.shared) {
                    pending.push(i);
                }
            }
        }
        Ok(pending)
    }

    /// A list with room for every game that may wait for an outside opponent.
    fn room_for_pending(&self) -> Result<Vec<usize>, OutOfMemory> {
        match self.shared.config.opponent {
            Opponent::Outside => with_room(PENDING, self.games.len()),
            Opponent::SelfPlay | Opponent::Policy(_) => Ok(Vec::new()),
        }
    }

    pub(crate) fn set_positions(&mut self, positions: &[(usize, Position)], mask: Option<&[bool]>) {
        let games = self.games.iter_mut().enumerate();
        let games = games.filter(|&(i, _)| mask.is_none_or(|mask| mask[i]));
        for ((_, game), (variant, position)) in games.zip(positions) {
            game.place(S::from_position(&self.shared.rules, *variant, position));
        }
    }

    pub(crate) fn write_masks(&self, masks: &mut [i8]) {
        dispatch(WriteMasks {
            rules: &self.shared.rules,
            states: self.games.iter().map(|game| (&game.state, game.over)),
            masks,
        });
    }

    pub(crate) fn observe(&self, view: &mut View<'_>) {
        write_view(&self.shared, &self.games, view, 0);
    }

    pub(crate) fn sample_actions(&mut self, actions: &mut [i64], pool: &mut Pool) {
        let share = share_of(actions.len(), pool);
        let games = self.games.chunks_mut(share);
        let work = games
            .zip(actions.chunks_mut(share))
            .map(|(games, actions)| Sample {
                shared: &self.shared,
                games,
                actions,
            });
        pool.run(work, dispatch).for_each(drop);
    }

    /// Checks that every action can be played; games that restart in this step take any action.
    pub(crate) fn check_actions(&self, actions: &[i64], pool: &mut Pool) -> Result<(), StepError> {
        let share = share_of(actions.len(), pool);
        let games = self.games.chunks(share);
        let work = games
            .zip(actions.chunks(share))
            .map(|(games, actions)| FindUnplayable {
                shared: &self.shared,
                games,
                actions,
            });
        let mut found = pool.run(work, dispatch).enumerate();
        match found.find_map(|(block, game)| Some(block * share + game?)) {
            None => Ok(()),
            Some(game) => Err(self.why_not(game, actions[game])),
        }
    }

    /// Why an action cannot be played.
    pub(crate) fn why_not(&self, game: usize, action: i64) -> StepError {
        let position = Box::new(self.position(game));
        let (variants, index) = (&self.shared.config.variants, self.variant(game));
        let mv = usize::try_from(action).ok();
        match mv.and_then(|action| variants.move_of(index, action)) {
            None if !self.games[game].over => StepError::UnknownAction {
                game,
                action,
                position,
            },
            mv => StepError::Play {
                game,
                action,
                error: mv
                    .filter(|_| !self.games[game].over)
                    .and_then(|mv| position.check(variants.get(index), mv).err())
                    .unwrap_or(PlayError::GameOver),
                position,
            },
        }
    }

    /// Plays actions that have been checked.
    pub(crate) fn step(
        &mut self,
        actions: &[i64],
        buffers: Buffers<'_>,
        pool: &mut Pool,
    ) -> Result<(), OutOfMemory> {
        self.ends.clear();
        let share = share_of(actions.len(), pool);
        let blocks = actions.len().div_ceil(share);
        self.more_ends.resize_with(blocks - 1, Ends::new);
        self.ends.make_room(actions.len())?;
        for more in &mut self.more_ends {
            more.make_room(share)?;
        }
        let block = GameBlock {
            shared: &self.shared,
            first: 0,
            games: &mut self.games,
            actions,
            buffers,
        };
        let ends = iter::once(&mut self.ends).chain(&mut self.more_ends);
        let work = block.split(share).zip(ends);
        let work = work.map(|(block, ends)| Step { block, ends });
        pool.run(work, Step::run).for_each(drop);
        for more in &mut self.more_ends {
            self.ends.append(more);
        }
        Ok(())
    }

    /// Plays actions that have been checked, and lists the games that wait for the opponent.
    pub(crate) fn start_step(&mut self, actions: &[i64]) -> Result<Vec<usize>, OutOfMemory> {
        self.ends.clear();
        self.ends.make_room(actions.len())?;
        let mut pending = self.room_for_pending()?;
        for (i, (game, &action)) in self.games.iter_mut().zip(actions).enumerate() {
            let action = playable(&self.shared, game, action);
            let outcome = game.act(&self.shared, action);
            if outcome.pending {
                pending.push(i);
            }
            self.ends.add(i, &outcome);
        }
        Ok(pending)
    }

    /// Plays the opponent's actions in these games; none moves if one action is illegal.
    pub(crate) fn answer(
        &mut self,
        pending: &[usize],
        actions: &[i64],
    ) -> Result<Vec<usize>, StepError> {
        let pass = self.shared.pass as u64;
        for (&i, &action) in pending.iter().zip(actions) {
            let state = &self.games[i].state;
            if action as u64 > pass || !state.is_legal(&self.shared.rules, action as usize) {
                return Err(self.why_not(i, action));
            }
        }
        let mut still = with_room(PENDING, pending.len())?;
        for (&i, &action) in pending.iter().zip(actions) {
            let outcome = self.games[i].answer(&self.shared, action as usize);
            if outcome.pending {
                still.push(i);
            }
            self.ends.add(i, &outcome);
        }
        Ok(still)
    }

    /// Remembers the games as they are now, for [`GameEngine::roll_back`].
    pub(crate) fn hold(&mut self) -> Result<(), OutOfMemory> {
        let mut before = with_room("the games as they were", self.games.len())?;
        before.extend_from_slice(&self.games);
        self.before = Some(before);
        self.ends.clear();
        Ok(())
    }

    /// Drops the games that [`GameEngine::hold`] remembered.
    pub(crate) fn release(&mut self) {
        self.before = None;
    }

    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.stop)
    }

    pub(crate) fn roll_back(&mut self) {
        if let Some(games) = self.before.take() {
            self.games = games;
        }
        self.ends.clear();
    }

    /// Writes the results of a step that was played in rounds.
    pub(crate) fn finish_step(&mut self, mut buffers: Buffers<'_>) -> Result<(), OutOfMemory> {
        self.ends.sort()?;
        self.before = None;
        self.observe(&mut buffers.view);
        buffers.rewards.fill(0.0);
        buffers.terminations.fill(false);
        for ending in &self.ends.endings {
            buffers.rewards[ending.game as usize] = ending.reward;
            buffers.terminations[ending.game as usize] = true;
        }
        Ok(())
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
