//! Observations of positions as new arrays.

use ndarray::ArrayD;
use numpy::IntoPyArray;
use pyo3::prelude::*;

use crate::encode::{Feature, Layout, observe, pack};
use crate::game::{Position, Variant};
use crate::python::convert::arrays::Dtype;
use crate::python::interrupt::without_gil;

/// The observations of positions of one variant, in an array of this shape.
pub(super) fn observations<'py>(
    py: Python<'py>,
    variant: &Variant,
    positions: &[Position],
    layout: Layout,
    dtype: Option<&Bound<'py, PyAny>>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    layout.check(variant)?;
    if layout == Layout::Packed {
        let words = without_gil(py, positions.len(), || {
            let words = positions.iter().map(|position| pack(variant, position));
            words.collect()
        });
        return Ok(shaped::<u64>(words, shape).into_pyarray(py).into_any());
    }
    Ok(match dtype.map_or(Ok(Dtype::Float32), Dtype::parse)? {
        Dtype::Float32 => rows::<f32>(py, variant, positions, layout, shape)
            .into_pyarray(py)
            .into_any(),
        Dtype::Uint8 => rows::<u8>(py, variant, positions, layout, shape)
            .into_pyarray(py)
            .into_any(),
    })
}

fn rows<T: Feature>(
    py: Python<'_>,
    variant: &Variant,
    positions: &[Position],
    layout: Layout,
    shape: &[usize],
) -> ArrayD<T> {
    let length = layout.len(variant);
    let mut numbers = vec![T::default(); positions.len() * length];
    without_gil(py, positions.len(), || {
        for (position, row) in positions.iter().zip(numbers.chunks_exact_mut(length)) {
            observe(variant, position, layout, row);
        }
    });
    shaped(numbers, shape)
}

fn shaped<T>(numbers: Vec<T>, shape: &[usize]) -> ArrayD<T> {
    ArrayD::from_shape_vec(shape, numbers).expect("as many numbers as the shape has")
}
