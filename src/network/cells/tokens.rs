//! What is done to tokens between layers: normalizing, rectifying, rounding.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators over vectors are not always inlined"
)]

use crate::network::inputs::{Inputs, rectified};
use crate::network::integers::Integers;
use crate::network::layer::Weights;
use crate::simd::{WORDS, WideKernel, WideLanes, WideSimd, WideVector};

/// The largest integer that a number of a token is rounded to.
pub(super) const LEVELS: f32 = 4095.0;

/// Added to the variance, as in `PyTorch`.
const EPSILON: f32 = 1e-5;

/// As many units in whole vectors.
pub(super) fn padded(units: usize) -> usize {
    units.next_multiple_of(WORDS)
}

/// Which numbers of a token are units.
pub(super) struct Padding {
    units: usize,
    /// 1 for units, 0 for the numbers behind them.
    mask: Vec<WideLanes>,
}

impl Padding {
    pub(super) fn new(units: usize) -> Self {
        let is_unit = |number: usize| f32::from(u8::from(number < units));
        let mask = |vector: usize| WideLanes::from_fn(|lane| is_unit(vector * WORDS + lane));
        Self {
            units,
            mask: (0..padded(units) / WORDS).map(mask).collect(),
        }
    }

    /// Vectors of a token.
    pub(super) fn vectors(&self) -> usize {
        self.mask.len()
    }
}

/// Tokens that are worked on at once, so that none waits for the sums of another.
pub(super) const ROWS: usize = 4;

/// Work on tokens, none of which needs the others.
trait ByRows {
    /// Works on `R` tokens from this one on.
    fn rows<W: WideSimd, const R: usize>(&mut self, wide: W, row: usize);
}

/// Works on so many tokens, as many at once as possible.
#[inline(always)]
fn all_rows<W: WideSimd>(work: &mut impl ByRows, wide: W, count: usize) {
    let mut row = 0;
    while row + ROWS <= count {
        work.rows::<W, ROWS>(wide, row);
        row += ROWS;
    }
    while row < count {
        work.rows::<W, 1>(wide, row);
        row += 1;
    }
}

/// Makes inputs of tokens, with mean 0 and variance 1.
pub(super) struct Normalize<'a, A: Weights> {
    pub(super) padding: &'a Padding,
    /// As many numbers as [`ROWS`] tokens have, to be overwritten.
    pub(super) centered: &'a mut [WideLanes],
    pub(super) tokens: &'a [WideLanes],
    pub(super) inputs: &'a mut [A::Input],
    /// By token.
    pub(super) factors: &'a mut [f32],
}

impl<A: Inputs> WideKernel for Normalize<'_, A> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(mut self, wide: W) {
        let count = self.factors.len();
        all_rows(&mut self, wide, count);
    }
}

impl<A: Inputs> ByRows for Normalize<'_, A> {
    #[inline(always)]
    fn rows<W: WideSimd, const R: usize>(&mut self, wide: W, row: usize) {
        let Padding { units, mask } = self.padding;
        let share = 1.0 / *units as f32;
        let width = mask.len();
        let tokens: [&[WideLanes]; R] = parts(&self.tokens[row * width..], width);
        let centered: [_; R] = parts_mut(self.centered, width);
        let mut sums = [wide.splat(0.0); R];
        for vector in 0..width {
            for i in 0..R {
                sums[i] = sums[i].add(wide.load(&tokens[i][vector]));
            }
        }
        let means = sums.map(|sum| wide.splat(sum.sum() * share));
        let (mut squares, mut largest) = ([wide.splat(0.0); R], [wide.splat(0.0); R]);
        for vector in 0..width {
            let mask = wide.load(&mask[vector]);
            for i in 0..R {
                let difference = wide.load(&tokens[i][vector]).sub(means[i]).mul(mask);
                difference.store(&mut centered[i][vector]);
                squares[i] = squares[i].add(difference.mul(difference));
                largest[i] = largest[i].max(difference.abs());
            }
        }
        let length = width * WORDS / A::PER_INPUT;
        let inputs: [_; R] = parts_mut(&mut self.inputs[row * length..], length);
        for i in 0..R {
            let variance = squares[i].sum() * share;
            // No integers can stand for the numbers where these overflow, and all outputs become NaN.
            let largest = if variance.is_finite() {
                largest[i].largest()
            } else {
                f32::NAN
            };
            let factor = A::write::<W, false>(wide, LEVELS, largest, centered[i], inputs[i]);
            self.factors[row + i] = factor / (variance + EPSILON).sqrt();
        }
    }
}

