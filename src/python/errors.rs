//! Errors of the core as Python exceptions; the only place that maps them.

use pyo3::PyErrArguments;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::best_response::BestResponseError;
use crate::encode::{CanvasError, LayoutError, Numbering, PackError, VariantSetError};
use crate::functional::FunctionalError;
use crate::game::{
    BoardError, ParseError, PlayError, Position, PositionError, PositionTextError, RecordError,
    Variant, VariantError, VariantTextError, format_move,
};
use crate::memory::OutOfMemory;
use crate::names::UnknownName;
use crate::network::{ChoiceError, NetworkError, NoBoardError};
use crate::play::{LoadError, NoPerfectPlay, TurnError};
use crate::policy::{EpsilonError, OpeningError};
use crate::python::convert::actions::OutOfRange;
use crate::python::convert::short_repr;
use crate::python::exceptions;
use crate::search::solver::{BookError, Unsolved};
use crate::search::{DepthError, Halt};
use crate::self_play::{ProgressError, SelfPlayError};
use crate::tablebase::{Damaged, TablebaseError};
use crate::tree_search::UpdateError;
use crate::vector::{StepError, WeightsError};

/// Core errors whose exception needs only their text; `?` converts them.
macro_rules! exceptions {
    ($($error:ty => $exception:ty;)*) => {$(
        impl From<$error> for PyErr {
            fn from(error: $error) -> Self {
                <$exception>::new_err(error.to_string())
            }
        }
    )*};
}

exceptions! {
    BoardError => exceptions::BoardError;
    BookError => exceptions::BookError;
    Damaged => exceptions::TablebaseError;
    DepthError => PyValueError;
    EpsilonError => PyValueError;
    NoBoardError => PyValueError;
    NoPerfectPlay => PyValueError;
    OpeningError => PyValueError;
    OutOfMemory => PyMemoryError;
    PackError => exceptions::VariantError;
    ParseError => exceptions::ParseError;
    PositionError => exceptions::PositionError;
    ProgressError => PyValueError;
    UnknownName => PyValueError;
    VariantError => exceptions::VariantError;
    WeightsError => PyValueError;
}

impl From<VariantTextError> for PyErr {
    fn from(error: VariantTextError) -> Self {
        let text = error.to_string();
        match error {
            VariantTextError::Board { .. } => exceptions::BoardError::new_err(text),
            _ => exceptions::VariantError::new_err(text),
        }
    }
}

impl From<PositionTextError> for PyErr {
    fn from(error: PositionTextError) -> Self {
        match error {
            PositionTextError::Parse(error) => error.into(),
            PositionTextError::Impossible(error) => error.into(),
        }
    }
}

/// Only the stop flag and memory limit these searches. The flag is set by Ctrl-C, which has raised
/// `KeyboardInterrupt` before.
impl From<Halt> for PyErr {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::OutOfMemory(error) => error.into(),
            Halt::Damaged(error) => error.into(),
            _ => PyRuntimeError::new_err(halt.to_string()),
        }
    }
}

/// The moves were checked when they were read, so the rules refuse one here only if another thread has
/// changed the game meanwhile.
impl From<TurnError> for PyErr {
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::Play(PlayError::GameOver) => game_over(""),
            _ => exceptions::IllegalMoveError::new_err(error.to_string()),
        }
    }
}

impl From<LoadError> for PyErr {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Opponent(error) => error.into(),
            LoadError::Play(error) => TurnError::Play(error).into(),
        }
    }
}

impl From<TablebaseError> for PyErr {
    fn from(error: TablebaseError) -> Self {
        match error {
            TablebaseError::Io(error) => error.into(),
            TablebaseError::OutOfMemory(error) => error.into(),
            _ => exceptions::TablebaseError::new_err(error.to_string()),
        }
    }
}

impl From<BestResponseError> for PyErr {
    fn from(error: BestResponseError) -> Self {
        let text = error.to_string();
        match error {
            BestResponseError::TooManyCells { .. } => exceptions::BoardError::new_err(text),
            BestResponseError::TooManyPositions { .. } => {
                exceptions::SearchLimitError::new_err(text)
            }
            BestResponseError::Illegal { .. } => exceptions::PolicyError::new_err(text),
            BestResponseError::Halted(halt) => halt.into(),
        }
    }
}

