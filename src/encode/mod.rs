//! Numbers for learners: actions as indices, positions as arrays, symmetries as tables.
//!
//! This module is the only place where counts, shapes and orders are written down.
//!
//! * **Actions**: `piece * num_cells + cell`, and a pass as the last index, `4 * num_cells`.
//! * **Observations** are always those of the side to move and hold the full state, in one of three
//!   layouts, see [`Layout`]. [`exchange_sides`] turns one into that of the other player.
//! * **Canvases** give boards of different shapes observations and actions of one shape, see [`Canvas`].
//! * **States** are positions as words, from which a game can go on, see [`State`].

#![forbid(unsafe_code)]

mod action;
mod canvas;
mod observation;
pub(crate) mod state;
mod symmetry;
mod variants;

pub use action::{action_of, move_of, num_actions, pass_action, write_mask};
pub use canvas::{Canvas, CanvasError};
pub use observation::{
    Feature, Layout, PackError, UnknownLayout, exchange_packed, exchange_sides, observe, pack,
};
pub use state::{State, StateError};
pub use symmetry::{action_symmetries, cell_symmetries};
pub use variants::{VariantSet, VariantSetError};
