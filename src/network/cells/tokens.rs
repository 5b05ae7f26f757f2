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
    /// Vectors of a token.
    vectors: usize,
    /// 1 divided by the number of units.
    share: f32,
    /// Of the last vector: 1 for units, 0 for the numbers behind them.
    mask: WideLanes,
}

impl Padding {
    pub(super) fn new(units: usize) -> Self {
        let before = padded(units) - WORDS;
        let is_unit = |lane: usize| f32::from(u8::from(before + lane < units));
        Self {
            vectors: padded(units) / WORDS,
            share: 1.0 / units as f32,
            mask: WideLanes::from_fn(is_unit),
        }
    }

    /// Vectors of a token.
    pub(super) fn vectors(&self) -> usize {
        self.vectors
    }
}

/// What is known of tokens before inputs are made of them. As a list for each, since that keeps many
/// divisions from waiting for one another.
pub(super) struct Measures {
    means: Vec<f32>,
    /// Not finite where they overflow.
    variances: Vec<f32>,
    /// The largest magnitude of a number, not finite where one is not.
    largest: Vec<f32>,
    /// What numbers are multiplied by.
    scales: Vec<f32>,
}

impl Measures {
    /// Room for so many tokens.
    pub(super) fn new(tokens: usize) -> Self {
        let [means, variances, largest, scales] = std::array::from_fn(|_| vec![0.0; tokens]);
        Self {
            means,
            variances,
            largest,
            scales,
        }
    }

    /// Finds the scales for as many tokens as there are factors, and writes these.
    ///
    /// No integers can stand for numbers that are not finite, and all outputs become NaN.
    #[inline(always)]
    fn scale<A: Inputs>(&mut self, factors: &mut [f32]) {
        let found = self.scales.iter_mut().zip(factors);
        for (&largest, (scale, factor)) in self.largest.iter().zip(found) {
            let largest = if largest.is_finite() {
                largest
            } else {
                f32::NAN
            };
            *scale = A::scale(LEVELS, largest);
            *factor = A::factor(LEVELS, largest);
        }
    }
}

/// Makes inputs of tokens, with mean 0 and variance 1.
pub(super) struct Normalize<'a, A: Weights> {
    pub(super) padding: &'a Padding,
    pub(super) measures: &'a mut Measures,
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
        let Self {
            padding,
            measures,
            tokens,
            inputs,
            factors,
        } = self;
        for (largest, variance) in measures.largest.iter_mut().zip(&measures.variances) {
            if !variance.is_finite() {
                *largest = f32::NAN;
            }
        }
        measures.scale::<A>(factors);
        for (factor, variance) in factors.iter_mut().zip(&measures.variances) {
            *factor /= (variance + EPSILON).sqrt();
        }
        let mask = wide.load(&padding.mask);
        let rows = tokens.chunks_exact(padding.vectors);
        let rows = rows.zip(A::vectors(inputs).chunks_exact_mut(padding.vectors));
        for ((tokens, inputs), (&mean, &scale)) in
            rows.zip(measures.means.iter().zip(&measures.scales))
        {
            let (mean, scale) = (wide.splat(mean), wide.splat(scale));
            let last = tokens.len() - 1;
            for (token, inputs) in tokens[..last].iter().zip(&mut *inputs) {
                A::write::<W>(wide.load(token).sub(mean), scale, inputs);
            }
            let masked = wide.load(&tokens[last]).sub(mean).mul(mask);
            A::write::<W>(masked, scale, &mut inputs[last]);
        }
    }
}

impl<A: Inputs> ByRows for Normalize<'_, A> {
    #[inline(always)]
    fn rows<W: WideSimd, const R: usize>(&mut self, wide: W, row: usize) {
        let Padding {
            vectors: width,
            share,
            mask,
        } = *self.padding;
        let tokens: [_; R] = parts(&self.tokens[row * width..], width);
        let mut sums = [wide.splat(0.0); R];
        for vector in 0..width {
            for i in 0..R {
                sums[i] = sums[i].add(wide.load(&tokens[i][vector]));
            }
        }
        let means = sums_of(wide, sums).map(|sum| sum * share);
        let splats = means.map(|mean| wide.splat(mean));
        let (mut squares, mut largest) = ([wide.splat(0.0); R], [wide.splat(0.0); R]);
        let mut add = |i: usize, difference: W::Numbers| {
            squares[i] = squares[i].add(difference.mul(difference));
            largest[i] = largest[i].max_or_nan(difference.abs());
        };
        for vector in 0..width - 1 {
            for i in 0..R {
                add(i, wide.load(&tokens[i][vector]).sub(splats[i]));
            }
        }
        let mask = wide.load(&mask);
        for i in 0..R {
            add(i, wide.load(&tokens[i][width - 1]).sub(splats[i]).mul(mask));
        }
        let variances = sums_of(wide, squares).map(|sum| sum * share);
        self.measures.means[row..][..R].copy_from_slice(&means);
        self.measures.variances[row..][..R].copy_from_slice(&variances);
        self.measures.largest[row..][..R].copy_from_slice(&largest_of(wide, largest));
    }
}

