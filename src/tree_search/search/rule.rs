//! The rules that choose actions: in a simulation, and at the end of a search.

#![allow(clippy::float_cmp)] // visits are whole numbers

use rand::Rng;

use super::halving::Schedule;
use crate::elementary::powf;
use crate::random::{Draw, draw_dirichlet, draw_gumbel};
use crate::simd::{LANES, Lanes, Portable, Simd, Vector, exp};
use crate::tree_search::config::{Backup, Root, TreeConfig};
use crate::tree_search::memory::edges::{Largest, Tally};
use crate::tree_search::memory::store::{NodeEdges, RootLanes};
#[cfg(doc)]
use crate::tree_search::search::evaluation::MAX_VALUE;

/// The rule of a [`Root`], with the tables that it computes once.
#[derive(Debug)]
pub(crate) enum SelectionRule {
    Puct {
        c_puct: f32,
        dirichlet_share: f32,
        dirichlet_alpha: f32,
    },
    Gumbel {
        c_visit: f32,
        c_scale: f32,
        backup: Backup,
        /// For each number of actions considered, from 1.
        schedules: Vec<Schedule>,
    },
}

impl SelectionRule {
    pub(crate) fn new(config: &TreeConfig) -> Self {
        match config.root {
            Root::Puct {
                c_puct,
                dirichlet_share,
                dirichlet_alpha,
            } => Self::Puct {
                c_puct,
                dirichlet_share,
                dirichlet_alpha,
            },
            Root::Gumbel {
                max_considered,
                c_visit,
                c_scale,
                backup,
            } => Self::Gumbel {
                c_visit,
                c_scale,
                backup,
                schedules: (1..=max_considered)
                    .map(|considered| Schedule::new(considered, config.num_simulations))
                    .collect(),
            },
        }
    }

    /// Draws the noise that a search adds at its root of `count` edges, `possible` of which have a
    /// probability above 0.
    pub(crate) fn draw_noise(
        &self,
        temperature: f32,
        tallies: &[Tally],
        count: usize,
        possible: usize,
        rng: &mut impl Rng,
        root: &mut [RootLanes],
    ) {
        let mut left = count;
        for (own, tally) in root.iter_mut().zip(tallies) {
            let edges = left.min(LANES);
            left -= edges;
            match *self {
                Self::Puct { .. } => own.noise = tally.priors,
                Self::Gumbel { .. } if temperature > 0.0 => {
                    let temperature = temperature.min(MAX_TEMPERATURE);
                    for noise in &mut own.noise[..edges] {
                        *noise = temperature * draw_gumbel(rng) as f32;
                    }
                }
                Self::Gumbel { .. } => own.noise[..edges].fill(0.0),
            }
        }
        if let Self::Puct {
            dirichlet_share: share,
            dirichlet_alpha,
            ..
        } = *self
            && share > 0.0
        {
            let mut drawn = draw_dirichlet(rng, f64::from(dirichlet_alpha), possible).into_iter();
            for own in root {
                for noise in &mut own.noise {
                    // Noise gives no chance to what the policy rules out.
                    if *noise > f32::NEG_INFINITY
                        && let Some(drawn) = drawn.next()
                    {
                        *noise = (1.0 - share) * *noise + share * drawn as f32;
                    }
                }
            }
        }
    }

    /// The place of the edge that a simulation takes below the root, at a node with visits.
    #[inline(always)]
    pub(crate) fn choose<V: Simd>(
        &self,
        simd: V,
        choice: NodeEdges<'_>,
        scratch: &mut [Lanes],
    ) -> usize {
        match self {
            Self::Puct { c_puct, .. } => puct(
                simd,
                choice,
                choice.tallies.iter().map(|it| &it.priors),
                *c_puct,
            ),
            Self::Gumbel {
                c_visit, c_scale, ..
            } => {
                let largest = improved_logits(simd, choice, *c_visit, *c_scale, scratch);
                // Compares the shares minus those of the visits, all times the sum of weights.
                let sum = softmax_weights(simd, &mut scratch[..choice.tallies.len()], largest);
                let scale = simd.splat(sum / (1.0 + choice.visits));
                let mut best = Largest::new(simd);
                for (group, (weights, tally)) in scratch.iter().zip(choice.tallies).enumerate() {
                    let visits = simd.load(&tally.visits);
                    best.take(group, simd.load(weights).sub(visits.mul(scale)));
                }
                best.place()
            }
        }
    }

