//! Converts texts from Python, before they are parsed.

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::short_repr;
use crate::python::errors::classes;

/// The text of a `str`.
///
/// # Errors
///
/// `ParseError` for a lone surrogate, which Python allows in texts and no text file can hold, and
/// `TypeError` for anything that is not a `str`.
pub(crate) fn text<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let text = value.cast::<PyString>()?;
    text.to_str().map_err(|error| {
        let surrogate = || -> PyResult<String> {
            let at: usize = error.value(value.py()).getattr("start")?.extract()?;
            let found = short_repr(&value.get_item(at)?);
            Ok(format!(
                "expected a text without lone surrogates, found {found} (character {at})"
            ))
        };
        surrogate().map_or_else(|error| error, classes::ParseError::new_err)
    })
}
