//! A position as one word, or on larger boards as several.

#![forbid(unsafe_code)]

use numpy::{IntoPyArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::encode::PositionWords;
use crate::functional;
use crate::game::{Position, Variant};
use crate::python::convert::actions::OutOfRange;
use crate::python::convert::arrays::shape_text;
use crate::python::convert::integers::integer_in;
use crate::python::convert::words::{copy_words, words_array};
use crate::python::errors::functional_error;

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
        1 => vec![integer_in("word", given, 0..=u64::MAX)?],
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