    /// The place of the edge that a simulation takes at the root, `possible` of whose edges have a
    /// probability above 0.
    #[inline(always)]
    pub(crate) fn choose_at_root<V: Simd>(
        &self,
        simd: V,
        choice: NodeEdges<'_>,
        root: &[RootLanes],
        possible: usize,
        simulation: usize,
        scratch: &mut [Lanes],
    ) -> usize {
        match self {
            Self::Puct { c_puct, .. } => {
                puct(simd, choice, root.iter().map(|it| &it.noise), *c_puct)
            }
            Self::Gumbel {
                c_visit,
                c_scale,
                schedules,
                ..
            } => {
                // Actions of probability 0 are never sampled.
                let considered = schedules.len().min(possible);
                let due = schedules[considered - 1].visits(simulation);
                improved_logits(simd, choice, *c_visit, *c_scale, scratch);
                best_with_noise(simd, choice, root, due, scratch)
            }
        }
    }

    /// Whether nodes get their values by [`SelectionRule::mean_by_policy`], see [`Backup`].
    #[inline(always)]
    pub(crate) fn backs_up_by_policy(&self) -> bool {
        matches!(
            self,
            Self::Gumbel {
                backup: Backup::Policy,
                ..
            }
        )
    }

    /// The mean value of a node's edges with visits, of which there are some, weighed by the improved
    /// policy; for Gumbel alone.
    pub(crate) fn mean_by_policy(&self, choice: NodeEdges<'_>) -> f32 {
        match self {
            Self::Puct { .. } => choice.sum / choice.visits,
            Self::Gumbel {
                c_visit, c_scale, ..
            } => mean_by_policy(choice, value_weight(choice, *c_visit, *c_scale)),
        }
    }

    /// The place of the edge that a search chooses at its root of `count` edges; `targets` get the
    /// policy to learn.
    pub(crate) fn conclude(
        &self,
        choice: NodeEdges<'_>,
        count: usize,
        root: &[RootLanes],
        temperature: f32,
        rng: &mut impl Rng,
        targets: &mut [Lanes],
    ) -> usize {
        match self {
            Self::Puct { .. } => {
                for (targets, tally) in targets.iter_mut().zip(choice.tallies) {
                    *targets = tally.visits.map(|visits| visits / choice.visits);
                }
                draw_by_visits(choice, count, temperature, rng)
            }
            Self::Gumbel {
                c_visit, c_scale, ..
            } => {
                let largest = improved_logits(Portable, choice, *c_visit, *c_scale, targets);
                let lanes = choice.tallies.iter().zip(root);
                let new = lanes.flat_map(|(tally, root)| {
                    tally
                        .visits
                        .into_iter()
                        .zip(root.before)
                        .map(|(now, before)| now - before)
                });
                let most = new.fold(0.0, f32::max);
                let chosen = best_with_noise(Portable, choice, root, most, targets);
                let targets = &mut targets[..choice.tallies.len()];
                let scale = 1.0 / softmax_weights(Portable, targets, largest);
                targets
                    .as_flattened_mut()
                    .iter_mut()
                    .for_each(|it| *it *= scale);
                chosen
            }
        }
    }
}

/// The edge with the largest upper confidence bound. An edge without visits counts with the value of
/// its node so far; one whose logit is minus infinity is never the largest.
#[inline(always)]
fn puct<'a, V: Simd>(
    simd: V,
    choice: NodeEdges<'a>,
    priors: impl Iterator<Item = &'a Lanes>,
    c_puct: f32,
) -> usize {
    let unknown = simd.splat((choice.value + choice.sum) / (1.0 + choice.visits));
    // Infinity would be the bound of every edge.
    let weight = simd.splat((c_puct * (1.0 + choice.visits).sqrt()).min(f32::MAX));
    let mut best = Largest::new(simd);
    for (group, (tally, priors)) in choice.tallies.iter().zip(priors).enumerate() {
        let (means, visited) = tally.means(simd);
        let after = simd.load(&tally.visits).add(simd.splat(1.0));
        let bonus = weight.mul(simd.load(priors)).div(after);
        best.take(group, visited.select(means, unknown).add(bonus));
    }
    best.place()
}

