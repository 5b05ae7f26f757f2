//! Layers in floats with few outputs.
//!
//! They are added up in the order of [`super::floats`]. As the outputs of a row fill a part of a vector, it holds
//! those of four rows.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use bytemuck::Zeroable;

use super::layer::{Apply, Weights};
use crate::simd::{WORDS, WideKernel, WideLanes, WideSimd, WideVector, dispatch_wide};

/// The outputs of a row.
pub(super) const OUTPUTS: usize = 4;
/// Rows whose outputs are in one vector.
const ROWS: usize = WORDS / OUTPUTS;

/// Weights as floats.
#[derive(Debug)]
pub(super) struct Narrow {
    /// By vector of inputs, and by input; the weights of an input are there for each of the rows.
    weights: Vec<[WideLanes; WORDS]>,
}

impl Weights for Narrow {
    type Input = WideLanes;
    type Outputs = [f32; OUTPUTS];

    /// The weights of [`OUTPUTS`] outputs.
    fn new(bounds: &[f64], outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        assert_eq!(outputs, OUTPUTS);
        let weights = |vector: usize| {
            let of_input = |lane| {
                let input = vector * WORDS + lane;
                WideLanes::from_fn(|place| entry(input, place % OUTPUTS) as f32)
            };
            std::array::from_fn(of_input)
        };
        Self {
            weights: (0..bounds.len() / WORDS).map(weights).collect(),
        }
    }

    fn apply<const ADD: bool>(apply: Apply<'_, Self, ADD>) {
        dispatch_wide(apply);
    }
}

impl<const ADD: bool> WideKernel for Apply<'_, Narrow, ADD> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(mut self, wide: W) {
        let count = self.factors.len();
        let mut row = 0;
        while W::REGISTERS >= 32 && row + 4 * ROWS <= count {
            self.rows::<W, 4>(wide, row);
            row += 4 * ROWS;
        }
        while row < count {
            self.rows::<W, 1>(wide, row);
            row += ROWS;
        }
    }
}

impl<const ADD: bool> Apply<'_, Narrow, ADD> {
    /// `G` times as many rows as a vector has outputs of, from this one on; the last group may have fewer.
    #[inline(always)]
    fn rows<W: WideSimd, const G: usize>(&mut self, wide: W, first: usize) {
        let weights = &self.weights.weights;
        let vectors = weights.len();
        let last = self.factors.len() - 1;
        let row = |group: usize, place: usize| (first + group * ROWS + place).min(last);
        let read: [[&[WideLanes]; ROWS]; G] = std::array::from_fn(|group| {
            std::array::from_fn(|place| &self.inputs[row(group, place) * vectors..][..vectors])
        });
        let mut sums = [wide.splat(0.0); G];
        for (vector, weights) in weights.iter().enumerate() {
            for group in 0..G {
                let numbers = read[group].map(|inputs| wide.load(&inputs[vector]));
                let numbers = wide.in_fours(numbers);
                for lane in 0..WORDS {
                    let product = numbers[lane].mul(wide.load(&weights[lane]));
                    sums[group] = sums[group].add(product);
                }
            }
        }
        let bias = wide.load(&WideLanes::from_fn(|place| self.bias[0][place % OUTPUTS]));
        for group in 0..G {
            let factor = |place: usize| self.factors[row(group, place / OUTPUTS)];
            let factors = wide.load(&WideLanes::from_fn(factor));
            let mut found = WideLanes::zeroed();
            sums[group].mul(factors).add(bias).store(&mut found);
            let found: [[f32; OUTPUTS]; ROWS] = bytemuck::cast(found);
            let written = self.outputs[first + group * ROWS..].iter_mut();
            for (written, found) in written.zip(found) {
                for (output, found) in written.iter_mut().zip(found) {
                    *output = if ADD { *output + found } else { found };
                }
            }
        }
    }
}
