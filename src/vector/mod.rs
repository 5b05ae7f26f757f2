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

#![forbid(unsafe_code)]

mod batch;
pub(crate) mod buffers;
mod config;
mod error;
mod rollout;
pub(crate) mod step;

pub use batch::BatchEnv;
pub use buffers::{Buffers, Observations, View};
pub use config::{Autoreset, Config, IllegalAction, Opponent, Reward, Seat, Seeds, UnknownName};
pub use error::StepError;
pub use rollout::{Rollout, rollout};
pub use step::game::{Ending, SavedGame};
