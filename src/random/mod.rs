//! Random numbers: seeded, and the same on every machine.
//!
//! [`SplitMix64`] implements the traits of the package `rand`, and every function of this crate that
//! draws takes any generator that does. Draws that decide games go through [`Draw`], whose numbers
//! this crate promises to keep; `rand` makes no such promise for its own ranges and floats.
//!
//! ```
//! use mijnlieff::random::{Draw, SplitMix64};
//! use rand::seq::IndexedRandom;
//!
//! let mut rng = SplitMix64::new(7);
//! assert!(rng.below(6) < 6);
//! assert!([1, 2, 3].choose(&mut rng).is_some()); // anything of `rand` works as well
//! ```

#![forbid(unsafe_code)]

mod distributions;
mod split_mix;

use rand::Rng;

pub(crate) use distributions::{draw_dirichlet, draw_gumbel};
pub use split_mix::SplitMix64;

/// Draws that make the same numbers of the same bits in every version of this crate.
pub trait Draw: Rng {
    /// A random number `0..count`, each equally likely.
    ///
    /// Multiplication instead of division, and rejection of the few values that would favor some
    /// results (Lemire, "Fast random integer generation in an interval", TOMACS 2019).
    ///
    /// # Panics
    ///
    /// If `count` is 0.
    #[inline]
    fn below(&mut self, count: u64) -> u64 {
        assert!(count > 0, "count must be at least 1");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(count);
            let low = product as u64;
            // The remainder is slow and hardly ever needed: it is below `count`.
            if low >= count || low >= count.wrapping_neg() % count {
                return (product >> 64) as u64;
            }
        }
    }

    /// A random number from 0 to 1, 0 included and 1 not, in steps of 2^-53.
    #[inline]
    fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * STEP
    }
}

impl<R: Rng + ?Sized> Draw for R {}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::TryRng;

    use super::*;

    /// A generator whose bits are always these.
    pub(super) struct Constant(pub(super) u64);

    impl TryRng for Constant {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(self.0 as u32)
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(self.0)
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            bytes.fill(self.0 as u8);
            Ok(())
        }
    }

    #[test]
    fn below_is_uniform() {
        let mut rng = SplitMix64::new(5);
        let mut counts = [0_i64; 7];
        for _ in 0..70_000 {
            counts[rng.below(7) as usize] += 1;
        }
        // Standard deviation 93.
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 500));
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn below_keeps_its_numbers() {
        let mut rng = SplitMix64::new(5);
        let drawn = [2, 3, 10, 1000, u64::MAX].map(|count| rng.below(count));
        assert_eq!(drawn, [0, 2, 2, 99, 3_467_252_261_107_883_460]);
    }

    #[test]
    fn units_are_uniform_and_never_1() {
        let mut rng = SplitMix64::new(6);
        let mean = (0..10_000).map(|_| rng.unit()).sum::<f64>() / 10_000.0;
        // Standard deviation 0.003.
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
        let mut ends = [0, u64::MAX].map(Constant);
        assert_eq!(ends[0].unit().to_bits(), 0.0_f64.to_bits());
        assert_eq!(
            ends[1].unit().to_bits(),
            (1.0 - f64::EPSILON / 2.0).to_bits()
        );
    }
}
