//! The values that a network in Python gives for the leaves of a search.

#![forbid(unsafe_code)]

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;

use crate::network::Network;
use crate::tree_search::LeafValues;

/// The shape that values of so many leaves need: two for each leaf where two are given, else one.
pub(crate) fn values_shape(values: &Bound<'_, PyAny>, leaves: usize) -> PyResult<Vec<usize>> {
    let py = values.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let shape = numpy.call_method1(intern!(py, "shape"), (values,))?;
    let pairs = vec![leaves, 2];
    Ok(if shape.extract::<Vec<usize>>()? == pairs {
        pairs
    } else {
        vec![leaves]
    })
}

/// Values that have this shape.
pub(crate) fn leaf_values<'a>(values: &'a PyReadonlyArrayDyn<'_, f32>) -> PyResult<LeafValues<'a>> {
    let numbers = values.as_slice()?;
    if values.ndim() == 1 {
        return Ok(LeafValues::Values(numbers));
    }
    Ok(LeafValues::OutcomesAndMargins {
        pairs: numbers.as_chunks().0,
        unit: Network::MARGIN_UNIT,
    })
}
