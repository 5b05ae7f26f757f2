//! One game of a batch: its start, its steps and its end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::state::GameState;
use crate::game::{PlayError, Player};
use crate::memory::OutOfMemory;
use crate::policy::Policy;
use crate::random::{Draw, SplitMix64};
use crate::search::Limits;
use crate::vector::batch::{Ending, SavedGame};
use crate::vector::config::{Autoreset, Config, IllegalAction, Opponent, Reward, Seat};
use crate::vector::error::StepError;

/// The numbers of a game's streams. The environment and `sample_actions` draw from different ones,
/// so that they do not disturb each other.
const ENV_STREAM: u64 = 0;
pub(crate) const SAMPLE_STREAM: u64 = 1;

/// The data that all games of a batch share.
#[derive(Debug)]
pub(crate) struct StepContext<S: GameState> {
    pub(crate) config: Config,
    pub(crate) rules: S::Rules,
    pub(crate) pass: usize,
    /// Whether a step is the agent's legal action and no more, unless a game starts or ends.
    pub(crate) plain: bool,
    /// Whether there are several variants.
    is_mixed: bool,
    /// Stops the opponent's searches.
    pub(crate) stop: Arc<AtomicBool>,
}

impl<S: GameState> StepContext<S> {
    pub(crate) fn new(config: Config) -> Result<Self, OutOfMemory> {
        Ok(Self {
            rules: S::rules(&config.variants)?,
            pass: config.variants.pass_action(),
            plain: config.opponent == Opponent::SelfPlay
                && config.illegal_action == IllegalAction::Raise
                && !config.auto_pass,
            is_mixed: config.variants.only().is_none(),
            stop: Arc::default(),
            config,
        })
    }

    /// Whether an action exists and is legal, in a game that is not over.
    #[inline(always)]
    pub(crate) fn can_play(&self, state: &S, action: i64) -> bool {
        self.has_action(action) && state.is_legal(&self.rules, action as usize)
    }

    /// Whether there is an action of this number; others are an error even where illegal ones lose.
    #[inline(always)]
    pub(crate) fn has_action(&self, action: i64) -> bool {
        action as u64 <= self.pass as u64
    }

    /// Why an action cannot be played in the game of this number.
    #[cold]
    pub(crate) fn why_not(&self, game: usize, state: &S, over: bool, action: i64) -> StepError {
        let numbering = self.config.variants.of(state.variant());
        let position = Box::new(state.position(&self.rules));
        let mv = usize::try_from(action).ok();
        let error = match mv.and_then(|action| numbering.move_of(action)) {
            _ if over => None,
            None => {
                return StepError::UnknownAction {
                    game,
                    action,
                    position,
                };
            }
            Some(mv) => position.check(numbering.variant(), mv).err(),
        };
        StepError::Play {
            game,
            action,
            position,
            error: error.unwrap_or(PlayError::GameOver),
        }
    }

    /// How a game ended by the rules, for the player who acted.
    pub(crate) fn ending(&self, state: &S, actor: Player) -> Ending {
        let score = state.score(&self.rules);
        let own = i32::from(score[actor.index()]);
        let margin = own - i32::from(score[actor.opponent().index()]);
        let sign = margin.signum();
        Ending {
            game: 0,
            variant: state.variant() as u16,
            score,
            // Looked up, as no processor can predict who wins.
            winner: [Some(actor.opponent()), None, Some(actor)][(sign + 1) as usize],
            to_play: Player::ALL[state.to_play()],
            illegal: false,
            reward: match self.config.reward {
                Reward::Outcome => sign as f32,
                Reward::Margin => margin as f32,
            },
        }
    }

    /// How a game ended by an illegal action of this player.
    pub(crate) fn forfeit(&self, state: &S, actor: Player) -> Ending {
        Ending {
            winner: Some(actor.opponent()),
            illegal: true,
            reward: -1.0,
            ..self.ending(state, actor)
        }
    }
}

/// The state of one game of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Game<S> {
    pub(crate) state: S,
    env_rng: SplitMix64,
    pub(crate) sample_rng: SplitMix64,
    /// Whose reward the step pays: the agent's side; in self-play the side that acted last, but only
    /// when a game ends, as no other step pays.
    seat: Player,
    /// Whether the game has ended and waits for its reset.
    pub(crate) over: bool,
    /// Whether the agent has not acted in this game yet.
    fresh: bool,
}

/// The event that a game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Agent,
    Opponent,
    Reset,
}

