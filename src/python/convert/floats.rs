//! Converts real numbers from Python: whatever becomes a float, except booleans.

#![forbid(unsafe_code)]

use std::fmt::Display;
use std::ops::RangeInclusive;

use pyo3::Borrowed;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use super::short_repr;
use super::shown::argument;

/// What an argument may be, and how its errors say so.
struct Range(RangeInclusive<f64>, &'static str);

// Searches compute with `f32`.
const FINITE: Range = Range(0.0..=f32::MAX as f64, "a finite number from 0");
const ABOVE_ZERO: Range = Range(
    f32::MIN_POSITIVE as f64..=f32::MAX as f64,
    "a finite number above 0",
);
const SHARE: Range = Range(0.0..=1.0, "from 0 to 1");
const AMOUNT: Range = Range(0.0..=f64::INFINITY, "0 or more");
const FROM_ZERO: Range = Range(0.0..=f64::MAX, "a finite number of at least 0");

/// Defines the type of each argument that is a real number, which knows name and range.
macro_rules! floats {
    ($($type:ident($name:literal) = $range:expr;)*) => {$(
        #[allow(dead_code, reason = "some have a default wherever they are an argument")]
        pub(crate) struct $type(pub(crate) f64);

        impl $type {
            /// The extractor (`from_py_with`) of an argument with a default, which signatures show
            /// only for a plain number.
            pub(crate) fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
                float_in($name, value, &$range)
            }
        }

        argument!($type: "SupportsFloat | SupportsIndex" = |value: Borrowed<'_, '_, _>| {
            Self::number(&value).map(Self)
        });
    )*};
}

floats! {
    CPuct("c_puct") = FINITE;
    CScale("c_scale") = FINITE;
    CVisit("c_visit") = FINITE;
    DirichletAlpha("dirichlet_alpha") = ABOVE_ZERO;
    DirichletShare("dirichlet_share") = SHARE;
    MarginWeight("margin_weight") = SHARE;
    MaxSeconds("max_seconds") = AMOUNT;
    PlayTemperature("temperature") = FROM_ZERO;
    SolvedTemperature("solved_temperature") = FINITE;
    Temperature("temperature") = FINITE;
}

/// A number in a range.
///
/// # Errors
///
/// `TypeError` as [`float`], and `ValueError` for a number out of the range, or NaN.
fn float_in(name: &str, value: &Bound<'_, PyAny>, range: &Range) -> PyResult<f64> {
    let (Range(range, text), number) = (range, float(name, value)?);
    if range.contains(&number) {
        return Ok(number);
    }
    let found = if number.is_infinite() {
        short_repr(value) // perhaps a large integer
    } else {
        format!("{number:?}")
    };
    let message = format!("{name} must be {text}, not {found}");
    Err(PyValueError::new_err(message))
}

/// Converts a value to a float; a number beyond all floats is infinite.
///
/// # Errors
///
/// `TypeError` for a boolean, which is nearly always a flag in the wrong place, and for anything
/// that is not a real number; the message starts with `name`.
pub(crate) fn float(name: impl Display, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let py = value.py();
    let refused = || {
        let shown = short_repr(value);
        PyTypeError::new_err(format!("{name} must be a number, not {shown}"))
    };
    if !may_be_real(value) {
        return Err(refused());
    }
    value.extract().or_else(|error: PyErr| {
        if error.is_instance_of::<PyTypeError>(py) {
            Err(refused())
        } else if error.is_instance_of::<PyOverflowError>(py) {
            let is_negative = value.lt(0)?;
            Ok(if is_negative {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            })
        } else {
            Err(error)
        }
    })
}

/// Whether this may be a real number. The scalars of `numpy` become floats also where they are
/// booleans or complex.
fn may_be_real(value: &Bound<'_, PyAny>) -> bool {
    let py = value.py();
    let dtype = value.getattr(intern!(py, "dtype"));
    let kind = dtype.and_then(|dtype| dtype.getattr(intern!(py, "kind"))?.extract::<String>());
    match kind {
        Ok(kind) => ["f", "i", "u"].contains(&kind.as_str()),
        Err(_) => !value.is_instance_of::<PyBool>(),
    }
}