/// Makes inputs of the numbers of tokens; with `RECTIFY`, numbers below 0 count as 0.
pub(super) struct Convert<'a, const RECTIFY: bool> {
    /// Vectors of a token.
    pub(super) width: usize,
    pub(super) measures: &'a mut Measures,
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
        self.measures.scale::<Integers>(self.factors);
        let rows = self.tokens.chunks_exact(self.width);
        let rows = rows.zip(Integers::vectors(self.inputs).chunks_exact_mut(self.width));
        for ((tokens, inputs), &scale) in rows.zip(&self.measures.scales) {
            let scale = wide.splat(scale);
            for (token, inputs) in tokens.iter().zip(inputs) {
                Integers::write::<W>(rectified::<W, RECTIFY>(wide, token), scale, inputs);
            }
        }
    }
}

impl<const RECTIFY: bool> ByRows for Convert<'_, RECTIFY> {
    #[inline(always)]
    fn rows<W: WideSimd, const R: usize>(&mut self, wide: W, row: usize) {
        let width = self.width;
        let tokens: [_; R] = parts(&self.tokens[row * width..], width);
        let mut largest = [wide.splat(0.0); R];
        for vector in 0..width {
            for i in 0..R {
                let size = rectified::<W, RECTIFY>(wide, &tokens[i][vector]).abs();
                largest[i] = largest[i].max_or_nan(size);
            }
        }
        self.measures.largest[row..][..R].copy_from_slice(&largest_of(wide, largest));
    }
}

/// Work on tokens, none of which needs the others.
trait ByRows {
    /// Works on `R` tokens from this one on.
    fn rows<W: WideSimd, const R: usize>(&mut self, wide: W, row: usize);
}

/// Works on so many tokens, on several at once so that none waits for the sums of another: on as many as
/// the registers have room for.
#[inline(always)]
fn all_rows<W: WideSimd>(work: &mut impl ByRows, wide: W, count: usize) {
    let mut row = 0;
    while W::REGISTERS >= 32 && row + 8 <= count {
        work.rows::<W, 8>(wide, row);
        row += 8;
    }
    while row + 4 <= count {
        work.rows::<W, 4>(wide, row);
        row += 4;
    }
    while row < count {
        work.rows::<W, 1>(wide, row);
        row += 1;
    }
}

/// The sum of the numbers of each vector.
#[inline(always)]
fn sums_of<W: WideSimd, const R: usize>(wide: W, vectors: [W::Numbers; R]) -> [f32; R] {
    by_fours(vectors, |four| wide.four_sums(four), WideVector::sum)
}

/// The largest number of each vector, or NaN.
#[inline(always)]
fn largest_of<W: WideSimd, const R: usize>(wide: W, vectors: [W::Numbers; R]) -> [f32; R] {
    by_fours(
        vectors,
        |four| wide.four_largest_or_nan(four),
        WideVector::largest_or_nan,
    )
}

/// Each vector reduced to a number.
#[inline(always)]
fn by_fours<V: WideVector, const R: usize>(
    vectors: [V; R],
    four: impl Fn([V; 4]) -> [f32; 4],
    one: impl Fn(V) -> f32,
) -> [f32; R] {
    let mut found = [0.0; R];
    let ((fours, rest), (places, places_left)) = (vectors.as_chunks(), found.as_chunks_mut());
    for (vectors, place) in fours.iter().zip(places) {
        *place = four(*vectors);
    }
    for (vector, place) in rest.iter().zip(places_left) {
        *place = one(*vector);
    }
    found
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
    std::array::from_fn(|part| &items[part * length..][..length])
}
