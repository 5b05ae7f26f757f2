//! Memory that Rust owns and that `NumPy` arrays view.
//!
//! A batch writes its results into the same memory again and again, and lends it to Python as `NumPy`
//! arrays. Python code can do anything to such an array: give it another dtype or shape, lock it, or
//! point it at other memory. So nothing about the memory is ever read from an array:
//!
//! ```text
//!   SharedMemory (pointer, length) ──► Owner (Python object, frees the memory)
//!                                        ▲ base    ▲ base
//!                                      array     array   ...  views that Python sees
//! ```
//!
//! The core writes through the pointer and the length that were kept when the memory was made. An
//! array keeps the owner alive, and the owner the memory. What Python does to an array changes that
//! array alone.

#![allow(unsafe_code, reason = "memory is shared with NumPy, see above")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};
use std::slice;

use numpy::npyffi::{
    NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_CARRAY, NPY_ARRAY_WRITEABLE, NpyTypes, PY_ARRAY_API,
    PyArrayObject, get_type_object, npy_intp,
};
use numpy::{Element, PyArrayDescr};
use pyo3::prelude::*;

use crate::memory::OutOfMemory;

/// Number types in which any bits are a valid value, so Python may write any bytes.
///
/// # Safety
///
/// All bit patterns are values of the type, zero among them.
pub(crate) unsafe trait Scalar: Element + Copy {}

macro_rules! implement_number {
    ($($number:ty)*) => {$(
        // SAFETY: any bits are a value of these types.
        unsafe impl Scalar for $number {}
    )*};
}

implement_number!(f32 u8 i8 i16 i64 u64);

/// Owns a block of memory for the arrays that view it.
#[pyclass(module = "mijnlieff._mijnlieff", name = "ArrayMemory", frozen)]
pub(crate) struct Owner {
    start: NonNull<u8>,
    layout: Layout,
    /// The number of references to Python objects at the start of the memory.
    objects: usize,
}

// SAFETY: the owner only frees the memory; `SharedMemory` decides who may write to it.
unsafe impl Send for Owner {}
// SAFETY: as above, and `&Owner` does not give access to the memory.
unsafe impl Sync for Owner {}

impl Owner {
    /// Memory of this layout, all zero.
    fn zeros(layout: Layout, objects: usize) -> Option<Self> {
        // SAFETY: the size is not zero, as `SharedMemory::zeros` never asks for 0 bytes.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self {
            start,
            layout,
            objects,
        })
    }
}

#[pymethods]
impl Owner {
    /// The size of the memory in bytes, for `sys.getsizeof`.
    fn __sizeof__(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let objects = self.start.cast::<Option<Py<PyAny>>>();
        let objects = NonNull::slice_from_raw_parts(objects, self.objects);
        // SAFETY: `zeros` allocated it with this layout, and no array views it any more: each
        // one holds a reference to this object. Null stands for no object in the memory of `LentArray`
        // and of NumPy.
        unsafe {
            objects.drop_in_place();
            dealloc(self.start.as_ptr(), self.layout);
        }
    }
}

/// The most dimensions of an array: games, planes, rows and columns.
const MAX_DIMENSIONS: usize = 4;

/// Numbers in memory that `NumPy` arrays view.
struct SharedMemory<T> {
    owner: Py<Owner>,
    start: NonNull<T>,
    len: usize,
    /// The dtype of views, kept to compare views with it.
    dtype: Py<PyArrayDescr>,
    numbers: PhantomData<T>,
}

// SAFETY: it is a pointer to memory that only this object writes to from Rust.
unsafe impl<T: Send> Send for SharedMemory<T> {}
// SAFETY: `&SharedMemory` gives access to objects only with the GIL, and none to numbers.
unsafe impl<T: Send> Sync for SharedMemory<T> {}

impl<T: Element> SharedMemory<T> {
    /// Allocates memory for this many items of `item` numbers each, all zero.
    ///
    /// # Errors
    ///
    /// `MemoryError` if memory does not suffice.
    fn zeros(py: Python<'_>, items: usize, item: usize) -> PyResult<Self> {
        let len = items.saturating_mul(item);
        let short = || PyErr::from(OutOfMemory::of::<T>("an array", len));
        // An address is needed even if there is nothing to store.
        let layout = Layout::array::<T>(len.max(1)).map_err(|_| short())?;
        let objects = if T::IS_COPY { 0 } else { len };
        let owner = Owner::zeros(layout, objects).ok_or_else(short)?;
        let start = owner.start.cast();
        Ok(Self {
            owner: Py::new(py, owner)?,
            start,
            len,
            dtype: numpy::dtype::<T>(py).unbind(),
            numbers: PhantomData,
        })
    }

