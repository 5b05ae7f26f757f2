//! The functions of `mijnlieff.functional`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numpy::{IntoPyArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::encode::{Numbering, PositionWords, num_actions};
use crate::functional::{self, Run};
use crate::game::{Player, Variant};
use crate::memory::zeroed;
use crate::python::convert::actions::{OutOfRange, copy_actions};
use crate::python::convert::arrays::{AnyArray, Array1, Array2, ArrayDyn, shape_text, shaped};
use crate::python::convert::integers::{self, Threads};
use crate::python::convert::observations::{OBSERVATIONS, format_of, observation_array};
use crate::python::convert::text::Text;
use crate::python::convert::words::{copy_words, words_array};
use crate::python::errors::functional_error;
use crate::python::interrupt::run_by_size;
use crate::python::rules::batch::{Positions, common_variant, position_list};
use crate::python::rules::rows::rows;
use crate::python::rules::variant::PyVariant;
use crate::vector::ObservationRows;

/// Up to this many states take less time than a thread that watches for Ctrl-C is worth.
const QUICK: usize = 1 << 14;

/// States for which it pays to start a thread.
const STATES_PER_THREAD: usize = 1 << 13;

/// What the memory is for, where there is none.
const STATES: &str = "the states";

/// States, rewards and ends.
type Stepped = (ArrayDyn<u64>, Array1<f32>, Array1<bool>);

/// States as they were given.
struct States {
    variant: Arc<Variant>,
    words: Vec<u64>,
    count: usize,
    num_threads: usize,
}

impl States {
    fn read(
        states: &Bound<'_, PyAny>,
        variant: Option<PyVariant>,
        num_threads: Option<Threads>,
    ) -> PyResult<Self> {
        let variant = PyVariant::or_default(variant).0;
        let array = words_array("states", states)?;
        let shape = array.shape();
        let count = shape.first().copied().unwrap_or(0);
        if shape != state_shape(&variant, count) {
            let wanted = match PositionWords::num_words(&variant) {
                1 => "(n,)".to_owned(),
                words => format!("(n, {words})"),
            };
            let (cells, found) = (variant.board().num_cells(), shape_text(shape));
            return Err(PyValueError::new_err(format!(
                "states of a board of {cells} cells have shape {wanted}, not {found}"
            )));
        }
        let words = copy_words(&array)?;
        let most = (count / STATES_PER_THREAD).max(1);
        let num_threads = match num_threads {
            Some(Threads(count)) => count,
            None => Threads::or_cores(None).min(most),
        };
        Ok(Self {
            variant,
            words,
            count,
            num_threads,
        })
    }

    /// Runs `work` on the states, without the GIL when there are many.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Run<'_>) -> functional::Result<T> + Send,
    ) -> PyResult<T> {
        self.run_with(py, &OutOfRange::default(), work)
    }

    /// As [`States::run`], with the actions that no int64 holds.
    fn run_with<T: Send>(
        &self,
        py: Python<'_>,
        out_of_range: &OutOfRange,
        work: impl FnOnce(Run<'_>) -> functional::Result<T> + Send,
    ) -> PyResult<T> {
        let num_threads = self.num_threads;
        let work = |stop: &AtomicBool| work(Run { num_threads, stop });
        let result = run_by_size(py, self.count, QUICK, work)?;
        result.map_err(|error| functional_error(py, &self.variant, &error, out_of_range))
    }
}

/// The shape of so many states.
fn state_shape(variant: &Variant, count: usize) -> Vec<usize> {
    match PositionWords::num_words(variant) {
        1 => vec![count],
        words => vec![count, words],
    }
}

/// Return the states of new games.
///
/// Args:
///     n: number of games, 0 or more.
///     variant: the game; None is the standard game.
///
/// Returns:
///     uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells; all zero.
///
/// Raises:
///     ValueError: `n` is negative.
///     TypeError: `n` is not an integer, or `variant` is not a variant.
///     MemoryError: there is not enough memory.
#[pyfunction(name = "init")]
#[pyo3(signature = (n: "SupportsIndex", variant=None))]
pub(crate) fn functional_init(
    py: Python<'_>,
    n: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
) -> PyResult<ArrayDyn<u64>> {
    let variant = PyVariant::or_default(variant).0;
    let n = integers::integer_in("n", n, 0..=usize::MAX)?;
    // Zeros are the start of every variant.
    let words = zeroed::<u64>(STATES, n.saturating_mul(PositionWords::num_words(&variant)))?;
    Ok(shaped(py, words, state_shape(&variant, n)))
}

