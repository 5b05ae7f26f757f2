//! The variants that games side by side may have, with the numbers of their actions.

#![allow(
    clippy::mutable_key_type,
    reason = "variants are hashed and compared by what never changes"
)]

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxBuildHasher;
use thiserror::Error;

use super::{Canvas, CanvasError, Layout, LayoutError, Numbering};
use crate::game::Variant;

/// One variant with its own numbers of actions, or variants that share those of a [`Canvas`].
///
/// Everything that games of several variants share goes through it; a variant is named by its index.
#[derive(Clone, Debug)]
pub struct VariantSet {
    variants: Vec<Arc<Variant>>,
    canvas: Option<Canvas>,
    /// The indices by variant, made when they are first needed.
    indices: OnceLock<HashMap<Arc<Variant>, usize, FxBuildHasher>>,
}

/// Variants that cannot be used together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VariantSetError {
    /// An empty list, or one that is too long.
    #[error("1 to {} variants can share a canvas, not {found}", VariantSet::MAX)]
    Count {
        /// The number of variants.
        found: usize,
    },
    /// A variant whose board does not fit the canvas.
    #[error("variant {index}: {error}")]
    Canvas {
        /// The index of the first such variant.
        index: usize,
        /// Why not.
        error: CanvasError,
    },
}

impl VariantSet {
    /// The most variants of a set.
    pub const MAX: usize = u16::MAX as usize;

    /// One variant, whose actions are numbered over its own cells.
    #[must_use]
    pub fn one(variant: Arc<Variant>) -> Self {
        Self {
            variants: vec![variant],
            canvas: None,
            indices: OnceLock::new(),
        }
    }

    /// Variants whose observations and actions lie on a canvas. A variant may be listed repeatedly.
    ///
    /// # Errors
    ///
    /// Unless there are 1 to [`VariantSet::MAX`] variants, and the boards fit the canvas.
    pub fn on_canvas(variants: Vec<Arc<Variant>>, canvas: Canvas) -> Result<Self, VariantSetError> {
        let found = variants.len();
        if !(1..=Self::MAX).contains(&found) {
            return Err(VariantSetError::Count { found });
        }
        for (index, variant) in variants.iter().enumerate() {
            let fits = canvas.check(variant);
            fits.map_err(|error| VariantSetError::Canvas { index, error })?;
        }
        Ok(Self {
            variants,
            canvas: Some(canvas),
            indices: OnceLock::new(),
        })
    }

    /// All variants, by index.
    #[must_use]
    pub fn all(&self) -> &[Arc<Variant>] {
        &self.variants
    }

    /// The variant of this index.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn get(&self, index: usize) -> &Arc<Variant> {
        &self.variants[index]
    }

    /// The variant, where there is only one.
    #[must_use]
    pub fn only(&self) -> Option<&Arc<Variant>> {
        match &self.variants[..] {
            [variant] => Some(variant),
            _ => None,
        }
    }

    /// The index of a variant, the first one if it is listed repeatedly.
    #[must_use]
    pub fn index_of(&self, variant: &Arc<Variant>) -> Option<usize> {
        if let Some(only) = self.only() {
            return (only == variant).then_some(0);
        }
        let indices = self.indices.get_or_init(|| {
            let all = self.variants.iter().enumerate();
            // Later entries of equal variants would replace the first.
            all.rev().map(|(i, it)| (Arc::clone(it), i)).collect()
        });
        indices.get(variant).copied()
    }

    /// The canvas, unless actions are numbered over the cells of the only variant.
    #[must_use]
    pub fn canvas(&self) -> Option<Canvas> {
        self.canvas
    }

    /// How the actions and observations of the variant of this index are numbered.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn of(&self, index: usize) -> Numbering<'_> {
        Numbering::new(self.get(index), self.canvas)
    }

    /// The number of actions, the same in all variants.
    #[must_use]
    pub fn num_actions(&self) -> usize {
        self.of(0).num_actions()
    }

    /// The index of the pass, the last action.
    #[must_use]
    pub fn pass_action(&self) -> usize {
        self.of(0).pass_action()
    }

    /// Fails when positions of these variants cannot be laid out like this.
    ///
    /// # Errors
    ///
    /// As [`Numbering::check`].
    pub fn check(&self, layout: Layout) -> Result<(), LayoutError> {
        self.of(0).check(layout)
    }

    /// The shape of one observation, the same in all variants.
    #[must_use]
    pub fn observation_shape(&self, layout: Layout) -> Vec<usize> {
        self.of(0).observation_shape(layout)
    }

    /// The numbers in one observation.
    #[must_use]
    pub fn observation_len(&self, layout: Layout) -> usize {
        self.of(0).observation_len(layout)
    }

    /// The most actions that a game of any of the variants can always have: the smallest
    /// [`Variant::max_game_length`].
    #[must_use]
    pub fn min_game_length(&self) -> usize {
        let lengths = self
            .variants
            .iter()
            .map(|variant| variant.max_game_length());
        lengths.min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Opening};

    #[test]
    fn a_set_has_the_shape_of_its_canvas_and_the_length_of_its_shortest_game() {
        let variant = |text: &str| {
            let board = Board::from_text(text).unwrap();
            Arc::new(Variant::new(board, Opening::Anywhere, 1).unwrap())
        };
        let (small, large) = (variant("##\n#."), variant("###\n###"));
        assert!(small.max_game_length() < large.max_game_length());
        let one = VariantSet::one(large.clone());
        assert_eq!(one.observation_shape(Layout::Flat), [3 * 6 + 8]);
        assert_eq!(one.observation_shape(Layout::Planes), [12, 2, 3]);
        assert_eq!(one.min_game_length(), large.max_game_length());
        for variants in [[small.clone(), large.clone()], [large, small.clone()]] {
            let canvas = Canvas::new(3, 4).unwrap();
            let set = VariantSet::on_canvas(variants.to_vec(), canvas).unwrap();
            assert_eq!(set.observation_shape(Layout::Planes), [12, 3, 4]);
            assert_eq!(set.min_game_length(), small.max_game_length());
        }
    }

    #[test]
    fn a_variant_is_found_by_what_it_is() {
        let variant = |copies| {
            let variant = Variant::new(Board::default(), Opening::Anywhere, copies);
            Arc::new(variant.unwrap())
        };
        let canvas = Canvas::new(4, 4).unwrap();
        let listed = [3, 2, 3, 1].map(variant).to_vec();
        let set = VariantSet::on_canvas(listed, canvas).unwrap();
        let found = [1, 2, 3, 4].map(|copies| set.index_of(&variant(copies)));
        assert_eq!(found, [Some(3), Some(1), Some(0), None]);
        let one = VariantSet::one(variant(2));
        assert_eq!(one.index_of(&variant(2)), Some(0));
        assert_eq!(one.index_of(&variant(3)), None);
    }
}
