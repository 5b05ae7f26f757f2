//! The legal actions of positions, as arrays from Python.

use ndarray::ArrayView2;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::python::convert::arrays::shape_text;
use crate::python::convert::short_repr;

/// Legal or possible actions of positions, an int8 or bool array ``(B, num_actions)``; every number
/// but 0 stands for true.
///
/// Truth values are read as numbers too. To NumPy a bool is a byte of any value, such as those of
/// another array that it views; in Rust a bool is 0 or 1.
pub(super) struct Masks<'py>(PyReadonlyArray2<'py, i8>);

impl<'py> FromPyObject<'_, 'py> for Masks<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(numbers) = given.cast::<PyArray2<i8>>() {
            return Ok(Self(numbers.try_readonly()?));
        }
        let Ok(truths) = given.cast::<PyArray2<bool>>() else {
            let given = short_repr(&given);
            return Err(PyTypeError::new_err(format!(
                "masks must be an int8 or bool array of two dimensions, not {given}"
            )));
        };
        let py = given.py();
        let numbers = (numpy::dtype::<i8>(py),);
        let numbers = truths.call_method1(pyo3::intern!(py, "view"), numbers)?;
        Ok(Self(numbers.cast_into::<PyArray2<i8>>()?.try_readonly()?))
    }
}

impl Masks<'_> {
    /// The numbers.
    pub(super) fn numbers(&self) -> ArrayView2<'_, i8> {
        // Whatever the steps between them: numbers of one byte are always aligned.
        self.0.as_array()
    }

    /// Raise unless there is a mask for each of the logits.
    pub(super) fn check(&self, shape: [usize; 2]) -> PyResult<()> {
        let found = self.0.shape();
        if found == shape {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "the masks of these positions have the shape {}, not {}",
            shape_text(&shape),
            shape_text(found)
        )))
    }

    /// Give illegal actions the logit -inf; the logits are in C order.
    pub(super) fn apply(&self, logits: &mut [f32]) {
        for (logit, &legal) in logits.iter_mut().zip(self.numbers()) {
            if legal == 0 {
                *logit = f32::NEG_INFINITY;
            }
        }
    }
}
