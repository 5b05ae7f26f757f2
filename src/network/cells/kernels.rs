//! The convolution, with kernels as large as the board: each cell is the target of all cells.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use crate::encode::Canvas;
use crate::game::{Board, Cell, Piece};
use crate::simd::{LANES, Lanes, WORDS, WideKernel, WideLanes, WideSimd, WideVector};

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
                            return [[0.0; LANES]; 2];
                        }
                        let offset = offset(canvas, board, Cell::new(target), Cell::new(source));
                        let of_unit = |unit: usize| {
                            if unit < units {
                                weight(offset, unit / share)
                            } else {
                                0.0
                            }
                        };
                        std::array::from_fn(|half| {
                            std::array::from_fn(|lane| {
                                of_unit(vector * WORDS + half * LANES + lane)
                            })
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

impl WideKernel for Convolve<'_> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let cells = self.kernels.num_cells;
        let vectors = self.vectors / 2;
        let groups = cells.div_ceil(ROWS);
        let sources = self.sources.as_chunks::<2>().0;
        let targets = self.targets.as_chunks_mut::<2>().0;
        let mut column = vec![[[0.0; LANES]; 2]; cells];
        for vector in 0..vectors {
            let weights = &self.kernels.weights[vector * groups * cells..][..groups * cells];
            let positions = sources.chunks_exact(cells * vectors);
            for (sources, targets) in positions.zip(targets.chunks_exact_mut(cells * vectors)) {
                for cell in 0..cells {
                    let number = wide.load(&sources[cell * vectors + vector]);
                    // Of 0 and NaN, this is NaN.
                    wide.splat(0.0).max(number).store(&mut column[cell]);
                }
                for (group, weights) in weights.chunks_exact(cells).enumerate() {
                    let targets = targets[group * ROWS * vectors..].iter_mut();
                    let mut targets = targets.skip(vector).step_by(vectors);
                    if W::REGISTERS > ROWS {
                        convolve::<W, ROWS>(wide, &column, weights, 0, &mut targets);
                    } else {
                        for first in [0, ROWS / 2] {
                            convolve::<W, { ROWS / 2 }>(
                                wide,
                                &column,
                                weights,
                                first,
                                &mut targets,
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Writes `R` targets, or as many as there are, from one of a group on. Their sums are held in
/// registers.
#[inline(always)]
fn convolve<'a, W: WideSimd, const R: usize>(
    wide: W,
    column: &[WideLanes],
    weights: &[[WideLanes; ROWS]],
    first: usize,
    targets: &mut impl Iterator<Item = &'a mut WideLanes>,
) {
    let mut sums = [wide.splat(0.0); R];
    for (number, weights) in column.iter().zip(weights) {
        let number = wide.load(number);
        for row in 0..R {
            let product = number.mul(wide.load(&weights[first + row]));
            sums[row] = sums[row].add(product);
        }
    }
    for (sum, target) in sums.iter().zip(targets) {
        sum.store(target);
    }
}
