//! The hot loops of a batch, for any [`GameState`].

use std::iter;

use super::ends::Ends;
use super::game::{Game, StepContext, StepEffect};
use super::state::GameState;
use crate::random::Draw;
use crate::simd::{Kernel, Simd, dispatch};
use crate::vector::buffers::{Buffers, Observations, View, take_first};
use crate::vector::config::{Autoreset, IllegalAction};

/// The action, unless it is illegal and the game is not over.
#[inline]
pub(crate) fn playable<S: GameState>(
    context: &StepContext<S>,
    game: &Game<S>,
    action: i64,
) -> Option<usize> {
    let action = action as usize;
    let checked = context.config.illegal_action == IllegalAction::Raise || game.over;
    (checked || game.state.is_legal(&context.rules, action)).then_some(action)
}

/// Writes observations, masks and players to move of games into the rows from `first` on.
pub(crate) fn write_view<S: GameState>(
    context: &StepContext<S>,
    games: &[Game<S>],
    view: &mut View<'_>,
    first: usize,
) {
    let states = games.iter().map(|game| (&game.state, game.over));
    let masks = &mut view.action_mask[first * (context.pass + 1)..];
    write_rows(&context.rules, states, &mut view.observations, first, masks);
    for (game, to_play) in games.iter().zip(&mut view.to_play[first..]) {
        *to_play = game.state.to_play() as i8;
    }
}

/// Writes states: their observations into the rows from `first` on, and their legal actions. Each state
/// comes with a flag that tells whether its game is over.
pub(crate) fn write_rows<'a, S: GameState + 'a>(
    rules: &S::Rules,
    states: impl Iterator<Item = (&'a S, bool)> + Clone,
    observations: &mut Observations<'_>,
    first: usize,
    masks: &mut [i8],
) {
    dispatch(WriteObservations {
        rules,
        states: states.clone().map(|(state, _)| state),
        observations,
        first,
    });
    dispatch(WriteMasks {
        rules,
        states,
        masks,
    });
}

/// Writes the observations of states into the rows from `first` on.
pub(crate) struct WriteObservations<'a, 'b, S: GameState, I> {
    pub(crate) rules: &'a S::Rules,
    pub(crate) states: I,
    pub(crate) observations: &'a mut Observations<'b>,
    pub(crate) first: usize,
}

impl<'a, S: GameState + 'a, I: Iterator<Item = &'a S>> Kernel for WriteObservations<'_, '_, S, I> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        S::write_observations(simd, self.rules, self.states, self.observations, self.first);
    }
}

/// Writes the legal actions of states, each with a flag that tells whether its game is over.
pub(crate) struct WriteMasks<'a, S: GameState, I> {
    pub(crate) rules: &'a S::Rules,
    pub(crate) states: I,
    pub(crate) masks: &'a mut [i8],
}

impl<'a, S: GameState + 'a, I: Iterator<Item = (&'a S, bool)>> Kernel for WriteMasks<'_, S, I> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        S::write_masks(simd, self.rules, self.states, self.masks);
    }
}

/// Draws a legal action for every game.
pub(crate) struct Sample<'a, S: GameState> {
    pub(crate) context: &'a StepContext<S>,
    pub(crate) games: &'a mut [Game<S>],
    pub(crate) actions: &'a mut [i64],
}

impl<S: GameState> Kernel for Sample<'_, S> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, _: V) {
        let rules = &self.context.rules;
        for (game, action) in self.games.iter_mut().zip(self.actions) {
            let legal = game.state.count_legal(rules).max(1);
            let rank = game.sample_rng.below(legal as u64) as usize;
            *action = if game.over {
                self.context.pass
            } else {
                game.state.nth_legal(rules, rank)
            } as i64;
        }
    }
}

/// Finds the first game whose action cannot be played.
pub(crate) struct FindUnplayable<'a, S: GameState> {
    pub(crate) context: &'a StepContext<S>,
    pub(crate) games: &'a [Game<S>],
    pub(crate) actions: &'a [i64],
}

