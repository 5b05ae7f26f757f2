//! Texts from Python, before they are parsed.

use pyo3::Borrowed;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;

use super::short_repr;
use super::shown::argument;
use crate::python::exceptions;

/// The text of a `str`.
///
/// Not of anything else, a `TypeError`, and without lone surrogates, a `ParseError`: Python allows
/// them in texts, and no text file can hold them.
pub(crate) struct Text<'a>(pub(crate) &'a str);

argument!(Text<'a>: "str" = read);

impl<'a> Text<'a> {
    /// The extractor (`from_py_with`) of an argument with a default, which signatures show only for a
    /// plain text.
    pub(crate) fn plain(value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
        Ok(value.extract::<Self>()?.0)
    }
}

fn read<'a>(value: Borrowed<'a, '_, PyAny>) -> PyResult<Text<'a>> {
    let py = value.py();
    value.extract().map(Text).map_err(|error: PyErr| {
        if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
            return error;
        }
        let surrogate = || -> PyResult<String> {
            let at: usize = error.value(py).getattr("start")?.extract()?;
            let found = short_repr(&value.get_item(at)?);
            Ok(format!(
                "expected a text without lone surrogates, found {found} (character {at})"
            ))
        };
        surrogate().map_or_else(|error| error, exceptions::ParseError::new_err)
    })
}
