//! Random numbers: small, seeded, the same on every machine.
//!
//! The generator is `SplitMix64` (Steele, Lea & Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014), with the constants of Sebastiano Vigna's public-domain
//! `splitmix64.c`: a counter that grows by the odd number nearest to 2^64 over the golden ratio,
//! passed through a bijective mixing function. It has 64 bits of state, any seed is good, and
//! consecutive seeds give unrelated streams, which is what a batch needs that seeds game `i` with
//! `seed + i`. It is not for secrets.

#![forbid(unsafe_code)]

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of this seed, number for number that of the published code.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// One of 2^64 separate streams of this seed, for uses that must not disturb each other.
    ///
    /// Different numbers under one seed never give the same stream.
    #[must_use]
    pub const fn stream(seed: u64, number: u64) -> Self {
        let base = mix(seed.wrapping_add(GAMMA));
        Self::new(mix(base.wrapping_add(number)))
    }

    /// The whole state: a seed that continues this stream.
    #[must_use]
    pub const fn state(&self) -> u64 {
        self.state
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// A random number `0..count`, each equally likely.
    ///
    /// Multiplication instead of division, and rejection of the few values that would favour some
    /// results (Lemire, "Fast random integer generation in an interval", TOMACS 2019).
    ///
    /// # Panics
    ///
    /// If `count` is 0.
    #[inline]
    pub const fn below(&mut self, count: u64) -> u64 {
        assert!(count > 0, "no number is below 0");
        loop {
            let product = self.next_u64() as u128 * count as u128;
            let low = product as u64;
            // The remainder is slow and hardly ever needed: it is below `count`.
            if low >= count || low >= count.wrapping_neg() % count {
                return (product >> 64) as u64;
            }
        }
    }

    /// A random number between 0 and 1, neither of them included, in steps of 2^-52.
    ///
    /// With one bit more, the largest would lie half a step from 1, where rounding makes it 1.
    #[inline]
    pub fn open_unit(&mut self) -> f64 {
        open_unit(self.next_u64())
    }

    /// A draw from the gamma distribution of this shape, which is above 0, and scale 1.
    ///
    /// Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 2000, with
    /// normal variates by Box and Muller.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            return self.gamma(shape + 1.0) * self.open_unit().powf(1.0 / shape);
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let radius = (-2.0 * self.open_unit().ln()).sqrt();
            let normal = radius * (std::f64::consts::TAU * self.open_unit()).cos();
            let v = (1.0 + c * normal).powi(3);
            if v > 0.0 && self.open_unit().ln() < 0.5 * normal * normal + d * (1.0 - v + v.ln()) {
                return d * v;
            }
        }
    }
}

/// The number between 0 and 1 that random bits stand for.
fn open_unit(bits: u64) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 52) as f64;
    ((bits >> 12) as f64 + 0.5) * STEP
}

/// A bijection on 64 bits; every bit of the result depends on every bit of `z`.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut rng = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(std::array::from_fn(|_| rng.next_u64()), expected);
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
    fn units_are_open() {
        let ends = [open_unit(0), open_unit(u64::MAX)];
        assert!(ends[0] > 0.0 && ends[1] < 1.0, "{ends:?}");
        assert!((ends[0] + ends[1] - 1.0).abs() < 1e-15);
        let mut rng = SplitMix64::new(6);
        let mean = (0..10_000).map(|_| rng.open_unit()).sum::<f64>() / 10_000.0;
        // Standard deviation 0.003.
        assert!((mean - 0.5).abs() < 0.015, "{mean}");
    }

    #[test]
    fn streams_differ() {
        let first = |number| SplitMix64::stream(9, number).next_u64();
        let firsts: std::collections::HashSet<u64> = (0..1000).map(first).collect();
        assert_eq!(firsts.len(), 1000);
        assert_ne!(
            SplitMix64::stream(0, 1).next_u64(),
            SplitMix64::stream(1, 0).next_u64()
        );
    }
}
