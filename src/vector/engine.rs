//! The games of a batch and what happens to all of them, for either form of a game.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::batch::Seeds;
use super::buffers::{Buffers, Observations, View};
use super::config::{Autoreset, Config, IllegalAction};
use super::error::StepError;
use super::game::{Ending, Game, Outcome, SavedGame, Shared};
use super::pool::Pool;
use super::state::State;
use super::wide::{Work, widely};
use crate::encode::{move_of, num_actions};
use crate::game::{PlayError, Position};

/// The games of a batch in one form.
#[derive(Debug)]
pub(super) struct Engine<S: State> {
    shared: Shared<S>,
    games: Vec<Game<S>>,
    ends: Ends<S>,
    /// The games as they were before the step or reset under way.
    before: Option<Vec<Game<S>>>,
}

/// How games ended in a step, by game, and their last states.
#[derive(Clone, Debug)]
struct Ends<S> {
    endings: Vec<Ending>,
    states: Vec<S>,
}

impl<S: State> Ends<S> {
    const fn new() -> Self {
        Self {
            endings: Vec::new(),
            states: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.endings.clear();
        self.states.clear();
    }

    fn add(&mut self, game: usize, outcome: &Outcome<S>) {
        if let Some((ending, state)) = outcome.end {
            self.endings.push(Ending { game, ..ending });
            self.states.push(state);
        }
    }

    fn extend(&mut self, more: Self) {
        self.endings.extend(more.endings);
        self.states.extend(more.states);
    }

    /// Orders by game what came in rounds.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.endings.len()).collect();
        order.sort_unstable_by_key(|&i| self.endings[i].game);
        self.endings = order.iter().map(|&i| self.endings[i]).collect();
        self.states = order.iter().map(|&i| self.states[i]).collect();
    }
}

impl<S: State> Engine<S> {
    pub(super) fn new(config: Config, num_envs: usize) -> Self {
        let shared = Shared::new(config);
        Self {
            games: vec![Game::new(&shared); num_envs],
            shared,
            ends: Ends::new(),
            before: None,
        }
    }

    pub(super) fn config(&self) -> &Config {
        &self.shared.config
    }

    pub(super) fn len(&self) -> usize {
        self.games.len()
    }

    pub(super) fn position(&self, game: usize) -> Position {
        self.games[game].state.position(&self.shared.rules)
    }

    pub(super) fn is_over(&self, game: usize) -> bool {
        self.games[game].over
    }

    pub(super) fn endings(&self) -> &[Ending] {
        &self.ends.endings
    }

    pub(super) fn final_position(&self, ending: usize) -> Position {
        self.ends.states[ending].position(&self.shared.rules)
    }

    pub(super) fn write_final(
        &self,
        ending: usize,
        observations: &mut Observations<'_>,
        row: usize,
    ) {
        self.ends.states[ending].write_observation(&self.shared.rules, observations, row);
    }

    pub(super) fn save(&self) -> Vec<SavedGame> {
        let games = self.games.iter();
        games.map(|game| game.save(&self.shared)).collect()
    }

    pub(super) fn restore(&mut self, saved: &[SavedGame]) {
        self.roll_back();
        let games = saved.iter();
        self.games = games
            .map(|game| Game::restore(&self.shared, game))
            .collect();
    }

    pub(super) fn seed(&mut self, seeds: Seeds<'_>) {
        for (i, game) in self.games.iter_mut().enumerate() {
            if let Some(seed) = seeds.of(i) {
                game.seed(seed);
            }
        }
    }

    /// Starts new games and lists those that wait for an outside opponent.
    pub(super) fn reset(&mut self, seeds: Seeds<'_>, mask: Option<&[bool]>) -> Vec<usize> {
        let mut pending = Vec::new();
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
        pending
    }

    pub(super) fn set_positions(&mut self, positions: &[Position]) {
        for (game, position) in self.games.iter_mut().zip(positions) {
            game.place(S::from_position(&self.shared.rules, position));
        }
    }

    pub(super) fn observe(&self, view: &mut View<'_>) {
        let row_length = num_actions(&self.shared.config.variant);
        for (row, game) in self.games.iter().enumerate() {
            write_view(&self.shared, game, view, row, row_length);
        }
    }

