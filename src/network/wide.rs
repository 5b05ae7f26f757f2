//! Products with the integers of a block by AVX-512 VNNI, the same bits as those of
//! [`multiply`](super::product::multiply).
//!
//! An instruction adds 32 products of 16 bits to 16 sums, and six vectors of outputs for four rows
//! are 24 sums, which leaves room in the 32 registers for what they are multiplied by. So nearly all
//! instructions are products, two in every cycle.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use super::product::{Integers, Place, ROWS, Rows, WIDE_STRIP as STRIP};
use crate::simd::{Avx512Vnni, LANES, Lanes, WIDE_WORDS, WideNumbers, WideSums};

/// See [`multiply`](super::product::multiply).
#[inline(always)]
pub(super) fn multiply_wide(
    wide: Avx512Vnni,
    weights: &Integers,
    place: Place,
    inputs: Rows<'_, [i16; 2]>,
    factors: &[f32],
    bias: &[Lanes],
    outputs: &mut [Lanes],
) {
    let vectors = place.outputs.div_ceil(WIDE_WORDS / 2);
    let stride = outputs.len() / factors.len();
    for first in (0..vectors).step_by(STRIP) {
        let mut strip = Strip {
            wide,
            weights,
            place,
            inputs,
            factors,
            bias,
            outputs: &mut *outputs,
            stride,
            first,
        };
        match vectors - first {
            1 => strip.all::<1>(),
            2 => strip.all::<2>(),
            3 => strip.all::<3>(),
            4 => strip.all::<4>(),
            5 => strip.all::<5>(),
            _ => strip.all::<STRIP>(),
        }
    }
}

/// A strip of a block's outputs, for all rows of all positions.
struct Strip<'a> {
    wide: Avx512Vnni,
    weights: &'a Integers,
    place: Place,
    inputs: Rows<'a, [i16; 2]>,
    factors: &'a [f32],
    bias: &'a [Lanes],
    outputs: &'a mut [Lanes],
    stride: usize,
    first: usize,
}

impl Strip<'_> {
    #[inline(always)]
    fn all<const S: usize>(&mut self) {
        let count = self.factors.len() * self.place.rows;
        let mut row = 0;
        while row + ROWS <= count {
            self.some::<S, ROWS>(row);
            row += ROWS;
        }
        while row < count {
            self.some::<S, 1>(row);
            row += 1;
        }
    }

    /// Rows from this one on, counted over all positions.
    #[inline(always)]
    fn some<const S: usize, const R: usize>(&mut self, row: usize) {
        let (wide, pairs) = (self.wide, self.weights.pairs);
        let Place {
            input,
            inputs,
            output,
            outputs,
            rows,
        } = self.place;
        let places: [(usize, usize); R] =
            std::array::from_fn(|i| ((row + i) / rows, (row + i) % rows));
        let read: [&[[i16; 2]]; R] = places.map(|(position, row)| {
            let start = position * self.inputs.stride + input + row * inputs;
            &self.inputs.numbers[start..][..pairs]
        });
        let weights = &self.weights.wide[self.first * pairs..][..S * pairs];
        let weights = &weights.as_chunks::<S>().0[..pairs];
        let mut sums = [[wide.no_sums(); S]; R];
        for pair in 0..pairs {
            let loaded = weights[pair].each_ref().map(|words| wide.load_words(words));
            for i in 0..R {
                let inputs = wide.splat_pair(read[i][pair]);
                for vector in 0..S {
                    sums[i][vector] = sums[i][vector].add_products(inputs, loaded[vector]);
                }
            }
        }
        let (width, from) = (outputs / LANES, 2 * self.first);
        for i in 0..R {
            let (position, row) = places[i];
            let at = output / LANES + row * width;
            let scales = &self.weights.scales[from..width];
            let bias = &self.bias[at + from..at + width];
            let written = &mut self.outputs[position * self.stride + at..][from..width];
            let factor = wide.splat(self.factors[position]);
            // Known lengths leave no checks inside.
            if width >= from + 2 * S {
                let written = &mut written[..2 * S];
                finish(
                    wide,
                    factor,
                    &sums[i],
                    &scales[..2 * S],
                    &bias[..2 * S],
                    written,
                );
            } else {
                finish(wide, factor, &sums[i], scales, bias, written);
            }
        }
    }
}

/// Writes sums times their scales and a factor, plus the biases. Of the last vector there may be only
/// the first half.
#[inline(always)]
fn finish(
    wide: Avx512Vnni,
    factor: WideNumbers,
    sums: &[WideSums],
    scales: &[Lanes],
    bias: &[Lanes],
    outputs: &mut [Lanes],
) {
    let scales = scales.chunks(2).zip(bias.chunks(2));
    let outputs = outputs.chunks_mut(2).zip(scales);
    for (sum, (output, (scale, bias))) in sums.iter().zip(outputs) {
        let number = sum.to_numbers().mul(wide.load(scale)).mul(factor);
        number.add(wide.load(bias)).store(output);
    }
}
