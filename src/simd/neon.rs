//! Vectors of eight f32 and products of integers for ARM processors of 64 bits, which all have NEON.

#![allow(
    unsafe_code,
    reason = "the compiler asks for it where NEON instructions run"
)]

use std::arch::aarch64::{
    float32x4_t, int16x8_t, int16x8x2_t, int32x4_t, uint8x16x2_t, uint16x4_t, uint32x4_t,
    vabsq_f32, vaddq_f32, vaddq_u32, vandq_u32, vbslq_f32, vbslq_s32, vcaltq_f32, vceqq_f32,
    vcgtq_f32, vcreate_u8, vcvtnq_s32_f32, vcvtq_f32_s32, vdivq_f32, vdupq_laneq_f32,
    vdupq_laneq_s16, vdupq_n_f32, vdupq_n_s32, vdupq_n_u32, vextq_f32, vget_high_u16, vget_low_s16,
    vget_low_u16, vgetq_lane_f32, vld2q_s16, vmaxq_u32, vminvq_u32, vmlal_high_s16, vmlal_s16,
    vmlaq_u32, vmovl_u8, vmovl_u16, vmulq_f32, vqmovn_high_s32, vqmovn_s32, vqtbl2q_u8,
    vreinterpretq_f32_u8, vreinterpretq_f32_u32, vreinterpretq_s16_s32, vreinterpretq_u8_f32,
    vreinterpretq_u8_u32, vreinterpretq_u32_f32, vshlq_n_u32, vsubq_f32,
};

use super::with_features::with_features;
use super::{LANES, Lanes, Portable, Simd, Vector, WORDS};

/// The instructions that every ARM processor of 64 bits has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon;

/// Eight numbers in two registers.
#[derive(Clone, Copy)]
pub(super) struct NeonVector([float32x4_t; 2]);

/// Sixteen words in two registers: the first of each pair of lanes, then the second.
#[derive(Clone, Copy)]
pub(super) struct NeonWords([int16x8_t; 2]);

/// Eight sums in two registers.
#[derive(Clone, Copy)]
pub(super) struct NeonSums([int32x4_t; 2]);

macro_rules! with_neon {
    ($($methods:tt)*) => {
        with_features! { "neon": $($methods)* }
    };
}

impl Simd for Neon {
    type Vector = NeonVector;
    type Words = NeonWords;
    type Sums = NeonSums;

    with_neon! {
        fn load_words(_proof: Neon, words: &[i16; WORDS]) -> NeonWords {
            // With shuffles in its place, compilers take so many registers that sums are in memory.
            // SAFETY: 32 bytes are read through a reference to as many, at the alignment of a word.
            let int16x8x2_t(first, second) = unsafe { vld2q_s16(words.as_ptr()) };
            NeonWords([first, second])
        }

        fn splat_pair(_proof: Neon, pair: [i16; 2]) -> NeonWords {
            // As lanes of one register, words are operands of products without more instructions.
            let pairs = vreinterpretq_s16_s32(vdupq_n_s32(bytemuck::cast(pair)));
            NeonWords([vdupq_laneq_s16::<0>(pairs), vdupq_laneq_s16::<1>(pairs)])
        }

        fn no_sums(_proof: Neon) -> NeonSums {
            NeonSums([vdupq_n_s32(0); 2])
        }

        fn add_products(
            _proof: Neon,
            sums: NeonSums,
            words: NeonWords,
            others: NeonWords
        ) -> NeonSums {
            let NeonSums([mut low, mut high]) = sums;
            for (words, others) in words.0.into_iter().zip(others.0) {
                low = vmlal_s16(low, vget_low_s16(words), vget_low_s16(others));
                high = vmlal_high_s16(high, words, others);
            }
            NeonSums([low, high])
        }

        fn to_numbers(_proof: Neon, sums: NeonSums) -> NeonVector {
            NeonVector(sums.0.map(|sums| vcvtq_f32_s32(sums)))
        }

        fn load(_proof: Neon, numbers: &Lanes) -> NeonVector {
            NeonVector(bytemuck::cast(*numbers))
        }

        fn splat(_proof: Neon, number: f32) -> NeonVector {
            NeonVector([vdupq_n_f32(number); 2])
        }
    }

    #[inline(always)]
    fn in_fours(self, vectors: [NeonVector; 2]) -> [NeonVector; LANES] {
        let [a, b] = vectors.map(NeonVector::each_in_four);
        std::array::from_fn(|lane| NeonVector([a[lane], b[lane]]))
    }

    #[inline(always)]
    fn write_kept(self, words: [u64; 2], kept: &[u64; 8], out: &mut [i8; 64]) {
        Portable.write_kept(words, kept, out);
    }

    #[inline(always)]
    fn deposit(self, bits: u64, mask: u64) -> u64 {
        Portable.deposit(bits, mask)
    }
}

