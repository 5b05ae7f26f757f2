//! Layers, applied to many rows of inputs at once.

use bytemuck::Zeroable;

use crate::simd::Lanes;

/// A layer: its outputs are weights times the inputs of a row, times the row's factor, plus biases.
#[derive(Debug)]
pub(super) struct Layer<W> {
    weights: W,
    /// By output.
    bias: Vec<Lanes>,
}

/// Weights as numbers of one kind.
pub(super) trait Weights: Sized {
    /// An input of layers: a float, or a pair of integers.
    type Input: Copy + Zeroable;

    /// The weights `entry(input, output)`.
    ///
    /// There are as many inputs as bounds. Where they are integers, their number is even and each is at
    /// most its bound in size.
    fn new(bounds: &[f64], outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self;

    /// Writes the outputs of a layer, by the code that is best for the processor.
    fn apply(apply: Apply<'_, Self>);
}

/// A layer with its inputs and its outputs, for as many rows as there are factors.
pub(super) struct Apply<'a, W: Weights> {
    pub(super) weights: &'a W,
    pub(super) bias: &'a [Lanes],
    pub(super) inputs: &'a [W::Input],
    pub(super) factors: &'a [f32],
    pub(super) outputs: &'a mut [Lanes],
}

impl<W: Weights> Layer<W> {
    /// A layer with as many outputs as biases, see [`Weights::new`].
    pub(super) fn new(bounds: &[f64], bias: &[f32], entry: impl Fn(usize, usize) -> f64) -> Self {
        Self {
            weights: W::new(bounds, bias.len(), entry),
            bias: bias.as_chunks().0.to_vec(),
        }
    }

    /// Vectors of outputs of one row.
    pub(super) fn len(&self) -> usize {
        self.bias.len()
    }

    /// Writes the outputs for as many rows as there are factors.
    pub(super) fn apply(&self, inputs: &[W::Input], factors: &[f32], outputs: &mut [Lanes]) {
        W::apply(Apply {
            weights: &self.weights,
            bias: &self.bias,
            inputs,
            factors,
            outputs,
        });
    }
}
