//! Layers in floats.
//!
//! The order of sums does not depend on the batch, and operations are not fused, so results are the
//! same on every processor.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use super::layer::{Apply, Weights};
use crate::simd::{Kernel, LANES, Lanes, Simd, Vector, dispatch};

/// Vectors of outputs that are summed at once.
const STRIP: usize = 3;
/// Rows for which the weights of a strip are read once: as many sums as registers hold.
const ROWS: usize = 4;
/// The same for a single vector of outputs.
const ROWS_OF_ONE: usize = 8;

/// Weights as floats.
#[derive(Debug)]
pub(super) struct Floats {
    /// Strip by strip of outputs, and in it input by input.
    weights: Vec<Lanes>,
    inputs: usize,
}

impl Weights for Floats {
    type Input = f32;
    type Outputs = Lanes;

    fn new(bounds: &[f64], outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let (inputs, vectors) = (bounds.len(), outputs / LANES);
        let mut weights = Vec::with_capacity(inputs * vectors);
        for first in (0..vectors).step_by(STRIP) {
            for input in 0..inputs {
                for vector in first..vectors.min(first + STRIP) {
                    let output = |lane: usize| entry(input, vector * LANES + lane) as f32;
                    weights.push(std::array::from_fn(output));
                }
            }
        }
        Self { weights, inputs }
    }

    fn apply<const ADD: bool>(apply: Apply<'_, Self, ADD>) {
        dispatch(apply);
    }
}

impl<const ADD: bool> Kernel for Apply<'_, Floats, ADD> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(mut self, simd: V) {
        let vectors = self.bias.len();
        for first in (0..vectors).step_by(STRIP) {
            match vectors - first {
                1 => self.strip::<V, 1, ROWS_OF_ONE>(simd, first),
                2 => self.strip::<V, 2, ROWS>(simd, first),
                _ => self.strip::<V, STRIP, ROWS>(simd, first),
            }
        }
    }
}

impl<const ADD: bool> Apply<'_, Floats, ADD> {
    /// The strip of `S` vectors of outputs from this one on, for all rows.
    #[inline(always)]
    fn strip<V: Simd, const S: usize, const R: usize>(&mut self, simd: V, first: usize) {
        let count = self.factors.len();
        let mut row = 0;
        while row + R <= count {
            self.rows::<V, S, R>(simd, first, row);
            row += R;
        }
        while row < count {
            self.rows::<V, S, 1>(simd, first, row);
            row += 1;
        }
    }

    /// Rows from this one on.
    #[inline(always)]
    fn rows<V: Simd, const S: usize, const R: usize>(&mut self, simd: V, first: usize, row: usize) {
        let inputs = self.weights.inputs;
        let read: [&[f32]; R] =
            std::array::from_fn(|i| &self.inputs[(row + i) * inputs..][..inputs]);
        let weights = &self.weights.weights[first * inputs..][..S * inputs];
        let weights = &weights.as_chunks::<S>().0[..inputs];
        let mut sums = [[simd.splat(0.0); S]; R];
        for input in 0..inputs {
            let weights = &weights[input];
            for i in 0..R {
                let number = simd.splat(read[i][input]);
                for vector in 0..S {
                    let product = number.mul(simd.load(&weights[vector]));
                    sums[i][vector] = sums[i][vector].add(product);
                }
            }
        }
        let vectors = self.bias.len();
        let bias = &self.bias[first..first + S];
        for i in 0..R {
            let written = &mut self.outputs[(row + i) * vectors + first..][..S];
            let factor = simd.splat(self.factors[row + i]);
            for vector in 0..S {
                let product = sums[i][vector].mul(factor);
                let mut output = product.add(simd.load(&bias[vector]));
                if ADD {
                    output = simd.load(&written[vector]).add(output);
                }
                output.store(&mut written[vector]);
            }
        }
    }
}
