//! `mijnlieff.solving.Solution`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::encode::action_of;
use crate::python::convert::shown::{Shown, type_texts};
use crate::python::rules::position::PyPosition;
use crate::search::solver::Solution;

type_texts! {
    ActionMargins: "dict[int, int]";
}

/// The exact value of a position: its margin under perfect play, and that of every action.
///
/// Immutable, and equal to others with the same attributes.
#[pyclass(name = "Solution", module = "mijnlieff.solving", frozen)]
pub(crate) struct PySolution {
    /// Own points minus the opponent's at the end of the game, for the side to move.
    #[pyo3(get)]
    margin: i32,
    /// A dict that is not used elsewhere: Python gets copies.
    action_margins: Py<PyDict>,
    /// Positions searched; 0 if the book had the answer.
    #[pyo3(get)]
    nodes: u64,
    /// The side to move, 0 Light, 1 Dark.
    #[pyo3(get)]
    to_play: usize,
}

/// What a solution is made from.
type Fields<'py> = (i32, Bound<'py, PyAny>, u64, usize);

#[pymethods]
impl PySolution {
    #[new]
    #[pyo3(signature = (margin, action_margins: "dict[int, int]", nodes, to_play))]
    fn new(
        margin: i32,
        action_margins: &Bound<'_, PyDict>,
        nodes: u64,
        to_play: usize,
    ) -> PyResult<Self> {
        Ok(Self::with(margin, &action_margins.copy()?, nodes, to_play))
    }

    /// The margin after each legal action, for the side to move, in a new dict.
    ///
    /// It is empty when the game is over.
    #[getter]
    fn action_margins(&self, py: Python<'_>) -> PyResult<Shown<ActionMargins, PyDict>> {
        Ok(self.action_margins.bind(py).copy()?.into())
    }

    /// The margin as `Position.margin` counts it: Light's points minus Dark's.
    #[getter]
    fn light_margin(&self) -> i32 {
        if self.to_play == 0 {
            self.margin
        } else {
            -self.margin
        }
    }

    /// 1 when the side to move wins, 0 for a draw, -1 when it loses.
    #[getter]
    fn outcome(&self) -> i32 {
        self.margin.signum()
    }

    /// The actions that keep the margin, ascending.
    #[getter]
    fn best_actions(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        let mut best = Vec::new();
        for (action, margin) in self.action_margins.bind(py) {
            let (action, margin): (usize, i32) = (action.extract()?, margin.extract()?);
            if margin == self.margin {
                best.push(action);
            }
        }
        Ok(best)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let numbers = |it: &Self| (it.margin, it.nodes, it.to_play);
        let margins = self.action_margins.bind(py);
        Ok(numbers(self) == numbers(other) && margins.eq(other.action_margins.bind(py))?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Self {
            margin,
            nodes,
            to_play,
            ..
        } = self;
        let action_margins = self.action_margins.bind(py).repr()?;
        Ok(format!(
            "Solution(margin={margin}, action_margins={action_margins}, nodes={nodes}, \
             to_play={to_play})"
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Fields<'py>)> {
        let action_margins = self.action_margins.bind(py).copy()?.into_any();
        let made_from = (self.margin, action_margins, self.nodes, self.to_play);
        Ok((py.get_type::<Self>(), made_from))
    }
}

impl PySolution {
    /// What the solver has found of a position.
    pub(crate) fn of(py: Python<'_>, position: &PyPosition, found: &Solution) -> PyResult<Self> {
        let variant = &position.variant;
        let margins = PyDict::new(py);
        for &(mv, margin) in &found.moves {
            margins.set_item(action_of(variant, mv), margin)?;
        }
        let to_play = position.core.side_to_move().index();
        Ok(Self::with(found.margin, &margins, found.nodes, to_play))
    }

    /// Made from a dict that is not used elsewhere.
    fn with(margin: i32, action_margins: &Bound<'_, PyDict>, nodes: u64, to_play: usize) -> Self {
        Self {
            margin,
            action_margins: action_margins.clone().unbind(),
            nodes,
            to_play,
        }
    }
}
