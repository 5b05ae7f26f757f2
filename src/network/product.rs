//! Products of positions' numbers with the blocks of a layer, in floats.
//!
//! The order of sums does not depend on the batch, and operations are not fused, so results are the
//! same on every processor.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use crate::simd::{LANES, Lanes, Simd, Vector};

/// Vectors of outputs that are summed at once.
const STRIP: usize = 3;
/// Rows for which weights are read once. With a strip, as many sums as registers hold.
const ROWS: usize = 4;

/// Where a block reads and writes, in a position's inputs and outputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Both in inputs: floats, or pairs of integers.
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
pub(super) fn multiply<V: Simd>(
    simd: V,
    weights: &Floats,
    place: Place,
    inputs: Rows<'_, f32>,
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
struct Strip<'a, V> {
    simd: V,
    weights: &'a Floats,
    place: Place,
    inputs: Rows<'a, f32>,
    factors: &'a [f32],
    bias: &'a [Lanes],
    outputs: &'a mut [Lanes],
    stride: usize,
    start: usize,
    first: usize,
}

impl<V: Simd> Strip<'_, V> {
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
        let mut read: [&[f32]; R] = [&[]; R];
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

    /// The products of rows with the outputs of the strip of `S` vectors that starts at `first`.
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
