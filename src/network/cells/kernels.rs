//! The convolution: what each cell hears from all cells.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use super::tokens::padded;
use crate::game::{Board, Cell, Piece};
use crate::simd::{Kernel, LANES, Lanes, Simd, Vector};

/// Cells that hear at once; their sums are held in registers.
const ROWS: usize = 8;

/// The kernels of a block.
pub(super) struct Kernels {
    num_cells: usize,
    /// By vector of units, by [`ROWS`] cells that hear, and by cell that is heard. Each lane has the
    /// weight of its unit's head.
    weights: Vec<[Lanes; ROWS]>,
}

/// In how many ways a cell can lie to another one, that it sees or not.
pub(super) fn num_offsets(board: &Board) -> usize {
    2 * (2 * board.height() - 1) * (2 * board.width() - 1)
}

impl Kernels {
    /// The kernels whose entries are `weight(offset, head)`.
    pub(super) fn new(
        board: &Board,
        units: usize,
        heads: usize,
        weight: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let num_cells = board.num_cells();
        let share = units / heads;
        let mut weights = Vec::new();
        for vector in 0..padded(units) / LANES {
            for first in (0..num_cells).step_by(ROWS) {
                for heard in 0..num_cells {
                    weights.push(std::array::from_fn(|row| {
                        let cell = first + row;
                        if cell >= num_cells {
                            return [0.0; LANES];
                        }
                        let offset = offset(board, Cell::new(cell), Cell::new(heard));
                        std::array::from_fn(|lane| {
                            let unit = vector * LANES + lane;
                            if unit < units {
                                weight(offset, unit / share)
                            } else {
                                0.0
                            }
                        })
                    }));
                }
            }
        }
        Self { num_cells, weights }
    }
}

/// The number of the way in which `to` lies to `from`: odd if they are the same, or on a line without
/// a gap.
fn offset(board: &Board, from: Cell, to: Cell) -> usize {
    let place = |cell: Cell| {
        let (x, y) = board.cells()[cell.index()];
        (usize::from(x), usize::from(y))
    };
    let ((x, y), (to_x, to_y)) = (place(from), place(to));
    let dy = to_y + board.height() - 1 - y;
    let dx = to_x + board.width() - 1 - x;
    let lines = board.reach(Piece::Straight, from) | board.reach(Piece::Diagonal, from);
    let is_seen = from == to || lines.contains(to);
    2 * (dy * (2 * board.width() - 1) + dx) + usize::from(is_seen)
}

/// Writes what each cell hears: the sum of what all cells of its position say, rectified, times the
/// kernel.
pub(super) struct Hear<'a> {
    pub(super) kernels: &'a Kernels,
    /// By position, cell and vector.
    pub(super) said: &'a [Lanes],
    pub(super) heard: &'a mut [Lanes],
    /// Vectors of a token.
    pub(super) vectors: usize,
}

impl Kernel for Hear<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        let cells = self.kernels.num_cells;
        let stride = cells * self.vectors;
        let groups = cells.div_ceil(ROWS);
        let mut column = vec![[0.0; LANES]; cells];
        for vector in 0..self.vectors {
            let weights = &self.kernels.weights[vector * groups * cells..][..groups * cells];
            let said = self.said.chunks_exact(stride);
            for (said, heard) in said.zip(self.heard.chunks_exact_mut(stride)) {
                for cell in 0..cells {
                    let number = simd.load(&said[cell * self.vectors + vector]);
                    // Of 0 and NaN, this is NaN.
                    simd.splat(0.0).max(number).store(&mut column[cell]);
                }
                for (group, weights) in weights.chunks_exact(cells).enumerate() {
                    let mut sums = [simd.splat(0.0); ROWS];
                    for cell in 0..cells {
                        let number = simd.load(&column[cell]);
                        for row in 0..ROWS {
                            let product = number.mul(simd.load(&weights[cell][row]));
                            sums[row] = sums[row].add(product);
                        }
                    }
                    let first = group * ROWS;
                    for row in 0..ROWS.min(cells - first) {
                        sums[row].store(&mut heard[(first + row) * self.vectors + vector]);
                    }
                }
            }
        }
    }
}
