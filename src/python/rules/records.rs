//! Game records and perft.

use pyo3::prelude::*;

use super::position::{PyPosition, parse_actions};
use super::variant::PyVariant;
use crate::encode::action_of;
use crate::game::{self, Position};
use crate::python::convert::actions::GameActions;
use crate::python::convert::integers::Depth;
use crate::python::convert::text::Text;
use crate::python::errors::record_error;
use crate::python::interrupt::run_interruptible;

/// The actions of a game record; every one is played, so the game is legal.
///
/// Raises:
///     ParseError: the text is not a record, or stops in the middle of a turn.
///     IllegalMoveError: a move is illegal; the message says which.
#[pyfunction]
#[pyo3(signature = (text, variant=None))]
pub(crate) fn parse_record(text: Text<'_>, variant: Option<PyVariant>) -> PyResult<Vec<usize>> {
    let variant = PyVariant::or_default(variant).0;
    let moves =
        game::parse_record(&variant, text.0).map_err(|error| record_error(&variant, error))?;
    Ok(moves
        .into_iter()
        .map(|mv| action_of(&variant, mv))
        .collect())
}

/// The record of a game from the first action, ``#`` after the end of a finished one.
///
/// Raises:
///     IllegalMoveError: an action is illegal; the message says which.
///     GameOverError: the game is over before the last action.
///     ParseError: a text is not an action; the message says which.
///     TypeError: not a list of actions.
#[pyfunction]
#[pyo3(signature = (actions, variant=None))]
pub(crate) fn format_record(
    actions: GameActions<'_>,
    variant: Option<PyVariant>,
) -> PyResult<String> {
    let variant = PyVariant::or_default(variant).0;
    let (moves, _) = parse_actions(&variant, Position::new(&variant), actions)?;
    game::format_record(&variant, &moves).map_err(|error| record_error(&variant, error))
}

/// The number of sequences of exactly `depth` actions; finished games have no continuation.
///
/// Runs without the GIL and stops on Ctrl-C.
///
/// Raises:
///     ValueError: `depth` is negative.
///     TypeError: `position` is not a `Position`, or `depth` not an integer.
#[pyfunction]
pub(crate) fn perft(py: Python<'_>, position: PyPosition, depth: Depth) -> PyResult<u64> {
    let count = run_interruptible(py, |stop| {
        game::perft_until(&position.variant, &position.core, depth.0, stop)
    })?;
    // Only Ctrl-C sets the flag, and it has returned above.
    Ok(count.unwrap_or_default())
}
