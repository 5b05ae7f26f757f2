//! The exponential function of eight numbers.

#![forbid(unsafe_code)]

use super::{Simd, Vector};

/// The exponential function for numbers of at most 0, to a relative error below 1e-5, and below 1e-6
/// down to -5.
///
/// The polynomial approximates `2^x` on half an interval around 0 (its Taylor series); the whole part
/// of the exponent is added to the bits of the result. The standard library's function is more exact
/// and cannot be vectorized.
#[inline(always)]
pub(crate) fn exp<V: Simd>(simd: V, x: V::Vector) -> V::Vector {
    // Adding this number rounds to a whole one, whose lowest bits are then those of the sum.
    let round = simd.splat(12_582_912.0);
    let scaled = x.mul(simd.splat(std::f32::consts::LOG2_E));
    let scaled = scaled.max(simd.splat(-126.0));
    let rounded = scaled.add(round);
    let rest = scaled.sub(rounded.sub(round));
    let rest = rest.mul(simd.splat(std::f32::consts::LN_2));
    let mut power = simd.splat(1.0 / 720.0);
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        power = power.mul(rest).add(simd.splat(factor));
    }
    power.scale_by(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{LANES, Portable, Simd};

    fn exp_of(x: f32) -> f32 {
        exp(Portable, Portable.splat(x)).sum() / LANES as f32
    }

    #[test]
    fn exp_is_close() {
        for step in (0..80_000).step_by(if cfg!(miri) { 1000 } else { 1 }) {
            let x = -f64::from(step) / 1000.0;
            let (close, exact) = (f64::from(exp_of(x as f32)), f64::from(x as f32).exp());
            let bound = if x < -5.0 { 1e-5 } else { 1e-6 };
            assert!((close / exact - 1.0).abs() < bound, "exp({x}): {close}");
        }
        assert!(exp_of(f32::NEG_INFINITY) < 1e-37);
    }
}
