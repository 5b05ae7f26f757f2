//! How likely each variant of a batch is.

use thiserror::Error;

use crate::random::Draw;

/// How likely a new game is of each variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights(Option<Thresholds>);

/// The draws, as whole numbers below 2^64, from which on the next variant is meant.
#[derive(Clone, Debug, PartialEq)]
struct Thresholds {
    /// One for each variant but the last of those that can be drawn.
    ends: Vec<u64>,
}

/// Numbers that are not weights.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// Not one for each variant.
    #[error("{expected} variants need {expected} weights, not {found}")]
    Length {
        /// The number of variants.
        expected: usize,
        /// The number of weights.
        found: usize,
    },
    /// A number that is negative or not finite.
    #[error("weight {index} is {found:?}; a weight is a finite number, 0 or more")]
    NotAWeight {
        /// Its index.
        index: usize,
        /// The number.
        found: f64,
    },
    /// Only zeros.
    #[error("all weights are 0; at least one must be more")]
    AllZero,
}

/// 2^64.
const RANGE: f64 = 18_446_744_073_709_551_616.0;

impl Weights {
    /// All variants are equally likely.
    #[must_use]
    pub const fn equal() -> Self {
        Self(None)
    }

    /// Chances in proportion to these numbers, one for each of `count` variants.
    ///
    /// # Errors
    ///
    /// When there are not as many, one of them is negative or not finite, or all are 0.
    pub fn new(weights: &[f64], count: usize) -> Result<Self, WeightsError> {
        if weights.len() != count {
            let (expected, found) = (count, weights.len());
            return Err(WeightsError::Length { expected, found });
        }
        let bad = |weight: &f64| !weight.is_finite() || *weight < 0.0;
        if let Some(index) = weights.iter().position(bad) {
            let found = weights[index];
            return Err(WeightsError::NotAWeight { index, found });
        }
        let Some(last) = weights.iter().rposition(|&weight| weight > 0.0) else {
            return Err(WeightsError::AllZero);
        };
        if weights
            .iter()
            .all(|weight| weight.to_bits() == weights[0].to_bits())
        {
            return Ok(Self::equal());
        }
        // The sums of such shares are finite whatever the weights.
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let mut sum = 0.0;
        let sums: Vec<f64> = weights
            .iter()
            .map(|weight| {
                sum += weight / largest;
                sum
            })
            .collect();
        // Both operations are exact up to rounding as IEEE 754 has it, so all machines agree. A
        // quotient of 1 becomes the largest u64.
        let end = |before: &f64| (before / sum * RANGE) as u64;
        let ends = sums[..last].iter().map(end).collect();
        Ok(Self(Some(Thresholds { ends })))
    }

    /// Whether these are weights of so many variants.
    pub(super) fn fit(&self, count: usize) -> bool {
        self.0.as_ref().is_none_or(|it| it.ends.len() < count)
    }

    /// The index of a variant of `count`. One variant alone is not drawn: the stream stays as it is.
    pub(super) fn draw(&self, count: usize, rng: &mut impl Draw) -> usize {
        match &self.0 {
            _ if count == 1 => 0,
            None => rng.below(count as u64) as usize,
            Some(thresholds) => thresholds.at(rng.next_u64()),
        }
    }
}

impl Thresholds {
    /// The index of the variant of a draw: the first whose end is above it.
    fn at(&self, drawn: u64) -> usize {
        self.ends.partition_point(|&end| end <= drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn variants_are_drawn_in_proportion() {
        let weights = Weights::new(&[0.0, 3.0, 0.0, 1.0, 0.0], 5).unwrap();
        let mut rng = SplitMix64::new(1);
        let mut counts = [0_i32; 5];
        for _ in 0..40_000 {
            counts[weights.draw(5, &mut rng)] += 1;
        }
        assert_eq!((counts[0], counts[2], counts[4]), (0, 0, 0));
        // Standard deviation 87.
        assert!((counts[1] - 30_000).abs() < 450, "{counts:?}");
    }

    #[test]
    fn the_ends_of_the_range_belong_to_variants_with_a_weight() {
        let weights = Weights::new(&[0.0, 1e-300, f64::MAX, 0.0], 4).unwrap();
        let thresholds = weights.0.unwrap();
        assert_eq!([0, u64::MAX].map(|drawn| thresholds.at(drawn)), [2, 2]);
        let halves = Weights::new(&[0.0, 1.0, 1.0], 3).unwrap().0.unwrap();
        let middle = 1 << 63;
        assert_eq!([0, middle - 1, middle].map(|it| halves.at(it)), [1, 1, 2]);
    }

    #[test]
    fn equal_weights_are_drawn_as_none() {
        let weights = Weights::new(&[0.1, 0.1, 0.1], 3).unwrap();
        assert_eq!(weights, Weights::equal());
        let [mut one, mut other] = [SplitMix64::new(4), SplitMix64::new(4)];
        assert_eq!(weights.draw(3, &mut one) as u64, other.below(3));
        let before = one;
        assert_eq!(weights.draw(1, &mut one), 0);
        assert_eq!(one, before);
    }

    #[test]
    fn numbers_that_are_not_weights_are_refused() {
        let refused = |weights: &[f64]| Weights::new(weights, 2).unwrap_err();
        assert_eq!(refused(&[0.0, 0.0]), WeightsError::AllZero);
        for (bad, name) in [
            (-1.0, "-1.0"),
            (-1e-300, "-1e-300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            let error = refused(&[1.0, bad]).to_string();
            assert!(
                error.starts_with(&format!("weight 1 is {name};")),
                "{error}"
            );
        }
        let expected = WeightsError::Length {
            expected: 2,
            found: 1,
        };
        assert_eq!(refused(&[1.0]), expected);
    }
}
