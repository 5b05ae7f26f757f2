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

    /// Makes inputs of numbers, rounded to at most `levels` where inputs are integers; returns the factor
    /// for them. With `rectify`, numbers below 0 count as 0.
    fn write<W: WideSimd>(
        wide: W,
        levels: f32,
        rectify: bool,
        numbers: &[WideLanes],
        inputs: &mut [Self::Input],
    ) -> f32;
}

impl Inputs for Floats {
    const PER_INPUT: usize = 1;

    #[inline(always)]
    fn write<W: WideSimd>(
        wide: W,
        _levels: f32,
        rectify: bool,
        numbers: &[WideLanes],
        inputs: &mut [f32],
    ) -> f32 {
        for (numbers, inputs) in numbers.iter().zip(inputs.as_chunks_mut::<WORDS>().0) {
            let mut written = WideLanes::zeroed();
            rectified(wide, rectify, numbers).store(&mut written);
            *inputs = bytemuck::cast(written);
        }
        1.0
    }
}

impl Inputs for Integers {
    const PER_INPUT: usize = 2;

    #[inline(always)]
    fn write<W: WideSimd>(
        wide: W,
        levels: f32,
        rectify: bool,
        numbers: &[WideLanes],
        inputs: &mut [[i16; 2]],
    ) -> f32 {
        let Some(largest) = largest(wide, rectify, numbers) else {
            return f32::NAN;
        };
        let scale = wide.splat(scale(largest, levels));
        let (inputs, _) = inputs.as_flattened_mut().as_chunks_mut();
        for (numbers, words) in numbers.iter().zip(inputs) {
            let numbers = rectified(wide, rectify, numbers);
            numbers.mul(scale).store_rounded(words);
        }
        largest / levels
    }
}

/// Numbers, with 0 in place of those below if `rectify` is set.
#[inline(always)]
fn rectified<W: WideSimd>(wide: W, rectify: bool, numbers: &WideLanes) -> W::Numbers {
    let numbers = wide.load(numbers);
    if rectify {
        // Of 0 and NaN, this is NaN.
        wide.splat(0.0).max(numbers)
    } else {
        numbers
    }
}

/// The largest magnitude of numbers. None where their sum overflows: no integers can stand for them, and
/// all outputs become NaN.
#[inline(always)]
fn largest<W: WideSimd>(wide: W, rectify: bool, numbers: &[WideLanes]) -> Option<f32> {
    let zero = wide.splat(0.0);
    let (mut largest, mut sum) = (zero, zero);
    for number in numbers {
        let number = rectified(wide, rectify, number);
        let size = number.max(zero.sub(number));
        largest = largest.max(size);
        sum = sum.add(size);
    }
    if sum.sum().is_finite() {
        Some(largest.largest())
    } else {
        None
    }
}

/// The factor that takes numbers up to this magnitude to integers up to `levels`.
#[inline(always)]
fn scale(largest: f32, levels: f32) -> f32 {
    if largest > 0.0 { levels / largest } else { 0.0 }
}
