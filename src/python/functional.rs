//! The functions of `mijnlieff.functional`.

use std::sync::Arc;

use numpy::{IntoPyArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::encode::{Layout, PositionWords, num_actions};
use crate::functional::{self, Run};
use crate::game::{Player, Variant};
use crate::memory::zeroed;
use crate::python::convert::actions::{OutOfRange, copy_actions};
use crate::python::convert::arrays::{
    AnyArray, Array1, Array2, ArrayDyn, Dtype, shape_text, shaped,
};
use crate::python::convert::integers::{self, Threads};
use crate::python::convert::words::{copy_words, words_array};
use crate::python::errors::functional_error;
use crate::python::interrupt::{run_unless_quick, without_gil};
use crate::python::rules::batch::{Positions, common_variant, cores, position_list};
use crate::python::rules::variant::PyVariant;
use crate::vector::Observations;

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
        if shape != state_shape(&variant, count) || shape.is_empty() {
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
        let result = if self.count <= QUICK {
            let stop = false.into();
            let stop = &stop;
            without_gil(py, self.count, || work(Run { num_threads, stop }))
        } else {
            run_unless_quick(py, false, |stop| work(Run { num_threads, stop }))?
        };
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

/// The states of `n` new games, see `mijnlieff.functional.init`.
#[pyfunction]
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

/// Plays an action in each state, see `mijnlieff.functional.step`.
#[pyfunction]
#[pyo3(signature = (
    states: "ArrayLike", actions: "ArrayLike", variant=None, reward="outcome",
    illegal_action="raise", num_threads=None
))]
pub(crate) fn functional_step(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    actions: &Bound<'_, PyAny>,
    variant: Option<PyVariant>,
    reward: &str,
    illegal_action: &str,
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

/// The legal actions of each state, see `mijnlieff.functional.legal_mask`.
#[pyfunction]
#[pyo3(signature = (states: "ArrayLike", variant=None, num_threads=None))]
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

/// The observation of each state, see `mijnlieff.functional.observe`.
#[pyfunction]
#[pyo3(signature = (
    states: "ArrayLike", layout="flat", dtype: "DTypeLike | None" = None, variant=None, player=None,
    num_threads=None
))]
pub(crate) fn functional_observe(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    layout: &str,
    dtype: Option<&Bound<'_, PyAny>>,
    variant: Option<PyVariant>,
    player: Option<Player>,
    num_threads: Option<Threads>,
) -> PyResult<AnyArray> {
    let states = States::read(states, variant, num_threads)?;
    let (variant, words) = (&states.variant, &states.words);
    let layout: Layout = layout.parse()?;
    layout.check(variant)?;
    let mut shape = vec![states.count];
    shape.extend(layout.shape(variant));
    let dtype = dtype.map_or(Ok(Dtype::Float32), Dtype::parse)?;
    let length = states.count.saturating_mul(layout.len(variant));
    macro_rules! observed {
        ($memory:ident => $observations:expr) => {{
            let numbers = states.run(py, |run| {
                let mut $memory = zeroed("the observations", length)?;
                functional::observe(variant, words, player, $observations, run)?;
                Ok($memory)
            })?;
            Ok(shaped(py, numbers, shape).into_any())
        }};
    }
    match (layout, dtype) {
        (Layout::Packed, _) => observed!(all => Observations::Packed(&mut all)),
        (_, Dtype::Float32) => observed!(all => Observations::Float32(layout, &mut all)),
        (_, Dtype::Uint8) => observed!(all => Observations::Uint8(layout, &mut all)),
    }
}

/// Who acts next in each state, see `mijnlieff.functional.to_play`.
#[pyfunction]
#[pyo3(signature = (states: "ArrayLike", variant=None, num_threads=None))]
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

/// The points of Light and Dark in each state, see `mijnlieff.functional.score`.
#[pyfunction]
#[pyo3(signature = (states: "ArrayLike", variant=None, num_threads=None))]
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

/// The states of positions, see `mijnlieff.functional.from_positions`.
#[pyfunction]
pub(crate) fn functional_from_positions(
    py: Python<'_>,
    positions: Positions,
) -> PyResult<ArrayDyn<u64>> {
    let variant = common_variant(&positions)?;
    let (cores, count) = (cores(&positions)?, PositionWords::num_words(&variant));
    let mut words = zeroed(STATES, cores.len().saturating_mul(count))?;
    for (&position, words) in cores.iter().zip(words.chunks_exact_mut(count)) {
        let illegal = false;
        PositionWords { position, illegal }.write(&variant, words);
    }
    Ok(shaped(py, words, state_shape(&variant, cores.len())))
}

/// The positions of states, see `mijnlieff.functional.to_positions`.
#[pyfunction]
#[pyo3(signature = (states: "ArrayLike", variant=None) -> "list[Position]")]
pub(crate) fn functional_to_positions<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    variant: Option<PyVariant>,
) -> PyResult<Bound<'py, PyList>> {
    let states = States::read(states, variant, Some(Threads(1)))?;
    let variant = &states.variant;
    let read = functional::positions(variant, &states.words);
    let read =
        read.map_err(|error| functional_error(py, variant, &error, &OutOfRange::default()))?;
    position_list(py, variant, read.into_iter())
}
