//! Variants as arguments: themselves, their texts or their dicts.

use std::sync::Arc;

use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString, PyTuple};

use super::variant::{PyVariant, copies, standard};
use crate::game::{Board, Opening, Variant, shortened};
use crate::python::convert::lists::Items;
use crate::python::convert::short_repr;
use crate::python::convert::text::text;
use crate::python::errors::classes;

/// Every argument that is a variant may be its text or its dict.
impl<'py> FromPyObject<'_, 'py> for PyVariant {
    type Error = PyErr;

    #[cfg(feature = "stub")]
    const INPUT_TYPE: pyo3::inspect::PyStaticExpr = pyo3::inspect::PyStaticExpr::Constant {
        value: pyo3::inspect::PyStaticConstant::Str("VariantLike"),
    };

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(variant) = value.cast::<Self>() {
            return Ok(variant.get().clone());
        }
        if value.is_instance_of::<PyString>() {
            return Self::from_text(text(&value)?);
        }
        match value.cast::<PyMapping>() {
            Ok(parts) => from_parts(&parts),
            Err(_) => Err(PyTypeError::new_err(not_a_variant("it", &value))),
        }
    }
}

/// The variant with the items of a mapping.
pub(super) fn from_parts(parts: &Bound<'_, PyMapping>) -> PyResult<PyVariant> {
    let (mut board, mut opening, mut number) = (None, None, None);
    for item in parts.items()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let part = match name.extract::<&str>() {
            Ok("board") => &mut board,
            Ok("opening") => &mut opening,
            Ok("copies") => &mut number,
            _ => {
                let name = short_repr(&name);
                return Err(classes::VariantError::new_err(format!(
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
        Some(value) => text(&value).map(|text| Some(text.to_owned())),
        None => Ok(None),
    };
    let board = match text_of("board", board)? {
        Some(text) => Arc::new(Board::from_text(&text).map_err(|error| {
            let message = format!("{:?}: {error}", shortened(&text));
            classes::BoardError::new_err(message)
        })?),
        None => Arc::clone(standard().board()),
    };
    let opening = match text_of("opening", opening)? {
        Some(text) => text.parse()?,
        None => Opening::default(),
    };
    let number = match number {
        Some(number) => copies(&number)?,
        None => i64::from(standard().copies()),
    };
    Ok(Variant::new(board, opening, number)?.into())
}

fn not_a_variant(name: &str, value: &Bound<'_, PyAny>) -> String {
    let value = short_repr(value);
    format!("{name} must be a Variant, or its text or dict, not {value}")
}

/// A variant whose name in the message of a `TypeError` is this.
fn named(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PyVariant> {
    value.extract().map_err(|error: PyErr| {
        let is_other = !value.is_instance_of::<PyMapping>();
        if is_other && error.is_instance_of::<PyTypeError>(value.py()) {
            PyTypeError::new_err(not_a_variant(name, value))
        } else {
            error
        }
    })
}

/// The variant that an argument gives; None is the standard game.
///
/// Raises:
///     TypeError: something else; the message has the `name` of the argument.
///     VariantError: a text or dict that is not a variant.
///     BoardError: its board is not one.
#[pyfunction]
#[pyo3(signature = (variant: "VariantLike | None", name = "variant"))]
pub(crate) fn as_variant(variant: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<PyVariant> {
    match variant {
        Some(variant) => named(name, variant),
        None => Ok(PyVariant::or_default(None)),
    }
}

/// The variants that an argument gives, as for `as_variant`.
///
/// Raises:
///     TypeError: not a list of variants.
///     VariantError: a text or dict that is not a variant.
///     BoardError: its board is not one.
#[pyfunction]
#[pyo3(signature = (variants: "Sequence[VariantLike]") -> "tuple[Variant, ...]")]
pub(crate) fn as_variants(
    py: Python<'_>,
    #[pyo3(from_py_with = variants)] variants: Vec<PyVariant>,
) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, variants)
}

/// The extractor of a list of variants.
///
/// # Errors
///
/// `TypeError` for anything else, and errors of texts and dicts.
pub(crate) fn variants(value: &Bound<'_, PyAny>) -> PyResult<Vec<PyVariant>> {
    let items: PyResult<Items<'_>> = value.extract();
    let items = items.map_err(|error| {
        if error.is_instance_of::<PyTypeError>(value.py()) {
            let value = short_repr(value);
            PyTypeError::new_err(format!("variants must be a list of Variant, not {value}"))
        } else {
            error
        }
    })?;
    items.list(|number, item| named(&format!("variant {number}"), item))
}
