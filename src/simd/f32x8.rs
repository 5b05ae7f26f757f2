//! Eight numbers at a time.
//!
//! Loops over arrays of eight numbers are left to the compiler elsewhere. Where it makes single
//! numbers of them, [`Vector`] says what is meant: the tree search takes four times the
//! instructions without it.

/// Numbers that are worked on together.
pub(crate) const LANES: usize = 8;

/// One number for each lane.
pub(crate) type Lanes = [f32; LANES];

/// Eight numbers in registers. Every implementation gives the same results to the last bit.
///
/// What compares gives masks: lanes that are not to be calculated with, only to be passed on to
/// `select`, `and` or `all`.
pub(crate) trait Vector: Copy {
    fn load(numbers: &Lanes) -> Self;
    fn splat(number: f32) -> Self;
    fn store(self, numbers: &mut Lanes);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// The larger numbers; the other's where one is NaN.
    fn max(self, other: Self) -> Self;
    /// Where this one's numbers are larger; not where one is NaN.
    fn is_above(self, other: Self) -> Self;
    fn is_equal(self, other: Self) -> Self;
    /// The numbers of `yes` where this mask is set, else those of `no`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// Where both masks are set.
    fn and(self, other: Self) -> Self;
    /// Whether this mask is set everywhere.
    fn all(self) -> bool;
    /// Adds whole numbers, which are the lowest bits of `exponents`, to the exponents.
    fn scale_by(self, exponents: Self) -> Self;
    /// The numbers of those lanes that are set in a byte, in order; `order` tells which they are.
    /// What follows them is arbitrary.
    fn pick(self, order: [u8; LANES]) -> Self;
    /// The numbers of the two halves, in pairs of lanes four apart.
    fn sum(self) -> f32;
    /// The largest number, none of them being NaN.
    fn largest(self) -> f32;
    /// Writes two words four times in a row: bytes `8 * i` on are `words[i % 2] & kept[i]`.
    fn write_kept(words: [u64; 2], kept: &[u64; 8], out: &mut [i8; 64]);
}

/// Lets the processor fetch memory that will be needed soon.
#[inline(always)]
pub(crate) fn fetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: no more than a hint; whatever the address, nothing is read.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// For every processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable(Lanes);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

const SET: f32 = f32::from_bits(u32::MAX);

