//! Boards of up to 16 cells in 16-bit words, as the exact solver and the tablebase hold them.

#![forbid(unsafe_code)]

mod geometry;
mod state;

pub(crate) use geometry::{Geometry, Reach};
pub(crate) use state::{SmallState, TWO_BIT_HAND, key_bits};