    /// A new array of this shape that views the numbers from `first` on.
    ///
    /// # Errors
    ///
    /// `MemoryError` if there is no memory for its header. `PyArray::borrow_from_array` does not look
    /// whether there is.
    ///
    /// # Panics
    ///
    /// If there are not as many numbers, or more than [`MAX_DIMENSIONS`].
    fn view<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let length = shape.iter().product::<usize>();
        assert!(first <= self.len && length <= self.len - first);
        let mut dimensions = [0; MAX_DIMENSIONS];
        for (dimension, &size) in dimensions[..shape.len()].iter_mut().zip(shape) {
            *dimension = size as npy_intp;
        }
        // SAFETY: the assertion has just shown that the numbers lie within the memory, which is
        // initialized and neither moved nor freed while the owner lives, and the array holds the
        // owner. NumPy takes over a reference to the dtype and to the owner, even when it fails.
        unsafe {
            let array = PY_ARRAY_API.PyArray_NewFromDescr(
                py,
                get_type_object(py, NpyTypes::PyArray_Type),
                self.dtype.clone_ref(py).into_ptr().cast(),
                shape.len() as c_int,
                dimensions.as_mut_ptr(),
                null_mut(),
                self.start.add(first).as_ptr().cast(),
                NPY_ARRAY_CARRAY,
                null_mut(),
            );
            let array = Bound::from_owned_ptr_or_err(py, array)?;
            let owner = self.owner.clone_ref(py).into_ptr();
            if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), owner) < 0 {
                return Err(PyErr::fetch(py));
            }
            Ok(array)
        }
    }

    /// Whether an array is unchanged since [`SharedMemory::view`] made it, and has no weak references.
    ///
    /// Memory safety does not depend on the answer, which only tells whether the array may be handed out
    /// again.
    fn is_unchanged(&self, view: &Bound<'_, PyAny>, first: usize, shape: &[usize]) -> bool {
        const FLAGS: i32 = NPY_ARRAY_WRITEABLE | NPY_ARRAY_C_CONTIGUOUS;
        let array = view.as_ptr().cast::<PyArrayObject>();
        // SAFETY: `view` is a live array that this object made, and we hold the GIL. Only its header
        // is read; `nd` tells how many numbers `dimensions` has.
        unsafe {
            let header = &(*array).fields;
            header.data.cast() == self.start.add(first).as_ptr()
                && header.descr.cast() == self.dtype.as_ptr()
                && header.flags & FLAGS == FLAGS
                && header.weakreflist.is_null()
                && header.nd as usize == shape.len()
                && (0..shape.len()).all(|i| *header.dimensions.add(i) as usize == shape[i])
        }
    }
}

/// Memory with the array that shows all of it, lent again and again.
///
/// To make an array takes longer than a step of most small batches, so the array is kept as long as
/// its header is unchanged.
pub(crate) struct LentArray<T> {
    memory: SharedMemory<T>,
    shape: Vec<usize>,
    view: Py<PyAny>,
}

impl<T: Element> LentArray<T> {
    /// An array of zeros.
    ///
    /// # Errors
    ///
    /// `MemoryError` if memory does not suffice.
    pub(crate) fn zeros(py: Python<'_>, shape: &[usize]) -> PyResult<Self> {
        let memory = SharedMemory::zeros(py, shape[0], shape[1..].iter().product())?;
        let view = memory.view(py, 0, shape)?.unbind();
        Ok(Self {
            memory,
            shape: shape.to_vec(),
            view,
        })
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.shape[0]
    }

    /// Whether no Python code can see the memory any more.
    pub(crate) fn is_free(&self, py: Python<'_>) -> bool {
        // A view of the array, its buffer or a tensor on it holds a reference to the array.
        references(self.view.bind(py)) == 1 && self.other_views(py) == 0
    }

    /// The number of arrays, besides the whole one, that view the memory.
    ///
    /// Negative if the caller has pointed the whole one at other memory.
    pub(crate) fn other_views(&self, py: Python<'_>) -> isize {
        references(self.memory.owner.bind(py)) - 2
    }

