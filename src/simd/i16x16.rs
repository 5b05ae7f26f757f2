//! Vectors of sixteen i16 and their products: the portable implementation.

#![forbid(unsafe_code)]

use super::{LANES, PortableVector};

/// Small integers that are worked on together.
pub(crate) const WORDS: usize = 16;

/// Sixteen integers in an array.
#[derive(Clone, Copy)]
pub(crate) struct PortableWords(pub(super) [i16; WORDS]);

/// Eight integers in an array.
#[derive(Clone, Copy)]
pub(crate) struct PortableSums(pub(super) [i32; LANES]);

impl PortableSums {
    /// The sums with those of the products of each pair of lanes.
    #[inline(always)]
    pub(super) fn add_products(self, words: PortableWords, others: PortableWords) -> Self {
        let product = |i: usize| i32::from(words.0[i]) * i32::from(others.0[i]);
        Self(std::array::from_fn(|lane| {
            let pair = product(2 * lane).wrapping_add(product(2 * lane + 1));
            self.0[lane].wrapping_add(pair)
        }))
    }

    /// The nearest f32.
    #[inline(always)]
    pub(super) fn to_numbers(self) -> PortableVector {
        PortableVector::new(self.0.map(|sum| sum as f32))
    }
}
