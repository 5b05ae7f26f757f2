//! The parts of a variant: what they are by default, and how they are read from a dict.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};

use crate::game::{Board, Opening, Variant};
use crate::python::convert::integers::integer_or;
use crate::python::convert::short_repr;
use crate::python::convert::text::Text;
use crate::python::errors::not_a_board;
use crate::python::exceptions;

/// The variant with the items of a mapping.
pub(super) fn from_parts(parts: &Bound<'_, PyMapping>) -> PyResult<Variant> {
    let (mut board, mut opening, mut number) = (None, None, None);
    for item in parts.items()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let part = match name.extract::<&str>() {
            Ok("board") => &mut board,
            Ok("opening") => &mut opening,
            Ok("copies") => &mut number,
            _ => {
                let name = short_repr(&name);
                return Err(exceptions::VariantError::new_err(format!(
                    "a variant has board, opening and copies, but not {name}"
                )));
            }
        };
        *part = Some(value);
    }
    let text_of = |name: &str, value: Option<Bound<'_, PyAny>>| match value {
        Some(value) if !value.is_instance_of::<PyString>() => {
            let value = short_repr(&value);
            let message = format!("the {name} of a variant is a str, not {value}");
            Err(PyTypeError::new_err(message))
        }
        Some(value) => Ok(Some(value.extract::<Text<'_>>()?.0.to_owned())),
        None => Ok(None),
    };
    let board = match text_of("board", board)? {
        Some(text) => {
            let board = Board::from_text(&text);
            Arc::new(board.map_err(|error| not_a_board(&text, error))?)
        }
        None => Arc::clone(standard().board()),
    };
    let opening = match text_of("opening", opening)? {
        Some(text) => Opening::from_name(&text)?,
        None => Opening::default(),
    };
    let number = match number {
        Some(number) => copies(&number)?,
        None => i64::from(standard().copies()),
    };
    Ok(Variant::new(board, opening, number)?)
}

/// The standard game, made once: it is by far the most used, and its tables are not small.
pub(super) fn standard() -> &'static Arc<Variant> {
    static STANDARD: OnceLock<Arc<Variant>> = OnceLock::new();
    STANDARD.get_or_init(Arc::default)
}

/// The extractor of `copies`.
pub(crate) fn copies(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    integer_or("copies", value, |number| {
        let (max, number) = (Variant::MAX_COPIES, short_repr(number));
        exceptions::VariantError::new_err(format!("copies must be 1 to {max}, not {number}"))
    })
}