/// Play an action in each state.
///
/// Runs without the GIL and stops on Ctrl-C.
///
/// Args:
///     states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells; unchanged.
///     actions: integers ``(n,)``; those of games that are over are ignored.
///     variant: the game; None is the standard game.
///     reward: ``"outcome"`` (1, 0 or -1) or ``"margin"`` (own points minus the opponent's), for
///         the player who acted. It is 0 unless the step ends the game.
///     illegal_action: what an illegal action does: ``"raise"`` an error, or ``"lose"`` the game at
///         once with reward -1. A number that no action has always raises.
///     num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
///         cores.
///
/// Returns:
///     The next states, a new array like `states`; the rewards, float32 ``(n,)``; and whether each
///     game is over, bool ``(n,)``.
///
/// Raises:
///     IllegalMoveError: an action does not exist, or is illegal and does not lose; the first one
///         is in the fields of the error, and its number in ``env_index``.
///     PositionError: a word is not a state of the variant; the message gives its number and value.
///     TypeError: `states` is not uint64, or `actions` are not integers.
///     ValueError: a wrong shape, or an unknown option.
///     MemoryError: there is not enough memory.
#[pyfunction(name = "step")]
#[pyo3(signature = (
    states: "ArrayLike", actions: "ArrayLike", variant=None, *,
    reward: "Literal['outcome', 'margin']" = "outcome",
    illegal_action: "Literal['raise', 'lose']" = "raise", num_threads=None
))]
pub(crate) fn functional_step(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    actions: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
    #[pyo3(from_py_with = Text::plain)] reward: &str,
    #[pyo3(from_py_with = Text::plain)] illegal_action: &str,
    num_threads: Option<Threads>,
) -> PyResult<Stepped> {
    let states = States::read(states, variant, num_threads)?;
    let (reward, illegal_action) = (reward.parse()?, illegal_action.parse()?);
    let mut numbers = zeroed("the actions", states.count)?;
    let out_of_range = copy_actions(actions, &mut numbers)?;
    let (variant, words) = (&states.variant, &states.words);
    let stepped = states.run_with(py, &out_of_range, |run| {
        functional::step(variant, words, &numbers, reward, illegal_action, run)
    })?;
    Ok((
        shaped(py, stepped.states, state_shape(variant, states.count)),
        Array1::from_vec(py, stepped.rewards),
        Array1::from_vec(py, stepped.terminated),
    ))
}

/// Return the legal actions of each state.
///
/// Args:
///     states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells.
///     variant: the game; None is the standard game.
///     num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
///         cores.
///
/// Returns:
///     int8 ``(n, num_actions)``, 1 for every legal action. Where the game is over all are 1, as
///     any action may be given to `step`.
///
/// Raises:
///     PositionError: a word is not a state of the variant; the message gives its number and value.
///     TypeError: `states` is not uint64.
///     ValueError: `states` has a wrong shape.
///     MemoryError: there is not enough memory.
#[pyfunction(name = "legal_mask")]
#[pyo3(signature = (states: "ArrayLike", variant=None, *, num_threads=None))]
pub(crate) fn functional_legal_mask(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
    num_threads: Option<Threads>,
) -> PyResult<Array2<i8>> {
    let states = States::read(states, variant, num_threads)?;
    let variant = &states.variant;
    let (count, actions) = (states.count, num_actions(variant));
    let masks = states.run(py, |run| {
        let mut masks = zeroed("the masks", count.saturating_mul(actions))?;
        functional::write_masks(variant, &states.words, &mut masks, run)?;
        Ok(masks)
    })?;
    Ok(shaped(py, masks, (count, actions)))
}

