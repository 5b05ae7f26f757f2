//! How the inputs of layers are made.

use super::floats::Floats;
use super::integers::Integers;
use super::layer::Weights;
use crate::simd::{WORDS, WideLanes, WideSimd, WideVector};

/// Makes inputs of layers.
pub(super) trait Inputs: Weights {
    /// The inputs of as many numbers as a vector has.
    type Vector;

    /// The inputs of rows, vector by vector.
    fn vectors(inputs: &mut [Self::Input]) -> &mut [Self::Vector];

    /// What the numbers of a row are multiplied by, so that those of this largest magnitude become `levels`
    /// where inputs are integers.
    fn scale(levels: f32, largest: f32) -> f32;

    /// The factor for the inputs of such a row.
    fn factor(levels: f32, largest: f32) -> f32;

    /// Makes inputs of the numbers of a vector.
    fn write<W: WideSimd>(numbers: W::Numbers, scale: W::Numbers, inputs: &mut Self::Vector);
}

impl Inputs for Floats {
    type Vector = WideLanes;

    #[inline(always)]
    fn vectors(inputs: &mut [WideLanes]) -> &mut [WideLanes] {
        inputs
    }

    #[inline(always)]
    fn scale(_levels: f32, _largest: f32) -> f32 {
        1.0
    }

    #[inline(always)]
    fn factor(_levels: f32, _largest: f32) -> f32 {
        1.0
    }

    #[inline(always)]
    fn write<W: WideSimd>(numbers: W::Numbers, _scale: W::Numbers, inputs: &mut Self::Vector) {
        numbers.store(inputs);
    }
}

impl Inputs for Integers {
    type Vector = [i16; WORDS];

    #[inline(always)]
    fn vectors(inputs: &mut [[i16; 2]]) -> &mut [Self::Vector] {
        inputs.as_flattened_mut().as_chunks_mut().0
    }

    #[inline(always)]
    fn scale(levels: f32, largest: f32) -> f32 {
        // Divided in any case, as several can be at once.
        let scale = levels / largest;
        if largest > 0.0 { scale } else { 0.0 }
    }

    #[inline(always)]
    fn factor(levels: f32, largest: f32) -> f32 {
        largest / levels
    }

    #[inline(always)]
    fn write<W: WideSimd>(numbers: W::Numbers, scale: W::Numbers, inputs: &mut Self::Vector) {
        numbers.mul(scale).store_rounded(inputs);
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
