//! Encodings: actions as indices, positions as arrays and as words, symmetries as tables.
//!
//! Counts, shapes and orders are defined here. The step of a batch (`vector::step`) writes the same rows
//! from its own tables, for speed, and tests compare them with these.
//!
//! * **Actions**: `piece * num_cells + cell`, and a pass as the last index, `4 * num_cells`.
//! * **Observations** are always those of the side to move and hold the full state, in one of three
//!   layouts, see [`Layout`]. [`exchange_sides`] turns one into that of the other player.
//! * **Canvases** give boards of different shapes observations and actions of one shape, see [`Canvas`];
//!   [`Numbering`] serves both games that are on one and games that are not.
//! * **Words** hold a position so that its game can be continued, see [`PositionWords`].

#![forbid(unsafe_code)]

mod action;
mod canvas;
mod numbering;
mod observation;
mod symmetry;
mod variants;
pub(crate) mod words;

pub(crate) use action::pass_over;
pub use action::{action_of, move_of, num_actions, pass_action, write_mask};
pub use canvas::{Canvas, CanvasError};
pub use numbering::{LayoutError, Numbering};
pub use observation::{Feature, Layout, PackError, exchange_packed, exchange_sides, observe, pack};
pub(crate) use observation::{cell_sets, hand_counts, pack_parts};
pub use symmetry::{action_symmetries, cell_symmetries};
pub use variants::{VariantSet, VariantSetError};
pub use words::{PositionWords, WordsError};
