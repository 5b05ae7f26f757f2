//! The architecture with a token for each cell: a convolution with kernels as large as the board.
//!
//! It is the network of `python/mijnlieff/train/network/cells.py`. Its weights serve every board that
//! fits a canvas. On one board, which cells see each other and how they lie to each other are
//! constants, and each head's kernel is one matrix for each block.
//!
//! Numbers of a token are padded with zeros to whole vectors.

mod forward;
mod kernels;
mod layers;
mod readout;
mod tokens;

pub(super) use forward::forward;
pub(super) use kernels::{KERNEL_ENTRY, num_offsets};
pub(super) use layers::{BoardLayers, CellLayers, count};
