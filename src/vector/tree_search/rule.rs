//! Which action a simulation takes, and what a search concludes.

#![allow(clippy::float_cmp)] // visits are whole numbers

use super::config::{Root, TreeConfig};
use super::softmax::{argmax, exp, softmax};
use super::tree::Choice;
use crate::random::SplitMix64;

/// The rule of a [`Root`], with what is computed once for it.
#[derive(Debug)]
pub(super) enum Rule {
    Puct {
        c_puct: f32,
        noise: f32,
        alpha: f32,
    },
    Gumbel {
        c_visit: f32,
        c_scale: f32,
        /// For each number of actions considered, from 1, the visits that the action which a
        /// simulation takes has had before.
        schedules: Vec<Vec<f32>>,
    },
}

/// What a search says about its root.
pub(super) struct Conclusion {
    /// The place of the action chosen among those of the root.
    pub(super) chosen: usize,
    /// For the side to move.
    pub(super) value: f32,
}

impl Rule {
    pub(super) fn new(config: &TreeConfig) -> Self {
        match config.root {
            Root::Puct {
                c_puct,
                noise,
                alpha,
            } => Self::Puct {
                c_puct,
                noise,
                alpha,
            },
            Root::Gumbel {
                max_considered,
                c_visit,
                c_scale,
            } => Self::Gumbel {
                c_visit,
                c_scale,
                schedules: (1..=max_considered)
                    .map(|considered| schedule(considered, config.num_simulations))
                    .collect(),
            },
        }
    }

    /// Draws the chance that a search adds at its root, a number for each of its actions: for PUCT
    /// the policy with noise in it, for Gumbel what is added to the logits.
    pub(super) fn draw_noise(
        &self,
        temperature: f32,
        priors: &[f32],
        stream: &mut SplitMix64,
        noise: &mut Vec<f32>,
    ) {
        noise.clear();
        match *self {
            Self::Puct {
                noise: share,
                alpha,
                ..
            } if share > 0.0 => {
                noise.resize(priors.len(), 0.0);
                draw_dirichlet(stream, f64::from(alpha), noise);
                for (number, prior) in noise.iter_mut().zip(priors) {
                    *number = (1.0 - share) * prior + share * *number;
                }
            }
            Self::Puct { .. } => noise.extend_from_slice(priors),
            Self::Gumbel { .. } if temperature > 0.0 => {
                let gumbel = |_: &f32| -(-stream.open_unit().ln()).ln() as f32;
                noise.extend(priors.iter().map(gumbel).map(|drawn| temperature * drawn));
            }
            Self::Gumbel { .. } => noise.resize(priors.len(), 0.0),
        }
    }

    /// The place of the edge that a simulation takes below the root.
    #[inline(always)]
    pub(super) fn choose(&self, choice: Choice<'_>, scratch: &mut Vec<f32>) -> usize {
        match self {
            Self::Puct { c_puct, .. } => puct(choice, choice.priors, *c_puct, scratch),
            Self::Gumbel {
                c_visit, c_scale, ..
            } => {
                let total: f32 = choice.visits.iter().sum();
                if total == 0.0 {
                    return argmax(choice.priors);
                }
                improved_logits(choice, *c_visit, *c_scale, scratch);
                softmax(scratch);
                let scale = 1.0 / (1.0 + total);
                for (share, &visits) in scratch.iter_mut().zip(choice.visits) {
                    *share -= visits * scale;
                }
                argmax(scratch)
            }
        }
    }

    /// The place of the edge that a simulation takes at the root.
    #[inline(always)]
    pub(super) fn choose_at_root(
        &self,
        choice: Choice<'_>,
        noise: &[f32],
        before: &[f32],
        simulation: usize,
        scratch: &mut Vec<f32>,
    ) -> usize {
        match self {
            Self::Puct { c_puct, .. } => puct(choice, noise, *c_puct, scratch),
            Self::Gumbel {
                c_visit,
                c_scale,
                schedules,
            } => {
                let considered = schedules.len().min(choice.visits.len());
                let due = schedules[considered - 1][simulation];
                gumbel_scores(choice, noise, *c_visit, *c_scale, scratch);
                let visits = choice.visits.iter().zip(before);
                for (score, (now, before)) in scratch.iter_mut().zip(visits) {
                    if now - before != due {
                        *score = f32::NEG_INFINITY;
                    }
                }
                argmax(scratch)
            }
        }
    }

