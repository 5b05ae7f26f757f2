//! The legal actions of positions, as arrays from Python.

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::python::convert::arrays::{readable, shape_text};

/// The legal actions of positions.
#[derive(FromPyObject)]
pub(super) enum Masks<'py> {
    Int8(PyReadonlyArray2<'py, i8>),
    Bool(PyReadonlyArray2<'py, bool>),
}

impl Masks<'_> {
    /// Raise unless there is a mask for each of the logits.
    pub(super) fn check(&self, shape: [usize; 2]) -> PyResult<()> {
        let found = match self {
            Self::Int8(masks) => masks.shape(),
            Self::Bool(masks) => masks.shape(),
        };
        if found == shape {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "the masks of these positions have the shape {}, not {}",
            shape_text(&shape),
            shape_text(found)
        )))
    }

    /// Give illegal actions the logit -inf; the logits are in C order.
    pub(super) fn apply(&self, logits: &mut [f32]) -> PyResult<()> {
        fn rule_out(logits: &mut [f32], legal: impl Iterator<Item = bool>) {
            for (logit, _) in logits.iter_mut().zip(legal).filter(|(_, legal)| !legal) {
                *logit = f32::NEG_INFINITY;
            }
        }
        match self {
            Self::Int8(masks) => {
                rule_out(
                    logits,
                    readable(masks)?.as_array().iter().map(|&one| one != 0),
                );
            }
            Self::Bool(masks) => rule_out(logits, readable(masks)?.as_array().iter().copied()),
        }
        Ok(())
    }
}
