//! `mijnlieff.self_play.SelfPlaySamples` and `SelfPlayStatistics`, which `mijnlieff.SelfPlay` returns.

#![allow(
    clippy::too_many_arguments,
    reason = "constructors that PyO3 makes take every field"
)]

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::encode::VariantSet;
use crate::python::convert::arrays::{AnyArray, Array1, Array2};
use crate::python::convert::observations::observation_array;
use crate::python::convert::pickles::{Names, Pickled, pickled};
use crate::self_play::{Samples, Statistics};

/// The attributes in the order of the constructor.
const COUNTS: [&str; 9] = [
    "games",
    "plies",
    "searched_roots",
    "solved_roots",
    "simulations",
    "evaluations",
    "shared_evaluations",
    "recalled_evaluations",
    "solved_leaves",
];

/// How much work was done for some samples.
///
/// The counts of leaves and evaluations depend on which games are played at once, and so on the
/// number of threads; the others do not. Immutable, and equal to others with the same counts.
#[pyclass(
    name = "SelfPlayStatistics",
    module = "mijnlieff.self_play",
    frozen,
    eq,
    hash,
    get_all,
    new = "from_fields",
    from_py_object
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PySelfPlayStatistics {
    /// Games played.
    games: usize,
    /// Plies of all games, random ones and passes included.
    plies: usize,
    /// Decisions made by a search.
    searched_roots: usize,
    /// Decisions made by the exact solver.
    solved_roots: usize,
    /// Simulations of all searches.
    simulations: usize,
    /// Positions that the network evaluated.
    evaluations: u64,
    /// Leaves that another tree had reached at the same time.
    shared_evaluations: u64,
    /// Leaves that had been evaluated before in the same call.
    recalled_evaluations: u64,
    /// Leaves whose value the exact solver found.
    solved_leaves: u64,
}

#[pymethods]
impl PySelfPlayStatistics {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Names> {
        Ok(PyTuple::new(py, COUNTS)?.into())
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let mut shown = Vec::new();
        for name in COUNTS {
            shown.push(format!("{name}={}", slf.getattr(name)?));
        }
        Ok(format!("SelfPlayStatistics({})", shown.join(", ")))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py>> {
        pickled(slf, &COUNTS)
    }
}

impl From<Statistics> for PySelfPlayStatistics {
    fn from(counted: Statistics) -> Self {
        let leaves = counted.leaves;
        Self {
            games: counted.games,
            plies: counted.plies,
            searched_roots: counted.searched_roots,
            solved_roots: counted.solved_roots,
            simulations: counted.simulations,
            evaluations: leaves.evaluated,
            shared_evaluations: leaves.shared,
            recalled_evaluations: leaves.recalled,
            solved_leaves: leaves.solved,
        }
    }
}

/// The attributes in the order of the constructor.
const ARRAYS_AND_COUNTS: [&str; 15] = [
    "observations",
    "action_masks",
    "policy_targets",
    "action_margins",
    "root_values",
    "margins",
    "exact",
    "variants",
    "to_play",
    "plies",
    "games",
    "game_margins",
    "game_plies",
    "first_game",
    "statistics",
];

/// The decisions of finished games, one per row: game after game, and in each ply after ply.
///
/// Random plies and forced passes are not decisions. All points of view are that of the side to
/// move, except in `game_margins`.
#[pyclass(
    name = "SelfPlaySamples",
    module = "mijnlieff.self_play",
    frozen,
    get_all,
    new = "from_fields"
)]
pub(crate) struct PySelfPlaySamples {
    /// ``(B, ...)`` in the layout and dtype of the `SelfPlay`; packed ones uint64 ``(B,)``.
    observations: AnyArray,
    /// Int8 ``(B, num_actions)``, 1 where legal.
    action_masks: Array2<i8>,
    /// Float32 ``(B, num_actions)``, the policy to learn; rows sum to 1.
    ///
    /// In a solved position it is uniform over the best actions. Actions are those of the canvas if
    /// there is one.
    policy_targets: Array2<f32>,
    /// Int16 ``(B, num_actions)``, exact margins of legal actions, for the side to move.
    ///
    /// The smallest int16 for illegal actions, and in positions that were not solved. Without a
    /// ``solved_temperature`` only the best actions are found, and no margins are kept.
    action_margins: Array2<i16>,
    /// Float32 ``(B,)``, the value that the search or the solver gives, -1 to 1.
    ///
    /// The margin has the share `SearchOptions.margin_weight` in it.
    root_values: Array1<f32>,
    /// Int16 ``(B,)``, points: under perfect play if the position was solved.
    ///
    /// Otherwise those of the next solved position of the game, or at its end if there is none.
    margins: Array1<i16>,
    /// Bool ``(B,)``: whether the position was solved, so policy, value and margin are exact.
    exact: Array1<bool>,
    /// Int64 ``(B,)``, the index of the game's variant.
    variants: Array1<i64>,
    /// Int8 ``(B,)``, 0 for Light and 1 for Dark.
    to_play: Array1<i8>,
    /// Int16 ``(B,)``, plies played before.
    plies: Array1<i16>,
    /// Int64 ``(B,)``, the number of the game; the first of a `SelfPlay` is 0.
    ///
    /// Numbers go on from call to call, so ``games - first_game`` are the rows of `game_margins`
    /// and `game_plies`.
    games: Array1<i64>,
    /// Int16 ``(G,)``, Light's points less Dark's at the end of each game of the call.
    game_margins: Array1<i16>,
    /// Int16 ``(G,)``, plies of each game of the call.
    game_plies: Array1<i16>,
    /// The number of the first game of the call, which may have no decisions.
    first_game: i64,
    /// How much work was done.
    statistics: PySelfPlayStatistics,
}

