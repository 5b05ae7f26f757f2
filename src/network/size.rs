//! How much memory a network takes, from its sizes alone.
//!
//! A file of the form "cells" is much smaller than its network: every block has a kernel whose entries
//! are spread out over all pairs of cells. So the sizes say whether a network is made at all.

use super::cells::{KERNEL_ENTRY, num_offsets};
use super::features::{HANDS, LISTS, TacticalFeatures};
use super::{Architecture, NUM_VALUES, Scope};
use crate::game::Piece;
use crate::simd::WORDS;

/// The most bytes that a network may take with all that it needs on its largest board.
pub const MAX_NETWORK_BYTES: u64 = 1 << 31;

/// The cells of the largest board that fits a canvas.
const MAX_CELLS: usize = 64;

/// Upper bounds for the bytes of a network, those included that it takes only while it is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// The layers that do not depend on the board, and a copy of the file.
    layers: u64,
    /// What the largest board adds.
    board: u64,
}

impl Size {
    /// The size of a network with this many weights. They are in memory, so that sums do not overflow.
    pub(super) fn of(scope: &Scope, architecture: Architecture, weights: usize) -> Self {
        let cells = scope.num_cells().min(MAX_CELLS);
        let layers = match architecture {
            Architecture::Symmetric { channels, blocks } => {
                let order = scope
                    .variant()
                    .map_or(1, |it| it.board().symmetries().len());
                symmetric(order as u64, cells as u64, channels as u64, blocks as u64)
            }
            Architecture::Cells {
                units,
                blocks,
                heads,
            } => {
                let offsets = num_offsets(scope.canvas()) * blocks * heads;
                cell_layers(units as u64, blocks as u64) + 4 * offsets as u64
            }
        };
        // The file, and its content while it is written.
        let copies = 8 * weights as u64;
        Self {
            layers: with_overhead(layers) + copies,
            board: board_bytes(architecture, cells),
        }
    }

    pub(super) fn layers(self) -> u64 {
        self.layers
    }

    /// All that it takes.
    pub(super) fn total(self) -> u64 {
        self.layers + self.board
    }
}

/// What the network on one board takes in addition.
pub(super) fn board_bytes(architecture: Architecture, cells: usize) -> u64 {
    match architecture {
        // Its layers are made for its only board.
        Architecture::Symmetric { .. } => 0,
        Architecture::Cells { units, blocks, .. } => {
            with_overhead(board_layers(cells as u64, units as u64, blocks as u64))
        }
    }
}

/// What an allocator needs besides.
fn with_overhead(bytes: u64) -> u64 {
    bytes + bytes / 16
}

fn padded(units: u64) -> u64 {
    units.next_multiple_of(WORDS as u64)
}

/// A block of a layer: weights as floats and as integers, scales and biases.
fn block(inputs: u64, outputs: u64) -> u64 {
    const HEADERS: u64 = 1024;
    let outputs = padded(outputs);
    6 * padded(inputs) * outputs + 16 * outputs + HEADERS
}

fn symmetric(order: u64, cells: u64, channels: u64, blocks: u64) -> u64 {
    let channels = padded(channels);
    // Representations have one or two dimensions, and the squares of these sum to two more than the
    // order at most: a group of four turns has 1, 1 and 2.
    let hidden = (order + 2) * block(channels, channels);
    let inputs = 2 * block(LISTS as u64 + 1, channels) * (cells + 1);
    let pieces = Piece::ALL.len() as u64;
    let outputs = 2 * block(channels, pieces) * cells + block(channels, 1 + NUM_VALUES as u64);
    // One layer before it is rounded.
    (2 * blocks + 1) * hidden + 2 * (inputs + outputs)
}

fn cell_layers(units: u64, blocks: u64) -> u64 {
    let square = block(units, units);
    let (inner, outer) = (block(units, 2 * units), block(2 * units, units));
    let first = 4 * units * (LISTS + HANDS + 2) as u64;
    let last = 2 * square + block(units, WORDS as u64);
    // One layer before it is rounded takes as much as the largest one afterwards.
    first + blocks * (2 * square + inner + outer) + last + inner
}

fn board_layers(cells: u64, units: u64, blocks: u64) -> u64 {
    let vectors = padded(units) / WORDS as u64;
    let kernel = vectors * KERNEL_ENTRY * cells * cells.next_multiple_of(8);
    let inputs = TacticalFeatures::size(cells as usize) as u64;
    blocks * kernel + 4 * block(WORDS as u64, units) + 64 * inputs
}
