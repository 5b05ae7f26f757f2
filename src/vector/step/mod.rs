//! How games are stepped: the state of a game in its forms, and the loops over many.

pub(crate) mod ends;
pub(crate) mod engine;
pub(crate) mod game;
pub(crate) mod lookup;
pub(crate) mod loops;
pub(crate) mod packed_game;
mod packed_state;
pub(crate) mod state;
pub(crate) mod wide_game;
mod wide_rows;
mod wide_tables;
