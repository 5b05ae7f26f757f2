//! Chance at the root, and the plan of sequential halving.

use crate::random::SplitMix64;

/// A draw from the standard Gumbel distribution.
pub(crate) fn draw_gumbel(rng: &mut SplitMix64) -> f32 {
    -(-rng.open_unit().ln()).ln() as f32
}

/// A draw from a symmetric Dirichlet distribution: gamma variates over their sum.
pub(crate) fn draw_dirichlet(rng: &mut SplitMix64, alpha: f64, out: &mut [f32]) {
    let mut sum = 0.0;
    for number in &mut *out {
        let drawn = rng.gamma(alpha).max(f64::from(f32::MIN_POSITIVE));
        *number = drawn as f32;
        sum += drawn;
    }
    for number in out {
        *number = (f64::from(*number) / sum) as f32;
    }
}

/// The schedule of sequential halving: for each simulation, the visits that the action it takes has
/// had before in this search (Karnin et al. 2013; as in the library mctx).
///
/// All considered actions are visited equally often, then the better half of them, and so on down
/// to two.
pub(crate) fn schedule(considered: usize, simulations: usize) -> Vec<f32> {
    if considered <= 1 {
        return (0..simulations).map(|visits| visits as f32).collect();
    }
    let phases = considered.next_power_of_two().ilog2() as usize;
    let mut visits = vec![0.0; considered];
    let mut left = considered;
    let mut schedule = Vec::with_capacity(simulations + considered);
    while schedule.len() < simulations {
        for _ in 0..(simulations / (phases * left)).max(1) {
            schedule.extend_from_slice(&visits[..left]);
            for count in &mut visits[..left] {
                *count += 1.0;
            }
        }
        left = (left / 2).max(2);
    }
    schedule.truncate(simulations);
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_leaves_two() {
        let expected = [0., 0., 0., 0., 1., 1., 2., 2.];
        assert_eq!(schedule(4, 8), expected);
        assert_eq!(schedule(1, 3), [0., 1., 2.]);
        assert_eq!(schedule(16, 8), [0.; 8]);
    }

    #[test]
    fn dirichlet_noise_has_the_right_mean_and_spread() {
        let (alpha, draws) = (0.5, 20_000);
        let mut rng = SplitMix64::new(3);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..draws {
            let mut noise = [0.0; 4];
            draw_dirichlet(&mut rng, alpha, &mut noise);
            assert!((noise.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            sum += f64::from(noise[0]);
            squares += f64::from(noise[0]).powi(2);
        }
        let mean = sum / f64::from(draws);
        let variance = squares / f64::from(draws) - mean * mean;
        assert!((mean - 0.25).abs() < 0.01, "{mean}");
        // Variance of a Dirichlet component: m (1 - m) / (4 alpha + 1).
        assert!((variance - 0.0625).abs() < 0.004, "{variance}");
    }
}
