//! `mijnlieff.Canvas`.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use super::variant::PyVariant;
use super::variant_argument::Variants;
use crate::encode::{Canvas, Layout, VariantSet, num_actions};
use crate::python::convert::arrays::Array1;
use crate::python::convert::integers::{indexed, integer_in};

/// A rectangle of cells that boards of different shapes share.
///
/// It gives learners that see many boards observations and actions of one shape.
/// A board lies in the lower left corner: its cell ``(x, y)`` is the cell in row ``y`` and column
/// ``x``. Observations have the layout ``"planes"`` with the height and width of the canvas;
/// cells that a board lacks are 0 in plane 3 and in all planes of cells; the planes of the hands
/// are constant over the whole canvas. Actions are ``type * height * width + y * width + x``, and
/// the last one passes. Canvases are immutable.
///
/// Args:
///     height: rows, 1 to 64.
///     width: columns, 1 to 64.
///
/// Raises:
///     ValueError: a side is not 1 to 64.
///     TypeError: a side is not an integer.
#[pyclass(
    name = "Canvas",
    module = "mijnlieff",
    frozen,
    eq,
    hash,
    from_py_object
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyCanvas(pub(crate) Canvas);

#[allow(clippy::trivially_copy_pass_by_ref)] // PyO3 has only references to objects
#[pymethods]
impl PyCanvas {
    #[new]
    #[pyo3(signature = (height: "SupportsIndex", width: "SupportsIndex"))]
    fn new(height: &Bound<'_, PyAny>, width: &Bound<'_, PyAny>) -> PyResult<Self> {
        let side = |name, value| integer_in(name, value, 1..=Canvas::MAX_SIDE);
        let canvas = Canvas::new(side("height", height)?, side("width", width)?)?;
        Ok(Self(canvas))
    }

    /// The smallest canvas that holds the boards of all these variants.
    ///
    /// Raises:
    ///     ValueError: the list is empty.
    ///     TypeError: an item is not a variant.
    #[staticmethod]
    fn around(variants: Variants) -> PyResult<Self> {
        Ok(Self(Canvas::around(variants.0.iter().map(|it| &*it.0))?))
    }

    /// Rows.
    #[getter]
    fn height(&self) -> usize {
        self.0.height()
    }

    /// Columns.
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// Number of action indices, ``4 * height * width + 1``.
    #[getter]
    fn num_actions(&self) -> usize {
        self.0.num_actions()
    }

    /// The index of the pass, the last action.
    #[getter]
    fn pass_action(&self) -> usize {
        self.0.pass_action()
    }

    /// The shape of one observation, ``(12, height, width)``.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        self.0.observation_shape().into()
    }

    /// The canvas's index of each action of a variant, int64 ``(variant.num_actions,)``.
    ///
    /// Raises:
    ///     VariantError: the board does not fit.
    fn actions(&self, py: Python<'_>, variant: PyVariant) -> PyResult<Array1<i64>> {
        self.0.check(&variant.0)?;
        let actions = 0..num_actions(&variant.0);
        let actions = actions.filter_map(|action| self.0.action(&variant.0, action));
        let actions = actions.map(|it| it as i64).collect();
        Ok(Array1::from_vec(py, actions))
    }

    /// The variant's index of an action of the canvas.
    ///
    /// Raises:
    ///     IndexError: the canvas has no such action, or the board no cell there.
    ///     VariantError: the board does not fit.
    ///     TypeError: the action is not an integer.
    #[pyo3(signature = (variant, action: "SupportsIndex"))]
    fn variant_action(&self, variant: PyVariant, action: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.0.check(&variant.0)?;
        let action = indexed("action", action, Some, |number| {
            let last = self.0.pass_action();
            format!("action {number} does not exist, the actions of this canvas are 0 to {last}")
        })?;
        Ok(self.0.variant_action(&variant.0, action)?)
    }

    fn __repr__(&self) -> String {
        format!("Canvas({}, {})", self.0.height(), self.0.width())
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (usize, usize)) {
        (py.get_type::<Self>(), (self.0.height(), self.0.width()))
    }
}

/// One variant with its own actions, or variants on a canvas.
pub(crate) fn variant_set(variants: Variants, canvas: Option<PyCanvas>) -> PyResult<VariantSet> {
    let variants: Vec<_> = variants.0.into_iter().map(|variant| variant.0).collect();
    match (&variants[..], canvas) {
        (_, Some(PyCanvas(canvas))) => Ok(VariantSet::on_canvas(variants, canvas)?),
        ([only], None) => Ok(VariantSet::one(Arc::clone(only))),
        _ => Err(PyValueError::new_err("several variants need a canvas")),
    }
}

/// The layout of observations that was asked for, or the usual one: flat, and planes on a canvas.
pub(crate) fn layout_or_usual(layout: Option<Layout>, canvas: Option<PyCanvas>) -> Layout {
    layout.unwrap_or(match canvas {
        Some(_) => Layout::Planes,
        None => Layout::Flat,
    })
}
