//! `NumPy` dtypes and layouts.

use ndarray::{Array, Dimension, IntoDimension};
use numpy::{
    Element, IntoPyArray, PyArray, PyArrayDescr, PyArrayDescrMethods, PyArrayMethods,
    PyReadonlyArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

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

/// An array in C order whose items are aligned: the one that was given, or a copy.
///
/// Only such arrays may be read in place. The items of a field of a record array need not be
/// aligned, and the distance between them need not be a whole number of items: a view in Rust would
/// show other numbers.
pub(crate) fn readable<'py, T: Element, D: Dimension>(
    array: &Bound<'py, PyArray<T, D>>,
) -> PyResult<PyReadonlyArray<'py, T, D>> {
    let given = array.try_readonly()?;
    if array.is_c_contiguous() && given.as_slice().is_ok() {
        return Ok(given);
    }
    let py = array.py();
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let order = [("order", "C")].into_py_dict(py)?;
    let copy = numpy.call_method(pyo3::intern!(py, "array"), (array,), Some(&order))?;
    Ok(copy.cast_into::<PyArray<T, D>>()?.try_readonly()?)
}

/// A shape as Python writes it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    format!("({}{comma})", sizes.join(", "))
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
