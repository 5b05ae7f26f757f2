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

use crate::encode::{Canvas, VariantSet};
use crate::game::Variant;
use crate::memory::{OutOfMemory, with_room};
use crate::python::rules::batch::check_positions;
use crate::python::rules::batch::common_variant;
use crate::python::rules::canvas::PyCanvas;
use crate::python::rules::position::PyPosition;
use crate::tree_search::RootPosition;

/// The variants that a search knows.
pub(crate) struct SearchVariants {
    pub(crate) set: Arc<VariantSet>,
    /// The index of each; empty without a canvas, as there is only one.
    indices: HashMap<Arc<Variant>, usize, FxBuildHasher>,
}

impl SearchVariants {
    /// The variants of these positions: one, or on a canvas any number.
    ///
    /// # Errors
    ///
    /// `ValueError` without positions, and for several variants without a canvas; `VariantError` for a
    /// board that does not fit.
    pub(crate) fn of(positions: &[PyPosition], canvas: Option<PyCanvas>) -> PyResult<Self> {
        if let Some(PyCanvas(canvas)) = canvas {
            return Self::on_canvas(Vec::new(), HashMap::default(), positions, canvas);
        }
        Ok(Self {
            set: Arc::new(VariantSet::one(common_variant(positions)?)),
            indices: HashMap::default(),
        })
    }

    /// These variants and those of the positions. Without a canvas there are no others.
    ///
    /// # Errors
    ///
    /// As [`SearchVariants::of`]; `ValueError` for another variant without a canvas.
    pub(crate) fn with(&self, positions: &[PyPosition]) -> PyResult<Self> {
        let variants = self.set.all().to_vec();
        if let Some(canvas) = self.set.canvas() {
            return Self::on_canvas(variants, self.indices.clone(), positions, canvas);
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

    fn on_canvas(
        mut variants: Vec<Arc<Variant>>,
        mut indices: HashMap<Arc<Variant>, usize, FxBuildHasher>,
        positions: &[PyPosition],
        canvas: Canvas,
    ) -> PyResult<Self> {
        check_positions(canvas, positions)?;
        for position in positions {
            indices.entry(position.variant.clone()).or_insert_with(|| {
                variants.push(position.variant.clone());
                variants.len() - 1
            });
        }
        Ok(Self {
            set: Arc::new(VariantSet::on_canvas(variants, canvas)?),
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