    pub(super) fn sample_actions(&mut self, actions: &mut [i64]) {
        widely(Sample {
            shared: &self.shared,
            games: &mut self.games,
            actions,
        });
    }

    /// Whether every action can be played; games that start anew in this step take any.
    pub(super) fn check_actions(&self, actions: &[i64]) -> Result<(), StepError> {
        let found = widely(FindUnplayable {
            shared: &self.shared,
            games: &self.games,
            actions,
        });
        match found {
            None => Ok(()),
            Some(game) => Err(self.why_not(game, actions[game])),
        }
    }

    /// Why an action cannot be played.
    pub(super) fn why_not(&self, game: usize, action: i64) -> StepError {
        let position = Box::new(self.position(game));
        let variant = &self.shared.config.variant;
        let index = usize::try_from(action).ok();
        match index.and_then(|index| move_of(variant, index)) {
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
                    .and_then(|mv| position.check(variant, mv).err())
                    .unwrap_or(PlayError::GameOver),
                position,
            },
        }
    }

    /// Plays actions that have been checked.
    pub(super) fn step(&mut self, actions: &[i64], buffers: Buffers<'_>, pool: &mut Pool) {
        self.ends.clear();
        let block = Block {
            shared: &self.shared,
            first: 0,
            games: &mut self.games,
            actions,
            buffers,
        };
        let blocks = pool.blocks(actions.len());
        if blocks == 1 {
            block.step(&mut self.ends);
            return;
        }
        let mut ends = vec![Ends::new(); blocks];
        pool.run(
            block.split(blocks).into_iter().zip(&mut ends),
            |(block, ends)| {
                block.step(ends);
            },
        );
        for ends in ends {
            self.ends.extend(ends);
        }
    }

    /// Plays actions that have been checked, and lists the games that wait for the opponent.
    pub(super) fn start_step(&mut self, actions: &[i64]) -> Vec<usize> {
        self.ends.clear();
        let mut pending = Vec::new();
        for (i, (game, &action)) in self.games.iter_mut().zip(actions).enumerate() {
            let action = playable(&self.shared, game, action);
            let outcome = game.act(&self.shared, action);
            if outcome.pending {
                pending.push(i);
            }
            self.ends.add(i, &outcome);
        }
        pending
    }

    /// Plays the opponent's actions in these games; none moves if one action is illegal.
    pub(super) fn answer(
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
        let mut still = Vec::new();
        for (&i, &action) in pending.iter().zip(actions) {
            let outcome = self.games[i].answer(&self.shared, action as usize);
            if outcome.pending {
                still.push(i);
            }
            self.ends.add(i, &outcome);
        }
        Ok(still)
    }

    /// Remembers the games as they are, for [`Engine::roll_back`].
    pub(super) fn hold(&mut self) {
        self.before = Some(self.games.clone());
        self.ends.clear();
    }

    /// Forgets what [`Engine::hold`] remembered.
    pub(super) fn release(&mut self) {
        self.before = None;
    }

    pub(super) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.stop)
    }

    pub(super) fn roll_back(&mut self) {
        if let Some(games) = self.before.take() {
            self.games = games;
        }
        self.ends.clear();
    }

    /// Writes the results of a step that was played in rounds.
    pub(super) fn finish_step(&mut self, mut buffers: Buffers<'_>) {
        self.before = None;
        self.ends.sort();
        self.observe(&mut buffers.view);
        buffers.rewards.fill(0.0);
        buffers.terminations.fill(false);
        for ending in &self.ends.endings {
            buffers.rewards[ending.game] = ending.reward;
            buffers.terminations[ending.game] = true;
        }
    }
}

/// The action, unless it is illegal and the game goes on.
#[inline]
fn playable<S: State>(shared: &Shared<S>, game: &Game<S>, action: i64) -> Option<usize> {
    let action = action as usize;
    let checked = shared.config.illegal_action == IllegalAction::Raise || game.over;
    (checked || game.state.is_legal(&shared.rules, action)).then_some(action)
}

#[inline(always)]
fn write_view<S: State>(
    shared: &Shared<S>,
    game: &Game<S>,
    view: &mut View<'_>,
    row: usize,
    row_length: usize,
) {
    game.state
        .write_observation(&shared.rules, &mut view.observations, row);
    let mask = &mut view.action_mask[row * row_length..][..row_length];
    game.state.write_mask(&shared.rules, game.over, mask);
    view.to_play[row] = game.state.to_play() as i8;
}