    /// What a search that is done says about its root; `targets` get the policy to learn.
    pub(super) fn conclude(
        &self,
        choice: Choice<'_>,
        noise: &[f32],
        before: &[f32],
        temperature: f32,
        mut stream: SplitMix64,
        targets: &mut Vec<f32>,
    ) -> Conclusion {
        let total: f32 = choice.visits.iter().sum();
        let sum: f32 = choice.sums.iter().sum();
        let value = if choice.visits.len() == 1 && total > 0.0 {
            sum / total // a forced pass has not been evaluated itself
        } else {
            (choice.value + sum) / (1.0 + total)
        };
        let chosen = match self {
            Self::Puct { .. } => {
                targets.clear();
                targets.extend(choice.visits.iter().map(|visits| visits / total));
                draw_by_visits(choice, temperature, &mut stream)
            }
            Self::Gumbel {
                c_visit, c_scale, ..
            } => {
                gumbel_scores(choice, noise, *c_visit, *c_scale, targets);
                let new = choice.visits.iter().zip(before);
                let most = new.clone().map(|(now, before)| now - before);
                let most = most.fold(0.0, f32::max);
                for (score, (now, before)) in targets.iter_mut().zip(new) {
                    if now - before != most {
                        *score = f32::NEG_INFINITY;
                    }
                }
                let chosen = argmax(targets);
                improved_logits(choice, *c_visit, *c_scale, targets);
                softmax(targets);
                chosen
            }
        };
        Conclusion { chosen, value }
    }
}

/// The edge with the largest upper confidence bound. An edge without visits is thought to be worth
/// what its node has been worth so far.
#[inline(always)]
fn puct(choice: Choice<'_>, priors: &[f32], c_puct: f32, scratch: &mut Vec<f32>) -> usize {
    let total: f32 = choice.visits.iter().sum();
    let sum: f32 = choice.sums.iter().sum();
    let unknown = (choice.value + sum) / (1.0 + total);
    let weight = c_puct * (1.0 + total).sqrt();
    scratch.clear();
    let edges = choice.visits.iter().zip(choice.sums).zip(priors);
    scratch.extend(edges.map(|((&visits, &sum), &prior)| {
        let known = sum / visits.max(1.0);
        let value = if visits > 0.0 { known } else { unknown };
        value + weight * prior / (1.0 + visits)
    }));
    argmax(scratch)
}

/// The logits, each with the weighted value of its action: Danihelka et al. 2022, equations 8 and 11.
/// Actions without visits get the mixed value of equation 33.
#[inline(always)]
fn improved_logits(choice: Choice<'_>, c_visit: f32, c_scale: f32, out: &mut Vec<f32>) {
    let (mut total, mut most, mut weighted, mut tried) = (0.0_f32, 0.0_f32, 0.0_f32, 0.0_f32);
    let edges = choice.visits.iter().zip(choice.sums).zip(choice.priors);
    for ((&visits, &sum), &prior) in edges {
        total += visits;
        most = most.max(visits);
        weighted += prior * sum / visits.max(1.0);
        tried += if visits > 0.0 { prior } else { 0.0 };
    }
    let mixed = if tried > 0.0 {
        (choice.value + total * (weighted / tried)) / (1.0 + total)
    } else {
        choice.value
    };
    let weight = (c_visit + most) * c_scale;
    out.clear();
    let edges = choice.visits.iter().zip(choice.sums).zip(choice.logits);
    out.extend(edges.map(|((&visits, &sum), &logit)| {
        let known = sum / visits.max(1.0);
        let value = if visits > 0.0 { known } else { mixed };
        logit + weight * value
    }));
}

/// The improved logits with the noise of this search.
#[inline(always)]
fn gumbel_scores(
    choice: Choice<'_>,
    noise: &[f32],
    c_visit: f32,
    c_scale: f32,
    out: &mut Vec<f32>,
) {
    improved_logits(choice, c_visit, c_scale, out);
    for (score, &drawn) in out.iter_mut().zip(noise) {
        *score += drawn;
    }
}

/// The most visited action, of equal ones the one with the largest mean value; with a temperature, a
/// draw from the visits to the power of 1 over it.
fn draw_by_visits(choice: Choice<'_>, temperature: f32, stream: &mut SplitMix64) -> usize {
    let visits = choice.visits;
    if temperature == 0.0 {
        let key = |place: usize| (visits[place], choice.sums[place]);
        let better = |best, place| if key(place) > key(best) { place } else { best };
        return (0..visits.len()).fold(0, better);
    }
    let most = visits.iter().copied().fold(0.0, f32::max);
    let weights: Vec<f32> = visits
        .iter()
        .map(|&visits| exp((visits / most).ln() / temperature))
        .map(|weight| if weight < 1e-30 { 0.0 } else { weight })
        .collect();
    let mut left = stream.open_unit() as f32 * weights.iter().sum::<f32>();
    for (place, weight) in weights.iter().enumerate() {
        left -= weight;
        if left <= 0.0 && *weight > 0.0 {
            return place;
        }
    }
    argmax(&weights)
}

/// A draw from a symmetric Dirichlet distribution: gamma variates over their sum.
fn draw_dirichlet(stream: &mut SplitMix64, alpha: f64, out: &mut [f32]) {
    let mut sum = 0.0;
    for number in &mut *out {
        let drawn = stream.gamma(alpha).max(f64::from(f32::MIN_POSITIVE));
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
fn schedule(considered: usize, simulations: usize) -> Vec<f32> {
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
        let mut stream = SplitMix64::new(3);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..draws {
            let mut noise = [0.0; 4];
            draw_dirichlet(&mut stream, alpha, &mut noise);
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
