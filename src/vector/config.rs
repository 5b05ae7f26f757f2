//! The settings of a batch.

use std::sync::Arc;

use super::weights::Weights;
use crate::encode::VariantSet;
use crate::game::Variant;
use crate::names::named;
use crate::policy::Policy;

named! {
    /// When a game that has ended restarts; the meanings are Gymnasium's.
    Autoreset as "autoreset" {
        /// In the step that ends it: the observation is that of the next game.
        SameStep = "same_step",
        /// In the step after, which ignores the action and pays nothing.
        NextStep = "next_step",
        /// Never: the caller must reset it first.
        Disabled = "disabled",
    }
}

named! {
    /// The reward of the player who acts, in the step that ends the game.
    Reward as "reward" {
        /// 1 for a win, 0 for a draw, -1 for a loss.
        Outcome = "outcome",
        /// The player's points minus the opponent's.
        Margin = "margin",
    }
}

named! {
    /// The effect of an illegal action.
    IllegalAction as "illegal_action" {
        /// It is refused, and no game of the batch moves.
        Raise = "raise",
        /// The player who chose it loses the game at once and gets -1.
        Lose = "lose",
    }
}

named! {
    /// Which side the agent plays against an opponent.
    Seat as "seat" {
        /// Drawn for every game from the game's own stream.
        Random = "random",
        /// Always first.
        Light = "light",
        /// Always second.
        Dark = "dark",
    }
}

/// Who plays the side that the agent does not play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Self-play: the agent acts for the side to move of every game.
    SelfPlay,
    /// A built-in player, inside the step.
    Policy(Policy),
    /// The caller, through [`super::BatchEnv::pending`] and [`super::BatchEnv::answer`].
    Outside,
}

impl Opponent {
    /// The built-in player.
    #[must_use]
    pub const fn policy(&self) -> Option<&Policy> {
        match self {
            Self::Policy(policy) => Some(policy),
            Self::SelfPlay | Self::Outside => None,
        }
    }
}

/// The settings of a batch, shared by all its games.
#[derive(Clone, Debug)]
pub struct Config {
    /// The variants that a new game may have.
    pub variants: Arc<VariantSet>,
    /// How likely each of them is. Drawn for every game from the game's own stream, before anything
    /// else; one variant alone is not drawn.
    pub weights: Weights,
    /// Who plays the other side.
    pub opponent: Opponent,
    /// The side of the agent; not used in self-play.
    pub seat: Seat,
    /// When a game that has ended restarts.
    pub autoreset: Autoreset,
    /// The reward at the end of a game.
    pub reward: Reward,
    /// The effect of an illegal action.
    pub illegal_action: IllegalAction,
    /// Whether forced passes are played inside the step instead of being asked for.
    pub auto_pass: bool,
    /// A new game starts after 0 to this many random plies, each number equally likely.
    ///
    /// Fewer than [`VariantSet::min_game_length`]: longer games may not exist.
    pub random_plies: usize,
}

impl Config {
    /// Self-play in one variant, with the defaults of the Python class `VectorEnv`.
    #[must_use]
    pub fn new(variant: Arc<Variant>) -> Self {
        Self::of(VariantSet::one(variant))
    }

    /// Self-play in these variants, each equally likely, with the same defaults.
    #[must_use]
    pub fn of(variants: VariantSet) -> Self {
        Self {
            variants: Arc::new(variants),
            weights: Weights::equal(),
            opponent: Opponent::SelfPlay,
            seat: Seat::Random,
            autoreset: Autoreset::SameStep,
            reward: Reward::Outcome,
            illegal_action: IllegalAction::Raise,
            auto_pass: false,
            random_plies: 0,
        }
    }
}

/// New seeds for the streams of the games.
#[derive(Clone, Copy, Debug)]
pub enum Seeds<'a> {
    /// None: the streams continue.
    Keep,
    /// This seed plus the number of the game.
    From(u64),
    /// One for each game, where there is one.
    Each(&'a [Option<u64>]),
}

impl Seeds<'_> {
    pub(crate) fn of(self, game: usize) -> Option<u64> {
        match self {
            Self::Keep => None,
            Self::From(seed) => Some(seed.wrapping_add(game as u64)),
            Self::Each(seeds) => seeds[game],
        }
    }
}
