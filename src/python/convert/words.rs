//! Words of states as Python gives and takes them.

#![forbid(unsafe_code)]

use numpy::{PyArrayDescrMethods, PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::arrays::readable;
use crate::memory::with_room;

/// An array of words; the message of an error starts with `name`.
pub(crate) fn words_array<'py>(
    name: &str,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArrayDyn<u64>>> {
    if let Ok(array) = given.cast::<PyArrayDyn<u64>>() {
        return Ok(array.clone());
    }
    let py = given.py();
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let array = numpy.call_method1(pyo3::intern!(py, "asarray"), (given,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if !array.dtype().is_equiv_to(&numpy::dtype::<u64>(py)) {
        let dtype = array.dtype();
        let message = format!("{name} must be uint64, not {dtype}");
        return Err(PyTypeError::new_err(message));
    }
    Ok(array.into_any().cast_into()?)
}

/// The words of an array, copied: another thread could write to it meanwhile.
pub(crate) fn copy_words(array: &Bound<'_, PyArrayDyn<u64>>) -> PyResult<Vec<u64>> {
    let array = readable(array)?;
    let slice = array.as_slice()?;
    let mut words = with_room("the states", slice.len())?;
    words.extend_from_slice(slice);
    Ok(words)
}
