//! The Python module `mijnlieff._mijnlieff`: checks, converts, releases the GIL, calls the core.
//!
//! Nothing else imports `pyo3` or `numpy`, and nothing imports this module.

// Arguments that PyO3 converts arrive by value.
#![allow(clippy::needless_pass_by_value)]
// Doc comments of what Python sees are its docstrings: reStructuredText in Google's style.
#![allow(clippy::doc_markdown)]

mod census;
mod convert;
mod errors;
mod evaluations;
mod exceptions;
mod files;
mod functional;
mod interrupt;
mod play;
mod players;
mod rules;
mod samples;
mod search_options;
mod search_variants;
mod self_play;
mod tablebase;
mod tree_search;
mod tree_seeds;
mod vector;

use pyo3::pymodule;

/// The native part of the package; import its names from `mijnlieff`.
#[pymodule(gil_used = true)] // memory that is lent to Python relies on the lock
mod _mijnlieff {
    use numpy::PyArray1;
    use pyo3::prelude::*;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)] // Python's name
    const __version__: &str = env!("CARGO_PKG_VERSION");
    /// The most cells of a board of which every position can be solved.
    #[pymodule_export]
    const EXACT_CELLS: usize = crate::search::solver::Solver::MAX_CELLS;
    /// The most empty cells of a position that can be solved on any board.
    #[pymodule_export]
    const EXACT_ENDING: usize = crate::search::solver::Solver::MAX_EMPTY;
    /// A margin of this many points, or more, counts in full in a tree search.
    #[pymodule_export]
    const FULL_MARGIN: f32 = crate::tree_search::TreeConfig::FULL_MARGIN;
    /// Points per unit of a network's margin, so that both of its values are of similar size.
    #[pymodule_export]
    const MARGIN_UNIT: f32 = crate::network::Network::MARGIN_UNIT;
    /// The largest batch of games; beyond it a mistyped number would take all memory.
    #[pymodule_export]
    const MAX_ENVS: usize = crate::vector::MAX_ENVS;
    /// The most threads that a call may ask for.
    #[pymodule_export]
    const MAX_THREADS: usize = crate::python::convert::integers::MAX_THREADS;
    /// The number of seeds, 2**64.
    #[pymodule_export]
    const SEEDS: u128 = 1 << 64;

    #[pymodule_export]
    use crate::python::convert::integers::{
        num_cores, python_integer, python_integer_in, seed_of, threads_of,
    };
    #[pymodule_export]
    use crate::python::functional::{
        functional_from_positions, functional_init, functional_legal_mask, functional_observe,
        functional_score, functional_step, functional_to_play, functional_to_positions,
    };
    #[pymodule_export]
    use crate::python::interrupt::PyStop;
    #[pymodule_export]
    use crate::python::play::PyPlayTable;
    #[pymodule_export]
    use crate::python::players::best_response::{
        PyBestResponseResult, PyBestResponseSearch, PyLine,
    };
    #[pymodule_export]
    use crate::python::players::matches::{play_match, random_openings};
    #[pymodule_export]
    use crate::python::players::network::PyNetwork;
    #[pymodule_export]
    use crate::python::players::policy::{
        PyBuiltinPolicy, PyGreedyPolicy, PyMinimaxPolicy, PyPerfectPolicy, PyRandomPolicy,
    };
    #[pymodule_export]
    use crate::python::players::solution::PySolution;
    #[pymodule_export]
    use crate::python::players::solver::{PySolver, canonical_counts};
    #[pymodule_export]
    use crate::python::players::solvers::{set_table_bytes, solve, solver_for};
    #[pymodule_export]
    use crate::python::rules::batch::{
        mask_batch, observe_batch, own_actions, own_masks, python_check_playable,
        python_common_variant,
    };
    #[pymodule_export]
    use crate::python::rules::board::PyBoard;
    #[pymodule_export]
    use crate::python::rules::canvas::PyCanvas;
    #[pymodule_export]
    use crate::python::rules::position::PyPosition;
    #[pymodule_export]
    use crate::python::rules::records::{format_record, parse_record, perft};
    #[pymodule_export]
    use crate::python::rules::variant::PyVariant;
    #[pymodule_export]
    use crate::python::rules::variant_argument::{as_variant, as_variants};
    #[pymodule_export]
    use crate::python::samples::{PySelfPlaySamples, PySelfPlayStatistics};
    #[pymodule_export]
    use crate::python::search_options::PySearchOptions;
    #[pymodule_export]
    use crate::python::self_play::PySelfPlayGames;
    #[pymodule_export]
    use crate::python::tablebase::PyTablebase;
    #[pymodule_export]
    use crate::python::tree_search::{PyLeafBatch, PyTreeSearch};
    #[pymodule_export]
    use crate::python::vector::PyBatchEnv;
    #[pymodule_export]
    use crate::python::vector::positions::PySavedGame;
    #[pymodule_export]
    use crate::python::vector::rollout::rollout;

    /// Looks up the functions of `NumPy` and the error classes at import. Later, Ctrl-C during the
    /// lookup would make it panic.
    #[pymodule_init]
    fn init(py: Python<'_>) -> PyResult<()> {
        drop(PyArray1::<u8>::zeros(py, 0, false));
        crate::python::exceptions::import(py)
    }
}

/// Python aligns its objects at 16 bytes, so what needs more has to be in a box.
const _: () = {
    const fn check<T>() {
        assert!(align_of::<T>() <= 16);
    }
    check::<play::PyPlayTable>();
    check::<players::best_response::PyBestResponseSearch>();
    check::<players::network::PyNetwork>();
    check::<players::policy::PyBuiltinPolicy>();
    check::<players::solution::PySolution>();
    check::<players::solver::PySolver>();
    check::<rules::board::PyBoard>();
    check::<rules::canvas::PyCanvas>();
    check::<rules::position::PyPosition>();
    check::<rules::variant::PyVariant>();
    check::<samples::PySelfPlaySamples>();
    check::<search_options::PySearchOptions>();
    check::<self_play::PySelfPlayGames>();
    check::<tablebase::PyTablebase>();
    check::<tree_search::PyLeafBatch>();
    check::<tree_search::PyTreeSearch>();
    check::<vector::PyBatchEnv>();
};
