//! Layers, applied to many rows of inputs at once.

use bytemuck::{Pod, Zeroable, pod_collect_to_vec};

/// A layer: its outputs are weights times the inputs of a row, times the row's factor, plus biases.
#[derive(Debug)]
pub(super) struct Layer<W: Weights> {
    weights: W,
    /// By output.
    bias: Vec<W::Outputs>,
}

/// Weights as numbers of one kind.
pub(super) trait Weights: Sized {
    /// An input of layers: a float, or a pair of integers.
    type Input: Copy + Zeroable;
    /// A vector of outputs.
    type Outputs: Pod;

    /// The weights `entry(input, output)`.
    ///
    /// There are as many inputs as bounds. Where they are integers, their number is even and each is at
    /// most its bound in size.
    fn new(bounds: &[f64], outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self;

    /// Writes the outputs of a layer, by the code that is best for the processor.
    fn apply<const ADD: bool>(apply: Apply<'_, Self, ADD>);
}

/// A layer with its inputs and its outputs, for as many rows as there are factors. With `ADD`, outputs are
/// added to what is there.
pub(super) struct Apply<'a, W: Weights, const ADD: bool> {
    pub(super) weights: &'a W,
    pub(super) bias: &'a [W::Outputs],
    pub(super) inputs: &'a [W::Input],
    pub(super) factors: &'a [f32],
    pub(super) outputs: &'a mut [W::Outputs],
}

impl<W: Weights> Layer<W> {
    /// A layer with as many outputs as biases, see [`Weights::new`].
    pub(super) fn new(bounds: &[f64], bias: &[f32], entry: impl Fn(usize, usize) -> f64) -> Self {
        Self {
            weights: W::new(bounds, bias.len(), entry),
            bias: pod_collect_to_vec(bias),
        }
    }

    /// Vectors of outputs of one row.
    pub(super) fn len(&self) -> usize {
        self.bias.len()
    }

    /// Writes the outputs for as many rows as there are factors.
    pub(super) fn apply(&self, inputs: &[W::Input], factors: &[f32], outputs: &mut [W::Outputs]) {
        self.run::<false>(inputs, factors, outputs);
    }

    /// Adds the outputs for as many rows as there are factors to numbers.
    pub(super) fn add(&self, inputs: &[W::Input], factors: &[f32], numbers: &mut [W::Outputs]) {
        self.run::<true>(inputs, factors, numbers);
    }

    fn run<const ADD: bool>(
        &self,
        inputs: &[W::Input],
        factors: &[f32],
        outputs: &mut [W::Outputs],
    ) {
        W::apply::<ADD>(Apply {
            weights: &self.weights,
            bias: &self.bias,
            inputs,
            factors,
            outputs,
        });
    }
}
