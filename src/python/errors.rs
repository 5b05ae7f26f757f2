//! Errors of the core as Python exceptions; the only place that maps them.
//!
//! The classes live in `mijnlieff/errors.py`: under the stable ABI, Rust cannot subclass built-in
//! exceptions before Python 3.12.

use pyo3::PyErrArguments;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::encode::{PackError, action_of, move_of, num_actions, pass_action};
use crate::game::{
    BoardError, PlayError, Position, PositionTextError, RecordError, Variant, VariantError,
    format_move,
};
use crate::memory::OutOfMemory;
use crate::search::Halt;

/// The exception classes of the package.
pub(crate) mod classes {
    use pyo3::import_exception;

    import_exception!(mijnlieff.errors, BoardError);
    import_exception!(mijnlieff.errors, BookError);
    import_exception!(mijnlieff.errors, CheckpointError);
    import_exception!(mijnlieff.errors, GameOverError);
    import_exception!(mijnlieff.errors, IllegalMoveError);
    import_exception!(mijnlieff.errors, ParseError);
    import_exception!(mijnlieff.errors, PolicyError);
    import_exception!(mijnlieff.errors, PositionError);
    import_exception!(mijnlieff.errors, SearchLimitError);
    import_exception!(mijnlieff.errors, VariantError);
}

pub(crate) fn board_error(error: &BoardError) -> PyErr {
    classes::BoardError::new_err(error.to_string())
}

pub(crate) fn variant_error(error: &VariantError) -> PyErr {
    classes::VariantError::new_err(error.to_string())
}

pub(crate) fn pack_error(error: &PackError) -> PyErr {
    classes::VariantError::new_err(error.to_string())
}

pub(crate) fn parse_error(error: &crate::game::ParseError) -> PyErr {
    classes::ParseError::new_err(error.to_string())
}

pub(crate) fn position_error(error: &PositionTextError) -> PyErr {
    match error {
        PositionTextError::Parse(error) => parse_error(error),
        PositionTextError::Impossible(error) => classes::PositionError::new_err(error.to_string()),
    }
}

pub(crate) fn record_error(variant: &Variant, error: &RecordError) -> PyErr {
    match error {
        RecordError::Parse(error) => parse_error(error),
        RecordError::Play {
            number,
            text,
            before,
            error,
        } => {
            let place = format!("move {number} ({text}): ");
            let mv = match error {
                PlayError::Illegal { mv, .. } => Some(*mv),
                PlayError::GameOver => None,
            };
            let action = mv.map(|mv| action_of(variant, mv) as i64);
            play_error(variant, before, action, error, &place)
        }
    }
}

/// The exception for an action that cannot be played; the message starts with `place`.
pub(crate) fn play_error(
    variant: &Variant,
    position: &Position,
    action: Option<i64>,
    error: &PlayError,
    place: &str,
) -> PyErr {
    let PlayError::Illegal { mv, reason } = error else {
        return classes::GameOverError::new_err(format!("{place}{error}"));
    };
    let name = format_move(variant.board(), *mv);
    let index = action_of(variant, *mv);
    illegal_action(
        variant,
        position,
        action,
        &format!("{place}action {index} ({name}) is illegal: {reason}"),
    )
}

/// The exception for an action index that does not exist.
pub(crate) fn unknown_action(
    variant: &Variant,
    position: &Position,
    action: Bound<'_, PyAny>,
    place: &str,
) -> PyErr {
    let last = pass_action(variant);
    let message = format!("{place}action {action} does not exist, actions are 0 to {last} (pass)");
    illegal_action(variant, position, action.unbind(), &message)
}

fn illegal_action<A>(variant: &Variant, position: &Position, action: A, message: &str) -> PyErr
where
    (String, A, Vec<i64>): PyErrArguments + Send + Sync + 'static,
{
    let legal = legal_actions(variant, position);
    let names: Vec<String> = legal
        .iter()
        .filter_map(|&action| move_of(variant, action as usize))
        .map(|mv| format_move(variant.board(), mv))
        .collect();
    let message = format!("{message}; legal: {}", names.join(" "));
    classes::IllegalMoveError::new_err((message, action, legal))
}

/// An `IllegalMoveError` that names the game of a batch; other errors as they are.
pub(crate) fn in_game(py: Python<'_>, error: PyErr, game: usize) -> PyErr {
    let rebuilt = || -> PyResult<PyErr> {
        let arguments: (String, Py<PyAny>, Vec<i64>) = error
            .value(py)
            .getattr("args")?
            .get_item(PySlice::new(py, 0, 3, 1))?
            .extract()?;
        let (message, action, legal) = arguments;
        Ok(classes::IllegalMoveError::new_err((
            message, action, legal, game,
        )))
    };
    if error.is_instance_of::<classes::IllegalMoveError>(py) {
        rebuilt().unwrap_or_else(|error| error)
    } else {
        error
    }
}

/// The legal action indices, ascending.
pub(crate) fn legal_actions(variant: &Variant, position: &Position) -> Vec<i64> {
    debug_assert!(num_actions(variant) <= 257);
    let moves = position.legal_moves(variant);
    moves
        .into_iter()
        .map(|mv| action_of(variant, mv) as i64)
        .collect()
}

/// Nothing but the stop flag and memory limits these searches, and Ctrl-C, which sets the flag, has
/// returned before.
pub(crate) fn not_halted(halt: &Halt) -> PyErr {
    match halt {
        Halt::OutOfMemory(error) => out_of_memory(error),
        _ => PyRuntimeError::new_err(halt.to_string()),
    }
}

pub(crate) fn out_of_memory(error: &OutOfMemory) -> PyErr {
    PyMemoryError::new_err(error.to_string())
}

/// For `?`, as any call may run out of memory.
impl From<OutOfMemory> for PyErr {
    fn from(error: OutOfMemory) -> Self {
        out_of_memory(&error)
    }
}