/// Makes inputs of the numbers of tokens; with `RECTIFY`, numbers below 0 count as 0.
pub(super) struct Convert<'a, const RECTIFY: bool> {
    /// Vectors of a token.
    pub(super) width: usize,
    pub(super) tokens: &'a [WideLanes],
    pub(super) inputs: &'a mut [[i16; 2]],
    /// By token.
    pub(super) factors: &'a mut [f32],
}

impl<const RECTIFY: bool> WideKernel for Convert<'_, RECTIFY> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(mut self, wide: W) {
        let count = self.factors.len();
        all_rows(&mut self, wide, count);
    }
}

impl<const RECTIFY: bool> ByRows for Convert<'_, RECTIFY> {
    #[inline(always)]
    fn rows<W: WideSimd, const R: usize>(&mut self, wide: W, row: usize) {
        let width = self.width;
        let tokens: [&[WideLanes]; R] = parts(&self.tokens[row * width..], width);
        let (mut sums, mut largest) = ([wide.splat(0.0); R], [wide.splat(0.0); R]);
        for vector in 0..width {
            for i in 0..R {
                let size = rectified::<W, RECTIFY>(wide, &tokens[i][vector]).abs();
                sums[i] = sums[i].add(size);
                largest[i] = largest[i].max(size);
            }
        }
        let length = width * WORDS / Integers::PER_INPUT;
        let inputs: [_; R] = parts_mut(&mut self.inputs[row * length..], length);
        for i in 0..R {
            // No integers can stand for the numbers where these overflow, and all outputs become NaN.
            let largest = if sums[i].sum().is_finite() {
                largest[i].largest()
            } else {
                f32::NAN
            };
            self.factors[row + i] =
                Integers::write::<W, RECTIFY>(wide, LEVELS, largest, tokens[i], inputs[i]);
        }
    }
}

/// Adds the numbers of each position to all its tokens.
pub(super) struct AddToAll<'a> {
    /// Tokens of a position.
    pub(super) cells: usize,
    /// Vectors of a token.
    pub(super) width: usize,
    /// By position and vector.
    pub(super) numbers: &'a [WideLanes],
    pub(super) tokens: &'a mut [WideLanes],
}

impl WideKernel for AddToAll<'_> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let numbers = self.numbers.chunks_exact(self.width);
        let positions = self.tokens.chunks_exact_mut(self.cells * self.width);
        for (numbers, tokens) in numbers.zip(positions) {
            for token in tokens.chunks_exact_mut(self.width) {
                for (number, token) in numbers.iter().zip(token) {
                    wide.load(token).add(wide.load(number)).store(token);
                }
            }
        }
    }
}

/// Sums the tokens of each position, times their factors.
pub(super) struct Sum<'a> {
    /// Tokens of a position.
    pub(super) cells: usize,
    /// Vectors of a token.
    pub(super) width: usize,
    pub(super) tokens: &'a [WideLanes],
    /// By token.
    pub(super) factors: &'a [f32],
    /// By position and vector.
    pub(super) sums: &'a mut [WideLanes],
}

impl WideKernel for Sum<'_> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let positions = self.tokens.chunks_exact(self.cells * self.width);
        let positions = positions.zip(self.factors.chunks_exact(self.cells));
        let sums = self.sums.chunks_exact_mut(self.width);
        for ((tokens, factors), sums) in positions.zip(sums) {
            for vector in 0..self.width {
                let mut sum = wide.splat(0.0);
                for cell in 0..self.cells {
                    let number = wide.load(&tokens[cell * self.width + vector]);
                    sum = sum.add(number.mul(wide.splat(factors[cell])));
                }
                sum.store(&mut sums[vector]);
            }
        }
    }
}

/// The first parts of this length.
#[inline(always)]
fn parts<T, const R: usize>(items: &[T], length: usize) -> [&[T]; R] {
    let mut parts = items.chunks_exact(length);
    std::array::from_fn(|_| parts.next().expect("enough items"))
}

/// The first parts of this length.
#[inline(always)]
fn parts_mut<T, const R: usize>(items: &mut [T], length: usize) -> [&mut [T]; R] {
    let mut parts = items.chunks_exact_mut(length);
    std::array::from_fn(|_| parts.next().expect("enough items"))
}
