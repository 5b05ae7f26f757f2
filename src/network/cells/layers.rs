//! The layers, made from the learned weights.

use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, ArrayView1};

use super::kernels::{Kernels, num_offsets};
use super::tokens::{LEVELS, Padding, padded};
use crate::encode::Canvas;
use crate::game::{Piece, Variant};
use crate::network::features::{GLOBALS, LISTS, TacticalFeatures};
use crate::network::floats::Floats;
use crate::network::integers::Integers;
use crate::network::layer::{Layer, Weights};
use crate::network::narrow::{self, Narrow};
use crate::network::weight_reader::WeightReader;
use crate::network::{Architecture, NUM_VALUES};
use crate::simd::WORDS;

/// Named in the error if there is not enough memory for what layers give.
pub(super) const HIDDEN: &str = "the network's hidden layers";

/// The layers that are the same on every board, and the weights of those that are not.
pub(in crate::network) struct CellLayers {
    canvas: Canvas,
    heads: usize,
    pub(super) padding: Padding,
    /// `(units, features)` from the features of a cell to its token, and the bias.
    of_cells: (Array2<f32>, Array1<f32>),
    /// `(units, globals)` from the numbers of a whole position to what all tokens get.
    of_globals: Array2<f32>,
    /// `(offsets, blocks * heads)`, the entries of all kernels.
    offsets: Array2<f32>,
    pub(super) blocks: Vec<Block>,
    /// From a token to the logits of its cell.
    pub(super) placements: Layer<Narrow>,
    /// From the mean of the tokens to hidden units.
    pub(super) summary: Layer<Floats>,
    /// From these to the pass and the values.
    pub(super) outcome: Layer<Narrow>,
}

/// The layers of one board.
pub(in crate::network) struct BoardLayers {
    pub(super) features: TacticalFeatures,
    /// From the features of a cell to its token.
    pub(super) cells: Layer<Integers>,
    /// From the numbers of a whole position to what all tokens get.
    pub(super) globals: Layer<Integers>,
    /// The kernels of each block.
    pub(super) kernels: Vec<Kernels>,
}

/// The layers of a block. What its layers read is normalized before; the weights of that are part of
/// theirs.
pub(super) struct Block {
    pub(super) message: Layer<Integers>,
    pub(super) gather: Layer<Integers>,
    pub(super) inner: Layer<Integers>,
    pub(super) outer: Layer<Integers>,
}

/// The scale and the shift after a normalization.
struct Norm<'a> {
    scale: ArrayView1<'a, f32>,
    shift: ArrayView1<'a, f32>,
}

impl<'a> Norm<'a> {
    fn next(reader: &mut WeightReader<'a>, units: usize) -> Self {
        let (scale, shift) = (reader.next(units), reader.next(units));
        Self { scale, shift }
    }
}

impl CellLayers {
    /// Takes the weights, of which there are as many as [`count`] says.
    pub(in crate::network) fn new(
        canvas: Canvas,
        architecture: Architecture,
        mut reader: WeightReader<'_>,
    ) -> Self {
        let Architecture {
            units,
            blocks,
            heads,
        } = architecture;
        let weights = reader.next((units, LISTS)).to_owned();
        let of_cells = (weights, reader.next(units).to_owned());
        let of_globals = reader.next((units, GLOBALS)).to_owned();
        let offsets = reader.next((num_offsets(canvas), blocks * heads));
        let offsets = offsets.to_owned();
        let block = |_| {
            let norm = Norm::next(&mut reader, units);
            let weights = reader.next((units, units));
            let message = dense(&weights, &reader.next(units), Some(&norm));
            let weights = reader.next((units, units));
            let gather = dense(&weights, &reader.next(units), None);
            let norm = Norm::next(&mut reader, units);
            let weights = reader.next((2 * units, units));
            let inner = dense(&weights, &reader.next(2 * units), Some(&norm));
            let weights = reader.next((units, 2 * units));
            let outer = dense(&weights, &reader.next(units), None);
            Block {
                message,
                gather,
                inner,
                outer,
            }
        };
        let blocks = (0..blocks).map(block).collect();
        let norm = Norm::next(&mut reader, units);
        let pieces = Piece::ALL.len();
        let weights = reader.next((pieces, units));
        let placements = readout(&weights, &reader.next(pieces), Some(&norm));
        let weights = reader.next((units, units));
        let summary = dense(&weights, &reader.next(units), Some(&norm));
        let rest = 1 + NUM_VALUES;
        let weights = reader.next((rest, units));
        let outcome = readout(&weights, &reader.next(rest), None);
        Self {
            canvas,
            heads,
            padding: Padding::new(units),
            of_cells,
            of_globals,
            offsets,
            blocks,
            placements,
            summary,
            outcome,
        }
    }

