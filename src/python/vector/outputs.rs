//! The arrays that a batch environment writes into and lends to Python.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::ends::Ends;
use crate::encode::VariantSet;
use crate::python::convert::observations::ObservationArray;
use crate::python::convert::shared_memory::LentArray;
use crate::python::convert::shown::{Shown, type_texts};
use crate::vector::{BatchEnv, Buffers, Format, View};

type_texts! {
    ViewTypes: "tuple[NDArray[Any], dict[str, Any]]";
    StepTypes: "tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], \
        dict[str, Any]]";
}

/// Observations and `info`.
pub(crate) type ViewResult = Shown<ViewTypes, PyTuple>;
/// Observations, rewards, terminations, truncations and `info`.
pub(crate) type StepResult = Shown<StepTypes, PyTuple>;

/// One array of each kind that every step returns.
pub(super) struct Outputs {
    observations: ObservationArray,
    action_mask: LentArray<i8>,
    to_play: LentArray<i8>,
    /// The indices of the variants, where the caller has listed several.
    variant: Option<LentArray<i64>>,
    /// The mask of the games that have the three before: all of them.
    every_game: LentArray<bool>,
    rewards: LentArray<f32>,
    terminations: LentArray<bool>,
    truncations: LentArray<bool>,
    /// Made when a game ends for the first time.
    ends: Option<Ends>,
}

impl Outputs {
    pub(super) fn new(
        py: Python<'_>,
        variants: &VariantSet,
        with_variant_index: bool,
        format: Format,
        rows: usize,
    ) -> PyResult<Self> {
        let variant = with_variant_index.then(|| LentArray::zeros(py, &[rows]));
        Ok(Self {
            observations: ObservationArray::zeros(py, variants, format, rows)?,
            action_mask: LentArray::zeros(py, &[rows, variants.num_actions()])?,
            to_play: LentArray::zeros(py, &[rows])?,
            variant: variant.transpose()?,
            every_game: LentArray::zeros(py, &[rows])?,
            rewards: LentArray::zeros(py, &[rows])?,
            terminations: LentArray::zeros(py, &[rows])?,
            truncations: LentArray::zeros(py, &[rows])?,
            ends: None,
        })
    }

    /// Whether no Python code can see any of the arrays.
    pub(super) fn is_free(&self, py: Python<'_>) -> bool {
        self.observations.is_free(py)
            && self.action_mask.is_free(py)
            && self.to_play.is_free(py)
            && self.variant.as_ref().is_none_or(|it| it.is_free(py))
            && self.every_game.is_free(py)
            && self.rewards.is_free(py)
            && self.terminations.is_free(py)
            && self.truncations.is_free(py)
            && self.ends.as_ref().is_none_or(|ends| ends.is_free(py))
    }

    /// The memory of observations, masks and players to move.
    pub(super) fn view(&mut self) -> View<'_> {
        View {
            observations: self.observations.memory(),
            action_mask: self.action_mask.numbers(),
            to_play: self.to_play.numbers(),
        }
    }

    /// The memory of everything that a step returns.
    pub(super) fn buffers(&mut self) -> Buffers<'_> {
        // Games are never truncated, but a caller may have written to the array.
        self.truncations.all_false();
        Buffers {
            rewards: self.rewards.numbers(),
            terminations: self.terminations.truths(),
            view: View {
                observations: self.observations.memory(),
                action_mask: self.action_mask.numbers(),
                to_play: self.to_play.numbers(),
            },
        }
    }

    /// The return value of `reset`.
    pub(super) fn reset_result(
        &mut self,
        py: Python<'_>,
        core: &dyn BatchEnv,
    ) -> PyResult<ViewResult> {
        let info = self.info(py, core)?;
        let results = (self.observations.lend(py)?, info);
        Ok(results.into_pyobject(py)?.into())
    }

    /// The return value of `step`, with the part of `info` about games that ended in it.
    pub(super) fn step_result(
        &mut self,
        py: Python<'_>,
        core: &dyn BatchEnv,
        format: Format,
    ) -> PyResult<StepResult> {
        let info = self.info(py, core)?;
        if !core.endings().is_empty() {
            let ends = match &mut self.ends {
                Some(ends) => ends,
                none => none.insert(Ends::new(py, core, format, self.variant.is_some())?),
            };
            ends.write(py, core, format)?;
            ends.describe(py, core.config(), &info)?;
        }
        let results = (
            self.observations.lend(py)?,
            self.rewards.lend(py)?,
            self.terminations.lend(py)?,
            self.truncations.lend(py)?,
            info,
        );
        Ok(results.into_pyobject(py)?.into())
    }

    /// The part of `info` that is always there.
    fn info<'py>(&mut self, py: Python<'py>, core: &dyn BatchEnv) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        info.set_item(pyo3::intern!(py, "action_mask"), self.action_mask.lend(py)?)?;
        info.set_item(pyo3::intern!(py, "to_play"), self.to_play.lend(py)?)?;
        // Gymnasium 1.1 to 1.2.1 reads the mask of every name.
        self.every_game.all_false().fill(true);
        let every_game = self.every_game.lend(py)?;
        info.set_item(pyo3::intern!(py, "_action_mask"), &every_game)?;
        info.set_item(pyo3::intern!(py, "_to_play"), &every_game)?;
        if let Some(variant) = &mut self.variant {
            core.write_variants(variant.numbers());
            info.set_item(pyo3::intern!(py, "variant"), variant.lend(py)?)?;
            info.set_item(pyo3::intern!(py, "_variant"), every_game)?;
        }
        Ok(info)
    }
}
