//! Products of positions' numbers with the blocks of a layer, in integers of 16 bits.
//!
//! Sums of integers are exact, and what follows is not fused, so results are the same on every
//! processor. Where a register holds a whole vector, an instruction adds 32 products to 16 sums, and six
//! vectors of outputs for four rows are 24 sums, which leaves room in the 32 registers for what they are
//! multiplied by. So nearly all instructions are products, two in every cycle.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use super::product::{Place, Rows};
use crate::simd::{LANES, Lanes, WIDE_WORDS, WORDS, WideSimd, WideVector};

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

impl Integers {
    /// The weights `entry(input, output)`, rounded.
    ///
    /// Inputs are integers up to `bounds[input]` in size, an even number of them. Weights are scaled
    /// so that their sums of products fit 32 bits for all such inputs.
    pub(super) fn new(bounds: &[f64], outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
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
}

/// Writes the products of a block, each times its position's factor, plus the biases.
#[inline(always)]
pub(super) fn multiply<W: WideSimd>(
    wide: W,
    weights: &Integers,
    place: Place,
    inputs: Rows<'_, [i16; 2]>,
    factors: &[f32],
    bias: &[Lanes],
    outputs: &mut [Lanes],
) {
    let vectors = place.outputs.div_ceil(WORDS);
    let stride = outputs.len() / factors.len();
    let mut strip = Strip {
        wide,
        weights,
        place,
        inputs,
        factors,
        bias,
        outputs,
        stride,
    };
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

/// Some vectors of a block's outputs, for all rows of all positions.
struct Strip<'a, W> {
    wide: W,
    weights: &'a Integers,
    place: Place,
    inputs: Rows<'a, [i16; 2]>,
    factors: &'a [f32],
    bias: &'a [Lanes],
    outputs: &'a mut [Lanes],
    stride: usize,
}

impl<W: WideSimd> Strip<'_, W> {
    /// `S` vectors from this one on, whose weights are read once for `R` rows.
    #[inline(always)]
    fn all<const S: usize, const R: usize>(&mut self, first: usize) {
        let count = self.factors.len() * self.place.rows;
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

    /// Rows from this one on, counted over all positions.
    #[inline(always)]
    fn some<const S: usize, const R: usize>(&mut self, first: usize, row: usize) {
        let (wide, pairs) = (self.wide, self.weights.pairs);
        let Place {
            input,
            inputs,
            output,
            outputs,
            rows,
        } = self.place;
        // Slices of the same known length leave no checks inside, which would take registers.
        let mut places = [(0, 0); R];
        let mut read: [&[[i16; 2]]; R] = [&[]; R];
        for i in 0..R {
            let (position, row) = ((row + i) / rows, (row + i) % rows);
            let start = position * self.inputs.stride + input + row * inputs;
            places[i] = (position, row);
            read[i] = &self.inputs.numbers[start..][..pairs];
        }
        let mut weights: [&[[i16; WIDE_WORDS]]; S] = [&[]; S];
        for vector in 0..S {
            weights[vector] = &self.weights.weights[(first + vector) * pairs..][..pairs];
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
        let (width, from) = (outputs / LANES, 2 * first);
        let until = width.min(from + 2 * S);
        for i in 0..R {
            let (position, row) = places[i];
            let at = output / LANES + row * width;
            let scales = &self.weights.scales[from..until];
            let bias = &self.bias[at + from..at + until];
            let written = &mut self.outputs[position * self.stride + at..][from..until];
            let factor = wide.splat(self.factors[position]);
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
