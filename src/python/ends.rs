//! The arrays of `info` about games that ended.

use std::mem;

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::outputs::{
    Format, ObservationArray, is_intact, is_unshared, numbers, references, zeros,
};
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

/// An array with an observation of each game, and its rows as objects.
struct Rows {
    array: ObservationArray,
    /// The row of each game once it was needed, while `Ends::last` has None there. The two change
    /// places when a game ends and again at the next step, which costs no reference counting.
    views: Vec<Py<PyAny>>,
    made: isize,
}

impl Rows {
    fn new(py: Python<'_>, core: &BatchEnv, format: Format) -> Self {
        let games = core.num_envs();
        Self {
            array: ObservationArray::new(py, &core.config().variant, format, Some(games)),
            views: (0..games).map(|_| py.None()).collect(),
            made: 0,
        }
    }

    fn put(&mut self, py: Python<'_>, game: usize, place: &mut Py<PyAny>) -> PyResult<()> {
        let view = &mut self.views[game];
        if view.is_none(py) {
            let index = (game, py.Ellipsis());
            *view = self.array.object(py).get_item(index)?.unbind();
            self.made += 1;
        }
        mem::swap(view, place);
        Ok(())
    }

    /// Takes the row of a game back, unless the caller has put something else there.
    fn take_back(&mut self, py: Python<'_>, game: usize, place: &mut Py<PyAny>) {
        if self.is_row(py, game, place) {
            mem::swap(&mut self.views[game], place);
        } else {
            self.made -= 1;
            *place = py.None();
        }
    }

    /// Whether an object is the row of this game.
    fn is_row(&self, py: Python<'_>, game: usize, object: &Py<PyAny>) -> bool {
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
                && view.fields.data == all.fields.data.offset(game as isize * stride)
        }
    }

    /// Whether nobody else can see the array or the rows of these games.
    fn is_free(&self, py: Python<'_>, games: &[usize], last: &[Py<PyAny>]) -> bool {
        let unshared = |object: &Py<PyAny>| is_unshared(object.bind(py));
        // The rows refer to the array, and so does every other view of it.
        references(self.array.object(py)) == 1 + self.made
            && games
                .iter()
                .all(|&game| unshared(&last[game]) && self.is_row(py, game, &last[game]))
    }
}

impl Ends {
    pub(super) fn new(py: Python<'_>, core: &BatchEnv, format: Format, reuse: bool) -> Self {
        let games = core.num_envs();
        let winner = zeros(py, &[games]);
        numbers(winner.bind(py)).fill(NOBODY);
        let nothing = (0..games).map(|_| py.None()).collect();
        let rows = reuse.then(|| Rows::new(py, core, format));
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
        if !arrays.into_iter().all(is_unshared) {
            return false;
        }
        // SAFETY: we made the array, and have just seen that nobody else can see it.
        let last = unsafe { self.last.bind(py).as_slice() };
        self.rows
            .as_ref()
            .is_none_or(|rows| last.is_ok_and(|last| rows.is_free(py, &self.games, last)))
    }

    /// Whether every array still is what it was made as; `shape` is that of the observations.
    pub(super) fn is_intact(&self, py: Python<'_>, shape: &[usize]) -> bool {
        let games = [shape[0]];
        let rows = self.rows.as_ref();
        is_intact(self.ended.bind(py), &games)
            && is_intact(self.score.bind(py), &[shape[0], 2])
            && is_intact(self.winner.bind(py), &games)
            && is_intact(self.illegal.bind(py), &games)
            && self.last.bind(py).shape() == games
            && self.last.bind(py).is_c_contiguous()
            && rows.is_none_or(|rows| rows.array.is_intact(py, shape))
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
        // SAFETY: we made the array and hold the GIL.
        let last = unsafe { self.last.bind(py).as_slice_mut() }?;
        for game in self.games.drain(..) {
            ended[game] = false;
            score[2 * game..][..2].fill(0);
            winner[game] = NOBODY;
            illegal[game] = false;
            if let Some(rows) = &mut self.rows {
                rows.take_back(py, game, &mut last[game]);
            } else {
                last[game] = py.None();
            }
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
            if let Some(rows) = &mut self.rows {
                core.write_final(i, &mut rows.array.memory(py, format.layout), game);
                rows.put(py, game, &mut last[game])?;
            } else {
                let mut row = ObservationArray::new(py, &core.config().variant, format, None);
                core.write_final(i, &mut row.memory(py, format.layout), 0);
                last[game] = row.into_object();
            }
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
