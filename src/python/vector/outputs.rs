//! The `NumPy` arrays that a batch environment writes into and hands out.

use numpy::PyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::ends::Ends;
use super::reused::{Format, ObservationArray, is_intact, is_unshared, numbers, zeros};
use crate::encode::{Layout, num_actions};
use crate::game::Variant;
use crate::vector::{BatchEnv, Buffers, View};

/// One array of each kind that every step returns.
pub(crate) struct Outputs {
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
    pub(crate) fn new(py: Python<'_>, variant: &Variant, format: Format, rows: usize) -> Self {
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
    pub(crate) fn is_free(&self, py: Python<'_>) -> bool {
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
    pub(crate) fn is_intact(&self, py: Python<'_>) -> bool {
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
    pub(crate) fn view<'a>(&'a mut self, py: Python<'a>) -> View<'a> {
        View {
            observations: self.observations.memory(py, self.layout),
            action_mask: numbers(self.action_mask.bind(py)),
            to_play: numbers(self.to_play.bind(py)),
        }
    }

    /// The memory of what a step returns.
    pub(crate) fn buffers<'a>(&'a mut self, py: Python<'a>) -> Buffers<'a> {
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
    pub(crate) fn reset_result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.observations.object(py), self.info(py)?).into_pyobject(py)
    }

    /// What `step` returns, with what `info` says about the games that ended in it.
    ///
    /// Arrays that are `lent` are for the caller to keep and to write to.
    pub(crate) fn step_result<'py>(
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
    pub(crate) fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(pyo3::intern!(py, "action_mask"), self.action_mask.bind(py))?;
        info.set_item(pyo3::intern!(py, "to_play"), self.to_play.bind(py))?;
        Ok(info)
    }
}
