//! The games of a batch with the arrays that their results go to.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;

use super::outputs::{Outputs, StepResult, ViewResult};
use crate::encode::Numbering;
use crate::game::{Position, Variant};
use crate::python::interrupt::{self, run_until};
use crate::vector::{BatchEnv, Format};

/// Sets of arrays kept for reuse when every step hands out other arrays than the one before.
const SPARE_SETS: usize = 2;

/// A batch environment and what its results need.
pub(super) struct Batch {
    pub(super) core: Box<dyn BatchEnv>,
    /// Whether `info` has the indices of the variants.
    pub(super) with_variant_index: bool,
    pub(super) format: Format,
    pub(super) copy: bool,
    pub(super) actions: Vec<i64>,
    pub(super) outputs: Vec<Outputs>,
    /// The index in `outputs` that is tried first.
    pub(super) next: usize,
}

impl Batch {
    /// The position of a game with its variant.
    pub(super) fn position(&self, game: usize) -> (&Arc<Variant>, Position) {
        let variant = self.core.config().variants.get(self.core.variant(game));
        (variant, self.core.position(game))
    }

    /// How the actions of each game are numbered.
    pub(super) fn numbering<'a>(&'a self) -> impl Fn(usize) -> Numbering<'a> {
        |game| self.core.config().variants.of(self.core.variant(game))
    }

    /// The index of arrays to write into: always the same, or with `copy` ones that are not in use.
    ///
    /// Fresh memory is slow, because the system hands it out page by page on the first write. So
    /// arrays that the caller has dropped are used again, and new ones are made only if none is free.
    pub(super) fn take_outputs(&mut self, py: Python<'_>) -> PyResult<usize> {
        let sets = if self.copy { SPARE_SETS } else { 1 };
        let free = (0..self.outputs.len())
            .map(|i| (self.next + i) % self.outputs.len())
            .find(|&i| !self.copy || self.outputs[i].is_free(py));
        let index = if let Some(index) = free {
            index
        } else {
            let config = self.core.config();
            let made = Outputs::new(
                py,
                &config.variants,
                self.with_variant_index,
                self.format,
                self.core.num_envs(),
            )?;
            if self.outputs.len() < sets {
                self.outputs.push(made);
                self.outputs.len() - 1
            } else {
                self.outputs[self.next] = made;
                self.next
            }
        };
        self.next = (index + 1) % sets;
        Ok(index)
    }

    /// The current observations and `info`, in the arrays with this index. They are taken before the games
    /// change, so that nothing has changed where memory does not suffice for them.
    pub(super) fn observe(&mut self, py: Python<'_>, index: usize) -> PyResult<ViewResult> {
        let mut view = self.outputs[index].view();
        without_gil(py, &mut *self.core, |core| core.observe(&mut view));
        self.outputs[index].reset_result(py, &*self.core)
    }

    pub(super) fn step_result(&mut self, py: Python<'_>, index: usize) -> PyResult<StepResult> {
        self.outputs[index].step_result(py, &*self.core, self.format)
    }
}

/// Runs work without the GIL if there are enough games for that to be worth it.
pub(super) fn without_gil<T: Send>(
    py: Python<'_>,
    core: &mut dyn BatchEnv,
    work: impl FnOnce(&mut dyn BatchEnv) -> T + Send,
) -> T {
    interrupt::without_gil(py, core.num_envs(), || work(core))
}

/// Runs a step or reset that searches for long: without the GIL, and undone on Ctrl-C.
pub(super) fn run_searching<T: Send>(
    py: Python<'_>,
    core: &mut dyn BatchEnv,
    work: impl FnOnce(&mut dyn BatchEnv) -> T + Send,
) -> PyResult<T> {
    core.hold()?;
    let stop = core.stop_flag();
    let done = run_until(py, &stop, || work(&mut *core));
    stop.store(false, Ordering::Relaxed);
    if done.is_ok() {
        core.release();
    } else {
        core.roll_back();
    }
    done
}