impl From<CanvasError> for PyErr {
    fn from(error: CanvasError) -> Self {
        let text = error.to_string();
        match error {
            CanvasError::TooSmall { .. } => exceptions::VariantError::new_err(text),
            CanvasError::UnknownAction { .. } | CanvasError::NotACell { .. } => {
                PyIndexError::new_err(text)
            }
            _ => PyValueError::new_err(text),
        }
    }
}

impl From<VariantSetError> for PyErr {
    fn from(error: VariantSetError) -> Self {
        let text = error.to_string();
        match error {
            VariantSetError::Canvas { .. } => exceptions::VariantError::new_err(text),
            _ => PyValueError::new_err(text),
        }
    }
}

impl From<NetworkError> for PyErr {
    fn from(error: NetworkError) -> Self {
        unreadable("", &error)
    }
}

/// The exception for weights that make no network; the message starts with `place`.
pub(crate) fn unreadable(place: &str, error: &NetworkError) -> PyErr {
    match error {
        NetworkError::OutOfMemory(error) => (*error).into(),
        _ => exceptions::CheckpointError::new_err(format!("{place}{error}")),
    }
}

impl From<ChoiceError> for PyErr {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Halted(halt) => halt.into(),
            ChoiceError::Logit { .. } => exceptions::PolicyError::new_err(error.to_string()),
        }
    }
}

impl From<SelfPlayError> for PyErr {
    fn from(error: SelfPlayError) -> Self {
        match error {
            SelfPlayError::Halted(halt) => halt.into(),
            SelfPlayError::Evaluation(_) => exceptions::PolicyError::new_err(error.to_string()),
        }
    }
}

impl From<UpdateError> for PyErr {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::NothingSelected => nothing_selected(),
            UpdateError::OutOfMemory(error) => error.into(),
            _ => exceptions::PolicyError::new_err(error.to_string()),
        }
    }
}

impl From<LayoutError> for PyErr {
    fn from(error: LayoutError) -> Self {
        match error {
            LayoutError::Packed(error) => error.into(),
            LayoutError::OnCanvas { .. } => PyValueError::new_err(error.to_string()),
        }
    }
}

/// The exception for an update of a tree search without leaves.
pub(crate) fn nothing_selected() -> PyErr {
    PyRuntimeError::new_err(UpdateError::NothingSelected.to_string())
}

/// The exception for a record of a game of this variant.
pub(crate) fn record_error(variant: &Variant, error: RecordError) -> PyErr {
    match error {
        RecordError::Parse(error) => error.into(),
        RecordError::Play {
            number,
            text,
            before,
            error,
        } => {
            let place = format!("move {number} ({text}): ");
            let mv = match error {
                PlayError::Illegal { mv, .. } => Some(mv),
                PlayError::GameOver => None,
            };
            let numbering = Numbering::own(variant);
            let action = mv.map(|mv| numbering.action_of(mv) as i64);
            play_error(numbering, &before, action, &error, &place)
        }
    }
}

/// Why there is no action of this number.
fn why_unknown(numbering: Numbering<'_>, action: &Bound<'_, PyAny>) -> String {
    let gap = numbering.canvas().zip(action.extract().ok());
    let gap = gap.map(|(canvas, action)| canvas.variant_action(numbering.variant(), action));
    if let Some(Err(error @ CanvasError::NotACell { .. })) = gap {
        return error.to_string();
    }
    numbering.no_action(short_repr(action))
}

/// The exception for an action that cannot be played; the message starts with `place`.
pub(crate) fn play_error(
    numbering: Numbering<'_>,
    position: &Position,
    action: Option<i64>,
    error: &PlayError,
    place: &str,
) -> PyErr {
    let PlayError::Illegal { mv, reason } = error else {
        return game_over(place);
    };
    let name = format_move(numbering.variant().board(), *mv);
    let index = numbering.action_of(*mv);
    illegal_action(
        numbering,
        position,
        action,
        &format!("{place}action {index} ({name}) is illegal: {reason}"),
    )
}

/// The exception for a finished game; the message starts with `place`.
pub(crate) fn game_over(place: &str) -> PyErr {
    exceptions::GameOverError::new_err(format!("{place}{}", PlayError::GameOver))
}

