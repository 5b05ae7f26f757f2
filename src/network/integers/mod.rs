//! Layers in integers of 16 bits.
//!
//! Sums of integers are exact, and what follows is not fused, so results are the same on every
//! processor. Where a register holds a whole vector, an instruction adds 32 products to 16 sums, and six
//! vectors of outputs for four rows are 24 sums, which leaves room in the 32 registers for what they are
//! multiplied by. So nearly all instructions are products, two in every cycle. Six rows of one vector of
//! outputs are 24 sums in the 32 registers of NEON, which hold a quarter of a vector each.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "only x86 processors have tiles")
)]
mod in_tiles;

use bytemuck::pod_collect_to_vec;

use super::layer::{Apply, Weights};
use crate::simd::{
    WORDS, WideKernel, WideLanes, WideSimd, WideVector, WideWords, WordTile, dispatch_tiles,
    dispatch_wide, has_tiles,
};

/// Vectors of outputs that are summed at once where registers hold so many.
const STRIP: usize = 6;

/// Weights as integers.
#[derive(Debug)]
pub(super) struct Integers {
    /// Vector by vector of outputs, in it by pair of inputs, and in that both of them by output.
    weights: Vec<WideWords>,
    /// The factor for the sums of each output.
    scales: Vec<WideLanes>,
    pairs: usize,
    /// The same weights for products in tiles, by vector of outputs and by tile of inputs; none where
    /// the processor has no tiles.
    tiles: Vec<WordTile>,
}

impl Weights for Integers {
    type Input = [i16; 2];
    type Outputs = WideLanes;

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
        let pairs = inputs / 2;
        let mut weights = Vec::with_capacity(pairs * outputs / WORDS);
        for first in (0..outputs).step_by(WORDS) {
            for pair in 0..pairs {
                weights.push(WideWords::from_fn(|place| {
                    rounded(2 * pair + place % 2, first + place / 2)
                }));
            }
        }
        let tiles = if has_tiles() {
            in_tiles::tiles(inputs, outputs, rounded)
        } else {
            Vec::new()
        };
        let scales: Vec<f32> = scales.iter().map(|&scale| scale as f32).collect();
        Self {
            weights,
            scales: pod_collect_to_vec(&scales),
            pairs,
            tiles,
        }
    }

    fn apply<const ADD: bool>(apply: Apply<'_, Self, ADD>) {
        if let Some(apply) = dispatch_tiles(apply) {
            dispatch_wide(apply);
        }
    }
}

impl<const ADD: bool> WideKernel for Apply<'_, Integers, ADD> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(mut self, wide: W) {
        let vectors = self.bias.len();
        if W::REGISTERS < 4 * STRIP {
            for vector in 0..vectors {
                self.strip::<W, 1, 6>(wide, vector);
            }
            return;
        }
        let mut first = 0;
        for strips in (1..=vectors.div_ceil(STRIP)).rev() {
            // About as many vectors in each strip, so that none has too few sums to wait for.
            let vectors = (vectors - first).div_ceil(strips);
            match vectors {
                1 => self.strip::<W, 1, 4>(wide, first),
                2 => self.strip::<W, 2, 4>(wide, first),
                3 => self.strip::<W, 3, 4>(wide, first),
                4 => self.strip::<W, 4, 4>(wide, first),
                5 => self.strip::<W, 5, 4>(wide, first),
                _ => self.strip::<W, STRIP, 4>(wide, first),
            }
            first += vectors;
        }
    }
}

impl<const ADD: bool> Apply<'_, Integers, ADD> {
    /// The `S` vectors of outputs from this one on, for all rows; weights are read once for `R` rows.
    #[inline(always)]
    fn strip<W: WideSimd, const S: usize, const R: usize>(&mut self, wide: W, first: usize) {
        let count = self.factors.len();
        let mut row = 0;
        while row + R <= count {
            self.rows::<W, S, R>(wide, first, row);
            row += R;
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
        // Slices of the same known length leave no checks inside, which would take registers.
        let pairs = self.weights.pairs;
        let mut weights: [&[WideWords]; S] = [&[]; S];
        for vector in 0..S {
            weights[vector] = &self.weights.weights[(first + vector) * pairs..][..pairs];
        }
        let mut read: [&[[i16; 2]]; R] = [&[]; R];
        for i in 0..R {
            read[i] = &self.inputs[(row + i) * pairs..][..pairs];
        }
        let mut sums = [[wide.no_sums(); S]; R];
        for pair in 0..pairs {
            let mut loaded = [wide.load_words(&weights[0][pair]); S];
            // Written out, since compilers leave a loop of so many products as it is, with sums in memory.
            macro_rules! load_vectors {
                ($($vector:literal)*) => {$(
                    if $vector < S {
                        loaded[$vector] = wide.load_words(&weights[$vector][pair]);
                    }
                )*};
            }
            macro_rules! add_vectors {
                ($i:literal, $inputs:ident: $($vector:literal)*) => {$(
                    if $vector < S {
                        let sum = sums[$i][$vector];
                        sums[$i][$vector] = wide.add_products(sum, $inputs, loaded[$vector]);
                    }
                )*};
            }
            macro_rules! add_rows {
                ($($i:literal)*) => {$(
                    if $i < R {
                        let inputs = wide.splat_pair(read[$i][pair]);
                        add_vectors!($i, inputs: 0 1 2 3 4 5);
                    }
                )*};
            }
            load_vectors!(1 2 3 4 5);
            add_rows!(0 1 2 3 4 5);
        }
        let (scales, bias) = (&self.weights.scales[first..][..S], &self.bias[first..][..S]);
        let width = self.bias.len();
        for i in 0..R {
            let written = &mut self.outputs[(row + i) * width + first..][..S];
            for vector in 0..S {
                let (scales, bias) = (wide.load(&scales[vector]), wide.load(&bias[vector]));
                let factor = self.factors[row + i];
                write::<_, ADD>(
                    wide,
                    sums[i][vector],
                    scales,
                    factor,
                    bias,
                    &mut written[vector],
                );
            }
        }
    }
}

/// Writes a vector of outputs of a row.
#[inline(always)]
fn write<W: WideSimd, const ADD: bool>(
    wide: W,
    sums: W::Sums,
    scales: W::Numbers,
    factor: f32,
    bias: W::Numbers,
    written: &mut WideLanes,
) {
    let product = wide.to_numbers(sums).mul(scales).mul(wide.splat(factor));
    let mut output = product.add(bias);
    if ADD {
        output = wide.load(written).add(output);
    }
    output.store(written);
}