#[pymethods]
impl PySelfPlaySamples {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Names> {
        Ok(PyTuple::new(py, ARRAYS_AND_COUNTS)?.into())
    }

    /// The signs of the margins, int8 ``(B,)``: 1 is won for the side to move.
    #[getter]
    fn outcomes(&self, py: Python<'_>) -> PyResult<Array1<i8>> {
        let margins = self.margins.bind(py).try_readonly()?;
        let signs = margins.as_array().map(|margin| margin.signum() as i8);
        Ok(signs.into_pyarray(py).into())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.margins.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (samples, games) = (self.__len__(py)?, self.statistics.games);
        Ok(format!("<SelfPlaySamples: {samples} of {games} games>"))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py>> {
        pickled(slf, &ARRAYS_AND_COUNTS)
    }
}

impl PySelfPlaySamples {
    /// The arrays of these samples, which are not copied.
    pub(crate) fn of(py: Python<'_>, variants: &VariantSet, samples: Samples) -> Self {
        let (numbering, shape) = (variants.of(0), [samples.num_samples()]);
        Self {
            observations: observation_array(py, numbering, &shape, samples.observations),
            action_masks: samples.action_masks.into_pyarray(py).into(),
            policy_targets: samples.policy_targets.into_pyarray(py).into(),
            action_margins: samples.action_margins.into_pyarray(py).into(),
            root_values: samples.root_values.into_pyarray(py).into(),
            margins: samples.margins.into_pyarray(py).into(),
            exact: samples.exact.into_pyarray(py).into(),
            variants: samples.variants.into_pyarray(py).into(),
            to_play: samples.to_play.into_pyarray(py).into(),
            plies: samples.plies.into_pyarray(py).into(),
            games: samples.games.into_pyarray(py).into(),
            game_margins: samples.game_margins.into_pyarray(py).into(),
            game_plies: samples.game_plies.into_pyarray(py).into(),
            first_game: samples.first_game,
            statistics: samples.statistics.into(),
        }
    }
}
