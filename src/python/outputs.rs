//! The `NumPy` arrays that a batch environment writes into and hands out.

use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{
    Element, PyArray, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::arrays::Dtype;
use super::ends::Ends;
use crate::encode::{Layout, num_actions};
use crate::game::Variant;
use crate::vector::{BatchEnv, Buffers, Observations, View};

/// What observations look like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub(super) layout: Layout,
    pub(super) dtype: Dtype,
}

/// An array of observations in one of the number types.
pub(super) enum ObservationArray {
    Float32(Py<PyArrayDyn<f32>>),
    Uint8(Py<PyArrayDyn<u8>>),
    Packed(Py<PyArrayDyn<u64>>),
}

impl ObservationArray {
    pub(super) fn new(py: Python<'_>, variant: &Variant, format: Format, rows: usize) -> Self {
        let mut shape = vec![rows];
        shape.extend(format.layout.shape(variant));
        match (format.layout, format.dtype) {
            (Layout::Packed, _) => Self::Packed(zeros(py, &shape)),
            (_, Dtype::Float32) => Self::Float32(zeros(py, &shape)),
            (_, Dtype::Uint8) => Self::Uint8(zeros(py, &shape)),
        }
    }

    pub(super) fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        match self {
            Self::Float32(array) => array.bind(py).as_any(),
            Self::Uint8(array) => array.bind(py).as_any(),
            Self::Packed(array) => array.bind(py).as_any(),
        }
    }

    /// Whether Python code has left dtype, shape and layout as they were made.
    pub(super) fn is_intact(&self, py: Python<'_>, shape: &[usize]) -> bool {
        match self {
            Self::Float32(array) => is_intact(array.bind(py), shape),
            Self::Uint8(array) => is_intact(array.bind(py), shape),
            Self::Packed(array) => is_intact(array.bind(py), shape),
        }
    }

    pub(super) fn memory<'a>(&'a mut self, py: Python<'a>, layout: Layout) -> Observations<'a> {
        match self {
            Self::Float32(array) => Observations::Float32(layout, numbers(array.bind(py))),
            Self::Uint8(array) => Observations::Uint8(layout, numbers(array.bind(py))),
            Self::Packed(array) => Observations::Packed(numbers(array.bind(py))),
        }
    }
}

/// One array of each kind that every step returns.
pub(super) struct Outputs {
    layout: Layout,
    rows: usize,
    actions: usize,
    /// The shape of the observations.
    shape: Vec<usize>,
    observations: ObservationArray,
    action_mask: Py<PyArrayDyn<i8>>,
    to_play: Py<PyArrayDyn<i8>>,
    rewards: Py<PyArrayDyn<f32>>,
    terminations: Py<PyArrayDyn<bool>>,
    truncations: Py<PyArrayDyn<bool>>,
    /// Made when a game ends for the first time.
    ends: Option<Ends>,
}

impl Outputs {
    pub(super) fn new(py: Python<'_>, variant: &Variant, format: Format, rows: usize) -> Self {
        let mut shape = vec![rows];
        shape.extend(format.layout.shape(variant));
        Self {
            layout: format.layout,
            rows,
            actions: num_actions(variant),
            shape,
            observations: ObservationArray::new(py, variant, format, rows),
            action_mask: zeros(py, &[rows, num_actions(variant)]),
            to_play: zeros(py, &[rows]),
            rewards: zeros(py, &[rows]),
            terminations: zeros(py, &[rows]),
            truncations: zeros(py, &[rows]),
            ends: None,
        }
    }

    /// Whether nobody else can see these arrays any more.
    ///
    /// Whoever uses an array, a view of it, its buffer or a tensor on its memory holds a reference.
    pub(super) fn is_free(&self, py: Python<'_>) -> bool {
        let arrays = [
            self.observations.object(py),
            self.action_mask.bind(py).as_any(),
            self.to_play.bind(py).as_any(),
            self.rewards.bind(py).as_any(),
            self.terminations.bind(py).as_any(),
            self.truncations.bind(py).as_any(),
        ];
        arrays.into_iter().all(is_unshared)
            && self.ends.as_ref().is_none_or(|ends| ends.is_free(py))
    }

