//! Integers as Python gives them: anything with `__index__`, but no boolean.

#![allow(unsafe_code, reason = "PyO3 has no safe form of PyNumber_Index")]

use std::fmt::Display;
use std::ops::RangeInclusive;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

/// The most threads that a call may ask for; a mistyped number would take all memory.
const MAX_THREADS: usize = 1024;

/// The integer that a value is.
///
/// # Errors
///
/// `TypeError` for a boolean, which is nearly always a flag in the wrong place, and for what is no
/// integer; the message starts with `name`.
pub(crate) fn index<'py>(
    name: impl Display,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if value.is_exact_instance_of::<PyInt>() {
        return Ok(value.clone());
    }
    let py = value.py();
    let refused = || match value.repr() {
        Ok(shown) => PyTypeError::new_err(format!("{name} must be an integer, not {shown}")),
        Err(error) => error,
    };
    if value.is_instance_of::<PyBool>() {
        return Err(refused());
    }
    // SAFETY: the pointer is to a live object, and the result is a new reference or null with the
    // exception set.
    let index = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyNumber_Index(value.as_ptr())) };
    index.map_err(|error| {
        if error.is_instance_of::<PyTypeError>(py) {
            refused()
        } else {
            error
        }
    })
}

/// A number of the type wanted, or what `otherwise` makes of an integer that does not fit it.
pub(crate) fn integer_or<'py, T: FromPyObjectOwned<'py>>(
    name: &str,
    value: &Bound<'py, PyAny>,
    otherwise: impl FnOnce(&Bound<'py, PyAny>) -> PyErr,
) -> PyResult<T> {
    let index = index(name, value)?;
    index.extract().map_err(|_| otherwise(&index))
}

/// A number in a range.
///
/// # Errors
///
/// `TypeError` as [`index`], and `ValueError` for an integer out of the range.
pub(crate) fn integer_in<'py, T>(
    name: &str,
    value: &Bound<'py, PyAny>,
    range: RangeInclusive<T>,
) -> PyResult<T>
where
    T: FromPyObjectOwned<'py> + PartialOrd + Display,
{
    let (least, most) = (range.start(), range.end());
    let refused = |number: &Bound<'py, PyAny>| {
        PyValueError::new_err(format!("{name} must be {least} to {most}, not {number}"))
    };
    let index = index(name, value)?;
    match index.extract() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(refused(&index)),
    }
}

/// A count, such as of games or plies.
pub(crate) fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    integer_or(name, value, |number| {
        PyValueError::new_err(format!("{name} must be 0 or more, not {number}"))
    })
}

/// A seed, or the number of a stream.
pub(crate) fn seed(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    integer_or(name, value, |number| {
        PyValueError::new_err(format!("{name} must be 0 to 2**64 - 1, not {number}"))
    })
}

/// A number of threads, as many as there are cores unless given.
pub(crate) fn threads(num_threads: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    num_threads.map_or_else(
        || Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        |given| integer_in("num_threads", given, 1..=MAX_THREADS),
    )
}
