//! `NumPy` dtypes and layouts.

use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The number type of observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    /// Hands as shares of what a player starts with.
    Float32,
    /// Hands as counts.
    Uint8,
}

impl Dtype {
    /// Whatever `numpy.dtype` takes, as long as it means float32 or uint8.
    pub(crate) fn parse(dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = dtype.py();
        let descriptor = PyArrayDescr::new(py, dtype)?;
        if descriptor.is_equiv_to(&numpy::dtype::<f32>(py)) {
            Ok(Self::Float32)
        } else if descriptor.is_equiv_to(&numpy::dtype::<u8>(py)) {
            Ok(Self::Uint8)
        } else {
            Err(PyTypeError::new_err(format!(
                "observations have dtype float32 or uint8, not {descriptor}"
            )))
        }
    }
}
