//! How the inputs of layers are made for a precision.

use super::features::Lists;
use super::layer::{Arithmetic, AsFloats, AsIntegers, Input};
use crate::simd::{Lanes, Simd, Vector};

/// Makes inputs of layers.
pub(super) trait Inputs: Arithmetic {
    /// Numbers in an input.
    const PER_INPUT: usize;

    /// Makes inputs of integers.
    fn of_integers(integers: &[Lists]) -> Vec<Input<Self>>;

    /// Makes inputs of numbers, rounded to at most `levels` where inputs are integers; returns the factor
    /// for them.
    fn write<V: Simd>(simd: V, levels: f32, numbers: &[Lanes], inputs: &mut [Input<Self>]) -> f32;
}

impl Inputs for AsFloats {
    const PER_INPUT: usize = 1;

    fn of_integers(integers: &[Lists]) -> Vec<f32> {
        let integers = integers.as_flattened().iter();
        integers.map(|&number| f32::from(number)).collect()
    }

    #[inline(always)]
    fn write<V: Simd>(_: V, _levels: f32, numbers: &[Lanes], inputs: &mut [f32]) -> f32 {
        inputs.copy_from_slice(numbers.as_flattened());
        1.0
    }
}

impl Inputs for AsIntegers {
    const PER_INPUT: usize = 2;

    fn of_integers(integers: &[Lists]) -> Vec<[i16; 2]> {
        integers.as_flattened().as_chunks().0.to_vec()
    }

    #[inline(always)]
    fn write<V: Simd>(simd: V, levels: f32, numbers: &[Lanes], inputs: &mut [[i16; 2]]) -> f32 {
        let Some(largest) = largest(simd, numbers) else {
            return f32::NAN;
        };
        let scale = simd.splat(scale(largest, levels));
        let pairs = numbers.as_chunks::<2>().0.iter();
        for ([low, high], words) in pairs.zip(inputs.as_flattened_mut().as_chunks_mut().0) {
            let (low, high) = (simd.load(low).mul(scale), simd.load(high).mul(scale));
            low.store_rounded(high, words);
        }
        largest / levels
    }
}

/// The largest magnitude of numbers. None where their sum overflows: no integers can stand for them, and
/// all outputs become NaN.
#[inline(always)]
pub(super) fn largest<V: Simd>(simd: V, numbers: &[Lanes]) -> Option<f32> {
    let zero = simd.splat(0.0);
    let (mut largest, mut sum) = (zero, zero);
    for number in numbers {
        let number = simd.load(number);
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