/// Return the observation of each state.
///
/// Layouts and dtypes are those of `Position.observation`. A game that an illegal action has ended
/// is seen as it was before.
///
/// Args:
///     states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells.
///     layout: ``"flat"`` ``(n, 3 * num_cells + 8)``, ``"planes"`` ``(n, 12, height, width)`` or
///         ``"packed"`` uint64 ``(n,)``.
///     dtype: float32 (the default) or uint8; ``"packed"`` ignores it.
///     variant: the game; None is the standard game.
///     player: None for the view of the side to move, 0 for Light's and 1 for Dark's. Off turn no
///         cell is allowed.
///     num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
///         cores.
///
/// Returns:
///     An array of that shape and dtype.
///
/// Raises:
///     PositionError: a word is not a state of the variant; the message gives its number and value.
///     VariantError: packed, but more than 16 cells or 3 copies.
///     TypeError: `states` is not uint64, or another dtype.
///     ValueError: `states` has a wrong shape, or an unknown layout or player.
///     MemoryError: there is not enough memory.
#[pyfunction(name = "observe")]
// No Rust default is the text "float32" and takes any dtype, so Python reads that one here.
#[pyo3(
    signature = (
        states: "ArrayLike", layout: "Literal['flat', 'planes', 'packed']" = "flat",
        dtype: "DTypeLike" = Option::None, variant=None, *, player=None, num_threads=None
    ),
    text_signature = "(states, layout='flat', dtype='float32', variant=None, *, player=None, \
                      num_threads=None)"
)]
pub(crate) fn functional_observe(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = Text::plain)] layout: &str,
    dtype: Option<&Bound<'_, PyAny>>,
    variant: Option<PyVariant>,
    player: Option<Player>,
    num_threads: Option<Threads>,
) -> PyResult<AnyArray> {
    let states = States::read(states, variant, num_threads)?;
    let numbering = Numbering::own(&states.variant);
    let format = format_of(numbering, layout.parse()?, dtype)?;
    let observations = states.run(py, |run| {
        let mut rows = ObservationRows::zeroed(OBSERVATIONS, numbering, format, states.count)?;
        functional::observe(&states.variant, &states.words, player, rows.memory(), run)?;
        Ok(rows)
    })?;
    Ok(observation_array(
        py,
        numbering,
        &[states.count],
        observations,
    ))
}

/// Return who acts next in each state, int8 ``(n,)``: 0 Light, 1 Dark.
///
/// Arguments and errors are those of `legal_mask`.
#[pyfunction(name = "to_play")]
#[pyo3(signature = (states: "ArrayLike", variant=None, *, num_threads=None))]
pub(crate) fn functional_to_play(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
    num_threads: Option<Threads>,
) -> PyResult<Array1<i8>> {
    let states = States::read(states, variant, num_threads)?;
    let players = states.run(py, |run| {
        let mut players = zeroed("the players", states.count)?;
        let write = |state: &PositionWords, player: &mut i8| {
            *player = state.position.side_to_move().index() as i8;
        };
        functional::read(&states.variant, &states.words, &mut players, run, write)?;
        Ok(players)
    })?;
    Ok(Array1::from_vec(py, players))
}

/// Return the points of Light and of Dark in each state so far, int16 ``(n, 2)``.
///
/// Arguments and errors are those of `legal_mask`.
#[pyfunction(name = "score")]
#[pyo3(signature = (states: "ArrayLike", variant=None, *, num_threads=None))]
pub(crate) fn functional_score(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
    num_threads: Option<Threads>,
) -> PyResult<Array2<i16>> {
    let states = States::read(states, variant, num_threads)?;
    let variant = &states.variant;
    let scores = states.run(py, |run| {
        let mut scores: Vec<[i16; 2]> = zeroed("the points", states.count)?;
        let write = |state: &PositionWords, score: &mut [i16; 2]| {
            *score = state.position.score(variant).map(|points| points as i16);
        };
        functional::read(variant, &states.words, &mut scores, run, write)?;
        Ok(scores)
    })?;
    Ok(ndarray::Array2::from(scores).into_pyarray(py).into())
}

/// Return the states of positions of one variant, uint64 ``(n,)`` or ``(n, 5)``.
///
/// Raises:
///     ValueError: no positions, or positions of different variants.
///     TypeError: an item is not a `Position`.
#[pyfunction(name = "from_positions")]
pub(crate) fn functional_from_positions(
    py: Python<'_>,
    positions: Positions,
) -> PyResult<ArrayDyn<u64>> {
    let variant = common_variant(&positions)?;
    let count = PositionWords::num_words(&variant);
    let words = rows(py, STATES, &positions, count, |position, words| {
        let (position, illegal) = (position.core, false);
        PositionWords { position, illegal }.write(&variant, words);
    })?;
    Ok(shaped(py, words, state_shape(&variant, positions.len())))
}

/// Return the position of each state, with all that `Position.notation` holds.
///
/// Raises:
///     PositionError: a word is not a state of the variant, or an illegal action has ended the
///         game, which a position cannot show.
///     TypeError: `states` is not uint64.
///     ValueError: `states` has a wrong shape.
///     MemoryError: there is not enough memory.
#[pyfunction(name = "to_positions")]
#[pyo3(signature = (states: "ArrayLike", variant=None) -> "list[Position]")]
pub(crate) fn functional_to_positions<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    variant: Option<PyVariant>,
) -> PyResult<Bound<'py, PyList>> {
    let states = States::read(states, variant, None)?;
    let (variant, words) = (&states.variant, &states.words);
    let read = states.run(py, |run| functional::positions(variant, words, run))?;
    position_list(py, variant, read.into_iter())
}