/// The largest temperature of the noise at the root. Beyond it logits do not count, and the noise
/// would not be finite.
const MAX_TEMPERATURE: f32 = 1e30;

/// The largest weight of values against logits: 2 to the power of 62. With values of up to
/// [`MAX_VALUE`] their product is a finite f32.
const MAX_WEIGHT: f32 = (1_u64 << 62) as f32;

/// The weight of a node's values against its logits.
#[inline(always)]
fn value_weight(choice: NodeEdges<'_>, c_visit: f32, c_scale: f32) -> f32 {
    // Beyond this weight only the value counts; infinity times a value of 0 would not be a number.
    ((c_visit + choice.most) * c_scale).min(MAX_WEIGHT)
}

/// The logits, each with the weighted value of its action: Danihelka et al. 2022, equations 8 and 11.
/// Actions without visits get the mixed value of equation 33. Returns the largest.
#[inline(always)]
fn improved_logits<V: Simd>(
    simd: V,
    choice: NodeEdges<'_>,
    c_visit: f32,
    c_scale: f32,
    out: &mut [Lanes],
) -> f32 {
    let nothing = simd.splat(0.0);
    let (mut weighted, mut tried) = (nothing, nothing);
    for tally in choice.tallies {
        let (means, visited) = tally.means(simd);
        // Lanes without an edge are minus infinity and never visited.
        let priors = visited.select(simd.load(&tally.priors), nothing);
        weighted = weighted.add(priors.mul(means));
        tried = tried.add(priors);
    }
    let (weighted, tried) = (weighted.sum(), tried.sum());
    let mixed = if tried > 0.0 {
        (choice.value + choice.visits * (weighted / tried)) / (1.0 + choice.visits)
    } else {
        choice.value
    };
    let weight = simd.splat(value_weight(choice, c_visit, c_scale));
    let mixed = simd.splat(mixed);
    let mut largest = simd.splat(f32::NEG_INFINITY);
    let lanes = choice.logits.iter().zip(choice.tallies);
    for ((logits, tally), out) in lanes.zip(out) {
        let (means, visited) = tally.means(simd);
        let value = visited.select(means, mixed);
        let improved = simd.load(&logits.numbers).add(weight.mul(value));
        improved.store(out);
        largest = largest.max(improved);
    }
    largest.largest()
}

/// The mean value of the edges with visits, weighed by the softmax of their improved logits.
///
/// In portable code, so that it exists once, not for every processor and wherever values are backed up.
#[inline(never)]
fn mean_by_policy(choice: NodeEdges<'_>, weight: f32) -> f32 {
    let simd = Portable;
    let (weight, none) = (simd.splat(weight), simd.splat(f32::NEG_INFINITY));
    let edges = || {
        let lanes = choice.logits.iter().zip(choice.tallies);
        lanes.map(|(logits, tally)| {
            let (means, visited) = tally.means(simd);
            let improved = simd.load(&logits.numbers).add(weight.mul(means));
            (means, visited.select(improved, none))
        })
    };
    let largest = edges().fold(none, |largest, (_, improved)| largest.max(improved));
    let largest = simd.splat(largest.largest());
    let (mut values, mut sums) = (simd.splat(0.0), simd.splat(0.0));
    for (means, improved) in edges() {
        let weights = exp(simd, improved.sub(largest));
        values = values.add(weights.mul(means));
        sums = sums.add(weights);
    }
    values.sum() / sums.sum()
}

/// The largest of improved logits with the noise of this search, among the edges that have had this
/// many visits in it.
#[inline(always)]
fn best_with_noise<V: Simd>(
    simd: V,
    choice: NodeEdges<'_>,
    root: &[RootLanes],
    due: f32,
    improved: &[Lanes],
) -> usize {
    let mut best = Largest::new(simd);
    let lanes = choice.tallies.iter().zip(root).zip(improved);
    for (group, ((tally, root), improved)) in lanes.enumerate() {
        let new = simd.load(&tally.visits).sub(simd.load(&root.before));
        let scores = simd.load(improved).add(simd.load(&root.noise));
        let none = simd.splat(f32::NEG_INFINITY);
        let is_due = new.is_equal(simd.splat(due));
        best.take(group, is_due.select(scores, none));
    }
    best.place()
}

