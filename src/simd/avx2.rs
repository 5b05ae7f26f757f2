//! Vectors of eight f32 for x86 processors with AVX2, and the proof that a processor has it.

#![allow(
    unsafe_code,
    reason = "AVX2 instructions must run only on processors that have them"
)]

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{
    __m256, __m256i, _CMP_EQ_OQ, _CMP_GT_OQ, _mm_add_ps, _mm_castps_si128, _mm_castsi128_ps,
    _mm_cvtsi64_si128, _mm_cvtss_f32, _mm_max_epi32, _mm_max_ps, _mm_movehl_ps, _mm_set_epi64x,
    _mm_shuffle_ps, _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps, _mm256_and_si256,
    _mm256_blendv_ps, _mm256_broadcastsi128_si256, _mm256_castps_si256, _mm256_castps256_ps128,
    _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi32,
    _mm256_cvtps_epi32, _mm256_div_ps, _mm256_extractf128_ps, _mm256_loadu_ps, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_max_epi32, _mm256_max_ps, _mm256_movemask_ps, _mm256_mul_ps,
    _mm256_packs_epi32, _mm256_permute_ps, _mm256_permute2f128_ps, _mm256_permute4x64_epi64,
    _mm256_permutevar8x32_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256,
    _mm256_slli_epi32, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps, _pdep_u64,
};

use super::with_features::with_features;
use super::{Kernel, LANES, Lanes, Simd, Vector, WORDS};

/// Proof that the processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
///
/// Only [`Avx2::detect`] makes one: the field is private to this file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    /// The proof, on processors that have the instructions.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        found.then_some(Self(()))
    }

    /// Runs a loop compiled for these instructions.
    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Result {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn compiled<K: Kernel>(proof: Avx2, kernel: K) -> K::Result {
            kernel.run(proof)
        }
        // SAFETY: `self` proves that the processor has every feature that `compiled` enables.
        unsafe { compiled(self, kernel) }
    }
}

/// Eight numbers in a register. It is made with an [`Avx2`], so it is the same proof.
#[derive(Clone, Copy)]
pub(super) struct Avx2Vector(__m256);

impl Avx2Vector {
    /// Numbers in a register that only a processor with AVX2 has.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn of(numbers: __m256) -> Self {
        Self(numbers)
    }
}

/// Sixteen words in a register, made with an [`Avx2`].
#[derive(Clone, Copy)]
pub(super) struct Avx2Words(__m256i);

/// Eight sums in a register, made with an [`Avx2`].
#[derive(Clone, Copy)]
pub(super) struct Avx2Sums(__m256i);

macro_rules! with_avx2 {
    ($($methods:tt)*) => {
        with_features! { "avx2,bmi2": $($methods)* }
    };
}

impl Simd for Avx2 {
    type Vector = Avx2Vector;
    type Words = Avx2Words;
    type Sums = Avx2Sums;

    with_avx2! {
        fn load_words(_proof: Avx2, words: &[i16; WORDS]) -> Avx2Words {
            // SAFETY: 32 bytes are read through a reference to as many, at any alignment.
            Avx2Words(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
        }

        fn splat_pair(_proof: Avx2, pair: [i16; 2]) -> Avx2Words {
            let (low, high) = (u32::from(pair[0] as u16), u32::from(pair[1] as u16));
            Avx2Words(_mm256_set1_epi32((low | high << 16) as i32))
        }

        fn no_sums(_proof: Avx2) -> Avx2Sums {
            Avx2Sums(_mm256_setzero_si256())
        }

        fn add_products(
            _proof: Avx2,
            sums: Avx2Sums,
            words: Avx2Words,
            others: Avx2Words
        ) -> Avx2Sums {
            Avx2Sums(_mm256_add_epi32(sums.0, _mm256_madd_epi16(words.0, others.0)))
        }

        fn to_numbers(_proof: Avx2, sums: Avx2Sums) -> Avx2Vector {
            Avx2Vector(_mm256_cvtepi32_ps(sums.0))
        }

        fn load(_proof: Avx2, numbers: &Lanes) -> Avx2Vector {
            // SAFETY: eight numbers are read through a reference to as many, at any alignment.
            Avx2Vector(unsafe { _mm256_loadu_ps(numbers.as_ptr()) })
        }

        fn splat(_proof: Avx2, number: f32) -> Avx2Vector {
            Avx2Vector(_mm256_set1_ps(number))
        }

        fn write_kept(_proof: Avx2, words: [u64; 2], kept: &[u64; 8], out: &mut [i8; 64]) -> () {
            let words = _mm_set_epi64x(words[1] as i64, words[0] as i64);
            let words = _mm256_broadcastsi128_si256(words);
            let halves = kept.as_chunks::<4>().0.iter().zip(out.as_chunks_mut::<32>().0);
            for (kept, out) in halves {
                // SAFETY: 32 bytes are read through a reference to four words, at any alignment.
                let kept = unsafe { _mm256_loadu_si256(kept.as_ptr().cast()) };
                let bytes = _mm256_and_si256(words, kept);
                // SAFETY: 32 bytes are written through a reference to as many, at any alignment.
                unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes) };
            }
        }

