//! Products of positions' numbers with the blocks of a layer.
//!
//! Weights are floats, or integers of 16 bits with a factor for each output. The order of sums does
//! not depend on the batch, and operations are not fused, so results are the same on every
//! processor. Sums of integers are exact.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use bytemuck::Zeroable;

use crate::simd::{LANES, Lanes, Simd, Sums, Vector, WORDS, Words};

#[cfg(target_arch = "x86_64")]
use crate::simd::WIDE_WORDS;

/// Vectors of outputs that are summed at once.
const STRIP: usize = 3;
/// Rows for which weights are read once. With a strip, as many sums as registers hold.
pub(super) const ROWS: usize = 4;

/// Vectors of 16 outputs that are summed at once with AVX-512, which has twice as many registers.
#[cfg(target_arch = "x86_64")]
pub(super) const WIDE_STRIP: usize = 6;

/// The weights of a block in one of the precisions.
pub(super) trait Weights {
    /// An element of a row of inputs: a float, or a pair of integers.
    type Input: Copy + Zeroable;

    /// The products of rows with the outputs of the strip of `S` vectors that starts at `first`.
    fn sums<V: Simd, const S: usize, const R: usize>(
        &self,
        simd: V,
        first: usize,
        rows: [&[Self::Input]; R],
    ) -> [[V::Vector; S]; R];
}

/// Where a block reads and writes, in a position's inputs and outputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Both in units of [`Weights::Input`].
    pub(super) input: usize,
    pub(super) inputs: usize,
    pub(super) output: usize,
    /// A multiple of [`LANES`].
    pub(super) outputs: usize,
    /// How many rows it is applied to, which lie one after the other.
    pub(super) rows: usize,
}

/// Numbers of several positions, each of which has as many.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, T> {
    pub(super) numbers: &'a [T],
    pub(super) stride: usize,
}

/// Writes the products of a block, each times its position's factor, plus the biases.
#[inline(always)]
pub(super) fn multiply<V: Simd, W: Weights>(
    simd: V,
    weights: &W,
    place: Place,
    inputs: Rows<'_, W::Input>,
    factors: &[f32],
    bias: &[Lanes],
    outputs: &mut [Lanes],
) {
    let vectors = place.outputs / LANES;
    let bias = &bias[place.output / LANES..][..vectors * place.rows];
    let stride = outputs.len() / factors.len();
    let start = place.output / LANES;
    let mut first = 0;
    while first < vectors {
        let mut run = Strip {
            simd,
            weights,
            place,
            inputs,
            factors,
            bias,
            outputs: &mut *outputs,
            stride,
            start,
            first,
        };
        match vectors - first {
            1 => run.all::<1>(),
            2 => run.all::<2>(),
            _ => run.all::<STRIP>(),
        }
        first += STRIP;
    }
}

/// A strip of a block's outputs, for all rows of all positions.
struct Strip<'a, V, W: Weights> {
    simd: V,
    weights: &'a W,
    place: Place,
    inputs: Rows<'a, W::Input>,
    factors: &'a [f32],
    bias: &'a [Lanes],
    outputs: &'a mut [Lanes],
    stride: usize,
    start: usize,
    first: usize,
}

impl<V: Simd, W: Weights> Strip<'_, V, W> {
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
        let Place {
            input,
            inputs,
            outputs,
            rows,
            ..
        } = self.place;
        let mut places = [(0, 0); R];
        let mut read: [&[W::Input]; R] = [&[]; R];
        for i in 0..R {
            let (position, row) = ((row + i) / rows, (row + i) % rows);
            let start = position * self.inputs.stride + input + row * inputs;
            places[i] = (position, row);
            read[i] = &self.inputs.numbers[start..start + inputs];
        }
        let sums = self.weights.sums::<V, S, R>(self.simd, self.first, read);
        for i in 0..R {
            let (position, row) = places[i];
            let at = row * (outputs / LANES) + self.first;
            let bias = &self.bias[at..at + S];
            let written = &mut self.outputs[position * self.stride + self.start + at..][..S];
            let factor = self.simd.splat(self.factors[position]);
            for vector in 0..S {
                let sum = sums[i][vector].mul(factor);
                sum.add(self.simd.load(&bias[vector]))
                    .store(&mut written[vector]);
            }
        }
    }
}

/// The vectors of a strip that starts at `first`, of all `vectors`, for each input.
fn strip_len(vectors: usize, first: usize) -> usize {
    (vectors - first).min(STRIP)
}

/// Weights as floats.
#[derive(Debug)]
pub(super) struct Floats {
    /// Strip by strip of outputs, and in it input by input.
    weights: Vec<Lanes>,
    inputs: usize,
}

