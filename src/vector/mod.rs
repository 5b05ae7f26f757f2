//! Many games at once, for learners that take their experience in batches.
//!
//! [`BatchEnv`] steps N games, of one [`crate::game::Variant`] or of several on a
//! [`crate::encode::Canvas`], and writes observations, masks, rewards and ends into slices that the
//! caller owns ([`Buffers`]). A [`Config`] sets rewards, autoreset, the effect of an illegal action,
//! and the opponent.
//!
//! # Randomness
//!
//! Game `i` of a batch owns two streams of `seed + i` (see [`crate::random`]). The environment draws
//! from the first: at each start the variant, if there are several, the agent's seat, and the number of
//! random plies and their actions; and the choices of the built-in opponent. The second is for
//! [`BatchEnv::sample_actions`]. So a game does not depend on the number of games or threads: a batch is
//! that many single games side by side.

#![forbid(unsafe_code)]

mod batch;
pub(crate) mod buffers;
mod config;
mod error;
mod make;
mod rollout;
mod rows;
pub(crate) mod step;
mod weights;

pub use batch::{BatchEnv, Ending, MAX_ENVS, SavedGame};
pub use buffers::{Buffers, Observations, View};
pub use config::{Autoreset, Config, IllegalAction, Opponent, Reward, Seat, Seeds};
pub use error::StepError;
pub use make::{batch_env, wide_batch_env};
pub use rollout::{Rollout, rollout};
pub use rows::{Dtype, Format, ObservationRows};
pub use weights::{Weights, WeightsError};