/// The effect of a step on a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepEffect<S> {
    /// How the game ended and its last state, if it did. The state of an illegal action is the one
    /// before it.
    pub(crate) end: Option<(Ending, S)>,
    /// Whether it now waits for an outside opponent.
    pub(crate) pending: bool,
}

impl<S: GameState> Game<S> {
    /// A game that waits for its first reset.
    pub(crate) fn new(context: &StepContext<S>) -> Self {
        let rng = SplitMix64::new(0);
        Self {
            state: S::start(&context.rules, 0),
            env_rng: rng,
            sample_rng: rng,
            seat: Player::Light,
            over: true,
            fresh: true,
        }
    }

    /// Restarts the streams of the game.
    pub(crate) fn seed(&mut self, seed: u64) {
        self.env_rng = SplitMix64::stream(seed, ENV_STREAM);
        self.sample_rng = SplitMix64::stream(seed, SAMPLE_STREAM);
    }

    /// Starts a new game. Returns whether it now waits for an outside opponent.
    #[inline]
    pub(crate) fn reset(&mut self, context: &StepContext<S>) -> bool {
        self.start(context);
        let config = &context.config;
        let is_ready = config.opponent == Opponent::SelfPlay && config.random_plies == 0;
        !is_ready && self.reach_agent(context)
    }

    /// Plays a game that has just started until the agent is to act. Returns whether it now waits for
    /// an outside opponent.
    fn reach_agent(&mut self, context: &StepContext<S>) -> bool {
        if context.config.opponent == Opponent::SelfPlay && !context.config.auto_pass {
            return false;
        }
        loop {
            match self.play_until_agent(context) {
                Wait::Agent => return false,
                Wait::Opponent => return true,
                // After random plies the opponent can end a game before the agent has acted in it.
                // Without any it cannot, so another draw will do.
                Wait::Reset => self.start(context),
            }
        }
    }

    /// Puts the game at a state that is not over; the agent takes the side to move.
    pub(crate) fn place(&mut self, state: S) {
        self.state = state;
        self.seat = Player::ALL[state.to_play()];
        self.over = false;
        self.fresh = false;
    }

    /// Plays a legal action in self-play where nothing else can happen in the step but the start or
    /// the end of the game. Returns whether neither is due; if one is, `end_or_start` does it.
    #[inline(always)]
    pub(crate) fn act_plainly(&mut self, context: &StepContext<S>, action: usize) -> bool {
        self.fresh = false;
        self.state.advance(&context.rules, action, self.over) && !self.over
    }

    /// Ends or starts the game after `act_plainly`.
    pub(crate) fn end_or_start(&mut self, context: &StepContext<S>) -> StepEffect<S> {
        if self.over {
            let pending = self.reset(context);
            return StepEffect { end: None, pending };
        }
        self.seat = Player::ALL[self.state.to_play()].opponent();
        self.end_game(context)
    }

    /// Plays the action of the agent; an illegal one, which is `None`, loses.
    ///
    /// A game that has ended restarts instead.
    pub(crate) fn act(&mut self, context: &StepContext<S>, action: Option<usize>) -> StepEffect<S> {
        if self.over {
            let pending = self.reset(context);
            return StepEffect { end: None, pending };
        }
        if context.config.opponent == Opponent::SelfPlay {
            self.seat = Player::ALL[self.state.to_play()];
        }
        self.fresh = false;
        let Some(action) = action else {
            let end = Some((context.forfeit(&self.state, self.seat), self.state));
            let pending = self.autoreset(context);
            return StepEffect { end, pending };
        };
        self.state = self.state.play(&context.rules, action);
        self.continue_after(context)
    }

    /// Plays the action of an outside opponent.
    pub(crate) fn answer(&mut self, context: &StepContext<S>, action: usize) -> StepEffect<S> {
        self.state = self.state.play(&context.rules, action);
        self.continue_after(context)
    }

    #[inline]
    fn continue_after(&mut self, context: &StepContext<S>) -> StepEffect<S> {
        let pending = match self.play_until_agent(context) {
            Wait::Reset if !self.fresh => return self.end_game(context),
            Wait::Reset => self.reset(context), // as `reset` does
            wait => wait == Wait::Opponent,
        };
        StepEffect { end: None, pending }
    }

    /// Ends the game, whose state is its last.
    #[inline(always)]
    fn end_game(&mut self, context: &StepContext<S>) -> StepEffect<S> {
        let end = Some((context.ending(&self.state, self.seat), self.state));
        let pending = self.autoreset(context);
        StepEffect { end, pending }
    }

