//! Variants as arguments: themselves, their texts or their dicts.

use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString, PyTuple};

use super::variant::PyVariant;
use super::variant_parts::from_parts;
use crate::python::convert::lists::Items;
use crate::python::convert::short_repr;
use crate::python::convert::text::text;

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
            Ok(parts) => Ok(from_parts(&parts)?.into()),
            Err(_) => Err(PyTypeError::new_err(not_a_variant("it", &value))),
        }
    }
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
