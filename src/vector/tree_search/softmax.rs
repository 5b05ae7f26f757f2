//! Softmax, in a form that a compiler can vectorise.

/// The exponential function for numbers of at most 0, to a relative error below 1e-5, and below 1e-6
/// down to -5.
///
/// The polynomial approximates `2^x` on half an interval around 0 (its Taylor series); the whole part
/// of the exponent is added to the bits of the result. The standard library's function is more exact
/// and cannot be vectorised.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Adding this number rounds to a whole one, whose lowest bits are then those of the sum.
    const ROUND: f32 = 12_582_912.0;
    let scaled = (x * std::f32::consts::LOG2_E).max(-126.0);
    let rounded = scaled + ROUND;
    let rest = (scaled - (rounded - ROUND)) * std::f32::consts::LN_2;
    let mut power = 1.0 / 720.0;
    for factor in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        power = power * rest + factor;
    }
    f32::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 23))
}

/// Writes the softmax of some numbers, not all of them minus infinity, over them.
#[inline(always)]
pub(super) fn softmax(numbers: &mut [f32]) {
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for number in &mut *numbers {
        *number = exp(*number - largest);
        sum += *number;
    }
    let scale = 1.0 / sum;
    for number in numbers {
        *number *= scale;
    }
}

/// The index of the largest number, the first of equal ones; 0 when there is none.
#[inline(always)]
pub(super) fn argmax(numbers: &[f32]) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (index, &number) in numbers.iter().enumerate() {
        if number > best.1 {
            best = (index, number);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close() {
        for step in 0..80_000 {
            let x = -f64::from(step) / 1000.0;
            let (close, exact) = (f64::from(exp(x as f32)), f64::from(x as f32).exp());
            let bound = if x < -5.0 { 1e-5 } else { 1e-6 };
            assert!((close / exact - 1.0).abs() < bound, "exp({x}): {close}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn softmax_sums_to_one() {
        let mut numbers = [1.0, f32::NEG_INFINITY, 3.0, -200.0];
        softmax(&mut numbers);
        let exact = 1.0 / (1.0 + 2_f32.exp());
        assert!((numbers[0] - exact).abs() < 1e-6);
        assert!((numbers.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(argmax(&numbers), 2);
        assert_eq!(argmax(&[2.0, 5.0, 5.0]), 1);
    }
}
