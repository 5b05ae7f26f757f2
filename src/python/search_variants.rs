//! The variants of the positions of a tree search.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::encode::VariantSet;
use crate::memory::{OutOfMemory, with_room};
use crate::python::rules::batch::{by_variant, check_positions, common_variant};
use crate::python::rules::canvas::PyCanvas;
use crate::python::rules::position::PyPosition;
use crate::tree_search::RootPosition;

/// The variants of these positions: one, or on a canvas any number.
///
/// # Errors
///
/// `ValueError` without positions, and for several variants without a canvas; `VariantError` for a
/// board that does not fit.
pub(crate) fn variants_of(
    py: Python<'_>,
    positions: &[PyPosition],
    canvas: Option<PyCanvas>,
) -> PyResult<Arc<VariantSet>> {
    let variants = if let Some(PyCanvas(canvas)) = canvas {
        check_positions(canvas, positions)?;
        let (variants, _) = by_variant(py, positions)?;
        VariantSet::on_canvas(variants, canvas)?
    } else {
        VariantSet::one(common_variant(positions)?)
    };
    Ok(Arc::new(variants))
}

/// The variants that a search knows, followed by the others of these positions. Without a canvas there
/// are no others.
///
/// # Errors
///
/// As [`variants_of`]; `ValueError` for another variant without a canvas.
pub(crate) fn variants_with(
    py: Python<'_>,
    known: &Arc<VariantSet>,
    positions: &[PyPosition],
) -> PyResult<Arc<VariantSet>> {
    let Some(canvas) = known.canvas() else {
        if known.index_of(&common_variant(positions)?).is_none() {
            let message = "the positions are of another variant than those searched before";
            return Err(PyValueError::new_err(message));
        }
        return Ok(Arc::clone(known));
    };
    check_positions(canvas, positions)?;
    let (mut others, _) = by_variant(py, positions)?;
    others.retain(|variant| known.index_of(variant).is_none());
    if others.is_empty() {
        return Ok(Arc::clone(known));
    }
    let all = [known.all(), &others].concat();
    Ok(Arc::new(VariantSet::on_canvas(all, canvas)?))
}

/// The positions with the indices of their variants, which must be known.
pub(crate) fn roots_of(
    variants: &VariantSet,
    positions: &[PyPosition],
) -> Result<Vec<RootPosition>, OutOfMemory> {
    let mut roots = with_room("the positions of a search", positions.len())?;
    for PyPosition { variant, core } in positions {
        let variant = variants.index_of(variant).expect("a known variant");
        roots.push(RootPosition {
            variant,
            position: *core,
        });
    }
    Ok(roots)
}
