//! The Python module `mijnlieff._mijnlieff`: checks, converts, releases the GIL, calls the core.
//!
//! Nothing else imports `pyo3` or `numpy`, and nothing imports this module.

// Arguments that PyO3 converts arrive by value.
#![allow(clippy::needless_pass_by_value)]

mod actions;
mod arrays;
mod board;
mod drawing;
mod ends;
mod errors;
mod integers;
mod interrupt;
mod matches;
mod network;
mod outputs;
mod policy;
mod position;
mod records;
mod rollout;
mod rows;
mod solver;
mod tree;
mod variant;
mod vector;

use pyo3::pymodule;

#[pymodule]
mod _mijnlieff {
    #[pymodule_export]
    use super::board::{PyBoard, restore_board};
    #[pymodule_export]
    use super::matches::{play_match, random_openings};
    #[pymodule_export]
    use super::network::PyNetwork;
    #[pymodule_export]
    use super::policy::{
        PyBuiltinPolicy, PyGreedyPolicy, PyMinimaxPolicy, PyPerfectPolicy, PyRandomPolicy,
    };
    #[pymodule_export]
    use super::position::{PyPosition, mask_batch, observe_batch, restore_position};
    #[pymodule_export]
    use super::records::{format_record, parse_record, perft};
    #[pymodule_export]
    use super::rollout::rollout;
    #[pymodule_export]
    use super::solver::{PySolver, canonical_counts};
    #[pymodule_export]
    use super::tree::{PyLeafBatch, PyTreeSearch};
    #[pymodule_export]
    use super::variant::PyVariant;
    #[pymodule_export]
    use super::vector::PyBatchEnv;
}

/// The function of the module that rebuilds an object from its pickle.
fn restorer<'py>(
    py: pyo3::Python<'py>,
    name: &str,
) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
    use pyo3::types::PyAnyMethods;
    py.import("mijnlieff._mijnlieff")?.getattr(name)
}