    /// Whether every array still is what it was made as.
    ///
    /// `array.shape = ...` and `array.dtype = ...` change an array in place. One that was changed
    /// so is not written to again.
    pub(super) fn is_intact(&self, py: Python<'_>) -> bool {
        let rows = [self.rows];
        self.observations.is_intact(py, &self.shape)
            && is_intact(self.action_mask.bind(py), &[self.rows, self.actions])
            && is_intact(self.to_play.bind(py), &rows)
            && is_intact(self.rewards.bind(py), &rows)
            && is_intact(self.terminations.bind(py), &rows)
            && is_intact(self.truncations.bind(py), &rows)
            && self
                .ends
                .as_ref()
                .is_none_or(|ends| ends.is_intact(py, self.rows))
    }

    /// The memory of what the agent sees.
    pub(super) fn view<'a>(&'a mut self, py: Python<'a>) -> View<'a> {
        View {
            observations: self.observations.memory(py, self.layout),
            action_mask: numbers(self.action_mask.bind(py)),
            to_play: numbers(self.to_play.bind(py)),
        }
    }

    /// The memory of what a step returns.
    pub(super) fn buffers<'a>(&'a mut self, py: Python<'a>) -> Buffers<'a> {
        // Games are never cut short, but a caller may have written to the array.
        numbers(self.truncations.bind(py)).fill(false);
        Buffers {
            rewards: numbers(self.rewards.bind(py)),
            terminations: numbers(self.terminations.bind(py)),
            view: View {
                observations: self.observations.memory(py, self.layout),
                action_mask: numbers(self.action_mask.bind(py)),
                to_play: numbers(self.to_play.bind(py)),
            },
        }
    }

    /// What `reset` returns.
    pub(super) fn reset_result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.observations.object(py), self.info(py)?).into_pyobject(py)
    }

    /// What `step` returns, with what `info` says about the games that ended in it.
    ///
    /// Arrays that are `lent` are for the caller to keep and to write to.
    pub(super) fn step_result<'py>(
        &mut self,
        py: Python<'py>,
        core: &BatchEnv,
        format: Format,
        lent: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let info = self.info(py)?;
        if !core.endings().is_empty() {
            let ends = self.ends.get_or_insert_with(|| Ends::new(py, core, format));
            ends.write(py, core, format, lent)?;
            ends.tell(py, core.config(), &info)?;
        }
        let results = (
            self.observations.object(py),
            self.rewards.bind(py),
            self.terminations.bind(py),
            self.truncations.bind(py),
            info,
        );
        results.into_pyobject(py)
    }

    /// The part of `info` that is always there.
    pub(super) fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(pyo3::intern!(py, "action_mask"), self.action_mask.bind(py))?;
        info.set_item(pyo3::intern!(py, "to_play"), self.to_play.bind(py))?;
        Ok(info)
    }
}

/// Whether we hold the only reference to an object.
pub(super) fn is_unshared(object: &Bound<'_, PyAny>) -> bool {
    references(object) == 1
}

/// How many references to an object there are.
pub(super) fn references(object: &Bound<'_, PyAny>) -> isize {
    // SAFETY: it is a live object, and we hold the GIL.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

/// Whether an array still is what it was made as, whatever Python code did to its header.
pub(super) fn is_intact<T: Element>(array: &Bound<'_, PyArrayDyn<T>>, shape: &[usize]) -> bool {
    // SAFETY: it is a live array, of which only the header is read.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    let (dtype, expected) = (array.dtype(), numpy::dtype::<T>(array.py()));
    array.shape() == shape
        && array.is_c_contiguous()
        && flags & NPY_ARRAY_WRITEABLE != 0
        // Nearly always it is the very same object.
        && (dtype.is(&expected) || dtype.is_equiv_to(&expected))
}

pub(super) fn zeros<T: Element>(py: Python<'_>, shape: &[usize]) -> Py<PyArrayDyn<T>> {
    PyArray::zeros(py, shape, false).unbind()
}

/// The numbers of an array that belongs to an [`Outputs`] or has not been handed out yet.
#[allow(clippy::mut_from_ref)] // as `PyArrayMethods::as_slice_mut`; callers hold `&mut`
pub(super) fn numbers<'a, T: Element>(array: &'a Bound<'_, PyArrayDyn<T>>) -> &'a mut [T] {
    // SAFETY: We made the array, contiguous and of this type, and `is_intact` has just found it so
    // if it was ever handed out. It cannot be resized while there is a second reference to it. Each
    // field of `Outputs` is borrowed once at a time, through `&mut`. Python code that looks at the
    // environment's own arrays from another thread in the middle of a step sees old and new
    // numbers mixed, as with any NumPy array that two threads share.
    unsafe { array.as_slice_mut() }.expect("our arrays are contiguous")
}
