//! Layers in integers of 16 bits.
//!
//! Sums of integers are exact, and what follows is not fused, so results are the same on every
//! processor. Where a register holds a whole vector, an instruction adds 32 products to 16 sums, and six
//! vectors of outputs for four rows are 24 sums, which leaves room in the 32 registers for what they are
//! multiplied by. So nearly all instructions are products, two in every cycle.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use super::layer::{Apply, Weights};
use crate::simd::{
    LANES, Lanes, WIDE_WORDS, WORDS, WideKernel, WideSimd, WideVector, dispatch_wide,
};

/// Vectors of outputs that are summed at once where registers hold so many.
const STRIP: usize = 6;

/// Weights as integers.
#[derive(Debug)]
pub(super) struct Integers {
    /// Vector by vector of outputs, in it by pair of inputs, and in that both of them by output.
    weights: Vec<[i16; WIDE_WORDS]>,
    /// The factor for the sums of each output.
    scales: Vec<Lanes>,
    pairs: usize,
}

impl Weights for Integers {
    type Input = [i16; 2];

    /// The weights are rounded, and scaled so that their sums of products fit 32 bits for all inputs
    /// within the bounds.
    fn new(bounds: &[f64], outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let inputs = bounds.len();
        let scale = |output: usize| {
            let (mut largest, mut sum) = (0.0_f64, 0.0);
            for (input, bound) in bounds.iter().enumerate() {
                let weight = entry(input, output).abs();
                largest = largest.max(weight);
                sum += weight * bound;
            }
            // Rounding adds up to half to each weight, so some room is left.
            let room = f64::from(i32::MAX) - bounds.iter().sum::<f64>();
            let scale = (largest / f64::from(i16::MAX)).max(sum / room);
            if scale > 0.0 { scale } else { 1.0 }
        };
        let scales: Vec<f64> = (0..outputs).map(scale).collect();
        let rounded = |input: usize, output: usize| {
            scales.get(output).map_or(0, |scale| {
                (entry(input, output) / scale).round_ties_even() as i16
            })
        };
        let (pairs, vectors) = (inputs / 2, outputs.div_ceil(WORDS));
        let mut weights = Vec::with_capacity(pairs * vectors);
        for vector in 0..vectors {
            for pair in 0..pairs {
                weights.push(std::array::from_fn(|lane| {
                    rounded(2 * pair + lane % 2, vector * WORDS + lane / 2)
                }));
            }
        }
        let (scales, _) = scales.as_chunks::<LANES>();
        Self {
            weights,
            scales: scales
                .iter()
                .map(|all| all.map(|scale| scale as f32))
                .collect(),
            pairs,
        }
    }

    fn apply(apply: Apply<'_, Self>) {
        dispatch_wide(apply);
    }
}

impl WideKernel for Apply<'_, Integers> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let vectors = self.bias.len().div_ceil(2);
        let mut strip = Strip { wide, layer: self };
        if W::REGISTERS < 4 * STRIP {
            for vector in 0..vectors {
                strip.all::<1, 6>(vector);
            }
            return;
        }
        for first in (0..vectors).step_by(STRIP) {
            match vectors - first {
                1 => strip.all::<1, 4>(first),
                2 => strip.all::<2, 4>(first),
                3 => strip.all::<3, 4>(first),
                4 => strip.all::<4, 4>(first),
                5 => strip.all::<5, 4>(first),
                _ => strip.all::<STRIP, 4>(first),
            }
        }
    }
}

/// Some vectors of a layer's outputs, for all rows.
struct Strip<'a, W> {
    wide: W,
    layer: Apply<'a, Integers>,
}

impl<W: WideSimd> Strip<'_, W> {
    /// `S` vectors from this one on, whose weights are read once for `R` rows.
    #[inline(always)]
    fn all<const S: usize, const R: usize>(&mut self, first: usize) {
        let count = self.layer.factors.len();
        let mut row = 0;
        while row + R <= count {
            self.some::<S, R>(first, row);
            row += R;
        }
        while row < count {
            self.some::<S, 1>(first, row);
            row += 1;
        }
    }

    /// Rows from this one on.
    #[inline(always)]
    fn some<const S: usize, const R: usize>(&mut self, first: usize, row: usize) {
        let (wide, layer) = (self.wide, &mut self.layer);
        let pairs = layer.weights.pairs;
        // Slices of the same known length leave no checks inside, which would take registers.
        let mut read: [&[[i16; 2]]; R] = [&[]; R];
        for i in 0..R {
            read[i] = &layer.inputs[(row + i) * pairs..][..pairs];
        }
        let mut weights: [&[[i16; WIDE_WORDS]]; S] = [&[]; S];
        for vector in 0..S {
            weights[vector] = &layer.weights.weights[(first + vector) * pairs..][..pairs];
        }
        let mut sums = [[wide.no_sums(); S]; R];
        for pair in 0..pairs {
            let mut loaded = [wide.load_words(&weights[0][pair]); S];
            for vector in 1..S {
                loaded[vector] = wide.load_words(&weights[vector][pair]);
            }
            // Written out, since compilers leave a loop of so many products as it is, with sums in memory.
            macro_rules! add_row {
                ($($i:literal)*) => {$(
                    if $i < R {
                        let inputs = wide.splat_pair(read[$i][pair]);
                        for vector in 0..S {
                            let sum = sums[$i][vector];
                            sums[$i][vector] = wide.add_products(sum, inputs, loaded[vector]);
                        }
                    }
                )*};
            }
            add_row!(0 1 2 3 4 5);
        }
        let (width, from) = (layer.bias.len(), 2 * first);
        let until = width.min(from + 2 * S);
        let (scales, bias) = (&layer.weights.scales[from..until], &layer.bias[from..until]);
        for i in 0..R {
            let written = &mut layer.outputs[(row + i) * width..][from..until];
            let factor = wide.splat(layer.factors[row + i]);
            // Known lengths leave no checks inside.
            if written.len() == 2 * S {
                let (scales, bias) = (&scales[..2 * S], &bias[..2 * S]);
                finish(wide, factor, &sums[i], scales, bias, &mut written[..2 * S]);
            } else {
                finish(wide, factor, &sums[i], scales, bias, written);
            }
        }
    }
}

/// Writes sums times their scales and a factor, plus the biases. Of the last vector there may be only
/// the first half.
#[inline(always)]
fn finish<W: WideSimd>(
    wide: W,
    factor: W::Numbers,
    sums: &[W::Sums],
    scales: &[Lanes],
    bias: &[Lanes],
    outputs: &mut [Lanes],
) {
    let scales = scales.chunks(2).zip(bias.chunks(2));
    let outputs = outputs.chunks_mut(2).zip(scales);
    for (&sum, (output, (scale, bias))) in sums.iter().zip(outputs) {
        let number = wide.to_numbers(sum).mul(wide.load_some(scale)).mul(factor);
        number.add(wide.load_some(bias)).store_some(output);
    }
}