    /// The array, or a new one if the caller has changed it.
    ///
    /// # Errors
    ///
    /// `MemoryError` if there is no memory for another one.
    pub(crate) fn lend<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if !self.memory.is_unchanged(self.view.bind(py), 0, &self.shape) {
            self.view = self.memory.view(py, 0, &self.shape)?.unbind();
        }
        Ok(self.view.bind(py).clone())
    }

    /// A new array of the first rows.
    ///
    /// # Errors
    ///
    /// `MemoryError` if there is no memory for it.
    pub(crate) fn lend_first<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.memory
            .view(py, 0, &[&[rows], &self.shape[1..]].concat())
    }

    /// A new array that is one row.
    ///
    /// # Errors
    ///
    /// `MemoryError` if there is no memory for it.
    pub(crate) fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        self.memory.view(py, row * self.row_len(), &self.shape[1..])
    }

    /// Whether an array is unchanged since [`LentArray::row`] made it.
    pub(crate) fn is_unchanged_row(&self, view: &Bound<'_, PyAny>, row: usize) -> bool {
        self.memory
            .is_unchanged(view, row * self.row_len(), &self.shape[1..])
    }

    fn row_len(&self) -> usize {
        self.shape[1..].iter().product()
    }
}

impl<T: Scalar> LentArray<T> {
    /// The numbers, to write to.
    ///
    /// Python code may read them or write to them meanwhile. It then finds old and new numbers mixed,
    /// as in any array that two threads share. So the core never reads them back.
    pub(crate) fn numbers(&mut self) -> &mut [T] {
        // SAFETY: the memory holds `len` initialized numbers and lives as long as its owner. From Rust
        // it is reached through this object alone, which is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.memory.start.as_ptr(), self.memory.len) }
    }
}

impl LentArray<bool> {
    /// The truth values, to write to.
    pub(crate) fn truths(&mut self) -> &mut [bool] {
        let (start, len) = (self.memory.start.as_ptr(), self.memory.len);
        // SAFETY: as in `numbers`, and bytes may be anything. A caller may have left bytes that are
        // not truth values; they become 1 before there is a reference to truth values.
        unsafe {
            for byte in slice::from_raw_parts_mut(start.cast::<u8>(), len) {
                *byte = u8::from(*byte != 0);
            }
            slice::from_raw_parts_mut(start, len)
        }
    }

    /// The truth values, to write to, all false now.
    pub(crate) fn all_false(&mut self) -> &mut [bool] {
        let (start, len) = (self.memory.start.as_ptr(), self.memory.len);
        // SAFETY: as in `numbers`. A caller may have left bytes that are not truth
        // values; they are overwritten before there is a reference to them, and never read back.
        unsafe {
            start.write_bytes(0, len);
            slice::from_raw_parts_mut(start, len)
        }
    }
}

impl LentArray<Py<PyAny>> {
    /// An array of references to None.
    ///
    /// # Errors
    ///
    /// `MemoryError` if memory does not suffice.
    pub(crate) fn of_none(py: Python<'_>, len: usize) -> PyResult<Self> {
        let mut array = Self::zeros(py, &[len])?;
        array.objects(py).fill_with(|| Some(py.None()));
        Ok(array)
    }

    /// The references, which the caller may have replaced. Do not drop any of them while they are
    /// borrowed: that may run Python code, which may read the array.
    pub(crate) fn objects(&mut self, _: Python<'_>) -> &mut [Option<Py<PyAny>>] {
        // SAFETY: as in `numbers`. NumPy and this crate put only references that the memory then owns
        // there, or null. Other threads cannot write meanwhile, because that takes the GIL.
        unsafe { slice::from_raw_parts_mut(self.memory.start.as_ptr().cast(), self.memory.len) }
    }

    /// As [`LentArray::objects`], to read only.
    pub(crate) fn seen_objects(&self, _: Python<'_>) -> &[Option<Py<PyAny>>] {
        // SAFETY: as in `objects`.
        unsafe { slice::from_raw_parts(self.memory.start.as_ptr().cast(), self.memory.len) }
    }
}

/// The reference count of an object.
pub(crate) fn references<T>(object: &Bound<'_, T>) -> isize {
    // SAFETY: it is a live object, and we hold the GIL.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}
