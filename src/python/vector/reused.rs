//! Arrays that are handed out and written to again.

#![allow(
    unsafe_code,
    reason = "NumPy's arrays are written in place, and references to them counted"
)]

use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{
    Element, PyArray, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::encode::Layout;
use crate::game::Variant;
use crate::python::convert::arrays::Dtype;
use crate::vector::Observations;

/// What observations look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub(crate) layout: Layout,
    pub(crate) dtype: Dtype,
}

/// An array of observations in one of the number types.
pub(crate) enum ObservationArray {
    Float32(Py<PyArrayDyn<f32>>),
    Uint8(Py<PyArrayDyn<u8>>),
    Packed(Py<PyArrayDyn<u64>>),
}

impl ObservationArray {
    pub(crate) fn new(py: Python<'_>, variant: &Variant, format: Format, rows: usize) -> Self {
        let mut shape = vec![rows];
        shape.extend(format.layout.shape(variant));
        match (format.layout, format.dtype) {
            (Layout::Packed, _) => Self::Packed(zeros(py, &shape)),
            (_, Dtype::Float32) => Self::Float32(zeros(py, &shape)),
            (_, Dtype::Uint8) => Self::Uint8(zeros(py, &shape)),
        }
    }

    pub(crate) fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        match self {
            Self::Float32(array) => array.bind(py).as_any(),
            Self::Uint8(array) => array.bind(py).as_any(),
            Self::Packed(array) => array.bind(py).as_any(),
        }
    }

    /// Whether Python code has left dtype, shape and layout as they were made.
    pub(crate) fn is_intact(&self, py: Python<'_>, shape: &[usize]) -> bool {
        match self {
            Self::Float32(array) => is_intact(array.bind(py), shape),
            Self::Uint8(array) => is_intact(array.bind(py), shape),
            Self::Packed(array) => is_intact(array.bind(py), shape),
        }
    }

    pub(crate) fn memory<'a>(&'a mut self, py: Python<'a>, layout: Layout) -> Observations<'a> {
        match self {
            Self::Float32(array) => Observations::Float32(layout, numbers(array.bind(py))),
            Self::Uint8(array) => Observations::Uint8(layout, numbers(array.bind(py))),
            Self::Packed(array) => Observations::Packed(numbers(array.bind(py))),
        }
    }
}

/// Whether we hold the only reference to an object.
pub(crate) fn is_unshared(object: &Bound<'_, PyAny>) -> bool {
    references(object) == 1
}

/// How many references to an object there are.
pub(crate) fn references(object: &Bound<'_, PyAny>) -> isize {
    // SAFETY: it is a live object, and we hold the GIL.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

/// Whether an array still is what it was made as, whatever Python code did to its header.
pub(crate) fn is_intact<T: Element>(array: &Bound<'_, PyArrayDyn<T>>, shape: &[usize]) -> bool {
    // SAFETY: it is a live array, of which only the header is read.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    let (dtype, expected) = (array.dtype(), numpy::dtype::<T>(array.py()));
    array.shape() == shape
        && array.is_c_contiguous()
        && flags & NPY_ARRAY_WRITEABLE != 0
        // Nearly always it is the very same object.
        && (dtype.is(&expected) || dtype.is_equiv_to(&expected))
}

pub(crate) fn zeros<T: Element>(py: Python<'_>, shape: &[usize]) -> Py<PyArrayDyn<T>> {
    PyArray::zeros(py, shape, false).unbind()
}

/// The numbers of an array that belongs to an [`Outputs`] or has not been handed out yet.
#[allow(clippy::mut_from_ref)] // as `PyArrayMethods::as_slice_mut`; callers hold `&mut`
pub(crate) fn numbers<'a, T: Element>(array: &'a Bound<'_, PyArrayDyn<T>>) -> &'a mut [T] {
    // SAFETY: We made the array, contiguous and of this type, and `is_intact` has just found it so
    // if it was ever handed out. It cannot be resized while there is a second reference to it. Each
    // field of `Outputs` is borrowed once at a time, through `&mut`. Python code that looks at the
    // environment's own arrays from another thread in the middle of a step sees old and new
    // numbers mixed, as with any NumPy array that two threads share.
    unsafe { array.as_slice_mut() }.expect("our arrays are contiguous")
}
