//! Variants as arguments: themselves, their texts or their dicts.

use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString, PyTuple};

use super::variant::PyVariant;
use super::variant_parts::from_parts;
use crate::python::convert::lists::Items;
use crate::python::convert::short_repr;
use crate::python::convert::shown::argument;

// Every argument that is a variant may be its text or its dict.
argument!(PyVariant: "VariantLike" = |value: Borrowed<'_, '_, PyAny>| {
    if let Ok(variant) = value.cast::<Self>() {
        return Ok(variant.get().clone());
    }
    if value.is_instance_of::<PyString>() {
        return Self::from_text(value.extract()?);
    }
    match value.cast::<PyMapping>() {
        Ok(parts) => Ok(from_parts(&parts)?.into()),
        Err(_) => Err(PyTypeError::new_err(not_a_variant("a variant", &value))),
    }
});

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
#[pyo3(signature = (variants) -> "tuple[Variant, ...]")]
pub(crate) fn as_variants(py: Python<'_>, variants: Variants) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, variants.0)
}

/// A list of variants.
pub(crate) struct Variants(pub(crate) Vec<PyVariant>);

argument!(Variants: "Sequence[VariantLike]" = |value: Borrowed<'_, '_, PyAny>| {
    let items = Items::of("variants", "Variant", &value)?;
    let variants = items.list(|number, item| named(&format!("variant {number}"), item));
    variants.map(Self)
});
