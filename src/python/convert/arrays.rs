//! `NumPy` dtypes and layouts.

use ndarray::{Array, Dimension, IntoDimension};
use numpy::{
    Element, IntoPyArray, Ix1, Ix2, Ix3, IxDyn, PyArray, PyArray1, PyArrayDescr,
    PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use super::shown::{Shown, TypeText, type_texts};
use crate::vector::Dtype;

/// An array as a result, which the stub shows with its dtype.
pub(crate) type NdArray<T, D> = Shown<T, PyArray<T, D>>;
pub(crate) type Array1<T> = NdArray<T, Ix1>;
pub(crate) type Array2<T> = NdArray<T, Ix2>;
pub(crate) type Array3<T> = NdArray<T, Ix3>;
pub(crate) type ArrayDyn<T> = NdArray<T, IxDyn>;

/// An array with one of several dtypes.
pub(crate) type AnyArray = Shown<AnyNumber>;

type_texts! {
    AnyNumber: "NDArray[Any]";
}

/// The type of an array of these numbers.
macro_rules! array_types {
    ($($number:ty: $text:literal;)*) => {$(
        impl TypeText for $number {
            const TEXT: &'static str = $text;
        }
    )*};
}

array_types! {
    bool: "NDArray[np.bool_]";
    f32: "NDArray[np.float32]";
    f64: "NDArray[np.float64]";
    i8: "NDArray[np.int8]";
    i16: "NDArray[np.int16]";
    i32: "NDArray[np.int32]";
    i64: "NDArray[np.int64]";
    u8: "NDArray[np.uint8]";
    u64: "NDArray[np.uint64]";
}

impl<T: Element> Array1<T> {
    /// The numbers as an array; they are moved, not copied.
    pub(crate) fn from_vec(py: Python<'_>, numbers: Vec<T>) -> Self {
        PyArray1::from_vec(py, numbers).into()
    }
}

impl<T, D> NdArray<T, D> {
    /// The array, whatever its number type is.
    pub(crate) fn into_any(self) -> AnyArray {
        self.shown_as()
    }
}

impl Dtype {
    /// Anything that `numpy.dtype` accepts, if it means float32 or uint8.
    pub(crate) fn parse(dtype: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = dtype.py();
        let refused = |found: &Bound<'_, PyAny>| {
            PyTypeError::new_err(format!(
                "observations have dtype float32 or uint8, not {found}"
            ))
        };
        // `PyArrayDescr::new` cannot convert None, which is float64 to NumPy.
        if dtype.is_none() {
            return Err(refused(dtype));
        }
        let descriptor = PyArrayDescr::new(py, dtype)?;
        if descriptor.is_equiv_to(&numpy::dtype::<f32>(py)) {
            Ok(Self::Float32)
        } else if descriptor.is_equiv_to(&numpy::dtype::<u8>(py)) {
            Ok(Self::Uint8)
        } else {
            Err(refused(&descriptor))
        }
    }
}

/// An array in C order whose items are aligned: the one that was given, or a copy.
///
/// Only such arrays may be read in place. The items of a field of a record array need not be
/// aligned, and the distance between them need not be a whole number of items: a view in Rust would
/// show other numbers.
pub(crate) fn readable<'py, T: Element, D: Dimension>(
    array: &Bound<'py, PyArray<T, D>>,
) -> PyResult<PyReadonlyArray<'py, T, D>> {
    let given = array.try_readonly()?;
    if array.is_c_contiguous() && given.as_slice().is_ok() {
        return Ok(given);
    }
    let py = array.py();
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let order = [("order", "C")].into_py_dict(py)?;
    let copy = numpy.call_method(pyo3::intern!(py, "array"), (array,), Some(&order))?;
    Ok(copy.cast_into::<PyArray<T, D>>()?.try_readonly()?)
}

/// A shape as Python writes it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    format!("({}{comma})", sizes.join(", "))
}

/// Numbers in C order as an array of this shape; they are moved, not copied.
///
/// # Panics
///
/// If the shape has another number of items.
pub(crate) fn shaped<T: Element, S: IntoDimension>(
    py: Python<'_>,
    numbers: Vec<T>,
    shape: S,
) -> NdArray<T, S::Dim> {
    let array = Array::from_shape_vec(shape.into_dimension(), numbers);
    let array = array.expect("as many numbers as the shape has");
    array.into_pyarray(py).into()
}
