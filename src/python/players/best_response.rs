//! `mijnlieff._mijnlieff.BestResponseSearch`, the native part of `mijnlieff.best_response`.

use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::masks::Masks;
use super::solvers::solver_of;
use crate::best_response::{BestResponseConfig, BestResponseSearch, Line};
use crate::encode::num_actions;
use crate::game::{Player, Variant};
use crate::memory::with_room;
use crate::python::convert::arrays::readable;
use crate::python::convert::integers::Threads;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::batch::{Positions, common_variant, cores, position_list};
use crate::python::rules::position::check_all_playable;
use crate::python::tablebase::PyTablebase;
use crate::search::Limits;

/// Named in the error if memory does not suffice.
const ANSWERS: &str = "the actions";

/// Actions from one of the starts of a `BestResponseSearch`.
#[pyclass(name = "Line", module = "mijnlieff._mijnlieff", frozen, get_all)]
#[derive(Clone)]
pub(crate) struct PyLine {
    /// The index of the start.
    start: usize,
    /// The actions played from there.
    actions: Vec<usize>,
}

/// What a `BestResponseSearch` has found.
#[pyclass(
    name = "BestResponseResult",
    module = "mijnlieff._mijnlieff",
    frozen,
    get_all
)]
pub(crate) struct PyBestResponseResult {
    /// The margins that are guaranteed from the starts, for the player examined.
    margins: Vec<i32>,
    /// How many positions were reached at each ply.
    positions: Vec<usize>,
    /// Where the outcome was given away: ply, positions that kept it, positions that did not.
    mistakes: Vec<(usize, usize, usize)>,
    /// Lines on which the outcome is given away.
    refutations: Vec<PyLine>,
    /// A game with the least margin.
    worst: PyLine,
}

/// The native part of `mijnlieff.best_response`, which documents the options and results.
///
/// Call `ask`, and `answer` or `answer_with_sets`, until `ask` returns no positions, then `finish`.
/// After an error the search has ended, and its methods raise RuntimeError.
///
/// Args:
///     starts: positions of one variant.
///     player: who is examined: 0 Light, 1 Dark.
///     exact_cells: up to this many empty cells the player keeps the exact margin, None for
///         nowhere,
///     exact_margin: if that is at most this many points, won or lost.
///     horizon: from this ply on, the player is taken to keep the exact margin.
///     least_margin: a position keeps the outcome if its exact margin is at least this; with
///         None, there is nothing to give away.
///     max_positions: the most positions to keep.
///     num_threads: threads for the exact search.
///     tablebase: a `Tablebase` to look exact margins up in.
///
/// Raises:
///     BoardError: the board has more than 16 cells.
///     GameOverError: a game is over.
///     ValueError: no start, several variants, or an unknown player.
#[pyclass(name = "BestResponseSearch", module = "mijnlieff._mijnlieff")]
pub(crate) struct PyBestResponseSearch {
    /// None once it is finished, or an error has stopped it.
    core: Option<BestResponseSearch>,
    variant: Arc<Variant>,
    num_threads: usize,
    /// The positions that wait for their answers.
    asked: usize,
}

