//! `NumPy` dtypes and layouts.

use ndarray::{Array, IntoDimension};
use numpy::{Element, IntoPyArray, PyArray, PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The number type of observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    /// Hands as shares of the pieces at the start.
    Float32,
    /// Hands as counts.
    Uint8,
}

impl Dtype {
    /// Anything that `numpy.dtype` accepts, if it means float32 or uint8.
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

/// Numbers in C order as an array of this shape; they are moved, not copied.
///
/// # Panics
///
/// If the shape has another number of items.
pub(crate) fn shaped<T: Element, S: IntoDimension>(
    py: Python<'_>,
    numbers: Vec<T>,
    shape: S,
) -> Bound<'_, PyArray<T, S::Dim>> {
    let array = Array::from_shape_vec(shape.into_dimension(), numbers);
    array
        .expect("as many numbers as the shape has")
        .into_pyarray(py)
}
