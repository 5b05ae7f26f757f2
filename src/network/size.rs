//! How much memory a network takes, from its sizes alone.
//!
//! A file is much smaller than its network: every block has a kernel whose entries are spread out over
//! all pairs of cells. So the sizes say whether a network is made at all.

use super::cells::{KERNEL_ENTRY, num_offsets};
use super::features::{GLOBALS, LISTS, TacticalFeatures};
use super::{Architecture, Scope};
use crate::game::Cell;
use crate::simd::{TILE_WORDS, WORDS};

/// The most bytes that a network may take with all that it needs on its largest board.
pub const MAX_NETWORK_BYTES: u64 = 1 << 31;

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
        let cells = scope.num_cells().min(Cell::MAX);
        let Architecture {
            units,
            blocks,
            heads,
        } = architecture;
        let offsets = num_offsets(scope.canvas()) * blocks * heads;
        let layers = cell_layers(units as u64, blocks as u64) + 4 * offsets as u64;
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
    let Architecture { units, blocks, .. } = architecture;
    with_overhead(board_layers(cells as u64, units as u64, blocks as u64))
}

/// What an allocator needs besides.
fn with_overhead(bytes: u64) -> u64 {
    bytes + bytes / 16
}

fn padded(units: u64) -> u64 {
    units.next_multiple_of(WORDS as u64)
}

/// A layer whose weights take so many bytes each, its scales and biases.
fn layer(inputs: u64, outputs: u64, each: u64) -> u64 {
    const HEADERS: u64 = 1024;
    let outputs = padded(outputs);
    each * padded(inputs) * outputs + 16 * outputs + HEADERS
}

/// A layer of words, which are there twice where the processor has tiles.
fn integers(inputs: u64, outputs: u64) -> u64 {
    layer(inputs, outputs, 2) + layer(inputs.next_multiple_of(TILE_WORDS as u64), outputs, 2)
}

fn floats(inputs: u64, outputs: u64) -> u64 {
    layer(inputs, outputs, 4)
}

fn cell_layers(units: u64, blocks: u64) -> u64 {
    let (inner, outer) = (integers(units, 2 * units), integers(2 * units, units));
    let first = 4 * units * (LISTS + GLOBALS + 1) as u64;
    let last = floats(units, units) + 2 * floats(units, WORDS as u64);
    first + blocks * (2 * integers(units, units) + inner + outer) + last
}

fn board_layers(cells: u64, units: u64, blocks: u64) -> u64 {
    let vectors = padded(units) / WORDS as u64;
    let kernel = vectors * KERNEL_ENTRY * cells * cells.next_multiple_of(8);
    let inputs = TacticalFeatures::size(cells as usize) as u64;
    blocks * kernel + 2 * integers(WORDS as u64, units) + 64 * inputs
}
