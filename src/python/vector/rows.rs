//! The last observations of games that ended, as rows of one array.

#![allow(unsafe_code, reason = "references to rows change places")]

use std::ffi::c_int;
use std::mem;

use numpy::npyffi::{NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE, PyArrayObject};
use pyo3::prelude::*;

use super::reused::{Format, ObservationArray, references};
use crate::vector::{BatchEnv, Observations};

/// An array with a row for each game that ended in a step, and its rows as objects.
///
/// An object for every row costs more than its numbers, so both stay for the next step. We hold two
/// references to every row: one stays here, by which it is told from what a caller may put in its
/// place; the other changes places with what is in the array of last observations that the caller
/// sees, which is None where the caller has put nothing. So no reference is counted.
pub(crate) struct Rows {
    array: ObservationArray,
    /// The shape of the array.
    shape: Vec<usize>,
    /// The rows as objects, as far as they were ever handed out; None for a row that is to be made
    /// anew.
    views: Vec<Py<PyAny>>,
    /// The second references to them; for rows that are handed out, what was in their place.
    seconds: Vec<Py<PyAny>>,
    /// For how many steps there have been far more rows than needed.
    idle_steps: u32,
}

impl Rows {
    /// Room for this many games and some more.
    pub(crate) fn new(py: Python<'_>, core: &BatchEnv, format: Format, games: usize) -> Self {
        let variant = &core.config().variant;
        let capacity = (games + (games / 8).clamp(8, 512)).min(core.num_envs());
        let mut shape = vec![capacity];
        shape.extend(format.layout.shape(variant));
        Self {
            array: ObservationArray::new(py, variant, format, capacity),
            shape,
            views: Vec::new(),
            seconds: Vec::new(),
            idle_steps: 0,
        }
    }

    /// Whether there is room for this many games, and has not long been too much.
    ///
    /// Games that started together end together, many in one step and few in the next.
    pub(crate) fn suit(&mut self, games: usize) -> bool {
        /// Rows that are no waste.
        const FEW: usize = 256;
        /// Steps for which rows may be wasted.
        const PATIENCE: u32 = 32;
        let capacity = self.shape[0];
        let wasteful = capacity > 4 * games.max(FEW);
        self.idle_steps = if wasteful { self.idle_steps + 1 } else { 0 };
        games <= capacity && self.idle_steps <= PATIENCE
    }

    pub(crate) fn memory<'a>(&'a mut self, py: Python<'a>, format: Format) -> Observations<'a> {
        self.array.memory(py, format.layout)
    }

    /// Puts a row into its place. Rows are put one after the other, from the first on.
    pub(crate) fn put(
        &mut self,
        py: Python<'_>,
        row: usize,
        place: &mut Py<PyAny>,
    ) -> PyResult<()> {
        if row == self.views.len() {
            self.views.push(py.None());
            self.seconds.push(py.None());
        }
        if self.views[row].is_none(py) {
            let view = self.array.object(py).get_item((row, py.Ellipsis()))?;
            self.seconds[row] = view.clone().unbind();
            self.views[row] = view.unbind();
        }
        mem::swap(&mut self.seconds[row], place);
        Ok(())
    }

    /// Takes a row back and leaves in its place what was there before. What the caller has put there is
    /// `dropped`, and so is a row of which the caller has made something else.
    pub(crate) fn take_back(
        &mut self,
        py: Python<'_>,
        row: usize,
        place: &mut Py<PyAny>,
        dropped: &mut Vec<Py<PyAny>>,
    ) {
        let (view, second) = (&self.views[row], &mut self.seconds[row]);
        mem::swap(second, place);
        if !second.is(view) {
            dropped.push(mem::replace(second, view.clone_ref(py)));
        }
        if !self.is_intact_row(py, &self.views[row]) {
            dropped.push(mem::replace(&mut self.views[row], py.None()));
            dropped.push(mem::replace(&mut self.seconds[row], py.None()));
        }
    }

    /// Whether a row still is what it was made as, if the whole array is.
    fn is_intact_row(&self, py: Python<'_>, row: &Py<PyAny>) -> bool {
        const FLAGS: c_int = NPY_ARRAY_WRITEABLE | NPY_ARRAY_C_CONTIGUOUS;
        let array = self.array.object(py).as_ptr().cast::<PyArrayObject>();
        let row = row.as_ptr().cast::<PyArrayObject>();
        let shape = &self.shape[1..];
        // SAFETY: both are live arrays, of which only the headers are read; `nd` says how many numbers
        // `dimensions` has.
        unsafe {
            let (row, array) = (&(*row).fields, &(*array).fields);
            row.descr == array.descr
                && row.flags & FLAGS == FLAGS
                && row.nd as usize == shape.len()
                && (0..shape.len()).all(|i| *row.dimensions.add(i) as usize == shape[i])
        }
    }

    /// Whether nobody else can see the array or the rows handed out, of these games in order, and
    /// all of them still are what they were made as.
    pub(crate) fn are_free(&self, py: Python<'_>, games: &[u32], last: &[Py<PyAny>]) -> bool {
        // The rows refer to the array, and so does every other view of it.
        references(self.array.object(py)) == 1 + self.views.len() as isize
            && games.iter().zip(&self.views).all(|(&game, view)| {
                last[game as usize].is(view)
                    && references(view.bind(py)) == 2
                    && self.is_intact_row(py, view)
            })
    }

    /// Whether the array still is what it was made as.
    pub(crate) fn are_intact(&self, py: Python<'_>) -> bool {
        self.array.is_intact(py, &self.shape)
    }
}
