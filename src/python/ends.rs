//! The arrays of `info` about games that ended.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::outputs::{Format, ObservationArray, is_unshared, numbers, zeros};
use crate::vector::{Autoreset, BatchEnv, Config, IllegalAction};

/// No winner: a draw, or a game that goes on.
const NOBODY: i8 = -1;

/// What `info` says about games that ended, laid out as Gymnasium does: an array for all games, and
/// under the same name with an underscore the mask of the games it is about.
pub(super) struct Ends {
    ended: Py<PyArrayDyn<bool>>,
    score: Py<PyArrayDyn<i16>>,
    winner: Py<PyArrayDyn<i8>>,
    illegal: Py<PyArrayDyn<bool>>,
    /// The last observation of each game that ended, None for the others.
    last: Py<PyArray1<Py<PyAny>>>,
    /// Rows for the last observations that stay for the next step, if they are to.
    rows: Option<Rows>,
    /// The games that the arrays are about now.
    games: Vec<usize>,
}

/// An array with an observation of each game, and its rows as objects once they were needed.
struct Rows {
    array: ObservationArray,
    views: Vec<Option<Py<PyAny>>>,
}

impl Rows {
    fn view(&mut self, py: Python<'_>, game: usize) -> PyResult<Py<PyAny>> {
        if let Some(view) = &self.views[game] {
            return Ok(view.clone_ref(py));
        }
        let view = self
            .array
            .object(py)
            .get_item((game, py.Ellipsis()))?
            .unbind();
        self.views[game] = Some(view.clone_ref(py));
        Ok(view)
    }
}

impl Ends {
    pub(super) fn new(py: Python<'_>, core: &BatchEnv, format: Format, reuse: bool) -> Self {
        let games = core.num_envs();
        let winner = zeros(py, &[games]);
        numbers(winner.bind(py)).fill(NOBODY);
        let nothing = (0..games).map(|_| py.None()).collect();
        let rows = reuse.then(|| Rows {
            array: ObservationArray::new(py, &core.config().variant, format, Some(games)),
            views: (0..games).map(|_| None).collect(),
        });
        Self {
            ended: zeros(py, &[games]),
            score: zeros(py, &[games, 2]),
            winner,
            illegal: zeros(py, &[games]),
            last: PyArray1::from_vec(py, nothing).unbind(),
            rows,
            games: Vec::new(),
        }
    }

    /// Whether nobody else can see these arrays any more.
    pub(super) fn is_free(&self, py: Python<'_>) -> bool {
        let arrays = [
            self.ended.bind(py).as_any(),
            self.score.bind(py).as_any(),
            self.winner.bind(py).as_any(),
            self.illegal.bind(py).as_any(),
            self.last.bind(py).as_any(),
        ];
        arrays.into_iter().all(is_unshared)
    }

    /// Replaces what the arrays say by what the last step did.
    pub(super) fn write(
        &mut self,
        py: Python<'_>,
        core: &BatchEnv,
        format: Format,
    ) -> PyResult<()> {
        let same_step = core.config().autoreset == Autoreset::SameStep;
        let ended = numbers(self.ended.bind(py));
        let score = numbers(self.score.bind(py));
        let winner = numbers(self.winner.bind(py));
        let illegal = numbers(self.illegal.bind(py));
        let mut last = self.last.bind(py).readwrite();
        let last = last.as_slice_mut()?;
        for game in self.games.drain(..) {
            ended[game] = false;
            score[2 * game..][..2].fill(0);
            winner[game] = NOBODY;
            illegal[game] = false;
            last[game] = py.None();
        }
        for (i, ending) in core.endings().iter().enumerate() {
            let game = ending.game;
            self.games.push(game);
            ended[game] = true;
            score[2 * game] = ending.score[0] as i16;
            score[2 * game + 1] = ending.score[1] as i16;
            winner[game] = ending.winner.map_or(NOBODY, |player| player.index() as i8);
            illegal[game] = ending.illegal;
            if !same_step {
                continue;
            }
            last[game] = if let Some(rows) = &mut self.rows {
                core.write_final(i, &mut rows.array.memory(py, format.layout), game);
                rows.view(py, game)?
            } else {
                let mut row = ObservationArray::new(py, &core.config().variant, format, None);
                core.write_final(i, &mut row.memory(py, format.layout), 0);
                row.into_object()
            };
        }
        Ok(())
    }

    /// Puts the arrays into `info`.
    pub(super) fn tell(
        &self,
        py: Python<'_>,
        config: &Config,
        info: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        self.tell_results(py, config, info)?;
        if config.autoreset == Autoreset::SameStep {
            info.set_item(pyo3::intern!(py, "final_obs"), &self.last)?;
            info.set_item(pyo3::intern!(py, "_final_obs"), &self.ended)?;
            let last = PyDict::new(py);
            self.tell_results(py, config, &last)?;
            info.set_item(pyo3::intern!(py, "final_info"), last)?;
            info.set_item(pyo3::intern!(py, "_final_info"), &self.ended)?;
        }
        Ok(())
    }

    fn tell_results(
        &self,
        py: Python<'_>,
        config: &Config,
        info: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        info.set_item(pyo3::intern!(py, "score"), &self.score)?;
        info.set_item(pyo3::intern!(py, "_score"), &self.ended)?;
        info.set_item(pyo3::intern!(py, "winner"), &self.winner)?;
        info.set_item(pyo3::intern!(py, "_winner"), &self.ended)?;
        if config.illegal_action == IllegalAction::Lose {
            info.set_item(pyo3::intern!(py, "illegal"), &self.illegal)?;
            info.set_item(pyo3::intern!(py, "_illegal"), &self.ended)?;
        }
        Ok(())
    }
}
