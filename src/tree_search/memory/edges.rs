//! The edges of nodes, eight at a time.

#![forbid(unsafe_code)]

use crate::simd::{LANES, Lanes, Simd, Vector, exp};

/// The child of an edge that no simulation has taken yet.
pub(crate) const NONE: u32 = u32::MAX;

/// The network's output for eight edges of a node.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Logits {
    /// Logits minus the largest of the node; minus infinity in lanes without an edge.
    pub(crate) numbers: Lanes,
}

impl Logits {
    pub(crate) const NOTHING: Self = Self {
        numbers: [f32::NEG_INFINITY; LANES],
    };
}

/// The statistics of simulations for eight edges of a node.
#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub(crate) struct Tally {
    pub(crate) visits: Lanes,
    /// Sums of the values found, for the side to move at the node. Backed up by policy, the value of the
    /// child times the visits.
    pub(crate) sums: Lanes,
    /// The softmax of the node's logits; minus infinity where they are, so that no bound makes up for it,
    /// and in lanes without an edge.
    pub(crate) priors: Lanes,
    pub(crate) children: [u32; LANES],
}

impl Tally {
    pub(crate) const NOTHING: Self = Self {
        visits: [0.0; LANES],
        sums: [0.0; LANES],
        priors: [f32::NEG_INFINITY; LANES],
        children: [NONE; LANES],
    };

    /// Adds the tallies of a node whose edges have these logits, without visits.
    #[inline(always)]
    pub(crate) fn open<V: Simd>(simd: V, all: &mut Vec<Self>, logits: &[Logits]) {
        let first = all.len();
        all.resize(first + logits.len(), Self::NOTHING);
        let own = &mut all[first..];
        let mut sums = simd.splat(0.0);
        for (tally, logits) in own.iter_mut().zip(logits) {
            let weights = exp(simd, simd.load(&logits.numbers));
            weights.store(&mut tally.priors);
            sums = sums.add(weights);
        }
        let scale = simd.splat(1.0 / sums.sum());
        let nothing = simd.splat(f32::NEG_INFINITY);
        for (tally, logits) in own.iter_mut().zip(logits) {
            let possible = simd.load(&logits.numbers).is_above(nothing);
            let priors = simd.load(&tally.priors).mul(scale);
            possible.select(priors, nothing).store(&mut tally.priors);
        }
    }

    /// The mean values of the edges that have visits, 0 for the others, and where there are visits.
    #[inline(always)]
    pub(crate) fn means<V: Simd>(&self, simd: V) -> (V::Vector, V::Vector) {
        let visits = simd.load(&self.visits);
        let means = simd.load(&self.sums).div(visits.max(simd.splat(1.0)));
        (means, visits.is_above(simd.splat(0.0)))
    }
}

/// The number of groups of lanes that this many edges fill.
#[inline(always)]
pub(crate) const fn groups(edges: usize) -> usize {
    edges.div_ceil(LANES)
}

/// Finds the largest of many numbers, the first of equal ones.
pub(crate) struct Largest<V: Simd> {
    simd: V,
    /// The largest number of each lane.
    numbers: V::Vector,
    /// The group in which each lane had its largest number.
    group: V::Vector,
}

impl<V: Simd> Largest<V> {
    #[inline(always)]
    pub(crate) fn new(simd: V) -> Self {
        Self {
            simd,
            numbers: simd.splat(f32::NEG_INFINITY),
            group: simd.splat(0.0),
        }
    }

    /// Takes in the next group; numbers that are NaN are passed over.
    #[inline(always)]
    pub(crate) fn take(&mut self, group: usize, numbers: V::Vector) {
        let better = numbers.is_above(self.numbers);
        self.numbers = better.select(numbers, self.numbers);
        self.group = better.select(self.simd.splat(group as f32), self.group);
    }

    #[inline(always)]
    pub(crate) fn largest(&self) -> f32 {
        self.numbers.largest()
    }

    /// The place of the largest number; 0 when all are minus infinity.
    #[inline(always)]
    pub(crate) fn place(&self) -> usize {
        /// The places of the first group, negative because the largest of them is to be the first.
        const FIRST: Lanes = [0.0, -1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0];
        let places = self
            .simd
            .load(&FIRST)
            .sub(self.group.mul(self.simd.splat(LANES as f32)));
        let is_largest = self.numbers.is_equal(self.simd.splat(self.largest()));
        let first = is_largest.select(places, self.simd.splat(f32::NEG_INFINITY));
        -first.largest() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    #[test]
    fn best_is_the_first_of_the_largest() {
        let mut best = Largest::new(Portable);
        assert_eq!(best.place(), 0);
        let mut take = |group, numbers| {
            best.take(group, Portable.load(&numbers));
            (best.place(), best.largest())
        };
        let first = [1.0, 3.0, f32::NAN, 2.0, -1.0, 0.0, 3.0, 1.0];
        assert_eq!(take(0, first), (1, 3.0));
        assert_eq!(take(1, [3.0; LANES]), (1, 3.0));
        let third = [0.0, 0.0, 0.0, 0.0, 0.0, 4.0, f32::NAN, 4.0];
        assert_eq!(take(2, third), (21, 4.0));
    }

    #[test]
    #[allow(clippy::float_cmp)] // infinity
    fn priors_are_the_softmax_of_the_logits() {
        let mut logits = [Logits::NOTHING; 2];
        logits[0].numbers = [-2., f32::NEG_INFINITY, 0., -200., 0., -3., -3., -3.];
        logits[1].numbers[0] = -1.0;
        let mut tallies = vec![Tally::NOTHING];
        Tally::open(Portable, &mut tallies, &logits);
        let sum: f64 = [-2_f64, 0., 0., -3., -3., -3., -1.]
            .map(f64::exp)
            .iter()
            .sum();
        let first = tallies[1].priors.map(f64::from);
        assert!((first[0] * sum - (-2_f64).exp()).abs() < 1e-6);
        assert!((first[4] * sum - 1.0).abs() < 1e-6);
        assert_eq!(tallies[1].priors[1], f32::NEG_INFINITY);
        assert!((0.0..1e-30).contains(&first[3]));
        let [ninth, none @ ..] = tallies[2].priors;
        assert!((f64::from(ninth) * sum - (-1_f64).exp()).abs() < 1e-6);
        assert_eq!(none, [f32::NEG_INFINITY; 7]);
    }

    #[test]
    fn edges_fill_groups() {
        assert_eq!([0, 1, 8, 9].map(groups), [0, 1, 1, 2]);
    }
}
