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
    /// For each lane the numbers of both vectors in it, each in four lanes in a row.
    fn in_fours(self, vectors: [Self::Vector; 2]) -> [Self::Vector; LANES];
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
    /// The larger numbers, and NaN where one is. No sign may be set.
    fn max_or_nan(self, other: Self) -> Self;
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
    /// The largest number, or NaN if one is. No sign may be set.
    fn largest_or_nan(self) -> f32;
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
    fn in_fours(self, vectors: [PortableVector; 2]) -> [PortableVector; LANES] {
        std::array::from_fn(|lane| {
            PortableVector(std::array::from_fn(|place| vectors[place / 4].0[lane]))
        })
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

/// As numbers without signs are ordered, with NaN behind them.
#[inline(always)]
fn larger_bits(a: f32, b: f32) -> f32 {
    f32::from_bits(a.to_bits().max(b.to_bits()))
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
    fn max_or_nan(self, other: Self) -> Self {
        self.zip(other, larger_bits)
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
    fn largest_or_nan(self) -> f32 {
        fold(self.0, larger_bits)
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

#[cfg(test)]
mod tests {
    use super::super::{Kernel, dispatch};
    use super::*;

    const NUMBERS: [Lanes; 2] = [
        [1.0, -2.5, 3.0, f32::INFINITY, 0.1, 7.0, -0.5, 1e-30],
        [1.0, 2.5, -3.0, 4.0, 0.2, f32::NEG_INFINITY, -0.5, 1e30],
    ];

    /// The bits of the results of all vector operations.
    struct Everything;

    impl Kernel for Everything {
        type Result = Vec<u32>;

        fn run<V: Simd>(self, simd: V) -> Vec<u32> {
            let [a, b] = NUMBERS.map(|numbers| simd.load(&numbers));
            let above = a.is_above(b);
            let vectors = [
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.div(b),
                a.max(b),
                above.select(a, b),
                a.is_equal(b).select(a, simd.splat(2.0)),
                above.and(a.is_above(simd.splat(0.5))).select(a, b),
                simd.splat(1.5).scale_by(simd.splat(f32::from_bits(3))),
                a.pick([2, 5, 7, 0, 0, 0, 0, 0]),
                a.abs().max_or_nan(simd.splat(2.75)),
            ];
            let mut found = Vec::new();
            for vector in vectors.into_iter().chain(simd.in_fours([a, b])) {
                let mut numbers = [0.0; LANES];
                vector.store(&mut numbers);
                found.extend(numbers.map(f32::to_bits));
            }
            found.extend([a.sum(), a.largest(), b.sum(), b.largest()].map(f32::to_bits));
            for first in 0..LANES {
                let share = |lane| 1.0 / (1 + (first + lane) % LANES) as f32;
                let shares = simd.load(&std::array::from_fn(share));
                found.extend([shares.sum(), shares.largest()].map(f32::to_bits));
            }
            let (words, mut kept) = (
                [0x0102_0408_1020_4080, 0xff00_ff00_ff00_ff01],
                [i8::MIN; 64],
            );
            simd.write_kept(words, &[!0, 0, !0, !0, 0, 0xffff, !0, 1], &mut kept);
            found.extend(kept.map(|byte| byte as u32));
            for mask in [0, 0b1011, u64::MAX, 0xf000_0000_0000_0101] {
                let moved = simd.deposit(0xffff_0000_0000_0005, mask);
                found.extend([moved as u32, (moved >> 32) as u32]);
            }
            // Of infinity and 0.
            let (sizes, not_a_number) = (b.abs(), a.mul(simd.splat(0.0)).abs());
            found.push(sizes.largest_or_nan().to_bits());
            let last = [
                not_a_number.max_or_nan(sizes),
                sizes.max_or_nan(not_a_number),
            ];
            found.extend(last.map(|last| u32::from(last.largest_or_nan().is_nan())));
            found.extend([above.all(), a.is_equal(a).all()].map(u32::from));
            found
        }
    }

    #[test]
    fn all_processors_calculate_alike() {
        let expected = Everything.run(Portable);
        assert_eq!(dispatch(Everything), expected);
        assert_eq!(expected[..3], [2.0_f32, 0.0, 0.0].map(f32::to_bits));
        assert_eq!(expected[72..75], [3.0_f32, 7.0, 1e-30].map(f32::to_bits));
        assert_eq!(expected[64], 12_f32.to_bits());
        assert_eq!(expected[80..83], [2.75_f32, 2.75, 3.0].map(f32::to_bits));
        let fours = [1.0_f32, 1.0, -2.5, 2.5].map(|number| [number.to_bits(); 4]);
        assert_eq!(expected[88..104], *fours.as_flattened());
        let (expected, last) = expected.split_at(expected.len() - 5);
        assert_eq!(last, [f32::INFINITY.to_bits(), 1, 1, 0, 1]);
        let moved = &expected[expected.len() - 8..];
        assert_eq!(moved[..8], [0, 0, 0b1001, 0, 5, 0xffff_0000, 1, 1 << 28]);
        let kept = &expected[expected.len() - 8 - 64..];
        assert_eq!(
            kept[..10],
            [0x80, 0x40, 0x20, 0x10, 8, 4, 2, 1, 0, 0].map(|byte: u8| byte as i8 as u32)
        );
    }

    /// The results of all operations with integers.
    struct AllIntegers;

    impl Kernel for AllIntegers {
        type Result = (Vec<i16>, Vec<u32>);

        fn run<V: Simd>(self, simd: V) -> Self::Result {
            let numbers = |i: usize| [3, -7, i16::MAX, i16::MIN, 0, 100, -100][i % 7];
            let [a, b] =
                [1, 3].map(|step| simd.load_words(&std::array::from_fn(|i| numbers(step * i))));
            let mut words = Vec::new();
            let mut stored = [0; WORDS];
            for numbers in NUMBERS {
                let numbers = simd.load(&numbers);
                let wide = numbers.mul(simd.splat(3e9));
                numbers.store_rounded(wide, &mut stored);
                words.extend(stored);
                let odd = numbers.mul(simd.splat(f32::NAN));
                odd.store_rounded(numbers.mul(simd.splat(1e4)), &mut stored);
                words.extend(stored);
            }
            let mut sums = Vec::new();
            let pairs = simd.splat_pair([-3, 500]);
            for sum in [
                simd.add_products(simd.no_sums(), a, b),
                simd.add_products(simd.add_products(simd.no_sums(), a, b), b, pairs),
            ] {
                let mut numbers = [0.0; LANES];
                simd.to_numbers(sum).store(&mut numbers);
                sums.extend(numbers.map(f32::to_bits));
            }
            (words, sums)
        }
    }

    #[test]
    fn all_processors_calculate_alike_with_integers() {
        let expected = AllIntegers.run(Portable);
        assert_eq!(dispatch(AllIntegers), expected);
        let (words, sums) = expected;
        // 1.0, -2.5 and 3.0 to the nearest, of two equally near ones the even one.
        assert_eq!(words[..3], [1, -2, 3]);
        assert_eq!(words[3], i16::MIN, "infinity");
        assert_eq!(words[16..24], [i16::MIN; 8], "NaN");
        assert_eq!(sums[0], (3.0 * 3.0 + -7.0 * -32768.0_f32).to_bits());
    }
}