    /// The layers of a board that fits the canvas.
    pub(in crate::network) fn on(&self, variant: &Variant) -> BoardLayers {
        let (weights, bias) = &self.of_cells;
        let (board, units) = (variant.board(), bias.len());
        let kernels = |block: usize| {
            Kernels::new(self.canvas, board, units, self.heads, |offset, head| {
                self.offsets[[offset, block * self.heads + head]]
            })
        };
        BoardLayers {
            features: TacticalFeatures::new(variant),
            cells: from_cells(variant, weights, bias),
            globals: from_globals(variant, &self.of_globals),
            kernels: (0..self.blocks.len()).map(kernels).collect(),
        }
    }
}

/// How many weights there are; none when there are too many to count.
pub(in crate::network) fn count(canvas: Canvas, architecture: Architecture) -> Option<usize> {
    let Architecture {
        units,
        blocks,
        heads,
    } = architecture;
    let inputs = units.checked_mul(LISTS + 1 + GLOBALS)?;
    let offsets = blocks.checked_mul(heads)?;
    let offsets = offsets.checked_mul(num_offsets(canvas))?;
    let square = units.checked_mul(units)?;
    // Four weights and biases of norms, four biases of layers, one of which has two for each unit.
    let block = square.checked_mul(6)?.checked_add(units.checked_mul(9)?)?;
    let block = blocks.checked_mul(block)?;
    // The last norm and the summary, then the placements and the rest.
    let last = square.checked_add(units.checked_mul(3)?)?;
    let outputs = units.checked_add(1)?;
    let outputs = outputs.checked_mul(Piece::ALL.len() + 1 + NUM_VALUES)?;
    let parts = [offsets, block, last, outputs];
    parts.into_iter().try_fold(inputs, usize::checked_add)
}

/// From hidden units to hidden units; `weights` are `(outputs, inputs)`.
fn dense<W: Weights>(
    weights: &ArrayRef2<f32>,
    bias: &ArrayRef1<f32>,
    norm: Option<&Norm<'_>>,
) -> Layer<W> {
    from_hidden(weights, bias, norm, padded(weights.nrows()))
}

/// From hidden units to a few numbers that no layer reads.
fn readout(
    weights: &ArrayRef2<f32>,
    bias: &ArrayRef1<f32>,
    norm: Option<&Norm<'_>>,
) -> Layer<Narrow> {
    from_hidden(weights, bias, norm, narrow::OUTPUTS)
}

fn from_hidden<W: Weights>(
    weights: &ArrayRef2<f32>,
    bias: &ArrayRef1<f32>,
    norm: Option<&Norm<'_>>,
    outputs: usize,
) -> Layer<W> {
    let scale = |input: usize| norm.map_or(1.0, |norm| f64::from(norm.scale[input]));
    let shift = |input: usize| norm.map_or(0.0, |norm| f64::from(norm.shift[input]));
    let bias = weights.outer_iter().zip(bias).map(|(weights, &bias)| {
        let shifts = weights.iter().enumerate();
        let shifts = shifts.map(|(input, &weight)| f64::from(weight) * shift(input));
        (f64::from(bias) + shifts.sum::<f64>()) as f32
    });
    let bounds = vec![f64::from(LEVELS); weights.ncols()];
    layer(bounds, weights, scale, bias.collect(), outputs)
}

/// From the features of a cell; `weights` are `(units, features)`.
fn from_cells(
    variant: &Variant,
    weights: &ArrayRef2<f32>,
    bias: &ArrayRef1<f32>,
) -> Layer<Integers> {
    let bounds = vec![TacticalFeatures::bound(variant); LISTS];
    let scale = |list: usize| 1.0 / TacticalFeatures::unit(variant, list);
    layer(
        bounds,
        weights,
        scale,
        bias.to_vec(),
        padded(weights.nrows()),
    )
}

/// From the numbers of a whole position; `weights` are `(units, globals)`.
fn from_globals(variant: &Variant, weights: &ArrayRef2<f32>) -> Layer<Integers> {
    let globals = TacticalFeatures::globals(variant);
    let bounds = globals.iter().map(|&(bound, _)| bound).collect();
    let scale = |input: usize| 1.0 / globals[input].1;
    layer(bounds, weights, scale, Vec::new(), padded(weights.nrows()))
}

/// A layer for integers up to these bounds, each of which counts `scale(input)`.
fn layer<W: Weights>(
    mut bounds: Vec<f64>,
    weights: &ArrayRef2<f32>,
    scale: impl Fn(usize) -> f64,
    mut bias: Vec<f32>,
    outputs: usize,
) -> Layer<W> {
    bounds.resize(bounds.len().next_multiple_of(WORDS), 0.0);
    bias.resize(outputs, 0.0);
    Layer::new(&bounds, &bias, |input, output| {
        // Padding has no weight.
        weights
            .get((output, input))
            .map_or(0.0, |&weight| f64::from(weight) * scale(input))
    })
}
