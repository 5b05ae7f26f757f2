//! Layers in floats.
//!
//! The order of sums does not depend on the batch, and operations are not fused, so results are the
//! same on every processor.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use super::layer::{Apply, Weights};
use crate::simd::{WORDS, WideKernel, WideLanes, WideSimd, WideVector, dispatch_wide};

/// Vectors of outputs that are summed at once where registers hold so many.
const STRIP: usize = 4;
/// Rows for which the weights of a strip are read once.
const ROWS: usize = 4;

/// Weights as floats.
#[derive(Debug)]
pub(super) struct Floats {
    /// Vector by vector of outputs, and in it input by input.
    weights: Vec<WideLanes>,
    inputs: usize,
}

impl Weights for Floats {
    type Input = WideLanes;
    type Outputs = WideLanes;

    fn new(bounds: &[f64], outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let inputs = bounds.len();
        let mut weights = Vec::with_capacity(inputs * outputs / WORDS);
        for first in (0..outputs).step_by(WORDS) {
            for input in 0..inputs {
                weights.push(WideLanes::from_fn(|lane| entry(input, first + lane) as f32));
            }
        }
        Self { weights, inputs }
    }

    fn apply<const ADD: bool>(apply: Apply<'_, Self, ADD>) {
        dispatch_wide(apply);
    }
}

impl<const ADD: bool> WideKernel for Apply<'_, Floats, ADD> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(mut self, wide: W) {
        let vectors = self.bias.len();
        let mut first = 0;
        while W::REGISTERS > STRIP * ROWS && first + STRIP <= vectors {
            self.strip::<W, STRIP>(wide, first);
            first += STRIP;
        }
        while first < vectors {
            self.strip::<W, 1>(wide, first);
            first += 1;
        }
    }
}

impl<const ADD: bool> Apply<'_, Floats, ADD> {
    /// The `S` vectors of outputs from this one on, for all rows.
    #[inline(always)]
    fn strip<W: WideSimd, const S: usize>(&mut self, wide: W, first: usize) {
        let count = self.factors.len();
        let mut row = 0;
        while row + ROWS <= count {
            self.rows::<W, S, ROWS>(wide, first, row);
            row += ROWS;
        }
        while row < count {
            self.rows::<W, S, 1>(wide, first, row);
            row += 1;
        }
    }

    /// Rows from this one on.
    #[inline(always)]
    fn rows<W: WideSimd, const S: usize, const R: usize>(
        &mut self,
        wide: W,
        first: usize,
        row: usize,
    ) {
        let inputs = self.weights.inputs;
        let numbers: &[f32] = bytemuck::cast_slice(self.inputs);
        let read: [&[f32]; R] = std::array::from_fn(|i| &numbers[(row + i) * inputs..][..inputs]);
        let weights: [&[WideLanes]; S] = std::array::from_fn(|vector| {
            &self.weights.weights[(first + vector) * inputs..][..inputs]
        });
        let mut sums = [[wide.splat(0.0); S]; R];
        for input in 0..inputs {
            let loaded = weights.map(|weights| wide.load(&weights[input]));
            for i in 0..R {
                let number = wide.splat(read[i][input]);
                for vector in 0..S {
                    sums[i][vector] = sums[i][vector].add(number.mul(loaded[vector]));
                }
            }
        }
        let width = self.bias.len();
        let bias = &self.bias[first..][..S];
        for i in 0..R {
            let written = &mut self.outputs[(row + i) * width + first..][..S];
            let factor = wide.splat(self.factors[row + i]);
            for vector in 0..S {
                let mut output = sums[i][vector].mul(factor).add(wide.load(&bias[vector]));
                if ADD {
                    output = wide.load(&written[vector]).add(output);
                }
                output.store(&mut written[vector]);
            }
        }
    }
}
