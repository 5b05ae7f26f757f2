//! The generator of every seed.
//!
//! `SplitMix64` (Steele, Lea & Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014), with the constants of Sebastiano Vigna's public-domain
//! `splitmix64.c`: a counter that grows by the odd number nearest to 2^64 over the golden ratio,
//! passed through a bijective mixing function. It has 64 bits of state, any seed is good, and
//! consecutive seeds give unrelated streams, which is what a batch needs that seeds game `i` with
//! `seed + i`. It is not for secrets.

use std::convert::Infallible;

use rand::rand_core::utils::fill_bytes_via_next_word;
use rand::{Rng, SeedableRng, TryRng};

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
}

impl TryRng for SplitMix64 {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next_u64() >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.state = self.state.wrapping_add(GAMMA);
        Ok(mix(self.state))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

impl SeedableRng for SplitMix64 {
    type Seed = [u8; 8];

    fn from_seed(seed: Self::Seed) -> Self {
        Self::new(u64::from_le_bytes(seed))
    }

    /// The same as [`SplitMix64::new`].
    fn seed_from_u64(seed: u64) -> Self {
        Self::new(seed)
    }
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
    fn the_traits_of_rand_give_the_same_stream() {
        let mut plain = SplitMix64::new(3);
        let mut seeded = [
            SplitMix64::seed_from_u64(3),
            SplitMix64::from_seed(3_u64.to_le_bytes()),
        ];
        assert_eq!(seeded, [plain; 2]);
        let words = [plain.next_u64(), plain.next_u64()];
        assert_eq!(u64::from(seeded[0].next_u32()), words[0] >> 32);
        let mut bytes = [0; 12];
        seeded[1].fill_bytes(&mut bytes);
        assert_eq!(bytes[..8], words[0].to_le_bytes());
        assert_eq!(bytes[8..], words[1].to_le_bytes()[..4]);
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
