//! How the inputs of layers are made.

use bytemuck::Zeroable;

use super::floats::Floats;
use super::integers::Integers;
use super::layer::Weights;
use crate::simd::{WORDS, WideLanes, WideSimd, WideVector};

/// Makes inputs of layers.
pub(super) trait Inputs: Weights {
    /// Numbers in an input.
    const PER_INPUT: usize;

    /// Makes inputs of numbers, the largest magnitude of which is given: rounded to at most `levels`
    /// where inputs are integers. Returns the factor for them. With `RECTIFY`, numbers below 0 count
    /// as 0.
    fn write<W: WideSimd, const RECTIFY: bool>(
        wide: W,
        levels: f32,
        largest: f32,
        numbers: &[WideLanes],
        inputs: &mut [Self::Input],
    ) -> f32;
}

impl Inputs for Floats {
    const PER_INPUT: usize = 1;

    #[inline(always)]
    fn write<W: WideSimd, const RECTIFY: bool>(
        wide: W,
        _levels: f32,
        _largest: f32,
        numbers: &[WideLanes],
        inputs: &mut [f32],
    ) -> f32 {
        for (numbers, inputs) in numbers.iter().zip(inputs.as_chunks_mut::<WORDS>().0) {
            let mut written = WideLanes::zeroed();
            rectified::<W, RECTIFY>(wide, numbers).store(&mut written);
            *inputs = bytemuck::cast(written);
        }
        1.0
    }
}

impl Inputs for Integers {
    const PER_INPUT: usize = 2;

    #[inline(always)]
    fn write<W: WideSimd, const RECTIFY: bool>(
        wide: W,
        levels: f32,
        largest: f32,
        numbers: &[WideLanes],
        inputs: &mut [[i16; 2]],
    ) -> f32 {
        let scale = if largest > 0.0 { levels / largest } else { 0.0 };
        let scale = wide.splat(scale);
        let (inputs, _) = inputs.as_flattened_mut().as_chunks_mut();
        for (numbers, words) in numbers.iter().zip(inputs) {
            let numbers = rectified::<W, RECTIFY>(wide, numbers);
            numbers.mul(scale).store_rounded(words);
        }
        largest / levels
    }
}

/// Numbers, with 0 in place of those below if `RECTIFY` is set.
#[inline(always)]
pub(super) fn rectified<W: WideSimd, const RECTIFY: bool>(
    wide: W,
    numbers: &WideLanes,
) -> W::Numbers {
    let numbers = wide.load(numbers);
    if RECTIFY {
        // Of 0 and NaN, this is NaN.
        wide.splat(0.0).max(numbers)
    } else {
        numbers
    }
}
