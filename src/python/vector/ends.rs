//! The arrays of `info` about games that ended.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::last::LastObservations;
use crate::python::convert::shared_memory::LentArray;
use crate::vector::{Autoreset, BatchEnv, Config, Format, IllegalAction};

/// The winner of a draw, and of a game that is not over.
const NO_WINNER: i8 = -1;

/// The part of `info` about games that ended, laid out as in Gymnasium: an array for all games, and
/// under the same name with an underscore the mask of the games that ended.
pub(super) struct Ends {
    ended: LentArray<bool>,
    score: LentArray<i16>,
    winner: LentArray<i8>,
    illegal: LentArray<bool>,
    /// Who would be to move in the last positions.
    to_play: LentArray<i8>,
    /// The indices of the variants of the games that ended, where `info` has those of all games.
    variant: Option<LentArray<i64>>,
    /// Set in same-step mode, where a step returns the observations of new games.
    last: Option<LastInfo>,
}

/// The last observations of games that ended.
struct LastInfo {
    observations: LastObservations,
    /// The pass, the only action of a game that is over, as a row for every game: one row in memory,
    /// to read only, of which views are handed out.
    action_mask: Py<PyAny>,
}

impl LastInfo {
    fn new(py: Python<'_>, core: &dyn BatchEnv, format: Format) -> PyResult<Self> {
        let games = core.num_envs();
        let width = core.config().variants.num_actions();
        let mut pass = vec![0_i8; width];
        pass[width - 1] = 1;
        let pass = PyArray1::from_vec(py, pass);
        pass.call_method1("setflags", (false,))?;
        let numpy = py.import("numpy")?;
        let rows = numpy.call_method1("broadcast_to", (pass, (games, width)))?;
        Ok(Self {
            observations: LastObservations::new(py, core, format)?,
            action_mask: rows.unbind(),
        })
    }
}

impl Ends {
    pub(super) fn new(
        py: Python<'_>,
        core: &dyn BatchEnv,
        format: Format,
        with_variant_index: bool,
    ) -> PyResult<Self> {
        let games = core.num_envs();
        let same_step = core.config().autoreset == Autoreset::SameStep;
        let variant = (with_variant_index && same_step).then(|| LentArray::zeros(py, &[games]));
        Ok(Self {
            ended: LentArray::zeros(py, &[games])?,
            score: LentArray::zeros(py, &[games, 2])?,
            winner: LentArray::zeros(py, &[games])?,
            illegal: LentArray::zeros(py, &[games])?,
            to_play: LentArray::zeros(py, &[games])?,
            variant: variant.transpose()?,
            last: same_step
                .then(|| LastInfo::new(py, core, format))
                .transpose()?,
        })
    }

    /// Whether no Python code can see any of the arrays.
    pub(super) fn is_free(&self, py: Python<'_>) -> bool {
        self.ended.is_free(py)
            && self.score.is_free(py)
            && self.winner.is_free(py)
            && self.illegal.is_free(py)
            && self.to_play.is_free(py)
            && self.variant.as_ref().is_none_or(|it| it.is_free(py))
            && self
                .last
                .as_ref()
                .is_none_or(|last| last.observations.is_free(py))
    }

    /// Replaces the contents of the arrays by the results of the last step.
    pub(super) fn write(
        &mut self,
        py: Python<'_>,
        core: &dyn BatchEnv,
        format: Format,
    ) -> PyResult<()> {
        // All are overwritten: the few that changed lie so far apart that to find each takes longer
        // than to write many in a row.
        let (ended, illegal) = (self.ended.all_false(), self.illegal.all_false());
        let (score, winner) = (self.score.numbers(), self.winner.numbers());
        let to_play = self.to_play.numbers();
        score.fill(0);
        to_play.fill(0);
        winner.fill(NO_WINNER);
        for ending in core.endings() {
            let game = ending.game as usize;
            ended[game] = true;
            score[2 * game] = ending.score[0] as i16;
            score[2 * game + 1] = ending.score[1] as i16;
            winner[game] = ending
                .winner
                .map_or(NO_WINNER, |player| player.index() as i8);
            illegal[game] = ending.illegal;
            to_play[game] = ending.to_play.index() as i8;
        }
        if let Some(variant) = &mut self.variant {
            let variant = variant.numbers();
            variant.fill(0);
            for ending in core.endings() {
                variant[ending.game as usize] = i64::from(ending.variant);
            }
        }
        let Some(last) = &mut self.last else {
            return Ok(());
        };
        last.observations.write(py, core, format)
    }

    /// Puts the arrays into `info`.
    pub(super) fn describe(
        &mut self,
        py: Python<'_>,
        config: &Config,
        info: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        self.describe_results(py, config, info)?;
        if self.last.is_none() {
            return Ok(());
        }
        let final_info = PyDict::new(py);
        self.describe_results(py, config, &final_info)?;
        let ended = self.ended.lend(py)?;
        if let Some(last) = &mut self.last {
            let masks = last
                .action_mask
                .call_method0(py, pyo3::intern!(py, "view"))?;
            final_info.set_item(pyo3::intern!(py, "action_mask"), masks)?;
            final_info.set_item(pyo3::intern!(py, "_action_mask"), &ended)?;
            final_info.set_item(pyo3::intern!(py, "to_play"), self.to_play.lend(py)?)?;
            final_info.set_item(pyo3::intern!(py, "_to_play"), &ended)?;
            if let Some(variant) = &mut self.variant {
                final_info.set_item(pyo3::intern!(py, "variant"), variant.lend(py)?)?;
                final_info.set_item(pyo3::intern!(py, "_variant"), &ended)?;
            }
            info.set_item(pyo3::intern!(py, "final_info"), final_info)?;
            info.set_item(pyo3::intern!(py, "final_obs"), last.observations.lend(py)?)?;
            info.set_item(pyo3::intern!(py, "_final_obs"), &ended)?;
            info.set_item(pyo3::intern!(py, "_final_info"), &ended)?;
        }
        Ok(())
    }

    fn describe_results(
        &mut self,
        py: Python<'_>,
        config: &Config,
        info: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        let ended = self.ended.lend(py)?;
        info.set_item(pyo3::intern!(py, "score"), self.score.lend(py)?)?;
        info.set_item(pyo3::intern!(py, "_score"), &ended)?;
        info.set_item(pyo3::intern!(py, "winner"), self.winner.lend(py)?)?;
        info.set_item(pyo3::intern!(py, "_winner"), &ended)?;
        if config.illegal_action == IllegalAction::Lose {
            info.set_item(pyo3::intern!(py, "illegal"), self.illegal.lend(py)?)?;
            info.set_item(pyo3::intern!(py, "_illegal"), &ended)?;
        }
        Ok(())
    }
}