#[inline(always)]
fn mask(set: bool) -> f32 {
    if set { SET } else { 0.0 }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Joins the lanes in pairs as processors do.
#[inline(always)]
fn fold(lanes: Lanes, f: impl Fn(f32, f32) -> f32) -> f32 {
    let four: [f32; LANES / 2] = std::array::from_fn(|lane| f(lanes[lane], lanes[lane + 4]));
    f(f(four[0], four[2]), f(four[1], four[3]))
}

impl Vector for Portable {
    #[inline(always)]
    fn load(numbers: &Lanes) -> Self {
        Self(*numbers)
    }

    #[inline(always)]
    fn splat(number: f32) -> Self {
        Self([number; LANES])
    }

    #[inline(always)]
    fn store(self, numbers: &mut Lanes) {
        *numbers = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, larger)
    }

    #[inline(always)]
    fn is_above(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a > b))
    }

    #[inline(always)]
    #[allow(clippy::float_cmp)] // that is what it is for
    fn is_equal(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a == b))
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        let is_set = |lane: usize| self.0[lane].to_bits() != 0;
        Self(std::array::from_fn(|lane| {
            if is_set(lane) {
                yes.0[lane]
            } else {
                no.0[lane]
            }
        }))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a.to_bits() & b.to_bits() != 0))
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.0.iter().all(|lane| lane.to_bits() != 0)
    }

    #[inline(always)]
    fn scale_by(self, exponents: Self) -> Self {
        self.zip(exponents, |number, exponent| {
            f32::from_bits(number.to_bits().wrapping_add(exponent.to_bits() << 23))
        })
    }

    #[inline(always)]
    fn pick(self, order: [u8; LANES]) -> Self {
        Self(order.map(|lane| self.0[usize::from(lane & 7)]))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        fold(self.0, |a, b| a + b)
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        fold(self.0, larger)
    }

    #[inline(always)]
    fn write_kept(words: [u64; 2], kept: &[u64; 8], out: &mut [i8; 64]) {
        for (i, (out, kept)) in out.as_chunks_mut().0.iter_mut().zip(kept).enumerate() {
            *out = (words[i & 1] & kept).to_le_bytes().map(|byte| byte as i8);
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, _CMP_EQ_OQ, _CMP_GT_OQ, _mm_add_ps, _mm_add_ss, _mm_cvtsi64_si128, _mm_cvtss_f32,
        _mm_max_ps, _mm_max_ss, _mm_movehl_ps, _mm_set_epi64x, _mm_shuffle_ps, _mm256_add_epi32,
        _mm256_add_ps, _mm256_and_ps, _mm256_and_si256, _mm256_blendv_ps,
        _mm256_broadcastsi128_si256, _mm256_castps_si256, _mm256_castps256_ps128,
        _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_cvtepu8_epi32, _mm256_div_ps,
        _mm256_extractf128_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_max_ps,
        _mm256_movemask_ps, _mm256_mul_ps, _mm256_permutevar8x32_ps, _mm256_set1_ps,
        _mm256_slli_epi32, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps,
    };

    use super::{LANES, Lanes, Vector};

    /// For processors with AVX2; made and used only where [`crate::simd`] has found that they have it.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256);

    // SAFETY, for all blocks below: the processor has AVX2, see `Avx2`. Memory is read and written
    // through references to arrays, or pieces of them, of the size of a register, and no alignment is
    // asked for.
    impl Vector for Avx2 {
        #[inline(always)]
        fn load(numbers: &Lanes) -> Self {
            unsafe { Self(_mm256_loadu_ps(numbers.as_ptr())) }
        }

        #[inline(always)]
        fn splat(number: f32) -> Self {
            unsafe { Self(_mm256_set1_ps(number)) }
        }

        #[inline(always)]
        fn store(self, numbers: &mut Lanes) {
            unsafe { _mm256_storeu_ps(numbers.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            unsafe { Self(_mm256_add_ps(self.0, other.0)) }
        }

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            unsafe { Self(_mm256_sub_ps(self.0, other.0)) }
        }

        #[inline(always)]
        fn mul(self, other: Self) -> Self {
            unsafe { Self(_mm256_mul_ps(self.0, other.0)) }
        }

        #[inline(always)]
        fn div(self, other: Self) -> Self {
            unsafe { Self(_mm256_div_ps(self.0, other.0)) }
        }

        #[inline(always)]
        fn max(self, other: Self) -> Self {
            unsafe { Self(_mm256_max_ps(self.0, other.0)) }
        }

        #[inline(always)]
        fn is_above(self, other: Self) -> Self {
            unsafe { Self(_mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0)) }
        }

        #[inline(always)]
        fn is_equal(self, other: Self) -> Self {
            unsafe { Self(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0)) }
        }

        #[inline(always)]
        fn select(self, yes: Self, no: Self) -> Self {
            unsafe { Self(_mm256_blendv_ps(no.0, yes.0, self.0)) }
        }

        #[inline(always)]
        fn and(self, other: Self) -> Self {
            unsafe { Self(_mm256_and_ps(self.0, other.0)) }
        }

        #[inline(always)]
        fn all(self) -> bool {
            unsafe { _mm256_movemask_ps(self.0) == 0xff }
        }

        #[inline(always)]
        fn scale_by(self, exponents: Self) -> Self {
            unsafe {
                let exponents = _mm256_slli_epi32::<23>(_mm256_castps_si256(exponents.0));
                let bits = _mm256_add_epi32(_mm256_castps_si256(self.0), exponents);
                Self(_mm256_castsi256_ps(bits))
            }
        }

        #[inline(always)]
        fn pick(self, order: [u8; LANES]) -> Self {
            unsafe {
                let order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(order)));
                Self(_mm256_permutevar8x32_ps(self.0, order))
            }
        }

        #[inline(always)]
        fn sum(self) -> f32 {
            unsafe {
                let halves = (
                    _mm256_castps256_ps128(self.0),
                    _mm256_extractf128_ps::<1>(self.0),
                );
                let four = _mm_add_ps(halves.0, halves.1);
                let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
                _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
            }
        }

        #[inline(always)]
        fn largest(self) -> f32 {
            unsafe {
                let halves = (
                    _mm256_castps256_ps128(self.0),
                    _mm256_extractf128_ps::<1>(self.0),
                );
                let four = _mm_max_ps(halves.0, halves.1);
                let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
                _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
            }
        }

        #[inline(always)]
        fn write_kept(words: [u64; 2], kept: &[u64; 8], out: &mut [i8; 64]) {
            unsafe {
                let words = _mm_set_epi64x(words[1] as i64, words[0] as i64);
                let words = _mm256_broadcastsi128_si256(words);
                for (kept, out) in kept.chunks_exact(4).zip(out.chunks_exact_mut(32)) {
                    let kept = _mm256_loadu_si256(kept.as_ptr().cast());
                    _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm256_and_si256(words, kept));
                }
            }
        }
    }
}
