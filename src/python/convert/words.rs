//! Words of states as Python gives and takes them.

#![forbid(unsafe_code)]

use numpy::{IntoPyArray, PyArrayDescrMethods, PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::actions::OutOfRange;
use super::arrays::{readable, shape_text};
use super::integers;
use crate::encode::PositionWords;
use crate::functional;
use crate::game::{Position, Variant};
use crate::memory::with_room;
use crate::python::errors::functional_error;

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

/// The word of a position, or on larger boards its words.
pub(crate) fn packed<'py>(
    py: Python<'py>,
    variant: &Variant,
    position: Position,
) -> PyResult<Bound<'py, PyAny>> {
    let mut words = vec![0; PositionWords::num_words(variant)];
    let illegal = false;
    PositionWords { position, illegal }.write(variant, &mut words);
    match words[..] {
        [word] => Ok(word.into_pyobject(py)?.into_any()),
        _ => Ok(words.into_pyarray(py).into_any()),
    }
}

/// The position that [`packed`] gave this word or these words of.
pub(crate) fn unpacked(variant: &Variant, given: &Bound<'_, PyAny>) -> PyResult<Position> {
    let words = match PositionWords::num_words(variant) {
        1 => vec![integers::integer_in("word", given, 0..=u64::MAX)?],
        count => {
            let array = words_array("the words of a position", given)?;
            if array.shape() != [count] {
                let (cells, found) = (variant.board().num_cells(), shape_text(array.shape()));
                return Err(PyValueError::new_err(format!(
                    "the words of a position on {cells} cells have shape ({count},), not {found}"
                )));
            }
            copy_words(&array)?
        }
    };
    functional::position(variant, &words)
        .map_err(|error| functional_error(given.py(), variant, &error, &OutOfRange::default()))
}