impl NeonVector {
    // Each number in all four lanes.
    with_neon! {
        fn each_in_four(this: NeonVector) -> [float32x4_t; LANES] {
            let [low, high] = this.0;
            [
                vdupq_laneq_f32::<0>(low),
                vdupq_laneq_f32::<1>(low),
                vdupq_laneq_f32::<2>(low),
                vdupq_laneq_f32::<3>(low),
                vdupq_laneq_f32::<0>(high),
                vdupq_laneq_f32::<1>(high),
                vdupq_laneq_f32::<2>(high),
                vdupq_laneq_f32::<3>(high),
            ]
        }
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Self {
        let (Self([low, high]), Self([other_low, other_high])) = (self, other);
        Self([f(low, other_low), f(high, other_high)])
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn zip_to_bits(self, other: Self, f: impl Fn(float32x4_t, float32x4_t) -> uint32x4_t) -> Self {
        self.zip(other, |a, b| vreinterpretq_f32_u32(f(a, b)))
    }

    /// Joins the lanes in pairs as other processors do.
    #[inline]
    #[target_feature(enable = "neon")]
    fn fold(self, f: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> f32 {
        let four = f(self.0[0], self.0[1]);
        let two = f(four, vextq_f32::<2>(four, four));
        vgetq_lane_f32::<0>(f(two, vextq_f32::<1>(two, two)))
    }
}

/// The larger numbers; the other's where one is NaN, unlike the instruction for it.
#[inline]
#[target_feature(enable = "neon")]
fn larger(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    vbslq_f32(vcgtq_f32(a, b), a, b)
}

/// The larger numbers, and NaN where one is. No sign may be set.
#[inline]
#[target_feature(enable = "neon")]
fn larger_bits(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    vreinterpretq_f32_u32(vmaxq_u32(
        vreinterpretq_u32_f32(a),
        vreinterpretq_u32_f32(b),
    ))
}

/// The nearest integers, and the least for NaN and numbers beyond 32 bits.
#[inline]
#[target_feature(enable = "neon")]
fn rounded(numbers: float32x4_t) -> int32x4_t {
    let fits = vcaltq_f32(numbers, vdupq_n_f32(2_147_483_648.0));
    vbslq_s32(fits, vcvtnq_s32_f32(numbers), vdupq_n_s32(i32::MIN))
}

impl Vector for NeonVector {
    with_neon! {
        fn store(this: NeonVector, numbers: &mut Lanes) -> () {
            *numbers = bytemuck::cast(this.0);
        }

        fn add(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip(other, |a, b| vaddq_f32(a, b))
        }

        fn sub(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip(other, |a, b| vsubq_f32(a, b))
        }

        fn mul(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip(other, |a, b| vmulq_f32(a, b))
        }

        fn div(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip(other, |a, b| vdivq_f32(a, b))
        }

        fn max(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip(other, |a, b| larger(a, b))
        }

        fn max_or_nan(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip(other, |a, b| larger_bits(a, b))
        }

        fn abs(this: NeonVector) -> NeonVector {
            NeonVector(this.0.map(|numbers| vabsq_f32(numbers)))
        }

        fn is_above(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip_to_bits(other, |a, b| vcgtq_f32(a, b))
        }

        fn is_equal(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip_to_bits(other, |a, b| vceqq_f32(a, b))
        }

        fn select(this: NeonVector, yes: NeonVector, no: NeonVector) -> NeonVector {
            let half = |i: usize| vbslq_f32(vreinterpretq_u32_f32(this.0[i]), yes.0[i], no.0[i]);
            NeonVector([half(0), half(1)])
        }

        fn and(this: NeonVector, other: NeonVector) -> NeonVector {
            this.zip_to_bits(other, |a, b| {
                vandq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b))
            })
        }

        fn all(this: NeonVector) -> bool {
            let [low, high] = this.0.map(|mask| vreinterpretq_u32_f32(mask));
            vminvq_u32(vandq_u32(low, high)) != 0
        }

        fn scale_by(this: NeonVector, exponents: NeonVector) -> NeonVector {
            this.zip_to_bits(exponents, |numbers, exponents| {
                let exponents = vshlq_n_u32::<23>(vreinterpretq_u32_f32(exponents));
                vaddq_u32(vreinterpretq_u32_f32(numbers), exponents)
            })
        }

        fn pick(this: NeonVector, order: [u8; LANES]) -> NeonVector {
            let [low, high] = this.0.map(|numbers| vreinterpretq_u8_f32(numbers));
            let order = vmovl_u8(vcreate_u8(u64::from_le_bytes(order)));
            let half = |order: uint16x4_t| {
                // The four bytes of each lane.
                let first = vdupq_n_u32(0x0302_0100);
                let bytes = vmlaq_u32(first, vmovl_u16(order), vdupq_n_u32(0x0404_0404));
                vreinterpretq_f32_u8(vqtbl2q_u8(
                    uint8x16x2_t(low, high),
                    vreinterpretq_u8_u32(bytes),
                ))
            };
            NeonVector([half(vget_low_u16(order)), half(vget_high_u16(order))])
        }

        fn sum(this: NeonVector) -> f32 {
            this.fold(|a, b| vaddq_f32(a, b))
        }

        fn largest(this: NeonVector) -> f32 {
            this.fold(|a, b| larger(a, b))
        }

        fn largest_or_nan(this: NeonVector) -> f32 {
            this.fold(|a, b| larger_bits(a, b))
        }

        fn store_rounded(this: NeonVector, next: NeonVector, words: &mut [i16; WORDS]) -> () {
            let packed = [this.0, next.0]
                .map(|[low, high]| vqmovn_high_s32(vqmovn_s32(rounded(low)), rounded(high)));
            *words = bytemuck::cast(packed);
        }
    }
}
