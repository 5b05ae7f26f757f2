//! Observations as arrays, in their own memory or lent to Python.

use pyo3::Borrowed;
use pyo3::prelude::*;

use super::arrays::{AnyArray, shaped};
use super::shared_memory::LentArray;
use super::shown::argument;
use super::text::Text;
use crate::encode::{Layout, Numbering, VariantSet};
use crate::vector::{Dtype, Format, ObservationRows, Observations};

argument!(Layout: "str" = |value: Borrowed<'_, '_, PyAny>| {
    Ok(value.extract::<Text<'_>>()?.0.parse()?)
});

/// Named in the error if memory does not suffice.
pub(crate) const OBSERVATIONS: &str = "the observations";

/// How observations are written: in a layout, and as float32 unless another dtype is given.
///
/// # Errors
///
/// As [`Numbering::check`], and `TypeError` for another dtype than float32 and uint8. Packed
/// observations ignore it.
pub(crate) fn format_of(
    numbering: Numbering<'_>,
    layout: Layout,
    dtype: Option<&Bound<'_, PyAny>>,
) -> PyResult<Format> {
    numbering.check(layout)?;
    let dtype = match dtype {
        Some(dtype) if layout != Layout::Packed => Dtype::parse(dtype)?,
        _ => Dtype::Float32,
    };
    Ok(Format { layout, dtype })
}

/// Observations as an array of this shape and that of one observation; they are moved, not copied.
pub(crate) fn observation_array(
    py: Python<'_>,
    numbering: Numbering<'_>,
    shape: &[usize],
    rows: ObservationRows,
) -> AnyArray {
    let shape = |layout| [shape, &numbering.observation_shape(layout)].concat();
    match rows {
        ObservationRows::Float32(layout, all) => shaped(py, all, shape(layout)).into_any(),
        ObservationRows::Uint8(layout, all) => shaped(py, all, shape(layout)).into_any(),
        ObservationRows::Packed(all) => shaped(py, all, shape(Layout::Packed)).into_any(),
    }
}

enum Numbers {
    Float32(LentArray<f32>),
    Uint8(LentArray<u8>),
    Packed(LentArray<u64>),
}

/// Evaluates an expression about the array, whatever its numbers are.
macro_rules! with_array {
    ($numbers:expr, $array:ident => $value:expr) => {
        match $numbers {
            Numbers::Float32($array) => $value,
            Numbers::Uint8($array) => $value,
            Numbers::Packed($array) => $value,
        }
    };
}

/// A lent array with an observation in each row.
pub(crate) struct ObservationArray {
    layout: Layout,
    numbers: Numbers,
}

impl ObservationArray {
    /// Allocates room for this many observations.
    ///
    /// # Errors
    ///
    /// `MemoryError` if memory does not suffice.
    pub(crate) fn zeros(
        py: Python<'_>,
        variants: &VariantSet,
        format: Format,
        rows: usize,
    ) -> PyResult<Self> {
        let layout = format.layout;
        let mut shape = vec![rows];
        shape.extend(variants.observation_shape(layout));
        let numbers = match (layout, format.dtype) {
            (Layout::Packed, _) => Numbers::Packed(LentArray::zeros(py, &shape)?),
            (_, Dtype::Float32) => Numbers::Float32(LentArray::zeros(py, &shape)?),
            (_, Dtype::Uint8) => Numbers::Uint8(LentArray::zeros(py, &shape)?),
        };
        Ok(Self { layout, numbers })
    }

    /// The memory, to write to.
    pub(crate) fn memory(&mut self) -> Observations<'_> {
        match &mut self.numbers {
            Numbers::Float32(array) => Observations::Float32(self.layout, array.numbers()),
            Numbers::Uint8(array) => Observations::Uint8(self.layout, array.numbers()),
            Numbers::Packed(array) => Observations::Packed(array.numbers()),
        }
    }

    /// See [`LentArray::len`].
    pub(crate) fn len(&self) -> usize {
        with_array!(&self.numbers, array => array.len())
    }

    /// See [`LentArray::is_free`].
    pub(crate) fn is_free(&self, py: Python<'_>) -> bool {
        with_array!(&self.numbers, array => array.is_free(py))
    }

    /// See [`LentArray::lend`].
    pub(crate) fn lend<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with_array!(&mut self.numbers, array => array.lend(py))
    }

    /// See [`LentArray::lend_first`].
    pub(crate) fn lend_first<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        with_array!(&self.numbers, array => array.lend_first(py, rows))
    }

    /// See [`LentArray::row`].
    pub(crate) fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        with_array!(&self.numbers, array => array.row(py, row))
    }

    /// See [`LentArray::is_unchanged_row`].
    pub(crate) fn is_unchanged_row(&self, view: &Bound<'_, PyAny>, row: usize) -> bool {
        with_array!(&self.numbers, array => array.is_unchanged_row(view, row))
    }

    /// See [`LentArray::other_views`].
    pub(crate) fn other_views(&self, py: Python<'_>) -> isize {
        with_array!(&self.numbers, array => array.other_views(py))
    }
}
