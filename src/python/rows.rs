//! The last observations of games that ended, as rows of one array.

use std::mem;

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use super::outputs::{Format, ObservationArray, is_unshared, references};
use crate::vector::{BatchEnv, Observations};

/// An array with a row for each game that ended in a step, and its rows as objects.
///
/// An object for every row costs more than its numbers, so both stay for the next step. A row is
/// either here or in the array of last observations that the caller sees, which has None elsewhere;
/// the two change places, which costs no reference counting.
pub(super) struct Rows {
    array: ObservationArray,
    /// The shape of the array.
    shape: Vec<usize>,
    /// The rows as objects, as far as any came back: None while handed out.
    views: Vec<Py<PyAny>>,
    made: isize,
}

impl Rows {
    /// Room for this many games and some more.
    pub(super) fn new(py: Python<'_>, core: &BatchEnv, format: Format, games: usize) -> Self {
        let variant = &core.config().variant;
        let capacity = (games + (games / 8).clamp(8, 512)).min(core.num_envs());
        let mut shape = vec![capacity];
        shape.extend(format.layout.shape(variant));
        Self {
            array: ObservationArray::new(py, variant, format, capacity),
            shape,
            views: Vec::new(),
            made: 0,
        }
    }

    /// Whether there is room for this many games, and not so much that it wastes memory.
    pub(super) fn suit(&self, games: usize) -> bool {
        /// Rows that are no waste.
        const FEW: usize = 256;
        (games..=4 * games.max(FEW)).contains(&self.shape[0])
    }

    pub(super) fn memory<'a>(&'a mut self, py: Python<'a>, format: Format) -> Observations<'a> {
        self.array.memory(py, format.layout)
    }

    /// Puts a row where there is None.
    pub(super) fn put(
        &mut self,
        py: Python<'_>,
        row: usize,
        place: &mut Py<PyAny>,
    ) -> PyResult<()> {
        if let Some(view) = self.views.get_mut(row)
            && !view.is_none(py)
        {
            mem::swap(view, place);
        } else {
            let view = self.array.object(py).get_item((row, py.Ellipsis()))?;
            *place = view.unbind();
            self.made += 1;
        }
        Ok(())
    }

    /// Takes a row back and leaves None; what the caller has put in its place comes back.
    pub(super) fn take_back(
        &mut self,
        py: Python<'_>,
        row: usize,
        place: &mut Py<PyAny>,
    ) -> Option<Py<PyAny>> {
        if self.is_row(py, row, place) {
            if row >= self.views.len() {
                self.views.resize_with(row + 1, || py.None());
            }
            mem::swap(&mut self.views[row], place);
            return None;
        }
        self.made -= 1;
        Some(mem::replace(place, py.None()))
    }

    /// Whether an object is this row.
    fn is_row(&self, py: Python<'_>, row: usize, object: &Py<PyAny>) -> bool {
        let Ok(view) = object.bind(py).cast_exact::<PyUntypedArray>() else {
            return false;
        };
        let Ok(all) = self.array.object(py).cast_exact::<PyUntypedArray>() else {
            return false;
        };
        let stride = all.strides()[0];
        // SAFETY: both are live arrays, of which only the header is read.
        unsafe {
            let (view, all) = (&*view.as_array_ptr(), &*all.as_array_ptr());
            view.fields.base.cast() == std::ptr::from_ref(all).cast_mut()
                && view.fields.data == all.fields.data.offset(row as isize * stride)
        }
    }

    /// Whether nobody else can see the array or the rows handed out, of these games in order.
    pub(super) fn are_free(&self, py: Python<'_>, games: &[u32], last: &[Py<PyAny>]) -> bool {
        let unshared = |object: &Py<PyAny>| is_unshared(object.bind(py));
        // The rows refer to the array, and so does every other view of it.
        references(self.array.object(py)) == 1 + self.made
            && games.iter().enumerate().all(|(row, &game)| {
                let place = &last[game as usize];
                unshared(place) && self.is_row(py, row, place)
            })
    }

    /// Whether the array still is what it was made as.
    pub(super) fn are_intact(&self, py: Python<'_>) -> bool {
        self.array.is_intact(py, &self.shape)
    }
}