#[pymethods]
impl PyBestResponseSearch {
    #[new]
    #[pyo3(signature = (
        starts, player, *, exact_cells, exact_margin, horizon, least_margin, max_positions,
        num_threads, tablebase
    ))]
    #[allow(clippy::too_many_arguments)] // they are keywords in Python
    fn new(
        py: Python<'_>,
        starts: Positions,
        player: Player,
        exact_cells: Option<usize>,
        exact_margin: i32,
        horizon: Option<usize>,
        least_margin: Option<i32>,
        max_positions: usize,
        num_threads: Option<Threads>,
        tablebase: Option<&Bound<'_, PyTablebase>>,
    ) -> PyResult<Self> {
        let variant = common_variant(&starts)?;
        check_all_playable(&starts, "position")?;
        let config = BestResponseConfig {
            seat: player,
            exact_cells,
            exact_margin,
            horizon,
            least_margin,
            max_positions,
        };
        let solver = solver_of(py, &variant, tablebase.map(Bound::get))?;
        let core = BestResponseSearch::new(&variant, &cores(&starts)?, solver, config)?;
        Ok(Self {
            core: Some(core),
            variant,
            num_threads: Threads::or_cores(num_threads),
            asked: 0,
        })
    }

    /// The current ply, the number of its positions, and those in which actions are needed.
    ///
    /// Raises:
    ///     SearchLimitError: there are more than `max_positions` positions.
    #[pyo3(signature = (most) -> "tuple[int, int, list[Position]]")]
    fn ask<'py>(
        &mut self,
        py: Python<'py>,
        most: usize,
    ) -> PyResult<(usize, usize, Bound<'py, PyList>)> {
        let num_threads = self.num_threads;
        if self.asked > 0 {
            return Err(PyRuntimeError::new_err(
                "the positions asked before wait for their actions",
            ));
        }
        let mut core = self.take()?;
        let (core, asked) = run_interruptible(py, move |stop| {
            let asked = core.ask(most, num_threads, Limits::stopped_by(stop));
            asked.map(|asked| (core, asked))
        })??;
        self.asked = asked.len();
        let (ply, nodes) = core.layer();
        self.core = Some(core);
        let positions = position_list(py, &self.variant, asked.into_iter())?;
        Ok((ply, nodes, positions))
    }

    /// Take the action chosen in each of these positions, int64 ``(B,)``.
    ///
    /// Raises:
    ///     PolicyError: an action is not legal.
    ///     SearchLimitError: there are more than `max_positions` positions.
    #[pyo3(signature = (actions: "NDArray[np.int64]"))]
    fn answer(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = readable(&actions)?;
        let actions = actions.as_slice()?;
        self.check_answers(actions.len())?;
        let mut copied = with_room(ANSWERS, actions.len())?;
        copied.extend(actions.iter().map(|&action| [action as usize]));
        self.take_answers(py, copied)
    }

    /// Take the actions that may be chosen in these positions, bool ``(B, num_actions)``.
    ///
    /// Raises:
    ///     PolicyError: an action is not legal, or a position has none.
    ///     SearchLimitError: there are more than `max_positions` positions.
    #[pyo3(signature = (possible: "NDArray[np.bool_]"))]
    fn answer_with_sets(&mut self, py: Python<'_>, possible: Masks<'_>) -> PyResult<()> {
        let (possible, width) = (possible.numbers(), num_actions(&self.variant));
        self.check_answers(possible.nrows())?;
        if possible.ncols() != width {
            let found = possible.ncols();
            return Err(PyValueError::new_err(format!(
                "the actions of each position need {width} entries, not {found}"
            )));
        }
        let mut copied = with_room(ANSWERS, possible.nrows())?;
        for row in possible.rows() {
            let chosen = row.iter().enumerate().filter(|&(_, &it)| it != 0);
            copied.push(chosen.map(|(action, _)| action).collect::<Vec<_>>());
        }
        self.take_answers(py, copied)
    }

    /// The results; nothing can be asked afterwards.
    ///
    /// Raises:
    ///     RuntimeError: `ask` has not given an empty list yet.
    fn finish(&mut self, py: Python<'_>, max_refutations: usize) -> PyResult<PyBestResponseResult> {
        let num_threads = self.num_threads;
        if self.core.as_ref().is_some_and(|core| !core.is_answered()) {
            return Err(PyRuntimeError::new_err("positions are left to ask"));
        }
        let core = self.take()?;
        let found = run_interruptible(py, move |stop| {
            core.finish(num_threads, max_refutations, Limits::stopped_by(stop))
        })??;
        let line = |Line { start, actions }| PyLine { start, actions };
        let mistakes = found.mistakes.iter();
        let mistakes = mistakes.map(|it| (it.ply, it.kept, it.given_away));
        Ok(PyBestResponseResult {
            margins: found.margins,
            positions: found.positions,
            mistakes: mistakes.collect(),
            refutations: found.refutations.into_iter().map(line).collect(),
            worst: line(found.worst),
        })
    }
}

impl PyBestResponseSearch {
    /// Takes the search out; it stays out if the caller fails.
    fn take(&mut self) -> PyResult<BestResponseSearch> {
        let ended = || PyRuntimeError::new_err("the search has ended");
        self.core.take().ok_or_else(ended)
    }

    fn check_answers(&self, found: usize) -> PyResult<()> {
        if found == self.asked && found > 0 {
            return Ok(());
        }
        let asked = self.asked;
        Err(PyValueError::new_err(format!(
            "{asked} positions wait for an answer, {found} were given"
        )))
    }

    fn take_answers<A>(&mut self, py: Python<'_>, answers: Vec<A>) -> PyResult<()>
    where
        A: IntoIterator<Item = usize> + Send,
    {
        let mut core = self.take()?;
        self.asked = 0;
        let core = run_interruptible(py, move |stop| {
            let answered = core.answer(answers, Limits::stopped_by(stop));
            answered.map(|()| core)
        })??;
        self.core = Some(core);
        Ok(())
    }
}
