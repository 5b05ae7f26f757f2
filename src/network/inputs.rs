//! How the inputs of layers are made for a precision.

use super::features::Lists;
use super::layer::{Arithmetic, AsFloats, AsIntegers};
use crate::simd::{WideLanes, WideSimd, WideVector};

/// Makes inputs of layers.
pub(super) trait Inputs: Arithmetic {
    /// Numbers in an input.
    const PER_INPUT: usize;

    /// Makes inputs of integers.
    fn of_integers(integers: &[Lists]) -> Vec<Self::Input>;

    /// Makes inputs of numbers, rounded to at most `levels` where inputs are integers; returns the factor
    /// for them.
    fn write<W: WideSimd>(
        wide: W,
        levels: f32,
        numbers: &[WideLanes],
        inputs: &mut [Self::Input],
    ) -> f32;
}

impl Inputs for AsFloats {
    const PER_INPUT: usize = 1;

    fn of_integers(integers: &[Lists]) -> Vec<f32> {
        let integers = integers.as_flattened().iter();
        integers.map(|&number| f32::from(number)).collect()
    }

    #[inline(always)]
    fn write<W: WideSimd>(_: W, _levels: f32, numbers: &[WideLanes], inputs: &mut [f32]) -> f32 {
        inputs.copy_from_slice(numbers.as_flattened().as_flattened());
        1.0
    }
}

impl Inputs for AsIntegers {
    const PER_INPUT: usize = 2;

    fn of_integers(integers: &[Lists]) -> Vec<[i16; 2]> {
        integers.as_flattened().as_chunks().0.to_vec()
    }

    #[inline(always)]
    fn write<W: WideSimd>(
        wide: W,
        levels: f32,
        numbers: &[WideLanes],
        inputs: &mut [[i16; 2]],
    ) -> f32 {
        let Some(largest) = largest(wide, numbers) else {
            return f32::NAN;
        };
        let scale = wide.splat(scale(largest, levels));
        let (inputs, _) = inputs.as_flattened_mut().as_chunks_mut();
        for (numbers, words) in numbers.iter().zip(inputs) {
            wide.load(numbers).mul(scale).store_rounded(words);
        }
        largest / levels
    }
}

/// The largest magnitude of numbers. None where their sum overflows: no integers can stand for them, and
/// all outputs become NaN.
#[inline(always)]
pub(super) fn largest<W: WideSimd>(wide: W, numbers: &[WideLanes]) -> Option<f32> {
    let zero = wide.splat(0.0);
    let (mut largest, mut sum) = (zero, zero);
    for number in numbers {
        let number = wide.load(number);
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
pub(super) fn scale(largest: f32, levels: f32) -> f32 {
    if largest > 0.0 { levels / largest } else { 0.0 }
}
