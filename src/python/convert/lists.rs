//! Converts lists of any length from Python.

#![forbid(unsafe_code)]

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PySequence, PyString};
use pyo3::{Borrowed, CastError, PyTypeInfo, conversion::FromPyObjectOwned};

use super::floats::float;
use super::short_repr;
use crate::memory::make_room;
use crate::search::CHECK_INTERVAL;

/// The items of a Python sequence, one by one.
pub(crate) struct Items<'py>(pub(crate) Bound<'py, PyIterator>);

impl<'py> FromPyObject<'_, 'py> for Items<'py> {
    type Error = PyErr;

    fn extract(sequence: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = sequence.py();
        if sequence.is_instance_of::<PyString>() {
            let text = "a str is not a list of items";
            return Err(PyTypeError::new_err(text));
        }
        let is_sequence = sequence.hasattr(intern!(py, "__getitem__"))?;
        if !is_sequence || sequence.is_instance_of::<PyDict>() {
            let wanted = PySequence::type_object(py).into_any();
            return Err(CastError::new(sequence, wanted).into());
        }
        sequence.try_iter().map(Self)
    }
}

impl<'py> Items<'py> {
    /// The items of an argument that is a list of `what`.
    ///
    /// # Errors
    ///
    /// `TypeError` for anything else; the message has the `name` of the argument.
    pub(crate) fn of(name: &str, what: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        value.extract().map_err(|error: PyErr| {
            if error.is_instance_of::<PyTypeError>(value.py()) {
                let value = short_repr(value);
                PyTypeError::new_err(format!("{name} must be a list of {what}, not {value}"))
            } else {
                error
            }
        })
    }

    /// The results of `convert` for each item and its number.
    pub(crate) fn list<T>(
        self,
        convert: impl Fn(usize, &Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Vec<T>> {
        let py = self.0.py();
        let mut items = Vec::new();
        for (number, item) in self.0.enumerate() {
            if number % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
                py.check_signals()?;
            }
            let item = convert(number, &item?)?;
            make_room(&mut items, "a list", 1)?;
            items.push(item);
        }
        Ok(items)
    }
}

/// The items of a Python sequence, all of one type.
///
/// To extract a `Vec` reserves memory for the length that the sequence claims before an item is
/// read, which aborts for `range(10**12)`. This grows with the items that it reads.
pub(crate) struct Listed<T>(pub(crate) Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Listed<T> {
    type Error = PyErr;

    fn extract(sequence: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = sequence.py();
        let items = Items::extract(sequence)?.list(|number, item| {
            item.extract::<T>().map_err(|error| {
                let error: PyErr = error.into();
                if error.is_instance_of::<PyTypeError>(py) {
                    PyTypeError::new_err(format!("item {number}: {}", error.value(py)))
                } else {
                    error
                }
            })
        });
        items.map(Self)
    }
}

/// A list of real numbers; booleans are refused, as they are nearly always a mistake.
///
/// # Errors
///
/// `TypeError` for anything else; the message has the `name` of the argument.
pub(crate) fn numbers(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let number = |number, item: &Bound<'_, PyAny>| float(format_args!("{name}[{number}]"), item);
    Items::of(name, "numbers", value)?.list(number)
}
