//! Vectors of eight f32: their operations, and the portable implementation.
//!
//! Most loops over arrays of eight numbers are left to the compiler. [`Vector`] is for the loops
//! that it does not vectorize: without it, the tree search runs four times as many instructions.

#![forbid(unsafe_code)]

use super::i16x16::{PortableSums, PortableWords, WORDS};

/// Numbers that are worked on together.
pub(crate) const LANES: usize = 8;

/// One number for each lane.
pub(crate) type Lanes = [f32; LANES];

/// Instructions that a loop is compiled for. A value proves that the processor has them. Vectors
/// are made only with such a value, so they never run on a processor without the instructions.
///
/// Every implementation gives the same results to the last bit.
pub(crate) trait Simd: Copy {
    type Vector: Vector;
    /// Sixteen integers of 16 bits.
    type Words: Copy;
    /// Eight integers of 32 bits.
    type Sums: Copy;

    fn load(self, numbers: &Lanes) -> Self::Vector;
    fn splat(self, number: f32) -> Self::Vector;
    fn load_words(self, words: &[i16; WORDS]) -> Self::Words;
    /// The same two words in all pairs of lanes.
    fn splat_pair(self, pair: [i16; 2]) -> Self::Words;
    /// Sums of nothing.
    fn no_sums(self) -> Self::Sums;
    /// Sums and those of the products of each pair of lanes. Sums that do not fit wrap.
    fn add_products(self, sums: Self::Sums, words: Self::Words, others: Self::Words) -> Self::Sums;
    /// The nearest f32.
    fn to_numbers(self, sums: Self::Sums) -> Self::Vector;
    /// Writes two words four times in a row: bytes `8 * i` on are `words[i % 2] & kept[i]`.
    fn write_kept(self, words: [u64; 2], kept: &[u64; 8], out: &mut [i8; 64]);
    /// The lowest bits of a word, moved to the places of the bits of a mask, in the same order.
    fn deposit(self, bits: u64, mask: u64) -> u64;
}

/// Eight numbers in registers, made with a [`Simd`].
///
/// Comparisons give masks. Do not calculate with them; pass them on to `select`, `and` or `all`.
pub(crate) trait Vector: Copy {
    fn store(self, numbers: &mut Lanes);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// The larger numbers; the other's where one is NaN.
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// A mask of the lanes where this vector is larger; a lane with NaN is not set.
    fn is_above(self, other: Self) -> Self;
    fn is_equal(self, other: Self) -> Self;
    /// The numbers of `yes` where this mask is set, else those of `no`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// The lanes where both masks are set.
    fn and(self, other: Self) -> Self;
    /// Whether this mask is set in all lanes.
    fn all(self) -> bool;
    /// Adds the integers in the lowest bits of `exponents` to the exponents.
    fn scale_by(self, exponents: Self) -> Self;
    /// The numbers of the lanes listed in `order`, in that order, then arbitrary numbers.
    fn pick(self, order: [u8; LANES]) -> Self;
    /// The numbers of the two halves, in pairs of lanes four apart.
    fn sum(self) -> f32;
    /// The largest number; none may be NaN.
    fn largest(self) -> f32;
    /// The nearest integers of both vectors' numbers, of two equally near ones the even one. Numbers
    /// beyond those of 16 bits become the nearest of these; NaN and numbers beyond 32 bits, the
    /// least.
    fn store_rounded(self, next: Self, words: &mut [i16; WORDS]);
}

/// The instructions that every processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Simd for Portable {
    type Vector = PortableVector;
    type Words = PortableWords;
    type Sums = PortableSums;

    #[inline(always)]
    fn load_words(self, words: &[i16; WORDS]) -> PortableWords {
        PortableWords(*words)
    }

    #[inline(always)]
    fn splat_pair(self, pair: [i16; 2]) -> PortableWords {
        PortableWords(std::array::from_fn(|lane| pair[lane % 2]))
    }

    #[inline(always)]
    fn no_sums(self) -> PortableSums {
        PortableSums([0; LANES])
    }

    #[inline(always)]
    fn add_products(
        self,
        sums: PortableSums,
        words: PortableWords,
        others: PortableWords,
    ) -> PortableSums {
        sums.add_products(words, others)
    }

    #[inline(always)]
    fn to_numbers(self, sums: PortableSums) -> PortableVector {
        sums.to_numbers()
    }

    #[inline(always)]
    fn load(self, numbers: &Lanes) -> PortableVector {
        PortableVector(*numbers)
    }

    #[inline(always)]
    fn splat(self, number: f32) -> PortableVector {
        PortableVector([number; LANES])
    }

    #[inline(always)]
    fn write_kept(self, words: [u64; 2], kept: &[u64; 8], out: &mut [i8; 64]) {
        for (i, (out, kept)) in out.as_chunks_mut().0.iter_mut().zip(kept).enumerate() {
            *out = (words[i & 1] & kept).to_le_bytes().map(|byte| byte as i8);
        }
    }

    #[inline(always)]
    fn deposit(self, bits: u64, mask: u64) -> u64 {
        // The usual mask has only the lowest bits.
        if mask & mask.wrapping_add(1) == 0 {
            return bits & mask;
        }
        let (mut bits, mut places, mut moved) = (bits, mask, 0);
        while places != 0 {
            moved |= (places & places.wrapping_neg()) & (bits & 1).wrapping_neg();
            places &= places - 1;
            bits >>= 1;
        }
        moved
    }
}

/// Eight numbers in an array.
#[derive(Clone, Copy)]
pub(crate) struct PortableVector(Lanes);

impl PortableVector {
    #[inline(always)]
    pub(super) fn new(numbers: Lanes) -> Self {
        Self(numbers)
    }

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

impl Vector for PortableVector {
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
    fn abs(self) -> Self {
        Self::new(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn is_above(self, other: Self) -> Self {
        self.zip(other, |a, b| mask(a > b))
    }

    #[inline(always)]
    #[allow(clippy::float_cmp)] // exact equality is the contract
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
    fn store_rounded(self, next: Self, words: &mut [i16; WORDS]) {
        let (low, high) = words.split_at_mut(LANES);
        for (words, numbers) in [(low, self.0), (high, next.0)] {
            for (word, number) in words.iter_mut().zip(numbers) {
                let fits = number.abs() < 2_147_483_648.0;
                let rounded = if fits {
                    number.round_ties_even()
                } else {
                    f32::MIN
                };
                *word = rounded as i16;
            }
        }
    }
}
