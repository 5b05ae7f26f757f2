//! Built-in players. Their choices depend only on the position and on random draws.
//!
//! ```
//! use mijnlieff::game::{Position, Variant};
//! use mijnlieff::policy::Policy;
//! use mijnlieff::random::SplitMix64;
//! use mijnlieff::search::Depth;
//!
//! let variant = Variant::default();
//! let mut position = Position::new(&variant);
//! let mut rng = SplitMix64::new(0);
//! let players = [Policy::Minimax(Depth::new(4)?), Policy::Random];
//! while !position.is_over(&variant) {
//!     let policy = &players[position.side_to_move().index()];
//!     let mv = policy.choose(&variant, &position, &mut rng);
//!     position = position.play(&variant, mv)?;
//! }
//! assert!(position.margin(&variant) > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod batch;
mod matches;
mod perfect;

pub use batch::{Turn, choose_batch};
pub use matches::{Match, OpeningError, PairMargins, draw_opening, opening};
pub use perfect::{Epsilon, EpsilonError, Perfect};

use rand::Rng;

use crate::game::{Move, Position, Variant};
use crate::random::Draw;
use crate::search::{Depth, Halt, Limits, MoveSet, best_moves};

/// A built-in player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Any legal move, each equally likely.
    Random,
    /// The moves with the largest margin right after them, each equally likely. The same as minimax
    /// of depth 1.
    Greedy,
    /// The best moves of a search to this depth ([`best_moves`]), each equally likely.
    Minimax(Depth),
    /// The moves that keep the exact margin, each equally likely, or now and then any.
    Perfect(Perfect),
}

impl Policy {
    /// The move this policy plays in a position that is not over.
    ///
    /// Calls with equal positions and generators choose alike.
    ///
    /// # Panics
    ///
    /// If the game is over.
    #[must_use]
    pub fn choose(
        &self,
        variant: &Variant,
        position: &Position,
        rng: &mut (impl Rng + ?Sized),
    ) -> Move {
        self.choose_within(variant, position, rng, Limits::default())
            .expect("a search without limits ends with an answer")
    }

    /// The move that [`Policy::choose`] gives, unless a limit is reached before.
    ///
    /// # Errors
    ///
    /// When a limit is reached. The generator may have moved then.
    ///
    /// # Panics
    ///
    /// If the game is over.
    pub fn choose_within(
        &self,
        variant: &Variant,
        position: &Position,
        rng: &mut (impl Rng + ?Sized),
        limits: Limits<'_>,
    ) -> Result<Move, Halt> {
        assert!(!position.is_over(variant), "a finished game has no move");
        let moves = match self {
            Self::Perfect(perfect) => perfect.draw(variant, position, rng, limits)?,
            _ => self.candidates(variant, position, limits)?,
        };
        Ok(moves.nth(rng.below(moves.count() as u64) as usize))
    }

    /// The moves that this policy may play in a position that is not over, and how likely each is.
    ///
    /// # Errors
    ///
    /// When a limit is reached.
    ///
    /// # Panics
    ///
    /// If the game is over.
    pub fn probabilities(
        &self,
        variant: &Variant,
        position: &Position,
        limits: Limits<'_>,
    ) -> Result<Vec<(Move, f64)>, Halt> {
        assert!(!position.is_over(variant), "a finished game has no move");
        let epsilon = match self {
            Self::Perfect(perfect) => perfect.epsilon().share(),
            _ => 0.0,
        };
        let legal = MoveSet::legal(variant, position);
        let best = self.candidates(variant, position, limits)?;
        let share =
            |moves: &MoveSet, mv| f64::from(u8::from(moves.contains(mv))) / moves.count() as f64;
        let probability = |mv| epsilon * share(&legal, mv) + (1.0 - epsilon) * share(&best, mv);
        let moves = legal.iter().map(|mv| (mv, probability(mv)));
        Ok(moves
            .filter(|&(_, probability)| probability > 0.0)
            .collect())
    }

    /// The moves to draw from, where the policy does not err on purpose.
    fn candidates(
        &self,
        variant: &Variant,
        position: &Position,
        limits: Limits<'_>,
    ) -> Result<MoveSet, Halt> {
        let search = |depth| best_moves(variant, position, depth, limits).map(|best| best.moves);
        match self {
            Self::Random => Ok(MoveSet::legal(variant, position)),
            Self::Greedy => search(Depth::ONE),
            Self::Minimax(depth) => search(*depth),
            Self::Perfect(perfect) => perfect.best_moves(variant, position, limits),
        }
    }
}
