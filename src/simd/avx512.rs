//! Products of integers for x86 processors with AVX-512 VNNI, and the proof that a processor has it.

#![allow(
    unsafe_code,
    reason = "AVX-512 instructions must run only on processors that have them"
)]

use std::arch::is_x86_feature_detected;
use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_dpwssd_epi32, _mm512_loadu_si512,
    _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_mul_ps, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_setzero_si512,
};

use super::{Kernel, Lanes, WORDS};

/// Integers of 16 bits that are worked on together: pairs for twice as many outputs as [`Lanes`] has.
pub(crate) const WIDE_WORDS: usize = 2 * WORDS;

/// A loop that has a form of its own for these instructions, with vectors of 16 numbers. `run_wide`
/// and the functions it calls should be `inline(always)`, as with [`Kernel`].
pub(crate) trait WideKernel: Kernel<Result = ()> {
    fn run_wide(self, wide: Avx512Vnni);
}

/// Proof that the processor has AVX-512F, AVX-512BW and AVX-512 VNNI.
///
/// Only [`Avx512Vnni::detect`] makes one: the field is private to this file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512Vnni(());

/// Sixteen numbers in a register, made with an [`Avx512Vnni`].
#[derive(Clone, Copy)]
pub(crate) struct WideNumbers(__m512);

/// Thirty-two words in a register, made with an [`Avx512Vnni`].
#[derive(Clone, Copy)]
pub(crate) struct WideWords(__m512i);

/// Sixteen sums of 32 bits in a register, made with an [`Avx512Vnni`].
#[derive(Clone, Copy)]
pub(crate) struct WideSums(__m512i);

impl Avx512Vnni {
    /// The proof, on processors that have the instructions.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        found.then_some(Self(()))
    }

    /// Runs a loop compiled for these instructions.
    #[inline]
    pub(super) fn run<K: WideKernel>(self, kernel: K) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
        fn compiled<K: WideKernel>(proof: Avx512Vnni, kernel: K) {
            kernel.run_wide(proof);
        }
        // SAFETY: `self` proves that the processor has every feature that `compiled` enables.
        unsafe { compiled(self, kernel) }
    }
}

/// Makes methods whose bodies call intrinsics. The compiler checks the bodies as safe code for
/// processors with AVX-512 VNNI; `self`, a proof or a vector, makes the call sound.
macro_rules! with_avx512 {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($this:ident: $proof:ty $(, $argument:ident: $type:ty)*) -> $result:ty $body:block
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name(self $(, $argument: $type)*) -> $result {
            #[inline]
            #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
            fn compiled($this: $proof $(, $argument: $type)*) -> $result $body

            // SAFETY: `compiled` is safe on processors with AVX-512F, AVX-512BW and AVX-512 VNNI, and `self`
            // exists only there: it is an `Avx512Vnni`, or a vector that was made with one.
            unsafe { compiled(self $(, $argument)*) }
        }
    )*};
}

/// The lanes that are read or written when there are `count` arrays of eight.
#[inline(always)]
fn lanes(count: usize) -> u16 {
    assert!(count > 0, "no numbers");
    if count == 1 { 0x00ff } else { 0xffff }
}

impl Avx512Vnni {
    with_avx512! {
        /// Sums of nothing.
        fn no_sums(_proof: Avx512Vnni) -> WideSums {
            WideSums(_mm512_setzero_si512())
        }

        fn load_words(_proof: Avx512Vnni, words: &[i16; WIDE_WORDS]) -> WideWords {
            // SAFETY: 64 bytes are read through a reference to as many, at any alignment.
            WideWords(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
        }

        /// The same two words in all pairs of lanes.
        fn splat_pair(_proof: Avx512Vnni, pair: [i16; 2]) -> WideWords {
            let (low, high) = (u32::from(pair[0] as u16), u32::from(pair[1] as u16));
            WideWords(_mm512_set1_epi32((low | high << 16) as i32))
        }

        fn splat(_proof: Avx512Vnni, number: f32) -> WideNumbers {
            WideNumbers(_mm512_set1_ps(number))
        }

        /// The numbers of the first two arrays; zeros in place of the second if there is only one.
        fn load(_proof: Avx512Vnni, numbers: &[Lanes]) -> WideNumbers {
            // SAFETY: as many numbers are read as the mask has bits, and no more than `numbers` has.
            WideNumbers(unsafe { _mm512_maskz_loadu_ps(lanes(numbers.len()), numbers.as_ptr().cast()) })
        }
    }
}

impl WideSums {
    with_avx512! {
        /// These sums and those of the products of each pair of lanes. Sums that do not fit wrap.
        fn add_products(this: WideSums, words: WideWords, others: WideWords) -> WideSums {
            WideSums(_mm512_dpwssd_epi32(this.0, words.0, others.0))
        }

        /// The nearest f32.
        fn to_numbers(this: WideSums) -> WideNumbers {
            WideNumbers(_mm512_cvtepi32_ps(this.0))
        }
    }
}

impl WideNumbers {
    with_avx512! {
        fn mul(this: WideNumbers, other: WideNumbers) -> WideNumbers {
            WideNumbers(_mm512_mul_ps(this.0, other.0))
        }

        fn add(this: WideNumbers, other: WideNumbers) -> WideNumbers {
            WideNumbers(_mm512_add_ps(this.0, other.0))
        }

        /// Writes the first two arrays, or only the first eight numbers if there is one array.
        fn store(this: WideNumbers, numbers: &mut [Lanes]) -> () {
            let lanes = lanes(numbers.len());
            // SAFETY: as many numbers are written as the mask has bits, and no more than `numbers` has.
            unsafe { _mm512_mask_storeu_ps(numbers.as_mut_ptr().cast(), lanes, this.0) };
        }
    }
}
