//! Many games at once, for learners that take their experience in batches.
//!
//! [`BatchEnv`] steps N games of one [`crate::game::Variant`] and writes observations, masks,
//! rewards and ends into slices that the caller owns ([`Buffers`]). What an end of a game, an
//! illegal action and an opponent mean is fixed by a [`Config`].
//!
//! # Randomness
//!
//! Game `i` of a batch owns two streams of `seed + i` (see [`crate::random`]): one for what the
//! environment draws, in order the agent's seat at each start and what the built-in opponent draws
//! for each of its choices; and one for [`BatchEnv::sample_actions`]. So a game goes the same way
//! whatever the number of games and threads, and a batch is that many single games side by side.

// What a hot loop calls must be inlined to be compiled for the newer instructions, see `crate::wide`.
#![allow(clippy::inline_always)]

mod batch;
mod buffers;
mod config;
mod ends;
mod engine;
mod error;
mod game;
mod loops;
mod pool;
mod rollout;
mod small;
mod spread;
mod state;
mod tree_search;

pub use batch::{BatchEnv, Seeds};
pub use buffers::{Buffers, Observations, View};
pub use config::{Autoreset, Config, IllegalAction, Opponent, Reward, Seat, UnknownName};
pub use error::StepError;
pub use game::{Ending, SavedGame};
pub use rollout::{Rollout, rollout};
pub use tree_search::{Results, Root, TreeConfig, TreeNode, TreeSearch, UpdateError};
