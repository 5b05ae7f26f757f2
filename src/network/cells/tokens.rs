//! What is done to tokens between layers: normalizing, rectifying, rounding.

use crate::network::inputs::Inputs;
use crate::network::layer::{Arithmetic, Input};
use crate::simd::{Kernel, LANES, Lanes, Simd, Vector, WORDS};

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
    mask: Vec<Lanes>,
}

impl Padding {
    pub(super) fn new(units: usize) -> Self {
        let is_unit = |number: usize| f32::from(u8::from(number < units));
        let mask = |vector: usize| std::array::from_fn(|lane| is_unit(vector * LANES + lane));
        Self {
            units,
            mask: (0..padded(units) / LANES).map(mask).collect(),
        }
    }

    /// Vectors of a token.
    pub(super) fn vectors(&self) -> usize {
        self.mask.len()
    }
}

/// Adds numbers to all tokens, and makes inputs of the sums with mean 0 and variance 1.
pub(super) struct Normalize<'a, A: Arithmetic> {
    pub(super) padding: &'a Padding,
    /// As many vectors as a token has, to be overwritten.
    pub(super) centered: &'a mut [Lanes],
    pub(super) tokens: &'a mut [Lanes],
    pub(super) added: &'a [Lanes],
    pub(super) inputs: &'a mut [Input<A>],
    /// By token.
    pub(super) factors: &'a mut [f32],
}

impl<A: Inputs> Kernel for Normalize<'_, A> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        let Padding { units, mask } = self.padding;
        let share = 1.0 / *units as f32;
        let width = mask.len();
        let tokens = self.tokens.chunks_exact_mut(width);
        let tokens = tokens.zip(self.added.chunks_exact(width));
        let inputs = self.inputs.chunks_exact_mut(width * LANES / A::PER_INPUT);
        let centered = self.centered;
        for (((token, added), inputs), factor) in tokens.zip(inputs).zip(self.factors) {
            let mut sum = simd.splat(0.0);
            for (number, added) in token.iter_mut().zip(added) {
                let changed = simd.load(number).add(simd.load(added));
                changed.store(number);
                sum = sum.add(changed);
            }
            let mean = simd.splat(sum.sum() * share);
            let mut squares = simd.splat(0.0);
            for ((number, mask), centered) in token.iter().zip(mask).zip(&mut *centered) {
                let difference = simd.load(number).sub(mean).mul(simd.load(mask));
                difference.store(centered);
                squares = squares.add(difference.mul(difference));
            }
            let variance = squares.sum() * share;
            *factor = A::write(simd, LEVELS, centered, inputs) / (variance + EPSILON).sqrt();
        }
    }
}

/// Makes inputs of the numbers of tokens.
pub(super) struct Convert<'a, A: Arithmetic> {
    /// Vectors of a token.
    pub(super) width: usize,
    /// Whether numbers below 0 become 0.
    pub(super) rectify: bool,
    pub(super) tokens: &'a mut [Lanes],
    pub(super) inputs: &'a mut [Input<A>],
    /// By token.
    pub(super) factors: &'a mut [f32],
}

impl<A: Inputs> Kernel for Convert<'_, A> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) {
        let tokens = self.tokens.chunks_exact_mut(self.width);
        let inputs = self
            .inputs
            .chunks_exact_mut(self.width * LANES / A::PER_INPUT);
        for ((token, inputs), factor) in tokens.zip(inputs).zip(self.factors) {
            if self.rectify {
                for number in &mut *token {
                    // Of 0 and NaN, this is NaN.
                    simd.splat(0.0).max(simd.load(number)).store(number);
                }
            }
            *factor = A::write(simd, LEVELS, token, inputs);
        }
    }
}
