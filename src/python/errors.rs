//! Errors of the core as Python exceptions; the only place that maps them.

use pyo3::PyErrArguments;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::best_response::BestResponseError;
use crate::encode::{CanvasError, LayoutError, Numbering, PackError, VariantSetError};
use crate::functional::FunctionalError;
use crate::game::{
    BoardError, ParseError, PlayError, Position, PositionError, PositionTextError, RecordError,
    Variant, VariantError, VariantTextError, format_move,
};
use crate::memory::OutOfMemory;
use crate::names::{UnknownName, shortened};
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

/// Core errors whose exception needs only their text; `?` converts them. Variants in brackets hold
/// another error, which becomes the exception; the rows that follow give the class of the others.
macro_rules! exceptions {
    ($($error:ident $([$($held:ident),+])? {
        $($($variant:ident)|+ => $class:ty,)* $(_ => $rest:ty $(,)?)?
    })*) => {$(
        impl From<$error> for PyErr {
            fn from(error: $error) -> Self {
                match error {
                    $($($error::$held(held) => held.into(),)+)?
                    $($($error::$variant { .. })|+ => <$class>::new_err(error.to_string()),)*
                    $(_ => <$rest>::new_err(error.to_string()),)?
                }
            }
        }
    )*};
}

exceptions! {
    BestResponseError [Halted] {
        TooManyCells => exceptions::BoardError,
        TooManyPositions => exceptions::SearchLimitError,
        Illegal => exceptions::PolicyError,
    }
    BoardError { _ => exceptions::BoardError }
    BookError [OutOfMemory] { _ => exceptions::BookError }
    CanvasError {
        TooSmall => exceptions::VariantError,
        UnknownAction | NotACell => PyIndexError,
        _ => PyValueError,
    }
    ChoiceError [Halted] {
        Logit => exceptions::PolicyError,
    }
    Damaged { _ => exceptions::TablebaseError }
    DepthError { _ => PyValueError }
    EpsilonError { _ => PyValueError }
    // Only the stop flag and memory limit these searches. The flag is set by Ctrl-C, which has raised
    // `KeyboardInterrupt` before.
    Halt [OutOfMemory, Damaged] { _ => PyRuntimeError }
    LayoutError [Packed] {
        OnCanvas => PyValueError,
    }
    NoBoardError { _ => PyValueError }
    NoPerfectPlay { _ => PyValueError }
    OpeningError { _ => PyValueError }
    OutOfMemory { _ => PyMemoryError }
    PackError { _ => exceptions::VariantError }
    ParseError { _ => exceptions::ParseError }
    PositionError { _ => exceptions::PositionError }
    PositionTextError [Parse, Impossible] {}
    ProgressError { _ => PyValueError }
    SelfPlayError [Halted] {
        Evaluation => exceptions::PolicyError,
    }
    TablebaseError [Io, OutOfMemory] { _ => exceptions::TablebaseError }
    UnknownName { _ => PyValueError }
    UpdateError [OutOfMemory] {
        NothingSelected => PyRuntimeError,
        _ => exceptions::PolicyError,
    }
    VariantError { _ => exceptions::VariantError }
    VariantSetError {
        Canvas => exceptions::VariantError,
        _ => PyValueError,
    }
    VariantTextError {
        Board => exceptions::BoardError,
        _ => exceptions::VariantError,
    }
    WeightsError { _ => PyValueError }
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

/// The exception for an update of a tree search without leaves.
pub(crate) fn nothing_selected() -> PyErr {
    UpdateError::NothingSelected.into()
}

/// The exception for a text that is not a board.
pub(crate) fn not_a_board(text: &str, error: BoardError) -> PyErr {
    let text = shortened(text);
    VariantTextError::Board { text, error }.into()
}

/// The exception for the position of this number, whose board does not fit a canvas.
pub(crate) fn does_not_fit(number: usize, error: &CanvasError) -> PyErr {
    exceptions::VariantError::new_err(format!("position {number}: {error}"))
}

/// The exception for a text that is not an action; the message starts with `place`.
pub(crate) fn not_an_action(error: &ParseError, place: &str) -> PyErr {
    exceptions::ParseError::new_err(format!("{place}{error}"))
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
            play_error(numbering, &before, action, &error, &place, None)
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

/// The exception for an action that cannot be played, in a game of a batch if there is one; the message
/// starts with `place`.
pub(crate) fn play_error(
    numbering: Numbering<'_>,
    position: &Position,
    action: Option<i64>,
    error: &PlayError,
    place: &str,
    game: Option<usize>,
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
        game,
    )
}

/// The exception for a finished game; the message starts with `place`.
pub(crate) fn game_over(place: &str) -> PyErr {
    exceptions::GameOverError::new_err(format!("{place}{}", PlayError::GameOver))
}

/// The exception for an action index that does not exist, as [`play_error`].
pub(crate) fn unknown_action(
    numbering: Numbering<'_>,
    position: &Position,
    action: Bound<'_, PyAny>,
    place: &str,
    game: Option<usize>,
) -> PyErr {
    let message = format!("{place}{}", why_unknown(numbering, &action));
    illegal_action(numbering, position, action.unbind(), &message, game)
}

fn illegal_action<A>(
    numbering: Numbering<'_>,
    position: &Position,
    action: A,
    message: &str,
    game: Option<usize>,
) -> PyErr
where
    (String, A, Vec<i64>, Option<usize>): PyErrArguments + Send + Sync + 'static,
{
    let variant = numbering.variant();
    let moves = position.legal_moves(variant);
    let name = |&mv| format_move(variant.board(), mv);
    let names: Vec<String> = moves.iter().map(name).collect();
    let legal = moves.iter().map(|&mv| numbering.action_of(mv) as i64);
    let legal: Vec<i64> = legal.collect();
    let message = format!("{message}; legal: {}", names.join(" "));
    exceptions::IllegalMoveError::new_err((message, action, legal, game))
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
            let (action, game) = (Some(*action), *game);
            play_error(numbering(game), position, action, error, &place, Some(game))
        }
        StepError::UnknownAction {
            game,
            action,
            position,
        } => {
            let place = format!("game {game}: ");
            match out_of_range.given(py, *game, *action) {
                Ok(action) => {
                    unknown_action(numbering(*game), position, action, &place, Some(*game))
                }
                Err(error) => error,
            }
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