/// Writes the exponentials of numbers less the largest over them and returns their sum. That of minus
/// infinity is 0.
#[inline(always)]
fn softmax_weights<V: Simd>(simd: V, numbers: &mut [Lanes], largest: f32) -> f32 {
    let (mut sums, none) = (simd.splat(0.0), simd.splat(f32::NEG_INFINITY));
    for lanes in numbers {
        let numbers = simd.load(lanes);
        let weights = exp(simd, numbers.sub(simd.splat(largest)));
        let weights = numbers.is_equal(none).select(simd.splat(0.0), weights);
        weights.store(lanes);
        sums = sums.add(weights);
    }
    sums.sum()
}

/// The most visited action, of equal ones the one with the largest mean value; with a temperature, a
/// draw from the visits to the power of 1 over it.
fn draw_by_visits(
    choice: NodeEdges<'_>,
    count: usize,
    temperature: f32,
    rng: &mut impl Rng,
) -> usize {
    let key = |place: usize| {
        let tally = &choice.tallies[place / LANES];
        (tally.visits[place % LANES], tally.sums[place % LANES])
    };
    let better = |best, place| if key(place) > key(best) { place } else { best };
    let best = (0..count).fold(0, better);
    if temperature == 0.0 {
        return best;
    }
    let weight = |place: usize| {
        let (visits, _) = key(place);
        let share = visits / choice.most;
        let weight = if temperature == 1.0 {
            share
        } else {
            powf(share, 1.0 / temperature)
        };
        if weight < 1e-30 { 0.0 } else { weight }
    };
    let mut left = rng.unit() as f32 * (0..count).map(weight).sum::<f32>();
    for place in 0..count {
        let weight = weight(place);
        left -= weight;
        if left <= 0.0 && weight > 0.0 {
            return place;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn low_temperatures_still_draw_among_nearly_equal_visits() {
        let mut tally = Tally::NOTHING;
        tally.visits[..3].copy_from_slice(&[63.0, 64.0, 8.0]);
        let choice = NodeEdges {
            value: 0.0,
            visits: 135.0,
            sum: 0.0,
            most: 64.0,
            logits: &[],
            tallies: &[tally],
        };
        let mut rng = SplitMix64::new(9);
        let mut counts = [0; 3];
        for _ in 0..1_000 {
            counts[draw_by_visits(choice, 3, 0.05, &mut rng)] += 1;
        }
        // 63/64 to the power of 20 is 0.73, and 8/64 to it is nothing.
        assert!((380..460).contains(&counts[0]), "{counts:?}");
        assert_eq!(counts[0] + counts[1], 1_000);
    }

    #[test]
    fn of_equally_visited_actions_the_one_with_the_largest_value_is_best() {
        let mut tallies = [Tally::NOTHING; 2];
        for (place, sum) in [(1, -3.0), (LANES, 0.5), (LANES + 2, 2.0)] {
            tallies[place / LANES].visits[place % LANES] = 4.0;
            tallies[place / LANES].sums[place % LANES] = sum;
        }
        let choice = NodeEdges {
            value: 0.0,
            visits: 12.0,
            sum: 0.0,
            most: 4.0,
            logits: &[],
            tallies: &tallies,
        };
        let mut rng = SplitMix64::new(9);
        assert_eq!(draw_by_visits(choice, LANES + 3, 0.0, &mut rng), LANES + 2);
    }

    #[test]
    fn without_noise_nothing_is_drawn() {
        let puct = SelectionRule::Puct {
            c_puct: 1.0,
            dirichlet_share: 0.0,
            dirichlet_alpha: 0.3,
        };
        let gumbel = SelectionRule::Gumbel {
            c_visit: 50.0,
            c_scale: 1.0,
            backup: Backup::Mean,
            schedules: Vec::new(),
        };
        for (rule, temperature) in [(puct, 1.0), (gumbel, 0.0)] {
            let mut rng = SplitMix64::new(3);
            let before = rng.state();
            let mut root = [RootLanes::NOTHING];
            rule.draw_noise(temperature, &[Tally::NOTHING], 5, 5, &mut rng, &mut root);
            assert_eq!(rng.state(), before);
        }
    }
}
