//! Products of integers for x86 processors with AVX-512 VNNI, and the proof that a processor has it.

#![allow(
    unsafe_code,
    reason = "AVX-512 instructions must run only on processors that have them"
)]

use std::arch::x86_64::{
    __m256, __m512, __m512i, _mm256_add_ps, _mm256_storeu_si256, _mm512_abs_ps, _mm512_add_ps,
    _mm512_castpd_ps, _mm512_castps_pd, _mm512_castps_si512, _mm512_castps512_ps128,
    _mm512_castps512_ps256, _mm512_castsi512_ps, _mm512_cvtepi32_ps, _mm512_cvtps_epi32,
    _mm512_cvtsepi32_epi16, _mm512_load_ps, _mm512_load_si512, _mm512_max_epi32, _mm512_max_ps,
    _mm512_mul_ps, _mm512_permute_ps, _mm512_permutexvar_ps, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_setr_epi32, _mm512_setzero_si512, _mm512_shuffle_f32x4, _mm512_shuffle_f64x2,
    _mm512_store_ps, _mm512_sub_ps,
};
use std::arch::{asm, is_x86_feature_detected};

use super::avx2::{Avx2, Avx2Vector};
use super::with_features::with_features;
use super::{Vector, WORDS, WideKernel, WideLanes, WideSimd, WideVector, WideWords};

/// Proof that the processor has AVX-512F, AVX-512BW and AVX-512 VNNI, and what [`Avx2`] proves.
///
/// Only [`Avx512Vnni::detect`] makes one: the field is private to this file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512Vnni(());

/// Sixteen numbers in a register, made with an [`Avx512Vnni`].
#[derive(Clone, Copy)]
pub(super) struct Numbers(__m512);

/// Thirty-two words in a register, made with an [`Avx512Vnni`].
#[derive(Clone, Copy)]
pub(super) struct Words(__m512i);

/// Sixteen sums of 32 bits in a register, made with an [`Avx512Vnni`].
#[derive(Clone, Copy)]
pub(super) struct Sums(__m512i);

impl Sums {
    /// Sums in a register that only a processor with AVX-512 has.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn of(sums: __m512i) -> Self {
        Self(sums)
    }
}

impl Avx512Vnni {
    /// The proof, on processors that have the instructions.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        let found = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        found.then_some(Self(()))
    }

    /// Runs a loop compiled for these instructions.
    #[inline]
    pub(super) fn run<K: WideKernel>(self, kernel: K) -> K::Result {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
        fn compiled<K: WideKernel>(proof: Avx512Vnni, kernel: K) -> K::Result {
            kernel.run(proof)
        }
        // SAFETY: `self` proves that the processor has every feature that `compiled` enables.
        unsafe { compiled(self, kernel) }
    }
}

macro_rules! with_avx512 {
    ($($methods:tt)*) => {
        with_features! { "avx2,bmi2,avx512f,avx512bw,avx512vnni": $($methods)* }
    };
}

/// Each of four vectors reduced to one number by an operation on the same pairs of lanes as one vector is,
/// in all four at once.
macro_rules! reduced {
    ($operation:ident, $vectors:ident) => {{
        let [a, b, c, d] = $vectors.map(|vector| vector.0);
        // Groups of four lanes: the first two of both vectors, and the last two.
        let pair = |a, b| {
            let low = _mm512_shuffle_f32x4::<0b01_00_01_00>(a, b);
            $operation(low, _mm512_shuffle_f32x4::<0b11_10_11_10>(a, b))
        };
        let (ab, cd) = (pair(a, b), pair(c, d));
        let even = _mm512_shuffle_f32x4::<0b10_00_10_00>(ab, cd);
        let four = $operation(even, _mm512_shuffle_f32x4::<0b11_01_11_01>(ab, cd));
        let two = $operation(four, _mm512_permute_ps::<0b00_00_11_10>(four));
        let one = $operation(two, _mm512_permute_ps::<1>(two));
        let firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        bytemuck::cast(_mm512_castps512_ps128(_mm512_permutexvar_ps(firsts, one)))
    }};
}

impl WideSimd for Avx512Vnni {
    type Numbers = Numbers;
    type Words = Words;
    type Sums = Sums;

    const REGISTERS: usize = 32;

