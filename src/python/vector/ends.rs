//! The arrays of `info` about games that ended.

#![allow(unsafe_code, reason = "NumPy's arrays are written in place")]

use std::mem;

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::reused::{Format, is_intact, is_unshared, numbers, zeros};
use super::rows::Rows;
use crate::vector::{Autoreset, BatchEnv, Config, IllegalAction};

/// No winner: a draw, or a game that goes on.
const NOBODY: i8 = -1;

/// What `info` says about games that ended, laid out as Gymnasium does: an array for all games, and
/// under the same name with an underscore the mask of the games it is about.
pub(crate) struct Ends {
    ended: Py<PyArrayDyn<bool>>,
    score: Py<PyArrayDyn<i16>>,
    winner: Py<PyArrayDyn<i8>>,
    illegal: Py<PyArrayDyn<bool>>,
    /// The last observation of each game that ended, None for the others.
    last: Py<PyArray1<Py<PyAny>>>,
    /// The last observations themselves.
    rows: Rows,
    /// The games that the arrays are about now, in the order of the rows.
    games: Vec<u32>,
}

impl Ends {
    pub(crate) fn new(py: Python<'_>, core: &BatchEnv, format: Format) -> Self {
        let games = core.num_envs();
        let winner = zeros(py, &[games]);
        numbers(winner.bind(py)).fill(NOBODY);
        let nothing = (0..games).map(|_| py.None()).collect();
        Self {
            ended: zeros(py, &[games]),
            score: zeros(py, &[games, 2]),
            winner,
            illegal: zeros(py, &[games]),
            last: PyArray1::from_vec(py, nothing).unbind(),
            rows: Rows::new(py, core, format, 0),
            games: Vec::new(),
        }
    }

    /// Whether nobody else can see these arrays any more.
    pub(crate) fn is_free(&self, py: Python<'_>) -> bool {
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
        last.is_ok_and(|last| self.rows.are_free(py, &self.games, last))
    }

    /// Whether every array still is what it was made as, for this many games.
    pub(crate) fn is_intact(&self, py: Python<'_>, games: usize) -> bool {
        let (games, scores) = ([games], [games, 2]);
        is_intact(self.ended.bind(py), &games)
            && is_intact(self.score.bind(py), &scores)
            && is_intact(self.winner.bind(py), &games)
            && is_intact(self.illegal.bind(py), &games)
            && self.last.bind(py).shape() == games
            && self.last.bind(py).is_c_contiguous()
            && self.rows.are_intact(py)
    }

    /// Replaces what the arrays say by what the last step did.
    ///
    /// Arrays that were `lent` for a caller to keep may have been written to in any place.
    pub(crate) fn write(
        &mut self,
        py: Python<'_>,
        core: &BatchEnv,
        format: Format,
        lent: bool,
    ) -> PyResult<()> {
        let same_step = core.config().autoreset == Autoreset::SameStep;
        let ended = numbers(self.ended.bind(py));
        let score = numbers(self.score.bind(py));
        let winner = numbers(self.winner.bind(py));
        let illegal = numbers(self.illegal.bind(py));
        // SAFETY: we made the array and hold the GIL.
        let last = unsafe { self.last.bind(py).as_slice_mut() }?;
        // What a caller put among the last observations or made of them: its end may run any Python
        // code, which must find the arrays unborrowed.
        let mut dropped = Vec::new();
        for (row, game) in self.games.drain(..).enumerate() {
            if same_step {
                let place = &mut last[game as usize];
                self.rows.take_back(py, row, place, &mut dropped);
            }
        }
        if lent {
            take_foreign(py, last, &mut dropped);
        }
        // All of them: the few that are something else lie so far apart that each costs more time
        // than many in a row.
        ended.fill(false);
        score.fill(0);
        winner.fill(NOBODY);
        illegal.fill(false);
        let endings = core.endings();
        if same_step {
            if !self.rows.suit(endings.len()) {
                self.rows = Rows::new(py, core, format, endings.len());
            }
            core.write_finals(&mut self.rows.memory(py, format));
        }
        for (row, ending) in endings.iter().enumerate() {
            let game = ending.game as usize;
            ended[game] = true;
            score[2 * game] = ending.score[0] as i16;
            score[2 * game + 1] = ending.score[1] as i16;
            winner[game] = ending.winner.map_or(NOBODY, |player| player.index() as i8);
            illegal[game] = ending.illegal;
            if same_step {
                self.rows.put(py, row, &mut last[game])?;
            }
            self.games.push(ending.game);
        }
        Ok(())
    }

    /// Puts the arrays into `info`.
    pub(crate) fn tell(
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

/// Puts None everywhere, and collects what else there was.
fn take_foreign(py: Python<'_>, places: &mut [Py<PyAny>], foreign: &mut Vec<Py<PyAny>>) {
    /// Places compared at once; nearly always all have None.
    const AT_ONCE: usize = 16;
    let none = py.None();
    let is_foreign = |place: &Py<PyAny>| place.as_ptr() != none.as_ptr();
    for part in places.chunks_mut(AT_ONCE) {
        if part
            .iter()
            .fold(false, |any, place| any | is_foreign(place))
        {
            let places = part.iter_mut().filter(|place| is_foreign(place));
            foreign.extend(places.map(|place| mem::replace(place, py.None())));
        }
    }
}
