//! What networks return for a tree search.

#![forbid(unsafe_code)]

use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use super::arrays::{readable, shape_text};
use crate::python::exceptions;

/// Real numbers of this shape, the last dimension innermost.
///
/// # Errors
///
/// `PolicyError` for another shape, which nothing is copied for, or another kind of numbers.
pub(crate) fn floats<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
    shape: &[usize],
) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let py = object.py();
    let as_array = |object: &Bound<'py, PyAny>| match object.cast::<PyArrayDyn<f32>>() {
        Ok(_) => Ok(object.clone()),
        Err(_) => py.import("numpy")?.call_method1("asarray", (object,)),
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
        if !["f", "i", "u"].contains(&kind.as_str()) {
            let message = format!("the {name} have dtype {dtype}, not a real number type");
            return Err(exceptions::PolicyError::new_err(message));
        }
        object = object.call_method1("astype", ("float32",))?;
    }
    readable(&object.cast_into::<PyArrayDyn<f32>>()?)
}
