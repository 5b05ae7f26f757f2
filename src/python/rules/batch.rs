//! Lists of positions.

use std::sync::Arc;

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::observation::observations;
use super::position::{PyPosition, not_a_position};
use super::variant::PyVariant;
use crate::encode::{Layout, num_actions, write_mask};
use crate::game::{Position, Variant};
use crate::python::convert::shown;
use crate::python::interrupt::without_gil;

/// The extractor of a list of positions.
///
/// # Errors
///
/// `TypeError` for anything else.
pub(crate) fn positions(value: &Bound<'_, PyAny>) -> PyResult<Vec<PyPosition>> {
    let items = value.try_iter().map_err(|_| {
        let value = shown(value);
        PyTypeError::new_err(format!("positions must be a list of Position, not {value}"))
    })?;
    let mut positions = Vec::new();
    for (i, item) in items.enumerate() {
        let item = item?;
        match item.cast::<PyPosition>() {
            Ok(position) => positions.push(position.get().clone()),
            Err(_) => return Err(not_a_position(&format!("position {i}"), &item)),
        }
    }
    Ok(positions)
}

/// The observations of several positions of one variant, ``(B, ...)``.
#[pyfunction]
#[pyo3(signature = (positions, layout="flat", dtype=None))]
pub(crate) fn observe_batch<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
    layout: &str,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let variant = common_variant(&positions)?;
    let layout: Layout = layout.parse()?;
    let cores: Vec<Position> = positions.iter().map(|position| position.core).collect();
    let mut shape = vec![cores.len()];
    shape.extend(layout.shape(&variant));
    observations(py, &variant, &cores, layout, dtype, &shape)
}

/// The action masks of several positions of one variant, int8 ``(B, num_actions)``.
#[pyfunction]
pub(crate) fn mask_batch(
    py: Python<'_>,
    #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
) -> PyResult<Bound<'_, PyArray2<i8>>> {
    let variant = common_variant(&positions)?;
    let mut masks = Array2::zeros((positions.len(), num_actions(&variant)));
    without_gil(py, positions.len(), || {
        for (position, mask) in positions.iter().zip(masks.outer_iter_mut()) {
            let mask = mask.into_slice().expect("C order");
            write_mask(&variant, &position.core, mask);
        }
    });
    Ok(masks.into_pyarray(py))
}

/// The variant that all positions share.
pub(crate) fn common_variant(positions: &[PyPosition]) -> PyResult<Arc<Variant>> {
    let Some(first) = positions.first() else {
        return Err(PyValueError::new_err(
            "the list of positions is empty, give at least one",
        ));
    };
    for (i, position) in positions.iter().enumerate() {
        if position.variant != first.variant {
            let (found, expected) = (position.variant().__repr__(), first.variant().__repr__());
            let message = format!("position {i} is of {found}, the first one of {expected}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(first.variant.clone())
}

/// The variant that all positions share.
#[pyfunction(name = "common_variant")]
pub(crate) fn python_common_variant(
    #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
) -> PyResult<PyVariant> {
    common_variant(&positions).map(PyVariant)
}
