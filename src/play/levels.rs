//! Whom a person can play against.

use thiserror::Error;

use crate::game::Variant;
use crate::search::solver::Solver;

/// A player to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// The name of the policy.
    pub policy: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// Measured on the standard game, in Elo points, see `docs/baselines.md`.
    pub rating: i32,
}

/// The levels, from weak to strong.
pub const LEVELS: [Level; 8] = [
    level("random", "Newcomer", -706),
    level("greedy", "Beginner", -581),
    level("minimax:2", "Casual", -413),
    level("minimax:4", "Club player", -235),
    level("minimax:6", "Strong", -101),
    level("champion", "Expert", 250),
    level("perfect", "Perfect", 394),
    level("champion:64", "Champion", 439),
];

/// Replaces the champion where it cannot play.
pub const STAND_IN: &str = "minimax:4";

const fn level(policy: &'static str, name: &'static str, rating: i32) -> Level {
    Level {
        policy,
        name,
        rating,
    }
}

/// The player of a game, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opponent {
    /// The player that was chosen.
    pub choice: String,
    /// The one that plays.
    pub name: String,
    /// A sentence if another plays than the chosen one, else empty.
    pub note: String,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Champion,
    Perfect,
    Other,
}

/// Perfect play is out of reach on this board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "perfect play needs a board of up to {} cells, and this one has {num_cells}; choose for example \
     {STAND_IN}",
    Solver::MAX_CELLS
)]
pub struct NoPerfectPlay {
    /// Cells of the board.
    pub num_cells: usize,
}

impl Opponent {
    /// The policy of this name on a variant.
    ///
    /// # Errors
    ///
    /// When perfect play is asked for on a board that is too large.
    pub fn named(name: &str, variant: &Variant) -> Result<Self, NoPerfectPlay> {
        let kind = match name.split(':').next() {
            Some("champion") => Kind::Champion,
            Some("perfect") => Kind::Perfect,
            _ => Kind::Other,
        };
        Self::of_kind(name, kind, variant)
    }

    /// A player that the front end brings along.
    ///
    /// # Errors
    ///
    /// As [`Opponent::named`], if it plays perfectly.
    pub fn given(name: &str, is_perfect: bool, variant: &Variant) -> Result<Self, NoPerfectPlay> {
        let kind = if is_perfect {
            Kind::Perfect
        } else {
            Kind::Other
        };
        Self::of_kind(name, kind, variant)
    }

    /// The same player on another variant.
    ///
    /// # Errors
    ///
    /// As [`Opponent::named`].
    pub fn on(&self, variant: &Variant) -> Result<Self, NoPerfectPlay> {
        Self::of_kind(&self.choice, self.kind, variant)
    }

    fn of_kind(choice: &str, kind: Kind, variant: &Variant) -> Result<Self, NoPerfectPlay> {
        let num_cells = variant.board().num_cells();
        if kind == Kind::Perfect && num_cells > Solver::MAX_CELLS {
            return Err(NoPerfectPlay { num_cells });
        }
        let is_trained = variant.equals_but_for_opening(&Variant::default());
        let (name, note) = if kind == Kind::Champion && !is_trained {
            let note = format!(
                "The champion was trained for the standard board with two copies. {STAND_IN} plays \
                 instead."
            );
            (STAND_IN, note)
        } else {
            (choice, String::new())
        };
        Ok(Self {
            choice: choice.to_owned(),
            name: name.to_owned(),
            note,
            kind,
        })
    }
}
