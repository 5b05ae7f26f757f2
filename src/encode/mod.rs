//! Numbers for learners: actions as indices, positions as arrays, symmetries as tables.
//!
//! This module is the only place where counts, shapes and orders are written down.
//!
//! * **Actions**: `piece * num_cells + cell`, and a pass as the last index, `4 * num_cells`.
//! * **Observations** are always those of the side to move and hold the full state, in one of three
//!   layouts, see [`Layout`].

#![forbid(unsafe_code)]

mod action;
mod observation;
mod symmetry;

pub use action::{action_of, move_of, num_actions, pass_action, write_mask};
pub use observation::{Feature, Layout, PackError, UnknownLayout, observe, pack};
pub use symmetry::{action_symmetries, cell_symmetries};
