//! One game of a batch: how it starts, what a step does, how it ends.

use super::config::{Autoreset, Config, Opponent, Reward, Seat};
use crate::game::{Move, Player, Position, Variant};
use crate::random::SplitMix64;

/// The streams of a game, by number: what the environment draws and what `sample_actions` draws
/// must not disturb each other.
const ENV_STREAM: u64 = 0;
const SAMPLE_STREAM: u64 = 1;

/// The state of one game of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Game {
    pub(super) position: Position,
    pub(super) env_stream: SplitMix64,
    pub(super) sample_stream: SplitMix64,
    /// Whose reward the step pays: the agent's side, or in self-play the side that acted last.
    pub(super) seat: Player,
    /// Whether the game has ended and waits for its reset.
    pub(super) over: bool,
    /// Whether the agent has not acted in this game yet.
    pub(super) fresh: bool,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The number of the game in the batch.
    pub game: usize,
    /// The last position; the one before the illegal action if one ended the game.
    pub position: Position,
    /// The points of Light and Dark.
    pub score: [u16; 2],
    /// Who won, if anyone.
    pub winner: Option<Player>,
    /// Whether an illegal action ended the game.
    pub illegal: bool,
    /// What the step pays the player who acted.
    pub reward: f32,
}

/// Everything about a game that changes; enough to go on with it elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SavedGame {
    /// The position.
    pub position: Position,
    /// The states of the environment's stream and of the sample stream.
    pub streams: [u64; 2],
    /// The agent's side, or in self-play the side that acted last.
    pub seat: Player,
    /// Whether the game has ended and waits for its reset.
    pub over: bool,
    /// Whether the agent has not acted in this game yet.
    pub fresh: bool,
}

impl SavedGame {
    pub(super) fn of(game: &Game) -> Self {
        Self {
            position: game.position,
            streams: [game.env_stream.state(), game.sample_stream.state()],
            seat: game.seat,
            over: game.over,
            fresh: game.fresh,
        }
    }

    pub(super) fn game(&self) -> Game {
        Game {
            position: self.position,
            env_stream: SplitMix64::new(self.streams[0]),
            sample_stream: SplitMix64::new(self.streams[1]),
            seat: self.seat,
            over: self.over,
            fresh: self.fresh,
        }
    }
}

/// What a game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Agent,
    Opponent,
    Reset,
}

impl Game {
    /// A game that waits for its first reset.
    pub(super) fn new(variant: &Variant, seed: u64) -> Self {
        Self {
            position: Position::new(variant),
            env_stream: SplitMix64::stream(seed, ENV_STREAM),
            sample_stream: SplitMix64::stream(seed, SAMPLE_STREAM),
            seat: Player::Light,
            over: true,
            fresh: true,
        }
    }

    /// Restarts the streams of the game.
    pub(super) fn seed(&mut self, seed: u64) {
        self.env_stream = SplitMix64::stream(seed, ENV_STREAM);
        self.sample_stream = SplitMix64::stream(seed, SAMPLE_STREAM);
    }

    /// Starts a new game. Returns whether it now waits for an outside opponent.
    pub(super) fn reset(&mut self, config: &Config) -> bool {
        self.begin(config);
        self.settle(config) == Wait::Opponent
    }

    /// Puts the game at a position that is not over; the agent takes the side to move.
    pub(super) fn place(&mut self, position: Position) {
        self.position = position;
        self.seat = position.side_to_move();
        self.over = false;
        self.fresh = false;
    }

    /// Plays the action of the agent; an illegal one, which is `None`, loses.
    ///
    /// A game that has ended starts anew instead. Returns whether the game now waits for an outside
    /// opponent, and leaves in `ending` how it ended, if it did.
    pub(super) fn act(
        &mut self,
        config: &Config,
        mv: Option<Move>,
        ending: &mut Option<Ending>,
    ) -> bool {
        if self.over {
            return self.reset(config);
        }
        if config.opponent == Opponent::SelfPlay {
            self.seat = self.position.side_to_move();
        }
        self.fresh = false;
        let Some(mv) = mv else {
            *ending = Some(self.forfeit(config));
            return self.close(config);
        };
        self.position = self.position.play_unchecked(&config.variant, mv);
        self.proceed(config, ending)
    }

    /// Plays the move of an outside opponent. Returns and leaves the same as [`Game::act`].
    pub(super) fn answer(
        &mut self,
        config: &Config,
        mv: Move,
        ending: &mut Option<Ending>,
    ) -> bool {
        self.position = self.position.play_unchecked(&config.variant, mv);
        self.proceed(config, ending)
    }

    fn proceed(&mut self, config: &Config, ending: &mut Option<Ending>) -> bool {
        match self.settle(config) {
            Wait::Agent => false,
            Wait::Opponent => true,
            Wait::Reset => {
                *ending = Some(self.finish(config));
                self.close(config)
            }
        }
    }

    fn begin(&mut self, config: &Config) {
        self.position = Position::new(&config.variant);
        self.over = false;
        self.fresh = true;
        if config.opponent != Opponent::SelfPlay {
            self.seat = match config.seat {
                Seat::Light => Player::Light,
                Seat::Dark => Player::Dark,
                Seat::Random => Player::ALL[self.env_stream.below(2) as usize],
            };
        }
    }

    /// Leaves the game that has ended as the mode wants it.
    fn close(&mut self, config: &Config) -> bool {
        if config.autoreset == Autoreset::SameStep {
            self.reset(config)
        } else {
            self.over = true;
            false
        }
    }

    /// Plays the turns that are not the agent's.
    fn settle(&mut self, config: &Config) -> Wait {
        let variant = &config.variant;
        loop {
            if self.position.is_over(variant) {
                return Wait::Reset;
            }
            let agent =
                config.opponent == Opponent::SelfPlay || self.position.side_to_move() == self.seat;
            if self.position.must_pass(variant) && (!agent || config.auto_pass) {
                let passed = self.position.play_unchecked(variant, Move::Pass);
                // On a tiny board the opponent can leave the agent without any move at all. That
                // pass is asked for: a game that ended before the agent's first action would belong
                // to no step.
                if self.fresh && agent && passed.is_over(variant) {
                    return Wait::Agent;
                }
                self.position = passed;
            } else if agent {
                return Wait::Agent;
            } else if let Opponent::Policy(policy) = config.opponent {
                let mv = policy.choose(variant, &self.position, &mut self.env_stream);
                self.position = self.position.play_unchecked(variant, mv);
            } else {
                return Wait::Opponent;
            }
        }
    }

    fn forfeit(&self, config: &Config) -> Ending {
        Ending {
            winner: Some(self.seat.opponent()),
            illegal: true,
            reward: -1.0,
            ..self.finish(config)
        }
    }

    fn finish(&self, config: &Config) -> Ending {
        let score = self.position.score(&config.variant);
        let own = i32::from(score[self.seat.index()]);
        let margin = own - i32::from(score[self.seat.opponent().index()]);
        Ending {
            game: 0,
            position: self.position,
            score,
            winner: match margin.signum() {
                1 => Some(self.seat),
                0 => None,
                _ => Some(self.seat.opponent()),
            },
            illegal: false,
            reward: match config.reward {
                Reward::Outcome => margin.signum() as f32,
                Reward::Margin => margin as f32,
            },
        }
    }
}
