//! The variants of the positions of a tree search.

#![allow(
    clippy::mutable_key_type,
    reason = "variants are hashed and compared by what never changes"
)]

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rustc_hash::FxBuildHasher;

use crate::encode::{Frame, VariantSet};
use crate::game::Variant;
use crate::memory::{OutOfMemory, with_room};
use crate::python::rules::batch::check_positions;
use crate::python::rules::batch::common_variant;
use crate::python::rules::position::PyPosition;
use crate::tree_search::RootPosition;

/// The variants that a search knows.
pub(crate) struct SearchVariants {
    pub(crate) set: Arc<VariantSet>,
    /// The index of each; empty without a frame, as there is only one.
    indices: HashMap<Arc<Variant>, usize, FxBuildHasher>,
}

impl SearchVariants {
    /// The variants of these positions: one, or on a frame any number.
    ///
    /// # Errors
    ///
    /// `ValueError` without positions, and for several variants without a frame; `VariantError` for a
    /// board that does not fit.
    pub(crate) fn of(positions: &[PyPosition], frame: Option<Frame>) -> PyResult<Self> {
        if let Some(frame) = frame {
            return Self::on_frame(Vec::new(), HashMap::default(), positions, frame);
        }
        Ok(Self {
            set: Arc::new(VariantSet::one(common_variant(positions)?)),
            indices: HashMap::default(),
        })
    }

    /// These variants and those of the positions. Without a frame there are no others.
    ///
    /// # Errors
    ///
    /// As [`SearchVariants::of`]; `ValueError` for another variant without a frame.
    pub(crate) fn with(&self, positions: &[PyPosition]) -> PyResult<Self> {
        let variants = self.set.all().to_vec();
        if let Some(frame) = self.set.frame() {
            return Self::on_frame(variants, self.indices.clone(), positions, frame);
        }
        if common_variant(positions)? != variants[0] {
            let message = "the positions are of another variant than those searched before";
            return Err(PyValueError::new_err(message));
        }
        Ok(Self {
            set: self.set.clone(),
            indices: HashMap::default(),
        })
    }

    fn on_frame(
        mut variants: Vec<Arc<Variant>>,
        mut indices: HashMap<Arc<Variant>, usize, FxBuildHasher>,
        positions: &[PyPosition],
        frame: Frame,
    ) -> PyResult<Self> {
        check_positions(frame, positions)?;
        for position in positions {
            indices.entry(position.variant.clone()).or_insert_with(|| {
                variants.push(position.variant.clone());
                variants.len() - 1
            });
        }
        Ok(Self {
            set: Arc::new(VariantSet::on_frame(variants, frame)?),
            indices,
        })
    }

    /// The positions with the indices of their variants, which must be known.
    pub(crate) fn roots(&self, positions: &[PyPosition]) -> Result<Vec<RootPosition>, OutOfMemory> {
        let mut roots = with_room("the positions of a search", positions.len())?;
        roots.extend(positions.iter().map(|position| RootPosition {
            variant: self.indices.get(&position.variant).copied().unwrap_or(0),
            position: position.core,
        }));
        Ok(roots)
    }
}