impl Floats {
    /// The weights `entry(input, output)`.
    pub(super) fn new(inputs: usize, outputs: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let vectors = outputs / LANES;
        let mut weights = Vec::with_capacity(inputs * vectors);
        for first in (0..vectors).step_by(STRIP) {
            for input in 0..inputs {
                for vector in first..first + strip_len(vectors, first) {
                    let output = |lane: usize| entry(input, vector * LANES + lane) as f32;
                    weights.push(std::array::from_fn(output));
                }
            }
        }
        Self { weights, inputs }
    }
}

impl Weights for Floats {
    type Input = f32;

    #[inline(always)]
    fn sums<V: Simd, const S: usize, const R: usize>(
        &self,
        simd: V,
        first: usize,
        rows: [&[f32]; R],
    ) -> [[V::Vector; S]; R] {
        let mut sums = [[simd.splat(0.0); S]; R];
        let mut rows = rows;
        for row in &mut rows {
            *row = &row[..self.inputs];
        }
        let weights = &self.weights[first * self.inputs..][..S * self.inputs];
        let weights = &weights.as_chunks::<S>().0[..self.inputs];
        for input in 0..self.inputs {
            let weights = &weights[input];
            for row in 0..R {
                let number = simd.splat(rows[row][input]);
                for vector in 0..S {
                    let product = number.mul(simd.load(&weights[vector]));
                    sums[row][vector] = sums[row][vector].add(product);
                }
            }
        }
        sums
    }
}

/// Weights as integers.
#[derive(Debug)]
pub(super) struct Integers {
    /// Strip by strip of outputs, in it by pair of inputs, and in that both of them by output.
    weights: Vec<[i16; WORDS]>,
    /// The same in the order in which AVX-512 takes them.
    #[cfg(target_arch = "x86_64")]
    pub(super) wide: Vec<[i16; WIDE_WORDS]>,
    /// The factor for the sums of each output.
    pub(super) scales: Vec<Lanes>,
    pub(super) pairs: usize,
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
        let pairs = inputs / 2;
        let weights = in_strips(outputs, STRIP, pairs, rounded);
        #[cfg(target_arch = "x86_64")]
        let wide = in_strips(outputs, WIDE_STRIP, pairs, rounded);
        let (scales, _) = scales.as_chunks::<LANES>();
        Self {
            weights,
            #[cfg(target_arch = "x86_64")]
            wide,
            scales: scales
                .iter()
                .map(|all| all.map(|scale| scale as f32))
                .collect(),
            pairs,
        }
    }
}

/// Weights `entry(input, output)` in vectors of `N / 2` outputs: strip by strip of vectors, in it by
/// pair of inputs, and in that both of them by output.
fn in_strips<const N: usize>(
    outputs: usize,
    strip: usize,
    pairs: usize,
    entry: impl Fn(usize, usize) -> i16,
) -> Vec<[i16; N]> {
    let vectors = outputs.div_ceil(N / 2);
    let mut weights = Vec::with_capacity(pairs * vectors);
    for first in (0..vectors).step_by(strip) {
        for pair in 0..pairs {
            for vector in first..vectors.min(first + strip) {
                weights.push(std::array::from_fn(|lane| {
                    entry(2 * pair + lane % 2, vector * (N / 2) + lane / 2)
                }));
            }
        }
    }
    weights
}

impl Weights for Integers {
    type Input = [i16; 2];

    #[inline(always)]
    fn sums<V: Simd, const S: usize, const R: usize>(
        &self,
        simd: V,
        first: usize,
        rows: [&[[i16; 2]]; R],
    ) -> [[V::Vector; S]; R] {
        let mut sums = [[simd.no_sums(); S]; R];
        let mut rows = rows;
        for row in &mut rows {
            *row = &row[..self.pairs];
        }
        let weights = &self.weights[first * self.pairs..][..S * self.pairs];
        let weights = &weights.as_chunks::<S>().0[..self.pairs];
        for pair in 0..self.pairs {
            let weights = &weights[pair];
            for row in 0..R {
                let inputs = simd.splat_pair(rows[row][pair]);
                for vector in 0..S {
                    let product = inputs.multiply_pairs(simd.load_words(&weights[vector]));
                    sums[row][vector] = sums[row][vector].add(product);
                }
            }
        }
        let scales = &self.scales[first..first + S];
        let mut products = [[simd.splat(0.0); S]; R];
        for row in 0..R {
            for vector in 0..S {
                let sum = sums[row][vector].to_numbers();
                products[row][vector] = sum.mul(simd.load(&scales[vector]));
            }
        }
        products
    }
}
