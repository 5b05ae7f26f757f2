//! What is done to tokens between layers: normalizing, rectifying, rounding.

use crate::network::layer::{Arithmetic, AsFloats, AsIntegers, Input};
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

/// How the inputs of layers are made for a precision.
pub(super) trait Inputs: Arithmetic {
    /// Numbers in an input.
    const PER_INPUT: usize;

    /// Makes inputs of integers.
    fn of_integers(integers: &[[i16; WORDS]]) -> Vec<Input<Self>>;

    /// Makes inputs of a token's numbers; returns the factor for them.
    fn write<V: Simd>(simd: V, numbers: &[Lanes], inputs: &mut [Input<Self>]) -> f32;
}

impl Inputs for AsFloats {
    const PER_INPUT: usize = 1;

    fn of_integers(integers: &[[i16; WORDS]]) -> Vec<f32> {
        let integers = integers.as_flattened().iter();
        integers.map(|&number| f32::from(number)).collect()
    }

    #[inline(always)]
    fn write<V: Simd>(_: V, numbers: &[Lanes], inputs: &mut [f32]) -> f32 {
        inputs.copy_from_slice(numbers.as_flattened());
        1.0
    }
}

impl Inputs for AsIntegers {
    const PER_INPUT: usize = 2;

    fn of_integers(integers: &[[i16; WORDS]]) -> Vec<[i16; 2]> {
        integers.as_flattened().as_chunks().0.to_vec()
    }

    #[inline(always)]
    fn write<V: Simd>(simd: V, numbers: &[Lanes], inputs: &mut [[i16; 2]]) -> f32 {
        let zero = simd.splat(0.0);
        let (mut largest, mut sum) = (zero, zero);
        for number in numbers {
            let number = simd.load(number);
            let size = number.max(zero.sub(number));
            largest = largest.max(size);
            sum = sum.add(size);
        }
        // Numbers that overflow make all outputs NaN, as no integers can stand for them.
        if !sum.sum().is_finite() {
            return f32::NAN;
        }
        let largest = largest.largest();
        let scale = if largest > 0.0 { LEVELS / largest } else { 0.0 };
        let scale = simd.splat(scale);
        let pairs = numbers.as_chunks::<2>().0.iter();
        for ([low, high], words) in pairs.zip(inputs.as_flattened_mut().as_chunks_mut().0) {
            let (low, high) = (simd.load(low).mul(scale), simd.load(high).mul(scale));
            low.store_rounded(high, words);
        }
        largest / LEVELS
    }
}

/// Adds numbers to all tokens, and makes inputs of the sums with mean 0 and variance 1.
pub(super) struct Normalize<'a, A: Arithmetic> {
    pub(super) padding: &'a Padding,
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
        let mut centered = vec![[0.0; LANES]; width];
        for (((token, added), inputs), factor) in tokens.zip(inputs).zip(self.factors) {
            let mut sum = simd.splat(0.0);
            for (number, added) in token.iter_mut().zip(added) {
                let changed = simd.load(number).add(simd.load(added));
                changed.store(number);
                sum = sum.add(changed);
            }
            let mean = simd.splat(sum.sum() * share);
            let mut squares = simd.splat(0.0);
            for ((number, mask), centered) in token.iter().zip(mask).zip(&mut centered) {
                let difference = simd.load(number).sub(mean).mul(simd.load(mask));
                difference.store(centered);
                squares = squares.add(difference.mul(difference));
            }
            let variance = squares.sum() * share;
            *factor = A::write(simd, &centered, inputs) / (variance + EPSILON).sqrt();
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
            *factor = A::write(simd, token, inputs);
        }
    }
}
