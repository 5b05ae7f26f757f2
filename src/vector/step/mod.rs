//! How games are stepped: the state of a game in two representations, and the loops over many.
//!
//! [`wide_game::WideGame`] holds any board and knows its variant, so it would do for all games.
//! [`packed_game::PackedGame`] stays beside it for the standard board and others of 16 cells: its game
//! is the packed observation and one more word, so rows and masks are copied from tables by the byte,
//! without a loop over a number of cells that is known only at run time. A step of the standard board
//! takes 161 instructions, and 249 as a [`wide_game::WideGame`], which would cost a quarter to a third of
//! its speed; more figures are in `docs/performance.md`.

pub(crate) mod ends;
pub(crate) mod engine;
pub(crate) mod game;
pub(crate) mod lookup;
pub(crate) mod loops;
pub(crate) mod packed_game;
mod packed_state;
mod packed_variants;
pub(crate) mod state;
pub(crate) mod wide_game;
mod wide_rows;
mod wide_tables;