impl<S: GameState> Kernel for FindUnplayable<'_, S> {
    type Result = Option<usize>;

    #[inline(always)]
    #[allow(clippy::needless_bitwise_bool)] // nearly all is fine, and a branch would be a guess
    fn run<V: Simd>(self, _: V) -> Option<usize> {
        let context = self.context;
        let lenient = context.config.illegal_action == IllegalAction::Lose;
        let restarts = context.config.autoreset != Autoreset::Disabled;
        for (tile, (games, actions)) in
            (self.games.chunks(TILE).zip(self.actions.chunks(TILE))).enumerate()
        {
            let mut unplayable = 0;
            for (i, (game, &action)) in games.iter().zip(actions).enumerate() {
                let legal = lenient || game.state.is_legal(&context.rules, action as usize);
                let playable = context.has_action(action) & legal;
                let fine = (game.over & restarts) | (!game.over & playable);
                unplayable |= u64::from(!fine) << i;
            }
            if unplayable != 0 {
                return Some(tile * TILE + unplayable.trailing_zeros() as usize);
            }
        }
        None
    }
}

/// Games that lie next to each other, with their parts of all arrays.
pub(crate) struct GameBlock<'a, S: GameState> {
    pub(crate) context: &'a StepContext<S>,
    pub(crate) first: usize,
    pub(crate) games: &'a mut [Game<S>],
    pub(crate) actions: &'a [i64],
    pub(crate) buffers: Buffers<'a>,
}

impl<S: GameState> GameBlock<'_, S> {
    /// Cuts the block into blocks of this many games; the last has the rest.
    pub(crate) fn split(self, games: usize) -> impl Iterator<Item = Self> {
        let mut rest = Some(self);
        iter::from_fn(move || match &mut rest {
            Some(block) if block.games.len() > games => Some(block.take(games)),
            _ => rest.take(),
        })
    }

    /// Takes the first games; the others stay.
    fn take(&mut self, games: usize) -> Self {
        let first = self.first;
        self.first += games;
        Self {
            context: self.context,
            first,
            games: take_first(&mut self.games, games),
            actions: self.actions.split_off(..games).expect("one for each game"),
            buffers: self.buffers.take(&self.context.config.variants, games),
        }
    }
}

/// Games that are stepped before their observations are written: few enough that they are still in the
/// first cache, and many enough that each of the loops runs for a while.
const TILE: usize = 64;

/// Plays the actions of a block.
pub(crate) struct Step<'a, S: GameState> {
    pub(crate) block: GameBlock<'a, S>,
    pub(crate) ends: &'a mut Ends<S>,
}

impl<S: GameState> Step<'_, S> {
    pub(crate) fn run(self) {
        let Self { block, ends } = self;
        let (context, mut buffers) = (block.context, block.buffers);
        buffers.rewards.fill(0.0);
        buffers.terminations.fill(false);
        let mut first = 0;
        for (games, actions) in block.games.chunks_mut(TILE).zip(block.actions.chunks(TILE)) {
            let mut others = if context.plain {
                dispatch(ActPlainly {
                    context,
                    games,
                    actions,
                })
            } else {
                u64::MAX >> (TILE - games.len())
            };
            while others != 0 {
                let i = others.trailing_zeros() as usize;
                others &= others - 1;
                let effect = act_fully(context, &mut games[i], actions[i]);
                if let Some((ending, _)) = effect.end {
                    buffers.rewards[first + i] = ending.reward;
                    buffers.terminations[first + i] = true;
                }
                ends.add(block.first + first + i, &effect);
            }
            write_view(context, games, &mut buffers.view, first);
            first += games.len();
        }
    }
}

/// Plays actions in self-play. Finds the games that start or end, one bit each, without a branch: which
/// games end is hard to predict for a processor.
struct ActPlainly<'a, S: GameState> {
    context: &'a StepContext<S>,
    games: &'a mut [Game<S>],
    actions: &'a [i64],
}

impl<S: GameState> Kernel for ActPlainly<'_, S> {
    type Result = u64;

    #[inline(always)]
    fn run<V: Simd>(self, _: V) -> u64 {
        let mut others = 0;
        for (i, (game, &action)) in self.games.iter_mut().zip(self.actions).enumerate() {
            let plain = game.act_plainly(self.context, action as usize);
            others |= u64::from(!plain) << i;
        }
        others
    }
}

/// Finishes a step that is more than the agent's action.
#[inline(never)]
fn act_fully<S: GameState>(
    context: &StepContext<S>,
    game: &mut Game<S>,
    action: i64,
) -> StepEffect<S> {
    if context.plain {
        game.end_or_start(context)
    } else {
        game.act(context, playable(context, game, action))
    }
}