    fn start(&mut self, context: &StepContext<S>) {
        let variant = if S::IS_MIXABLE && context.is_mixed {
            self.draw_variant(context)
        } else {
            0
        };
        self.state = S::start(&context.rules, variant);
        self.over = false;
        self.fresh = true;
        if context.config.opponent != Opponent::SelfPlay {
            self.seat = match context.config.seat {
                Seat::Light => Player::Light,
                Seat::Dark => Player::Dark,
                Seat::Random => Player::ALL[self.env_rng.below(2) as usize],
            };
        }
        if context.config.random_plies > 0 {
            self.play_random_plies(context);
        }
    }

    #[inline(never)] // keeps starts of one variant short
    fn draw_variant(&mut self, context: &StepContext<S>) -> usize {
        let config = &context.config;
        let count = config.variants.all().len();
        config.weights.draw(count, &mut self.env_rng)
    }

    /// Plays as many random plies as are drawn, but for one that would end the game.
    #[cold]
    fn play_random_plies(&mut self, context: &StepContext<S>) {
        let rules = &context.rules;
        for _ in 0..self.env_rng.below(context.config.random_plies as u64 + 1) {
            let rank = self.env_rng.below(self.state.count_legal(rules) as u64);
            let action = self.state.nth_legal(rules, rank as usize);
            let next = self.state.play(rules, action);
            if next.is_over(rules) {
                return;
            }
            self.state = next;
        }
    }

    /// Leaves the game that has ended as the mode wants it.
    fn autoreset(&mut self, context: &StepContext<S>) -> bool {
        if context.config.autoreset == Autoreset::SameStep {
            self.reset(context)
        } else {
            self.over = true;
            false
        }
    }

    /// Plays the turns that are not the agent's.
    #[inline]
    fn play_until_agent(&mut self, context: &StepContext<S>) -> Wait {
        let rules = &context.rules;
        loop {
            if self.state.is_over(rules) {
                return Wait::Reset;
            }
            let agent = context.config.opponent == Opponent::SelfPlay
                || self.state.to_play() == self.seat.index();
            if (!agent || context.config.auto_pass) && self.state.must_pass(rules) {
                let passed = self.state.play(rules, context.pass);
                // On a tiny board the opponent can leave the agent without any placement. The agent
                // is then asked for the pass: a game that ended before the agent's first action would
                // not belong to any step.
                if self.fresh && agent && passed.is_over(rules) {
                    return Wait::Agent;
                }
                self.state = passed;
            } else if agent {
                return Wait::Agent;
            } else if let Some(policy) = context.config.opponent.policy() {
                let action = self.choose(context, policy);
                self.state = self.state.play(rules, action);
            } else {
                return Wait::Opponent;
            }
        }
    }

    fn choose(&mut self, context: &StepContext<S>, policy: &Policy) -> usize {
        if *policy == Policy::Random {
            // The same choice as the policy's, computed directly.
            let legal = self.state.count_legal(&context.rules);
            let rank = self.env_rng.below(legal as u64);
            return self.state.nth_legal(&context.rules, rank as usize);
        }
        let numbering = context.config.variants.of(self.state.variant());
        let position = self.state.position(&context.rules);
        let limits = Limits::stopped_by(&context.stop);
        // The caller undoes a step that it stops, so any move will do here. Short searches end
        // before they look at the flag.
        if limits.is_stopped() {
            return self.state.nth_legal(&context.rules, 0);
        }
        policy
            .choose_within(numbering.variant(), &position, &mut self.env_rng, limits)
            .map_or_else(
                |_| self.state.nth_legal(&context.rules, 0),
                |mv| numbering.action_of(mv),
            )
    }

    pub(crate) fn save(&self, context: &StepContext<S>) -> SavedGame {
        SavedGame {
            variant: self.state.variant(),
            position: self.state.position(&context.rules),
            streams: [self.env_rng.state(), self.sample_rng.state()],
            seat: self.seat,
            over: self.over,
            fresh: self.fresh,
        }
    }

    pub(crate) fn restore(context: &StepContext<S>, saved: &SavedGame) -> Self {
        Self {
            state: S::from_position(&context.rules, saved.variant, &saved.position),
            env_rng: SplitMix64::new(saved.streams[0]),
            sample_rng: SplitMix64::new(saved.streams[1]),
            seat: saved.seat,
            over: saved.over,
            fresh: saved.fresh,
        }
    }
}
