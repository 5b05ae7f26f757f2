//! Vectors of sixteen numbers: one register where it is as wide, else two.

#![forbid(unsafe_code)]

use bytemuck::{Pod, Zeroable};

use super::{Kernel, LANES, Lanes, Simd, Vector, WORDS};

/// Numbers of a wide vector, in one line of the cache. Sums over lanes are defined by it, so they are
/// the same on every processor.
#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C, align(64))]
pub(crate) struct WideLanes([Lanes; 2]);

/// Words of a wide vector, two for each of its numbers, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct WideWords([i16; 2 * WORDS]);

impl WideLanes {
    /// The numbers `number(lane)`.
    pub(crate) fn from_fn(number: impl Fn(usize) -> f32) -> Self {
        let half = |first| std::array::from_fn(|lane| number(first + lane));
        Self([half(0), half(LANES)])
    }
}

impl WideWords {
    /// The words `word(place)`.
    pub(crate) fn from_fn(word: impl FnMut(usize) -> i16) -> Self {
        Self(std::array::from_fn(word))
    }
}

/// A hot loop over wide vectors, see [`Kernel`].
pub(crate) trait WideKernel {
    /// The result of the loop.
    type Result;

    fn run<W: WideSimd>(self, wide: W) -> Self::Result;
}

/// Instructions for wide vectors, see [`Simd`].
pub(crate) trait WideSimd: Copy {
    type Numbers: WideVector;
    type Words: Copy;
    /// Sixteen integers of 32 bits.
    type Sums: Copy;

    /// How many wide vectors the registers hold.
    const REGISTERS: usize;

    fn load(self, numbers: &WideLanes) -> Self::Numbers;
    fn splat(self, number: f32) -> Self::Numbers;
    fn load_words(self, words: &WideWords) -> Self::Words;
    /// The same two words in all pairs of lanes.
    fn splat_pair(self, pair: [i16; 2]) -> Self::Words;
    /// Sums of nothing.
    fn no_sums(self) -> Self::Sums;
    /// Sums and those of the products of each pair of lanes. Sums that do not fit wrap.
    fn add_products(self, sums: Self::Sums, words: Self::Words, others: Self::Words) -> Self::Sums;
    /// The nearest f32.
    fn to_numbers(self, sums: Self::Sums) -> Self::Numbers;
    /// For each lane the numbers of the vectors in it, each in four lanes in a row.
    fn in_fours(self, vectors: [Self::Numbers; 4]) -> [Self::Numbers; WORDS];

    /// The sum of each vector, see [`WideVector::sum`].
    #[inline(always)]
    fn four_sums(self, vectors: [Self::Numbers; 4]) -> [f32; 4] {
        vectors.map(WideVector::sum)
    }

    /// The largest number of each vector, see [`WideVector::largest_or_nan`].
    #[inline(always)]
    fn four_largest_or_nan(self, vectors: [Self::Numbers; 4]) -> [f32; 4] {
        vectors.map(WideVector::largest_or_nan)
    }
}

/// Sixteen numbers in registers, made with a [`WideSimd`]. See [`Vector`].
pub(crate) trait WideVector: Copy {
    fn store(self, numbers: &mut WideLanes);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// The larger numbers; the other's where one is NaN.
    fn max(self, other: Self) -> Self;
    /// See [`Vector::max_or_nan`].
    fn max_or_nan(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// The numbers of the two halves, in pairs of lanes eight apart, as [`Vector::sum`] sums them.
    fn sum(self) -> f32;
    /// See [`Vector::largest_or_nan`].
    fn largest_or_nan(self) -> f32;
    /// See [`Vector::store_rounded`].
    fn store_rounded(self, words: &mut [i16; WORDS]);
}

/// A wide loop as one over vectors of eight.
pub(super) struct OnHalves<K>(pub(super) K);

impl<K: WideKernel> Kernel for OnHalves<K> {
    type Result = K::Result;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> K::Result {
        self.0.run(InHalves(simd))
    }
}

/// Wide vectors as two of eight.
#[derive(Clone, Copy)]
pub(super) struct InHalves<V>(pub(super) V);

/// A wide vector in two registers.
#[derive(Clone, Copy)]
pub(crate) struct Halves<T>(pub(super) [T; 2]);

impl<V: Simd> WideSimd for InHalves<V> {
    type Numbers = Halves<V::Vector>;
    type Words = Halves<V::Words>;
    type Sums = Halves<V::Sums>;

    const REGISTERS: usize = 8;

    #[inline(always)]
    fn load(self, WideLanes([low, high]): &WideLanes) -> Self::Numbers {
        Halves([self.0.load(low), self.0.load(high)])
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Self::Numbers {
        Halves([self.0.splat(number); 2])
    }

    #[inline(always)]
    fn load_words(self, words: &WideWords) -> Self::Words {
        let (halves, _) = words.0.as_chunks();
        Halves([self.0.load_words(&halves[0]), self.0.load_words(&halves[1])])
    }

    #[inline(always)]
    fn splat_pair(self, pair: [i16; 2]) -> Self::Words {
        Halves([self.0.splat_pair(pair); 2])
    }

    #[inline(always)]
    fn no_sums(self) -> Self::Sums {
        Halves([self.0.no_sums(); 2])
    }

    #[inline(always)]
    fn add_products(self, sums: Self::Sums, words: Self::Words, others: Self::Words) -> Self::Sums {
        let ([low, high], [words, more_words]) = (sums.0, words.0);
        let [others, more_others] = others.0;
        Halves([
            self.0.add_products(low, words, others),
            self.0.add_products(high, more_words, more_others),
        ])
    }

    #[inline(always)]
    fn to_numbers(self, sums: Self::Sums) -> Self::Numbers {
        Halves(sums.0.map(|sums| self.0.to_numbers(sums)))
    }

    #[inline(always)]
    fn in_fours(self, [a, b, c, d]: [Self::Numbers; 4]) -> [Self::Numbers; WORDS] {
        let halves = [0, 1].map(|half| {
            let low = self.0.in_fours([a.0[half], b.0[half]]);
            let high = self.0.in_fours([c.0[half], d.0[half]]);
            (low, high)
        });
        std::array::from_fn(|lane| {
            let (low, high) = &halves[lane / LANES];
            Halves([low[lane % LANES], high[lane % LANES]])
        })
    }
}

impl<T> Halves<T> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        let (Self([low, high]), Self([other_low, other_high])) = (self, other);
        Self([f(low, other_low), f(high, other_high)])
    }
}

impl<V: Vector> WideVector for Halves<V> {
    #[inline(always)]
    fn store(self, WideLanes([low, high]): &mut WideLanes) {
        self.0[0].store(low);
        self.0[1].store(high);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, V::add)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, V::sub)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, V::mul)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, V::max)
    }

    #[inline(always)]
    fn max_or_nan(self, other: Self) -> Self {
        self.zip(other, V::max_or_nan)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(V::abs))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        self.0[0].add(self.0[1]).sum()
    }

    #[inline(always)]
    fn largest_or_nan(self) -> f32 {
        self.0[0].max_or_nan(self.0[1]).largest_or_nan()
    }

    #[inline(always)]
    fn store_rounded(self, words: &mut [i16; WORDS]) {
        self.0[0].store_rounded(self.0[1], words);
    }
}
