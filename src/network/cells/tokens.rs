//! What is done to tokens between layers: normalizing, rectifying, rounding.

use crate::network::inputs::Inputs;
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

/// Adds numbers to all tokens, and makes inputs of the sums with mean 0 and variance 1.
pub(super) struct Normalize<'a, A: Weights> {
    pub(super) padding: &'a Padding,
    /// As many numbers as a token has, to be overwritten.
    pub(super) centered: &'a mut [WideLanes],
    pub(super) tokens: &'a mut [WideLanes],
    pub(super) added: &'a [WideLanes],
    pub(super) inputs: &'a mut [A::Input],
    /// By token.
    pub(super) factors: &'a mut [f32],
}

impl<A: Inputs> WideKernel for Normalize<'_, A> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let Padding { units, mask } = self.padding;
        let share = 1.0 / *units as f32;
        let width = mask.len();
        let tokens = self.tokens.chunks_exact_mut(width);
        let tokens = tokens.zip(self.added.chunks_exact(width));
        let inputs = self.inputs.chunks_exact_mut(width * WORDS / A::PER_INPUT);
        let centered = self.centered;
        for (((token, added), inputs), factor) in tokens.zip(inputs).zip(self.factors) {
            let mut sum = wide.splat(0.0);
            for (number, added) in token.iter_mut().zip(added) {
                let changed = wide.load(number).add(wide.load(added));
                changed.store(number);
                sum = sum.add(changed);
            }
            let mean = wide.splat(sum.sum() * share);
            let mut squares = wide.splat(0.0);
            for ((number, mask), centered) in token.iter().zip(mask).zip(&mut *centered) {
                let difference = wide.load(number).sub(mean).mul(wide.load(mask));
                difference.store(centered);
                squares = squares.add(difference.mul(difference));
            }
            let variance = squares.sum() * share;
            *factor = A::write(wide, LEVELS, false, centered, inputs) / (variance + EPSILON).sqrt();
        }
    }
}

/// Makes inputs of the numbers of tokens.
pub(super) struct Convert<'a> {
    /// Vectors of a token.
    pub(super) width: usize,
    /// Whether numbers below 0 become 0.
    pub(super) rectify: bool,
    pub(super) tokens: &'a [WideLanes],
    pub(super) inputs: &'a mut [[i16; 2]],
    /// By token.
    pub(super) factors: &'a mut [f32],
}

impl WideKernel for Convert<'_> {
    type Result = ();

    #[inline(always)]
    fn run<W: WideSimd>(self, wide: W) {
        let tokens = self.tokens.chunks_exact(self.width);
        let inputs = self.inputs.chunks_exact_mut(self.width * WORDS / 2);
        for ((token, inputs), factor) in tokens.zip(inputs).zip(self.factors) {
            *factor = Integers::write(wide, LEVELS, self.rectify, token, inputs);
        }
    }
}
