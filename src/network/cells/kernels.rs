//! The convolution, with kernels as large as the board: each cell is the target of all cells.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use bytemuck::Zeroable;

use crate::encode::Canvas;
use crate::game::{Board, Cell, Piece};
use crate::simd::{WORDS, WideKernel, WideLanes, WideSimd, WideVector};

/// Targets whose weights lie together.
const ROWS: usize = 8;

/// The bytes of an entry of a kernel, from a source to a target, in all lanes.
pub(in crate::network) const KERNEL_ENTRY: u64 = size_of::<WideLanes>() as u64;

/// The kernels of a block.
pub(super) struct Kernels {
    num_cells: usize,
    /// By wide vector of units, by [`ROWS`] targets, and by source. Each lane has the weight of its
    /// unit's head.
    weights: Vec<[WideLanes; ROWS]>,
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
        let vectors = units.div_ceil(WORDS);
        let groups = num_cells.div_ceil(ROWS);
        let mut weights = Vec::with_capacity(vectors * groups * num_cells);
        for vector in 0..vectors {
            for first in (0..num_cells).step_by(ROWS) {
                for source in 0..num_cells {
                    weights.push(std::array::from_fn(|row| {
                        let target = first + row;
                        if target >= num_cells {
                            return WideLanes::zeroed();
                        }
                        let offset = offset(canvas, board, Cell::new(target), Cell::new(source));
                        WideLanes::from_fn(|lane| {
                            let unit = vector * WORDS + lane;
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
    /// Room for a vector of the sources of two positions, by cell.
    pub(super) columns: &'a mut [[WideLanes; 2]],
    /// By position, cell and vector.
    pub(super) sources: &'a [WideLanes],
    /// The same.
    pub(super) targets: &'a mut [WideLanes],
    /// Vectors of a token.
    pub(super) vectors: usize,
}

impl WideKernel for Convolve<'_> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let (cells, vectors) = (self.kernels.num_cells, self.vectors);
        let (stride, groups) = (cells * vectors, cells.div_ceil(ROWS));
        let columns = self.columns;
        for vector in 0..vectors {
            let weights = &self.kernels.weights[vector * groups * cells..][..groups * cells];
            let pairs = self.sources.chunks(2 * stride);
            for (sources, targets) in pairs.zip(self.targets.chunks_mut(2 * stride)) {
                let sources = sources.chunks_exact(stride);
                let positions = sources.len();
                for (position, sources) in sources.enumerate() {
                    for cell in 0..cells {
                        let number = wide.load(&sources[cell * vectors + vector]);
                        // Of 0 and NaN, this is NaN.
                        let number = wide.splat(0.0).max(number);
                        number.store(&mut columns[cell][position]);
                    }
                }
                for (group, weights) in weights.chunks_exact(cells).enumerate() {
                    let mut write = |position: usize, row: usize, sum: W::Numbers| {
                        let target = group * ROWS + row;
                        if target < cells {
                            let place = position * stride + target * vectors + vector;
                            sum.store(&mut targets[place]);
                        }
                    };
                    if positions == 2 && W::REGISTERS > 2 * ROWS {
                        convolve::<W, 2, ROWS>(wide, columns, weights, (0, 0), &mut write);
                        continue;
                    }
                    for position in 0..positions {
                        for row in [0, ROWS / 2] {
                            let from = (position, row);
                            convolve::<W, 1, HALF>(wide, columns, weights, from, &mut write);
                        }
                    }
                }
            }
        }
    }
}

/// Half of the targets whose weights lie together.
const HALF: usize = ROWS / 2;

/// Writes the sums of `R` targets of `P` positions, from these on, which are held in registers.
#[inline(always)]
fn convolve<W: WideSimd, const P: usize, const R: usize>(
    wide: W,
    columns: &[[WideLanes; 2]],
    weights: &[[WideLanes; ROWS]],
    (position, row): (usize, usize),
    write: &mut impl FnMut(usize, usize, W::Numbers),
) {
    let mut sums = [[wide.splat(0.0); R]; P];
    for (numbers, weights) in columns.iter().zip(weights) {
        for i in 0..R {
            let weight = wide.load(&weights[row + i]);
            for p in 0..P {
                let product = wide.load(&numbers[position + p]).mul(weight);
                sums[p][i] = sums[p][i].add(product);
            }
        }
    }
    for p in 0..P {
        for i in 0..R {
            write(position + p, row + i, sums[p][i]);
        }
    }
}
