//! Vectors of sixteen i16: their operations, and the portable implementation.

#![forbid(unsafe_code)]

use super::{LANES, PortableVector, Vector};

/// Small integers that are worked on together.
pub(crate) const WORDS: usize = 16;

/// Sixteen integers in registers, made with a [`Simd`](super::Simd).
pub(crate) trait Words: Copy {
    type Sums: Sums<Numbers = Self::Numbers>;
    type Numbers: Vector;

    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "only the tests need it there")
    )]
    fn store(self, words: &mut [i16; WORDS]);
    /// The sums of the products of each pair of lanes.
    fn multiply_pairs(self, other: Self) -> Self::Sums;
}

/// Eight integers of 32 bits in registers.
pub(crate) trait Sums: Copy {
    type Numbers: Vector;

    fn add(self, other: Self) -> Self;
    /// The nearest f32.
    fn to_numbers(self) -> Self::Numbers;
}

/// Sixteen integers in an array.
#[derive(Clone, Copy)]
pub(crate) struct PortableWords(pub(super) [i16; WORDS]);

/// Eight integers in an array.
#[derive(Clone, Copy)]
pub(crate) struct PortableSums(pub(super) [i32; LANES]);

impl Words for PortableWords {
    type Sums = PortableSums;
    type Numbers = PortableVector;

    #[inline(always)]
    fn store(self, words: &mut [i16; WORDS]) {
        *words = self.0;
    }

    #[inline(always)]
    fn multiply_pairs(self, other: Self) -> PortableSums {
        let product = |i: usize| i32::from(self.0[i]) * i32::from(other.0[i]);
        PortableSums(std::array::from_fn(|lane| {
            product(2 * lane).wrapping_add(product(2 * lane + 1))
        }))
    }
}

impl Sums for PortableSums {
    type Numbers = PortableVector;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    #[inline(always)]
    fn to_numbers(self) -> PortableVector {
        PortableVector::new(self.0.map(|sum| sum as f32))
    }
}