    with_avx512! {
        fn load(_proof: Avx512Vnni, numbers: &WideLanes) -> Numbers {
            // SAFETY: 64 bytes are read through a reference to as many, aligned to them.
            Numbers(unsafe { _mm512_load_ps(std::ptr::from_ref(numbers).cast()) })
        }

        fn splat(_proof: Avx512Vnni, number: f32) -> Numbers {
            Numbers(_mm512_set1_ps(number))
        }

        fn load_words(_proof: Avx512Vnni, words: &WideWords) -> Words {
            // SAFETY: 64 bytes are read through a reference to as many, aligned to them.
            Words(unsafe { _mm512_load_si512(std::ptr::from_ref(words).cast()) })
        }

        fn splat_pair(_proof: Avx512Vnni, pair: [i16; 2]) -> Words {
            let (low, high) = (u32::from(pair[0] as u16), u32::from(pair[1] as u16));
            Words(_mm512_set1_epi32((low | high << 16) as i32))
        }

        fn no_sums(_proof: Avx512Vnni) -> Sums {
            Sums(_mm512_setzero_si512())
        }

        fn add_products(
            _proof: Avx512Vnni,
            sums: Sums,
            words: Words,
            others: Words
        ) -> Sums {
            let mut sums = sums.0;
            // Unless they know the processor, compilers make two instructions of the intrinsic for this one.
            // SAFETY: the instruction works on these registers only.
            unsafe {
                asm!(
                    "vpdpwssd {sums}, {words}, {others}",
                    sums = inout(zmm_reg) sums,
                    words = in(zmm_reg) words.0,
                    others = in(zmm_reg) others.0,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
            Sums(sums)
        }

        fn to_numbers(_proof: Avx512Vnni, sums: Sums) -> Numbers {
            Numbers(_mm512_cvtepi32_ps(sums.0))
        }

        fn in_fours(_proof: Avx512Vnni, vectors: [Numbers; 4]) -> [Numbers; WORDS] {
            let [a, b, c, d] = vectors.map(|vector| vector.0);
            // Groups of four lanes: the first two of both vectors, and the last two.
            let low = (
                _mm512_shuffle_f32x4::<0b01_00_01_00>(a, b),
                _mm512_shuffle_f32x4::<0b01_00_01_00>(c, d),
            );
            let high = (
                _mm512_shuffle_f32x4::<0b11_10_11_10>(a, b),
                _mm512_shuffle_f32x4::<0b11_10_11_10>(c, d),
            );
            let groups = [
                _mm512_shuffle_f32x4::<0b10_00_10_00>(low.0, low.1),
                _mm512_shuffle_f32x4::<0b11_01_11_01>(low.0, low.1),
                _mm512_shuffle_f32x4::<0b10_00_10_00>(high.0, high.1),
                _mm512_shuffle_f32x4::<0b11_01_11_01>(high.0, high.1),
            ];
            let fours = groups.map(|group| {
                [
                    Numbers(_mm512_permute_ps::<0b00_00_00_00>(group)),
                    Numbers(_mm512_permute_ps::<0b01_01_01_01>(group)),
                    Numbers(_mm512_permute_ps::<0b10_10_10_10>(group)),
                    Numbers(_mm512_permute_ps::<0b11_11_11_11>(group)),
                ]
            });
            std::array::from_fn(|lane| fours[lane / 4][lane % 4])
        }

        fn four_sums(_proof: Avx512Vnni, vectors: [Numbers; 4]) -> [f32; 4] {
            reduced!(_mm512_add_ps, vectors)
        }

        fn four_largest_or_nan(_proof: Avx512Vnni, vectors: [Numbers; 4]) -> [f32; 4] {
            reduced!(larger_bits, vectors)
        }
    }
}

/// The larger numbers, and NaN where one is. No sign may be set.
#[inline]
#[target_feature(enable = "avx2,bmi2,avx512f,avx512bw,avx512vnni")]
fn larger_bits(a: __m512, b: __m512) -> __m512 {
    _mm512_castsi512_ps(_mm512_max_epi32(
        _mm512_castps_si512(a),
        _mm512_castps_si512(b),
    ))
}

/// The two halves of a vector.
#[inline]
#[target_feature(enable = "avx2,bmi2,avx512f,avx512bw,avx512vnni")]
fn halves(numbers: Numbers) -> (__m256, __m256) {
    let pairs = _mm512_castps_pd(numbers.0);
    let swapped = _mm512_castpd_ps(_mm512_shuffle_f64x2::<0b01_00_11_10>(pairs, pairs));
    (
        _mm512_castps512_ps256(numbers.0),
        _mm512_castps512_ps256(swapped),
    )
}

impl WideVector for Numbers {
    with_avx512! {
        fn store(this: Numbers, numbers: &mut WideLanes) -> () {
            // SAFETY: 64 bytes are written through a reference to as many, aligned to them.
            unsafe { _mm512_store_ps(std::ptr::from_mut(numbers).cast(), this.0) };
        }

        fn add(this: Numbers, other: Numbers) -> Numbers {
            Numbers(_mm512_add_ps(this.0, other.0))
        }

        fn sub(this: Numbers, other: Numbers) -> Numbers {
            Numbers(_mm512_sub_ps(this.0, other.0))
        }

        fn mul(this: Numbers, other: Numbers) -> Numbers {
            Numbers(_mm512_mul_ps(this.0, other.0))
        }

        fn max(this: Numbers, other: Numbers) -> Numbers {
            Numbers(_mm512_max_ps(this.0, other.0))
        }

        fn max_or_nan(this: Numbers, other: Numbers) -> Numbers {
            Numbers(larger_bits(this.0, other.0))
        }

        fn abs(this: Numbers) -> Numbers {
            Numbers(_mm512_abs_ps(this.0))
        }

        fn sum(this: Numbers) -> f32 {
            let (low, high) = halves(this);
            Avx2Vector::of(_mm256_add_ps(low, high)).sum()
        }

        fn largest_or_nan(this: Numbers) -> f32 {
            let (low, high) = halves(this);
            Avx2Vector::of(low).max_or_nan(Avx2Vector::of(high)).largest_or_nan()
        }

        fn store_rounded(this: Numbers, words: &mut [i16; WORDS]) -> () {
            let rounded = _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(this.0));
            // SAFETY: 32 bytes are written through a reference to as many, at any alignment.
            unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), rounded) };
        }
    }
}
