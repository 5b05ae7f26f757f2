//! Converts actions from Python: one for each game of a batch, or those of one game.

#![allow(unsafe_code, reason = "NumPy's arrays are read in place")]

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString, PyTuple};

use super::arrays::{readable, shape_text};
use super::integers::index;
use super::lists::Items;
use super::shown::argument;

/// The actions of a game, indices or texts, one by one.
pub(crate) struct GameActions<'py>(pub(crate) Bound<'py, PyIterator>);

argument!(GameActions<'py>: "Sequence[SupportsIndex | str]" = |value: Borrowed<'_, 'py, PyAny>| {
    if value.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(
            "actions must be a list of actions, not a str; parse_record(text) makes one of a record",
        ));
    }
    Items::of("actions", "actions", &value).map(|Items(actions)| Self(actions))
});

/// Stands for an action outside int64; an action of this number does not exist either.
pub(crate) const NO_ACTION: i64 = -1;

/// Actions outside int64, kept for the error message, with their games.
#[derive(Default)]
pub(crate) struct OutOfRange(Vec<(usize, Py<PyAny>)>);

impl OutOfRange {
    /// The original action of a game that was read as this number.
    pub(crate) fn given<'py>(
        &self,
        py: Python<'py>,
        game: usize,
        action: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.0.iter().find(|&&(number, _)| number == game) {
            Some((_, given)) => Ok(given.bind(py).clone()),
            None => Ok(action.into_pyobject(py)?.into_any()),
        }
    }

    /// The number that stands for an action.
    fn read(&mut self, game: usize, given: &Bound<'_, PyAny>) -> i64 {
        given.extract().unwrap_or_else(|_| {
            self.0.push((game, given.clone().unbind()));
            NO_ACTION
        })
    }
}

/// Copies actions, an array of any integer type or a list, contiguous or not, into `numbers`.
///
/// They are copied because another thread could write to the array while a step reads it.
///
/// # Errors
///
/// `TypeError` for other types, booleans included, and `ValueError` for another shape.
pub(crate) fn copy_actions(
    actions: &Bound<'_, PyAny>,
    numbers: &mut [i64],
) -> PyResult<OutOfRange> {
    let mut out_of_range = OutOfRange::default();
    if let Ok(array) = actions.cast_exact::<PyArray1<i64>>() {
        copy(array, numbers)?;
        return Ok(out_of_range);
    }
    // NumPy would read booleans among integers as integers, and large integers as floats.
    let is_list = actions.is_instance_of::<PyList>() || actions.is_instance_of::<PyTuple>();
    let listed = is_list.then(|| copy_items(actions, numbers, &mut out_of_range));
    if let Some(Ok(())) = listed {
        return Ok(out_of_range);
    }
    let py = actions.py();
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let array = numpy.call_method1(pyo3::intern!(py, "asarray"), (actions,))?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if array.shape() != [numbers.len()] {
        return Err(wrong_shape(array.shape(), numbers.len()));
    }
    if let Some(Err(error)) = listed {
        return Err(error);
    }
    let dtype = array.dtype();
    let wide = match (dtype.kind(), dtype.itemsize()) {
        (b'u', 8) => numpy::dtype::<u64>(py),
        (b'i' | b'u', _) => numpy::dtype::<i64>(py),
        _ => {
            let message = format!("actions must be integers, not {dtype}");
            return Err(PyTypeError::new_err(message));
        }
    };
    let array = array.call_method1(pyo3::intern!(py, "astype"), (wide,))?;
    if let Ok(signed) = array.cast::<PyArray1<i64>>() {
        copy(signed, numbers)?;
    } else {
        let unsigned = array.cast::<PyArray1<u64>>()?.readonly();
        for (game, (number, &action)) in numbers.iter_mut().zip(unsigned.as_array()).enumerate() {
            *number = match i64::try_from(action) {
                Ok(action) => action,
                Err(_) => out_of_range.read(game, action.into_pyobject(py)?.as_any()),
            };
        }
    }
    Ok(out_of_range)
}

/// Copies the items of a list or tuple.
fn copy_items(
    actions: &Bound<'_, PyAny>,
    numbers: &mut [i64],
    out_of_range: &mut OutOfRange,
) -> PyResult<()> {
    if actions.len()? != numbers.len() {
        return Err(wrong_shape(&[actions.len()?], numbers.len()));
    }
    for (game, number) in numbers.iter_mut().enumerate() {
        let action = index(
            format_args!("game {game}: action"),
            &actions.get_item(game)?,
        )?;
        *number = out_of_range.read(game, &action);
    }
    Ok(())
}

fn copy(array: &Bound<'_, PyArray1<i64>>, numbers: &mut [i64]) -> PyResult<()> {
    // Before anything is copied: a few bytes can be an array of any length.
    if array.len() != numbers.len() {
        return Err(wrong_shape(array.shape(), numbers.len()));
    }
    // SAFETY: the slice is only there for contiguous arrays whose items are aligned. We hold the
    // GIL, and nothing runs Python code that could write to the array while it is copied.
    if let Ok(actions) = unsafe { array.as_slice() } {
        numbers.copy_from_slice(actions);
    } else {
        numbers.copy_from_slice(readable(array)?.as_slice()?);
    }
    Ok(())
}

fn wrong_shape(shape: &[usize], expected: usize) -> PyErr {
    let shape = shape_text(shape);
    PyValueError::new_err(format!(
        "actions must have shape ({expected},), one for each game, not {shape}"
    ))
}
