//! Decisions in many positions at once.

use super::Policy;
use crate::game::{Move, Position, Variant};
use crate::random::SplitMix64;
use crate::search::{Halt, Limits};
use crate::threads::map_in_order;

/// A position to choose in, the game that it is of, and what the choice draws from.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The stream of the seed.
    pub stream: u64,
    /// The board, opening rule and pieces.
    pub variant: &'a Variant,
    /// Not over.
    pub position: &'a Position,
}

/// The moves that a policy chooses in many positions, in their order.
///
/// Each choice draws from its stream of `seed`, so the moves do not depend on `num_threads`.
///
/// # Errors
///
/// When a limit is reached, which holds for each choice by itself.
///
/// # Panics
///
/// If a game is over.
pub fn choose_batch(
    policy: &Policy,
    turns: &[Turn<'_>],
    seed: u64,
    num_threads: usize,
    limits: Limits<'_>,
) -> Result<Vec<Move>, Halt> {
    let choose = |(): &mut (), turn: &Turn<'_>| {
        // Some policies do not search, and so do not check the flag themselves.
        limits.check_stop()?;
        let mut rng = SplitMix64::stream(seed, turn.stream);
        policy.choose_within(turn.variant, turn.position, &mut rng, limits)
    };
    map_in_order(turns, num_threads, || (), choose)
}
