//! A perfect player, and one that errs as often as asked.

use std::sync::Arc;

use rand::Rng;
use thiserror::Error;

use crate::game::{Position, Variant};
use crate::random::Draw;
use crate::search::solver::Solver;
use crate::search::{Halt, Limits, MoveSet};

/// The share of decisions that are left to chance, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epsilon(f64);

// Never NaN.
impl Eq for Epsilon {}

impl Epsilon {
    /// A player that does not err.
    pub const ZERO: Self = Self(0.0);

    /// Checks a share.
    ///
    /// # Errors
    ///
    /// When it is not a number from 0 to 1.
    pub fn new(share: f64) -> Result<Self, EpsilonError> {
        if (0.0..=1.0).contains(&share) {
            // Makes -0.0 the same as 0.0 in every respect.
            Ok(Self(share.abs()))
        } else {
            Err(EpsilonError { share })
        }
    }

    /// The share.
    #[must_use]
    pub const fn share(self) -> f64 {
        self.0
    }
}

/// A share of errors out of range.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("epsilon must be 0 to 1, not {share}")]
pub struct EpsilonError {
    /// The share asked for.
    pub share: f64,
}

/// Plays moves that keep the exact margin, each equally likely; with probability epsilon any legal
/// move instead.
#[derive(Clone, Debug)]
pub struct Perfect {
    solvers: Vec<Arc<Solver>>,
    epsilon: Epsilon,
}

impl PartialEq for Perfect {
    fn eq(&self, other: &Self) -> bool {
        let solvers = |player: &Self| player.solvers.iter().map(Arc::as_ptr).collect::<Vec<_>>();
        solvers(self) == solvers(other) && self.epsilon == other.epsilon
    }
}

impl Eq for Perfect {}

impl Perfect {
    /// A player of the variants that one of the solvers [serves](Solver::serves).
    #[must_use]
    pub const fn new(solvers: Vec<Arc<Solver>>, epsilon: Epsilon) -> Self {
        Self { solvers, epsilon }
    }

    /// The share of its decisions that are left to chance.
    #[must_use]
    pub const fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// The moves to draw from, after one draw from the generator.
    pub(super) fn draw(
        &self,
        variant: &Variant,
        position: &Position,
        rng: &mut (impl Rng + ?Sized),
        limits: Limits<'_>,
    ) -> Result<MoveSet, Halt> {
        if rng.unit() < self.epsilon.0 {
            Ok(MoveSet::legal(variant, position))
        } else {
            self.best_moves(variant, position, limits)
        }
    }

    /// The moves that keep the exact margin.
    pub(super) fn best_moves(
        &self,
        variant: &Variant,
        position: &Position,
        limits: Limits<'_>,
    ) -> Result<MoveSet, Halt> {
        let solver = self.solvers.iter().find(|solver| solver.serves(variant));
        let solver = solver.expect("a perfect player has a solver for each of its variants");
        solver.best_moves(position, limits)
    }
}
