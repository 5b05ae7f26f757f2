//! What a network in Python gives for the leaves of a search.

#![forbid(unsafe_code)]

use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

use crate::network::Network;
use crate::python::convert::arrays::{readable, shape_text};
use crate::python::exceptions;
use crate::tree_search::LeafValues;

/// The shape that values of so many leaves need: two for each leaf where two are given, else one.
///
/// # Errors
///
/// `PolicyError` for what is not an array, such as lists of several lengths.
pub(crate) fn values_shape(values: &Bound<'_, PyAny>, leaves: usize) -> PyResult<Vec<usize>> {
    let py = values.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let shape = numpy
        .call_method1(intern!(py, "shape"), (values,))
        .map_err(|error| not_an_array(py, "values", error))?;
    let pairs = vec![leaves, 2];
    Ok(if shape.extract::<Vec<usize>>()? == pairs {
        pairs
    } else {
        vec![leaves]
    })
}

/// Values that have this shape.
pub(crate) fn leaf_values<'a>(values: &'a PyReadonlyArrayDyn<'_, f32>) -> PyResult<LeafValues<'a>> {
    let numbers = values.as_slice()?;
    if values.ndim() == 1 {
        return Ok(LeafValues::Values(numbers));
    }
    Ok(LeafValues::OutcomesAndMargins {
        pairs: numbers.as_chunks().0,
        unit: Network::MARGIN_UNIT,
    })
}

/// Real numbers of this shape, the last dimension innermost.
///
/// # Errors
///
/// `PolicyError` for what is not an array, for another shape, which nothing is copied for, or for
/// another kind of numbers.
pub(crate) fn floats<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
    shape: &[usize],
) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let py = object.py();
    let as_array = |object: &Bound<'py, PyAny>| match object.cast::<PyArrayDyn<f32>>() {
        Ok(_) => Ok(object.clone()),
        Err(_) => py
            .import("numpy")?
            .call_method1("asarray", (object,))
            .map_err(|error| not_an_array(py, name, error)),
    };
    // A PyTorch tensor, on any device, of any precision, that may need gradients.
    let is_tensor = object.hasattr("detach")?;
    let mut object = if is_tensor {
        object.call_method0("detach")?
    } else {
        as_array(object)?
    };
    let found: Vec<usize> = object.getattr("shape")?.extract()?;
    if found != shape {
        let (found, needed) = (shape_text(&found), shape_text(shape));
        let message = format!("the {name} have shape {found}, but the leaves need {needed}");
        return Err(exceptions::PolicyError::new_err(message));
    }
    if is_tensor {
        object = as_array(&object.call_method0("cpu")?.call_method0("float")?)?;
    }
    if object.cast::<PyArrayDyn<f32>>().is_err() {
        let dtype = object.getattr("dtype")?;
        let kind: String = dtype.getattr("kind")?.extract()?;
        // JAX's bfloat16 is not among NumPy's kinds of numbers.
        let is_real =
            ["f", "i", "u"].contains(&kind.as_str()) || dtype.getattr("name")?.eq("bfloat16")?;
        if !is_real {
            let message = format!("the {name} have dtype {dtype}, not a real number type");
            return Err(exceptions::PolicyError::new_err(message));
        }
        object = object.call_method1("astype", ("float32",))?;
    }
    readable(&object.cast_into::<PyArrayDyn<f32>>()?)
}

/// The error for what NumPy cannot make an array of; other errors, such as of memory, stay.
fn not_an_array(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py) {
        let message = format!(
            "the {name} are not an array of numbers: {}",
            error.value(py)
        );
        return exceptions::PolicyError::new_err(message);
    }
    error
}
