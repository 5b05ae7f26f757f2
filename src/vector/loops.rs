//! The hot loops of a batch, for either form of a game.

use std::iter;

use super::buffers::{Buffers, Observations, View};
use super::config::{Autoreset, IllegalAction};
use super::ends::Ends;
use super::game::{Game, Shared};
use super::state::State;
use crate::encode::num_actions;
use crate::lanes::Vector;
use crate::wide::Work;

/// The action, unless it is illegal and the game goes on.
#[inline]
pub(super) fn playable<S: State>(shared: &Shared<S>, game: &Game<S>, action: i64) -> Option<usize> {
    let action = action as usize;
    let checked = shared.config.illegal_action == IllegalAction::Raise || game.over;
    (checked || game.state.is_legal(&shared.rules, action)).then_some(action)
}

/// Writes what the agent sees of games into the rows from `first` on.
#[inline(always)]
pub(super) fn write_view<S: State>(
    shared: &Shared<S>,
    games: &[Game<S>],
    view: &mut View<'_>,
    first: usize,
) {
    let rules = &shared.rules;
    let states = games.iter().map(|game| &game.state);
    S::write_observations(rules, states, &mut view.observations, first);
    let row_length = num_actions(&shared.config.variant);
    let masks = view.action_mask[first * row_length..].chunks_exact_mut(row_length);
    let to_play = &mut view.to_play[first..];
    for ((game, mask), to_play) in games.iter().zip(masks).zip(to_play) {
        game.state.write_mask(rules, game.over, mask);
        *to_play = game.state.to_play() as i8;
    }
}

/// Draws a legal action of every game.
pub(super) struct Sample<'a, S: State> {
    pub(super) shared: &'a Shared<S>,
    pub(super) games: &'a mut [Game<S>],
    pub(super) actions: &'a mut [i64],
}

impl<S: State> Work for Sample<'_, S> {
    type Result = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
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
pub(super) struct FindUnplayable<'a, S: State> {
    pub(super) shared: &'a Shared<S>,
    pub(super) games: &'a [Game<S>],
    pub(super) actions: &'a [i64],
}

impl<S: State> Work for FindUnplayable<'_, S> {
    type Result = Option<usize>;

    #[inline(always)]
    fn run<V: Vector>(self) -> Option<usize> {
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

/// Writes the last observations of games that ended into the first rows.
pub(super) struct WriteFinals<'a, 'b, S: State> {
    pub(super) rules: &'a S::Rules,
    pub(super) states: &'a [S],
    pub(super) observations: &'a mut Observations<'b>,
}

impl<S: State> Work for WriteFinals<'_, '_, S> {
    type Result = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        S::write_observations(self.rules, self.states.iter(), self.observations, 0);
    }
}

/// Games that lie next to each other, and their part of everything.
pub(super) struct Block<'a, S: State> {
    pub(super) shared: &'a Shared<S>,
    pub(super) first: usize,
    pub(super) games: &'a mut [Game<S>],
    pub(super) actions: &'a [i64],
    pub(super) buffers: Buffers<'a>,
}

impl<S: State> Block<'_, S> {
    /// Cuts the block into some of this many games and one of the rest.
    pub(super) fn split(self, games: usize) -> impl Iterator<Item = Self> {
        let mut rest = Some(self);
        iter::from_fn(move || {
            let block = rest.take()?;
            if block.games.len() <= games {
                return Some(block);
            }
            let (head, tail) = block.split_at(games);
            rest = Some(tail);
            Some(head)
        })
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
}

/// Games that are stepped before what is seen of them is written: few enough that they are still in the
/// first cache, and many enough that each of the loops runs for a while.
const TILE: usize = 64;

/// Plays the actions of a block.
pub(super) struct Step<'a, S: State> {
    pub(super) block: Block<'a, S>,
    pub(super) ends: &'a mut Ends<S>,
}

impl<S: State> Work for Step<'_, S> {
    type Result = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Self { block, ends } = self;
        let (shared, mut buffers) = (block.shared, block.buffers);
        let mut first = 0;
        for (games, actions) in block.games.chunks_mut(TILE).zip(block.actions.chunks(TILE)) {
            let rewards = &mut buffers.rewards[first..];
            let terminations = &mut buffers.terminations[first..];
            let results = rewards.iter_mut().zip(terminations);
            let turns = games.iter_mut().zip(actions);
            for (i, ((game, &action), (reward, ended))) in turns.zip(results).enumerate() {
                let plain = shared.plain && game.act_plainly(shared, action as usize);
                let paid = if plain {
                    None
                } else {
                    act_fully(shared, game, action, block.first + first + i, ends)
                };
                *reward = paid.unwrap_or(0.0);
                *ended = paid.is_some();
            }
            write_view(shared, games, &mut buffers.view, first);
            first += games.len();
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
