//! Noise for players and searches, the same bits on every platform and never infinite or NaN.

use rand::Rng;

use super::Draw;
use crate::elementary::{exp, ln};

/// A random number above 0, 1 included, in steps of 2^-53.
fn share_above_0(rng: &mut impl Rng) -> f64 {
    rng.unit() + f64::EPSILON / 2.0
}

/// A draw from the standard Gumbel distribution.
///
/// Added to logits, it makes the largest of them a draw from their softmax.
pub(crate) fn draw_gumbel(rng: &mut impl Rng) -> f64 {
    let drawn = -ln(-ln(share_above_0(rng)));
    // One draw in 2^53 is infinite; the others are below 36.8.
    drawn.min(37.0)
}

/// A draw from the standard normal distribution, by the polar method of Marsaglia and Bray (1964).
fn draw_normal(rng: &mut impl Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * ln(square) / square).sqrt();
        }
    }
}

/// A draw from the gamma distribution of this shape, which is at least 1: Marsaglia and Tsang, "A simple
/// method for generating gamma variables", TOMS 2000.
fn draw_gamma(rng: &mut impl Rng, shape: f64) -> f64 {
    let mode = shape - 1.0 / 3.0;
    let scale = 1.0 / (9.0 * mode).sqrt();
    loop {
        let normal = draw_normal(rng);
        let root = 1.0 + scale * normal;
        if root <= 0.0 {
            continue;
        }
        let cube = root * root * root;
        let bound = 0.5 * normal * normal + mode * (1.0 - cube + ln(cube));
        if ln(share_above_0(rng)) < bound {
            return mode * cube;
        }
    }
}

/// A draw of `count` shares from the symmetric Dirichlet distribution; `alpha` is finite and above 0.
///
/// The shares are gamma variates over their sum. For a small `alpha` nearly all of the variates are
/// below the smallest f64, so this works with their logarithms: if `g` is a variate of shape
/// `alpha + 1` and `e` an exponential one, `ln(g) - e / alpha` is that of a variate of shape `alpha`.
pub(crate) fn draw_dirichlet(rng: &mut impl Rng, alpha: f64, count: usize) -> Vec<f64> {
    assert!(alpha > 0.0 && alpha.is_finite(), "alpha is {alpha}");
    let mut shares: Vec<f64> = (0..count)
        .map(|_| ln(draw_gamma(rng, alpha + 1.0)) + ln(share_above_0(rng)) / alpha)
        .collect();
    let largest = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for share in &mut shares {
        *share = exp(*share - largest);
    }
    let sum: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::super::SplitMix64;
    use super::super::tests::Constant;
    use super::*;

    /// Mean and variance of a sample.
    fn moments(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
        let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for number in numbers {
            count += 1.0;
            sum += number;
            squares += number * number;
        }
        let mean: f64 = sum / count;
        (mean, squares / count - mean * mean)
    }

    #[test]
    fn gumbel_has_the_right_mean_and_variance() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        let mut rng = SplitMix64::new(1);
        let (mean, variance) = moments((0..40_000).map(|_| draw_gumbel(&mut rng)));
        // Standard deviation of the mean 0.0064, of the variance 0.017.
        assert!((mean - EULER).abs() < 0.03, "{mean}");
        let expected = std::f64::consts::PI.powi(2) / 6.0;
        assert!((variance - expected).abs() < 0.08, "{variance}");
    }

    #[test]
    fn gumbel_is_finite_at_both_ends() {
        let ends = [0, u64::MAX].map(|bits| draw_gumbel(&mut Constant(bits)));
        assert!((-3.7..-3.5).contains(&ends[0]), "{ends:?}");
        assert!((36.0..=37.0).contains(&ends[1]), "{ends:?}");
    }

    #[test]
    fn dirichlet_has_the_right_mean_and_variance() {
        let mut rng = SplitMix64::new(3);
        for alpha in [0.1, 0.5, 1.0, 3.0] {
            let draws = (0..20_000).map(|_| {
                let shares = draw_dirichlet(&mut rng, alpha, 4);
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                shares[0]
            });
            let (mean, variance) = moments(draws);
            assert!((mean - 0.25).abs() < 0.02, "alpha {alpha}: {mean}");
            let expected = 0.25 * 0.75 / (4.0 * alpha + 1.0);
            let found = variance / expected;
            assert!((found - 1.0).abs() < 0.05, "alpha {alpha}: {variance}");
        }
    }

    #[test]
    fn dirichlet_noise_of_an_extreme_alpha_is_a_number() {
        let mut rng = SplitMix64::new(4);
        let mut first = 0;
        for _ in 0..3000 {
            // Nearly all of the mass on one action, each as often as the others.
            let shares = draw_dirichlet(&mut rng, f64::from(f32::MIN_POSITIVE), 3);
            assert_eq!(shares.iter().filter(|&&share| share > 0.999).count(), 1);
            first += u32::from(shares[0] > 0.5);
        }
        // Standard deviation 26.
        assert!(first.abs_diff(1000) < 130, "{first}");
        for share in draw_dirichlet(&mut rng, f64::from(f32::MAX), 3) {
            assert!((share - 1.0 / 3.0).abs() < 1e-9, "{share}");
        }
        assert!(draw_dirichlet(&mut rng, 0.5, 0).is_empty());
        let alone = draw_dirichlet(&mut rng, f64::from(f32::MIN_POSITIVE), 1);
        assert!((alone[0] - 1.0).abs() < 1e-12);
    }
}