        fn in_fours(_proof: Avx2, vectors: [Avx2Vector; 2]) -> [Avx2Vector; LANES] {
            let [a, b] = vectors.map(|vector| vector.0);
            let low = _mm256_permute2f128_ps::<0x20>(a, b);
            let high = _mm256_permute2f128_ps::<0x31>(a, b);
            [
                _mm256_permute_ps::<0b00_00_00_00>(low),
                _mm256_permute_ps::<0b01_01_01_01>(low),
                _mm256_permute_ps::<0b10_10_10_10>(low),
                _mm256_permute_ps::<0b11_11_11_11>(low),
                _mm256_permute_ps::<0b00_00_00_00>(high),
                _mm256_permute_ps::<0b01_01_01_01>(high),
                _mm256_permute_ps::<0b10_10_10_10>(high),
                _mm256_permute_ps::<0b11_11_11_11>(high),
            ]
            .map(Avx2Vector)
        }

        fn deposit(_proof: Avx2, bits: u64, mask: u64) -> u64 {
            _pdep_u64(bits, mask)
        }
    }
}

/// The numbers of a vector joined by an operation: the two halves, in pairs of lanes four apart.
macro_rules! folded {
    ($operation:ident, $vector:ident) => {{
        let high = _mm256_extractf128_ps::<1>($vector.0);
        let four = $operation(_mm256_castps256_ps128($vector.0), high);
        let two = $operation(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32($operation(two, _mm_shuffle_ps::<1>(two, two)))
    }};
}

impl Vector for Avx2Vector {
    with_avx2! {
        fn store(this: Avx2Vector, numbers: &mut Lanes) -> () {
            // SAFETY: eight numbers are written through a reference to as many, at any alignment.
            unsafe { _mm256_storeu_ps(numbers.as_mut_ptr(), this.0) };
        }

        fn add(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_add_ps(this.0, other.0))
        }

        fn sub(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_sub_ps(this.0, other.0))
        }

        fn mul(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_mul_ps(this.0, other.0))
        }

        fn div(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_div_ps(this.0, other.0))
        }

        fn max(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_max_ps(this.0, other.0))
        }

        fn max_or_nan(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            let (numbers, others) = (_mm256_castps_si256(this.0), _mm256_castps_si256(other.0));
            Avx2Vector(_mm256_castsi256_ps(_mm256_max_epi32(numbers, others)))
        }

        fn abs(this: Avx2Vector) -> Avx2Vector {
            let magnitude = _mm256_set1_epi32(i32::MAX);
            Avx2Vector(_mm256_and_ps(this.0, _mm256_castsi256_ps(magnitude)))
        }

        fn is_above(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_cmp_ps::<_CMP_GT_OQ>(this.0, other.0))
        }

        fn is_equal(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_cmp_ps::<_CMP_EQ_OQ>(this.0, other.0))
        }

        fn select(this: Avx2Vector, yes: Avx2Vector, no: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_blendv_ps(no.0, yes.0, this.0))
        }

        fn and(this: Avx2Vector, other: Avx2Vector) -> Avx2Vector {
            Avx2Vector(_mm256_and_ps(this.0, other.0))
        }

        fn all(this: Avx2Vector) -> bool {
            _mm256_movemask_ps(this.0) == 0xff
        }

        fn scale_by(this: Avx2Vector, exponents: Avx2Vector) -> Avx2Vector {
            let exponents = _mm256_slli_epi32::<23>(_mm256_castps_si256(exponents.0));
            let bits = _mm256_add_epi32(_mm256_castps_si256(this.0), exponents);
            Avx2Vector(_mm256_castsi256_ps(bits))
        }

        fn pick(this: Avx2Vector, order: [u8; LANES]) -> Avx2Vector {
            let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(order)));
            Avx2Vector(_mm256_permutevar8x32_ps(this.0, order))
        }

        fn sum(this: Avx2Vector) -> f32 {
            folded!(_mm_add_ps, this)
        }

        fn largest(this: Avx2Vector) -> f32 {
            folded!(_mm_max_ps, this)
        }

        fn largest_or_nan(this: Avx2Vector) -> f32 {
            let larger = |a, b| {
                let bits = _mm_max_epi32(_mm_castps_si128(a), _mm_castps_si128(b));
                _mm_castsi128_ps(bits)
            };
            folded!(larger, this)
        }

        fn store_rounded(this: Avx2Vector, next: Avx2Vector, words: &mut [i16; WORDS]) -> () {
            let (low, high) = (_mm256_cvtps_epi32(this.0), _mm256_cvtps_epi32(next.0));
            // Packing takes the halves of both in turns.
            let packed = _mm256_packs_epi32(low, high);
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            // SAFETY: 32 bytes are written through a reference to as many, at any alignment.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), packed) };
        }
    }
}
