//! Actions of a batch as Python gives them.

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Copies actions, an array of any integer type or a list, contiguous or not, into `numbers`.
///
/// They are copied because another thread could write to the array while a step reads it.
///
/// # Errors
///
/// `TypeError` for other types, booleans included, and `ValueError` for another shape.
pub(super) fn copy_actions(actions: &Bound<'_, PyAny>, numbers: &mut [i64]) -> PyResult<()> {
    if let Ok(array) = actions.cast_exact::<PyArray1<i64>>() {
        return copy(array, numbers);
    }
    let py = actions.py();
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let array = numpy.call_method1(pyo3::intern!(py, "asarray"), (actions,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if array.shape() != [numbers.len()] {
        return Err(wrong_shape(array.shape(), numbers.len()));
    }
    let dtype = array.dtype();
    if !matches!(dtype.kind(), b'i' | b'u') {
        return Err(PyTypeError::new_err(format!(
            "actions must be integers, not {dtype}"
        )));
    }
    let array = array.call_method1(pyo3::intern!(py, "astype"), (numpy::dtype::<i64>(py),))?;
    copy(array.cast::<PyArray1<i64>>()?, numbers)
}

fn copy(array: &Bound<'_, PyArray1<i64>>, numbers: &mut [i64]) -> PyResult<()> {
    if array.len() != numbers.len() {
        return Err(wrong_shape(array.shape(), numbers.len()));
    }
    // SAFETY: we hold the GIL, and nothing in here runs Python code that could write to the array.
    let actions = unsafe { array.as_array() };
    if let Some(actions) = actions.as_slice() {
        numbers.copy_from_slice(actions);
    } else {
        for (number, &action) in numbers.iter_mut().zip(actions) {
            *number = action;
        }
    }
    Ok(())
}

fn wrong_shape(shape: &[usize], expected: usize) -> PyErr {
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    PyValueError::new_err(format!(
        "actions must have shape ({expected},), one a game, not ({}{comma})",
        shape.join(", ")
    ))
}