/// Draws a legal action of every game.
struct Sample<'a, S: State> {
    shared: &'a Shared<S>,
    games: &'a mut [Game<S>],
    actions: &'a mut [i64],
}

impl<S: State> Work for Sample<'_, S> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let rules = &self.shared.rules;
        for (game, action) in self.games.iter_mut().zip(self.actions) {
            let legal = game.state.count_legal(rules).max(1);
            let rank = game.sample_stream.below(legal as u64) as usize;
            *action = if game.over {
                self.shared.pass
            } else {
                game.state.nth_legal(rules, rank)
            } as i64;
        }
    }
}

/// Finds the first game whose action cannot be played.
struct FindUnplayable<'a, S: State> {
    shared: &'a Shared<S>,
    games: &'a [Game<S>],
    actions: &'a [i64],
}

impl<S: State> Work for FindUnplayable<'_, S> {
    type Result = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        let (shared, pass) = (self.shared, self.shared.pass as u64);
        let lenient = shared.config.illegal_action == IllegalAction::Lose;
        let restarts = shared.config.autoreset != Autoreset::Disabled;
        for (i, (game, &action)) in self.games.iter().zip(self.actions).enumerate() {
            let fine = if game.over {
                restarts
            } else {
                let action = action as u64;
                action <= pass && (lenient || game.state.is_legal(&shared.rules, action as usize))
            };
            if !fine {
                return Some(i);
            }
        }
        None
    }
}

/// Games that lie next to each other, and their part of everything.
struct Block<'a, S: State> {
    shared: &'a Shared<S>,
    first: usize,
    games: &'a mut [Game<S>],
    actions: &'a [i64],
    buffers: Buffers<'a>,
}

impl<S: State> Block<'_, S> {
    /// Cuts the block into this many of nearly equal size.
    fn split(self, blocks: usize) -> Vec<Self> {
        let mut parts = Vec::with_capacity(blocks);
        let mut rest = self;
        for left in (1..blocks).rev() {
            let share = rest.games.len() / (left + 1);
            let (head, tail) = rest.split_at(share);
            parts.push(head);
            rest = tail;
        }
        parts.push(rest);
        parts
    }

    fn split_at(self, games: usize) -> (Self, Self) {
        let (shared, first) = (self.shared, self.first);
        let (head, tail) = self.games.split_at_mut(games);
        let actions = self.actions.split_at(games);
        let buffers = self.buffers.split_at(&shared.config.variant, games);
        let head = Self {
            shared,
            first,
            games: head,
            actions: actions.0,
            buffers: buffers.0,
        };
        let tail = Self {
            shared,
            first: first + games,
            games: tail,
            actions: actions.1,
            buffers: buffers.1,
        };
        (head, tail)
    }

    fn step(self, ends: &mut Ends<S>) {
        widely(Step { block: self, ends });
    }
}

/// Plays the actions of a block.
struct Step<'a, S: State> {
    block: Block<'a, S>,
    ends: &'a mut Ends<S>,
}

impl<S: State> Work for Step<'_, S> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Self { mut block, ends } = self;
        let row_length = num_actions(&block.shared.config.variant);
        let (shared, buffers) = (block.shared, &mut block.buffers);
        for (row, (game, &action)) in block.games.iter_mut().zip(block.actions).enumerate() {
            let plain = shared.plain && game.act_plainly(shared, action as usize);
            let reward = if plain {
                None
            } else {
                act_fully(shared, game, action, block.first + row, ends)
            };
            buffers.rewards[row] = reward.unwrap_or(0.0);
            buffers.terminations[row] = reward.is_some();
            write_view(shared, game, &mut buffers.view, row, row_length);
        }
    }
}

/// Plays a step that may be more than the agent's action; returns the reward if the game ended.
#[inline(never)]
fn act_fully<S: State>(
    shared: &Shared<S>,
    game: &mut Game<S>,
    action: i64,
    index: usize,
    ends: &mut Ends<S>,
) -> Option<f32> {
    let outcome = game.act(shared, playable(shared, game, action));
    ends.add(index, &outcome);
    outcome.end.map(|(ending, _)| ending.reward)
}
