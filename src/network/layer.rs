//! Layers as blocks of weights, applied to many positions at once.

use bytemuck::Zeroable;

use super::integers::{self, Integers};
use super::product::{self, Floats, Place, Rows};
use crate::simd::{Kernel, Lanes, Simd, WideKernel, WideSimd, dispatch, dispatch_wide};

/// A layer, for both precisions.
#[derive(Debug)]
pub(super) struct Layer {
    blocks: Vec<Block>,
    /// By output.
    bias: Vec<Lanes>,
}

/// A part of the inputs and the outputs that only they contribute to.
#[derive(Debug)]
struct Block {
    place: Place,
    floats: Floats,
    integers: Integers,
}

/// Weights of a block before they are rounded.
pub(super) struct Entries {
    /// How many rows of inputs it is applied to.
    rows: usize,
    /// Upper bounds of the integers in the inputs.
    bounds: Vec<f64>,
    outputs: usize,
    /// By input and output.
    weights: Vec<f64>,
}

impl Entries {
    pub(super) fn new(rows: usize, bounds: Vec<f64>, outputs: usize) -> Self {
        let weights = vec![0.0; bounds.len() * outputs];
        Self {
            rows,
            bounds,
            outputs,
            weights,
        }
    }

    /// How many outputs all rows have.
    pub(super) fn num_outputs(&self) -> usize {
        self.rows * self.outputs
    }

    pub(super) fn set(&mut self, input: usize, output: usize, weight: f64) {
        self.weights[input * self.outputs + output] = weight;
    }
}

impl Layer {
    pub(super) fn new(blocks: impl IntoIterator<Item = Entries>, bias: &[f32]) -> Self {
        let (mut input, mut output) = (0, 0);
        let blocks = blocks.into_iter().map(|entries| {
            let Entries {
                rows,
                bounds,
                outputs,
                weights,
            } = entries;
            let place = Place {
                input,
                inputs: bounds.len(),
                output,
                outputs,
                rows,
            };
            input += rows * bounds.len();
            output += rows * outputs;
            let entry = |input: usize, output: usize| weights[input * outputs + output];
            Block {
                place,
                floats: Floats::new(bounds.len(), outputs, entry),
                integers: Integers::new(&bounds, outputs, entry),
            }
        });
        Self {
            blocks: blocks.collect(),
            bias: bias.as_chunks().0.to_vec(),
        }
    }

    /// Vectors of outputs of one position.
    pub(super) fn len(&self) -> usize {
        self.bias.len()
    }
}

/// The arithmetic of a precision.
pub(super) trait Arithmetic: Sized {
    /// An input of layers: a float, or a pair of integers.
    type Input: Copy + Zeroable;

    /// Runs the code of this arithmetic that is best for the processor.
    fn apply(apply: Apply<'_, Self>);
}

/// Layers as floats.
pub(super) struct AsFloats;

/// Layers as integers.
pub(super) struct AsIntegers;

impl Arithmetic for AsFloats {
    type Input = f32;

    fn apply(apply: Apply<'_, Self>) {
        dispatch(apply);
    }
}

impl Arithmetic for AsIntegers {
    type Input = [i16; 2];

    fn apply(apply: Apply<'_, Self>) {
        dispatch_wide(apply);
    }
}

/// Writes a layer's outputs for each position, of which there are as many as factors.
pub(super) struct Apply<'a, A: Arithmetic> {
    pub(super) layer: &'a Layer,
    pub(super) inputs: Rows<'a, A::Input>,
    /// The factor for the inputs of each position.
    pub(super) factors: &'a [f32],
    pub(super) outputs: &'a mut [Lanes],
}

impl Kernel for Apply<'_, AsFloats> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        let Layer { blocks, bias } = self.layer;
        for block in blocks {
            let (inputs, factors) = (self.inputs, self.factors);
            let weights = &block.floats;
            product::multiply(
                simd,
                weights,
                block.place,
                inputs,
                factors,
                bias,
                self.outputs,
            );
        }
    }
}

impl WideKernel for Apply<'_, AsIntegers> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let Layer { blocks, bias } = self.layer;
        for block in blocks {
            let (inputs, factors) = (self.inputs, self.factors);
            let place = Place {
                input: block.place.input / 2,
                inputs: block.place.inputs / 2,
                ..block.place
            };
            let weights = &block.integers;
            integers::multiply(wide, weights, place, inputs, factors, bias, self.outputs);
        }
    }
}