/// The exception for an action index that does not exist.
pub(crate) fn unknown_action(
    numbering: Numbering<'_>,
    position: &Position,
    action: Bound<'_, PyAny>,
    place: &str,
) -> PyErr {
    let message = format!("{place}{}", why_unknown(numbering, &action));
    illegal_action(numbering, position, action.unbind(), &message)
}

fn illegal_action<A>(
    numbering: Numbering<'_>,
    position: &Position,
    action: A,
    message: &str,
) -> PyErr
where
    (String, A, Vec<i64>): PyErrArguments + Send + Sync + 'static,
{
    let variant = numbering.variant();
    let moves = position.legal_moves(variant);
    let name = |&mv| format_move(variant.board(), mv);
    let names: Vec<String> = moves.iter().map(name).collect();
    let legal = moves.iter().map(|&mv| numbering.action_of(mv) as i64);
    let legal: Vec<i64> = legal.collect();
    let message = format!("{message}; legal: {}", names.join(" "));
    exceptions::IllegalMoveError::new_err((message, action, legal))
}

/// The exception for actions that a batch cannot play; `numbering` is that of each game.
pub(crate) fn step_error<'a>(
    py: Python<'_>,
    numbering: impl Fn(usize) -> Numbering<'a>,
    error: &StepError,
    out_of_range: &OutOfRange,
) -> PyErr {
    match error {
        StepError::Play {
            game,
            action,
            position,
            error,
        } => {
            let place = format!("game {game}: ");
            let error = play_error(numbering(*game), position, Some(*action), error, &place);
            in_game(py, error, *game)
        }
        StepError::UnknownAction {
            game,
            action,
            position,
        } => {
            let place = format!("game {game}: ");
            let error = out_of_range.given(py, *game, *action).map_or_else(
                |error| error,
                |action| unknown_action(numbering(*game), position, action, &place),
            );
            in_game(py, error, *game)
        }
        StepError::OutOfMemory(error) => (*error).into(),
        StepError::NotReset => exceptions::GameOverError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The exception for states or their actions.
pub(crate) fn functional_error(
    py: Python<'_>,
    variant: &Variant,
    error: &FunctionalError,
    out_of_range: &OutOfRange,
) -> PyErr {
    match error {
        FunctionalError::Action(error) => {
            step_error(py, |_| Numbering::own(variant), error, out_of_range)
        }
        FunctionalError::OutOfMemory(error) => (*error).into(),
        FunctionalError::State { .. } | FunctionalError::IllegalEnd { .. } => {
            exceptions::PositionError::new_err(error.to_string())
        }
        _ => PyRuntimeError::new_err(error.to_string()),
    }
}

/// Adds the game of a batch to an `IllegalMoveError`; other errors are returned unchanged.
fn in_game(py: Python<'_>, error: PyErr, game: usize) -> PyErr {
    let rebuilt = || -> PyResult<PyErr> {
        let arguments: (String, Py<PyAny>, Vec<i64>) = error
            .value(py)
            .getattr("args")?
            .get_item(PySlice::new(py, 0, 3, 1))?
            .extract()?;
        let (message, action, legal) = arguments;
        Ok(exceptions::IllegalMoveError::new_err((
            message, action, legal, game,
        )))
    };
    if error.is_instance_of::<exceptions::IllegalMoveError>(py) {
        rebuilt().unwrap_or_else(|error| error)
    } else {
        error
    }
}

/// The exception for a search that reached a limit; the message starts with `place`.
pub(crate) fn unsolved(place: &str, unsolved: &Unsolved) -> PyErr {
    let (lower, upper) = (unsolved.bounds.lower, unsolved.bounds.upper);
    let halt = unsolved.halt;
    if let Halt::OutOfMemory(_) | Halt::Damaged(_) = halt {
        return halt.into();
    }
    let message = format!("{place}{halt}; the margin is proven to be {lower} to {upper}");
    exceptions::SearchLimitError::new_err((message, lower, upper))
}

/// The exception for a solver whose table of this many bytes cannot be allocated.
pub(crate) fn no_table(error: &OutOfMemory, table_bytes: usize) -> PyErr {
    PyMemoryError::new_err(format!(
        "{error}; {table_bytes} bytes are allowed, set_table_bytes allows fewer"
    ))
}
