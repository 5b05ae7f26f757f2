//! The convolution, with kernels as large as the board: each cell is the target of all cells.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use super::tokens::padded;
use crate::encode::Canvas;
use crate::game::{Board, Cell, Piece};
use crate::simd::{Kernel, LANES, Lanes, Simd, Vector};

/// Targets that are summed at once; their sums are held in registers.
const ROWS: usize = 8;

/// The bytes of an entry of a kernel, from a source to a target, in all lanes.
pub(in crate::network) const KERNEL_ENTRY: u64 = size_of::<Lanes>() as u64;

/// The kernels of a block.
pub(super) struct Kernels {
    num_cells: usize,
    /// By vector of units, by [`ROWS`] targets, and by source. Each lane has the weight of its unit's
    /// head.
    weights: Vec<[Lanes; ROWS]>,
}

/// In how many ways a cell of a canvas can lie to another one, that it sees or not.
pub(in crate::network) fn num_offsets(canvas: Canvas) -> usize {
    2 * (2 * canvas.height() - 1) * (2 * canvas.width() - 1)
}

impl Kernels {
    /// The kernels of a board that fits the canvas, whose entries are `weight(offset, head)`.
    pub(super) fn new(
        canvas: Canvas,
        board: &Board,
        units: usize,
        heads: usize,
        weight: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let num_cells = board.num_cells();
        let share = units / heads;
        let vectors = padded(units) / LANES;
        let groups = num_cells.div_ceil(ROWS);
        let mut weights = Vec::with_capacity(vectors * groups * num_cells);
        for vector in 0..vectors {
            for first in (0..num_cells).step_by(ROWS) {
                for source in 0..num_cells {
                    weights.push(std::array::from_fn(|row| {
                        let target = first + row;
                        if target >= num_cells {
                            return [0.0; LANES];
                        }
                        let offset = offset(canvas, board, Cell::new(target), Cell::new(source));
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
fn offset(canvas: Canvas, board: &Board, from: Cell, to: Cell) -> usize {
    let place = |cell: Cell| {
        let (x, y) = board.cells()[cell.index()];
        (usize::from(x), usize::from(y))
    };
    let ((x, y), (to_x, to_y)) = (place(from), place(to));
    let dy = to_y + canvas.height() - 1 - y;
    let dx = to_x + canvas.width() - 1 - x;
    let lines = board.reach(Piece::Straight, from) | board.reach(Piece::Diagonal, from);
    let is_seen = from == to || lines.contains(to);
    2 * (dy * (2 * canvas.width() - 1) + dx) + usize::from(is_seen)
}

/// Convolves: the target at each cell is the sum of the sources at all cells of its position, rectified,
/// times the kernel.
pub(super) struct Convolve<'a> {
    pub(super) kernels: &'a Kernels,
    /// By position, cell and vector.
    pub(super) sources: &'a [Lanes],
    /// The same.
    pub(super) targets: &'a mut [Lanes],
    /// Vectors of a token.
    pub(super) vectors: usize,
}

impl Kernel for Convolve<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        let cells = self.kernels.num_cells;
        let stride = cells * self.vectors;
        let groups = cells.div_ceil(ROWS);
        let mut column = vec![[0.0; LANES]; cells];
        for vector in 0..self.vectors {
            let weights = &self.kernels.weights[vector * groups * cells..][..groups * cells];
            let sources = self.sources.chunks_exact(stride);
            for (sources, targets) in sources.zip(self.targets.chunks_exact_mut(stride)) {
                for cell in 0..cells {
                    let number = simd.load(&sources[cell * self.vectors + vector]);
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
                        sums[row].store(&mut targets[(first + row) * self.vectors + vector]);
                    }
                }
            }
        }
    }
}
