//! `mijnlieff._mijnlieff.BatchEnv`, the native part of `mijnlieff.VectorEnv`.

mod batch;
mod ends;
mod last;
mod options;
mod outputs;
pub(crate) mod positions;
pub(crate) mod rollout;
mod shared;

use std::num::NonZeroU64;
use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use self::batch::{Batch, run_searching, without_gil};
use self::options::{PySeeds, parse_opponent};
use self::outputs::{StepResult, ViewResult};
use self::positions::{PySavedGame, placed, saved, to_restore};
use self::shared::SharedBatch;
use crate::encode::Layout;
use crate::memory::{zeroed, zeroed_rows};
use crate::python::convert::actions::{NO_ACTION, OutOfRange, copy_actions};
use crate::python::convert::arrays::{Array1, Array2};
use crate::python::convert::integers::{NumEnvs, Threads, integer_in};
use crate::python::convert::lists::{Listed, numbers};
use crate::python::convert::text::Text;
use crate::python::errors::step_error;
use crate::python::exceptions;
use crate::python::interrupt::run_unless_quick;
use crate::python::rules::batch::{Positions, mixed_list};
use crate::python::rules::canvas::{PyCanvas, variant_set};
use crate::python::rules::variant_argument::Variants;
use crate::vector::{BatchEnv, Config, Dtype, Format, Seeds, Weights, batch_env};

/// Named in the error if memory does not suffice.
const ACTIONS: &str = "the actions";
const MASKS: &str = "the masks of the games";
const PENDING: &str = "the games that wait for the opponent";

/// Games of self-play from which threads save time even on a busy machine; see `docs/performance.md`.
const THREADS_PAY_FROM: usize = 16384;

/// Up to this many games, a state is written or read in a moment.
const QUICK_STATE: usize = 4096;

/// The native part of `mijnlieff.VectorEnv`, which documents the options and results.
///
/// The games must be reset before the first step.
///
/// With an opponent that is not a built-in policy, the caller plays the other side: `start_step` or
/// `start_reset`, then `answer` for the `pending` positions until there are none, then
/// `finish_step` or `finish_reset`, or `roll_back` to abort. In between, `seed`, `reset`, `step`,
/// `set_positions` and `restore` raise RuntimeError. Each start has a different `call`, a number
/// above 0, so that the caller that was refused does not abort what another one has started.
///
/// Views are ``(observations, info)``, steps ``(observations, rewards, terminations, truncations,
/// info)``. A batch serves one thread at a time; RuntimeError tells a second one.
///
/// Raises:
///     ValueError: a number out of range or an unknown option; the message gives those that
///         exist.
///     TypeError: an option of a wrong type.
///     VariantError: packed observations of a board they cannot hold, or a board does not fit
///         the canvas.
#[pyclass(name = "BatchEnv", module = "mijnlieff._mijnlieff", frozen)]
pub(crate) struct PyBatchEnv(SharedBatch);

#[pymethods]
impl PyBatchEnv {
    #[new]
    #[pyo3(signature = (
        num_envs, variants, *, variant_weights: "Sequence[float] | None", canvas, with_variant_index,
        opponent: "object", seat, observation, dtype: "DTypeLike", reward, autoreset, auto_pass,
        illegal_action, random_plies: "SupportsIndex", num_threads, copy
    ))]
    #[allow(clippy::too_many_arguments)] // the options of the Python class, by keyword
    fn new(
        py: Python<'_>,
        num_envs: NumEnvs,
        variants: Variants,
        variant_weights: Option<&Bound<'_, PyAny>>,
        canvas: Option<PyCanvas>,
        with_variant_index: bool,
        opponent: Option<&Bound<'_, PyAny>>,
        seat: Text<'_>,
        observation: Layout,
        dtype: &Bound<'_, PyAny>,
        reward: Text<'_>,
        autoreset: Text<'_>,
        auto_pass: bool,
        illegal_action: Text<'_>,
        random_plies: &Bound<'_, PyAny>,
        num_threads: Option<Threads>,
        copy: bool,
    ) -> PyResult<Self> {
        let num_envs = num_envs.0;
        let variants = variant_set(variants, canvas)?;
        let count = variants.all().len();
        variants.check(observation)?;
        let config = Config {
            opponent: parse_opponent(opponent, &variants)?,
            seat: seat.0.parse()?,
            autoreset: autoreset.0.parse()?,
            reward: reward.0.parse()?,
            illegal_action: illegal_action.0.parse()?,
            auto_pass,
            random_plies: integer_in(
                "random_plies",
                random_plies,
                0..=variants.min_game_length() - 1,
            )?,
            weights: match variant_weights {
                None => Weights::equal(),
                Some(weights) => Weights::new(&numbers("variant_weights", weights)?, count)?,
            },
            variants: Arc::new(variants),
        };
        let format = Format {
            layout: observation,
            dtype: Dtype::parse(dtype)?,
        };
        let is_small = opponent.is_none() && num_envs < THREADS_PAY_FROM;
        let num_threads = match num_threads {
            None if is_small => 1,
            _ => Threads::or_cores(num_threads),
        };
        let core = py.detach(|| batch_env(config, observation, num_envs, num_threads))?;
        Ok(Self(SharedBatch::new(Batch {
            core,
            with_variant_index,
            format,
            copy,
            actions: zeroed(ACTIONS, num_envs)?,
            outputs: Vec::new(),
            next: 0,
        })))
    }

    /// Restart the streams of the games, game ``i`` with ``seed + i``.
    fn seed(&self, seed: u64) -> PyResult<()> {
        self.0.lock_idle()?.core.seed(Seeds::From(seed));
        Ok(())
    }

    /// Start new games, all or those that the mask selects.
    ///
    /// Raises:
    ///     ValueError: not one seed for each game, or a mask of another length. Nothing has
    ///         changed.
    #[pyo3(signature = (
        seeds: "int | list[int | None] | None" = None, mask: "list[bool] | None" = None
    ))]
    fn reset(
        &self,
        py: Python<'_>,
        seeds: Option<PySeeds>,
        mask: Option<Listed<bool>>,
    ) -> PyResult<ViewResult> {
        let mut inner = self.0.lock_idle()?;
        let (seeds, mask) = starts(&*inner.core, seeds.as_ref(), mask.as_ref())?;
        let outputs = inner.take_outputs(py)?;
        let core = &mut *inner.core;
        if core.searches_long() {
            run_searching(py, core, |core| core.reset(seeds, mask))??;
        } else {
            without_gil(py, core, |core| core.reset(seeds, mask))?;
        }
        inner.observe(py, outputs)
    }

    /// Play one action in every game.
    ///
    /// Raises:
    ///     IllegalMoveError: an action does not exist or is illegal; no game has moved.
    ///     GameOverError: a game is over, or none was started.
    ///     TypeError: the actions are not integers.
    ///     ValueError: the actions have a wrong shape.
    #[pyo3(signature = (actions: "ArrayLike"))]
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<StepResult> {
        let mut inner = self.0.lock_idle()?;
        let inner = &mut *inner;
        let out_of_range = copy_actions(actions, &mut inner.actions)?;
        let outputs = inner.take_outputs(py)?;
        let buffers = inner.outputs[outputs].buffers();
        let (core, actions) = (&mut *inner.core, &inner.actions);
        let step = |core: &mut dyn BatchEnv| core.step(actions, buffers).map(|_| ());
        let stepped = if core.searches_long() {
            run_searching(py, core, step)?
        } else {
            without_gil(py, core, step)
        };
        stepped.map_err(|error| step_error(py, inner.numbering(), &error, &out_of_range))?;
        inner.step_result(py, outputs)
    }

    /// Play the agent's actions; the games that `pending` lists then wait for `answer`.
    #[pyo3(signature = (actions: "ArrayLike", call))]
    fn start_step(
        &self,
        py: Python<'_>,
        actions: &Bound<'_, PyAny>,
        call: NonZeroU64,
    ) -> PyResult<()> {
        let mut inner = self.0.lock_idle()?;
        let inner = &mut *inner;
        let out_of_range = copy_actions(actions, &mut inner.actions)?;
        let (core, actions) = (&mut *inner.core, &inner.actions);
        let started = without_gil(py, core, |core| core.start_step(actions));
        started.map_err(|error| step_error(py, inner.numbering(), &error, &out_of_range))?;
        self.0.begin(call);
        Ok(())
    }

    /// Start new games; those that `pending` lists then wait for `answer`.
    ///
    /// Raises:
    ///     ValueError: as `reset`.
    #[pyo3(signature = (
        seeds: "int | list[int | None] | None", mask: "list[bool] | None", call
    ))]
    fn start_reset(
        &self,
        py: Python<'_>,
        seeds: Option<PySeeds>,
        mask: Option<Listed<bool>>,
        call: NonZeroU64,
    ) -> PyResult<()> {
        let mut inner = self.0.lock_idle()?;
        let (seeds, mask) = starts(&*inner.core, seeds.as_ref(), mask.as_ref())?;
        without_gil(py, &mut *inner.core, |core| core.start_reset(seeds, mask))?;
        self.0.begin(call);
        Ok(())
    }

    /// The positions in which the outside opponent must act, in the order of the games.
    #[pyo3(signature = () -> "list[Position]")]
    fn pending<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let inner = self.0.wait(py)?;
        let waiting = inner.core.pending().iter();
        mixed_list(py, waiting.map(|&game| inner.position(game)))
    }

    /// The pending games, int64 ``(B,)``, and whether each restarted in this step, bool.
    fn pending_games(&self, py: Python<'_>) -> PyResult<(Array1<i64>, Array1<bool>)> {
        let inner = self.0.wait(py)?;
        let pending = inner.core.pending();
        let mut games = zeroed(PENDING, pending.len())?;
        for (number, &game) in games.iter_mut().zip(pending) {
            *number = game as i64;
        }
        let mut restarts = zeroed(PENDING, pending.len())?;
        inner.core.write_restarts(&mut restarts);
        let games = Array1::from_vec(py, games);
        Ok((games, Array1::from_vec(py, restarts)))
    }

    /// Play the opponent's action in every pending game; some may then be pending again.
    ///
    /// Actions are those of each game's own variant, also on a canvas.
    #[pyo3(signature = (actions: "ArrayLike"))]
    fn answer(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.0.wait(py)?;
        let mut numbers = zeroed(ACTIONS, inner.core.pending().len())?;
        copy_actions(actions, &mut numbers)?;
        if let Some(canvas) = inner.core.config().variants.canvas() {
            let variants = &inner.core.config().variants;
            for (number, &game) in numbers.iter_mut().zip(inner.core.pending()) {
                let variant = variants.get(inner.core.variant(game));
                let own = usize::try_from(*number).ok();
                let action = own.and_then(|own| canvas.action(variant, own));
                *number = action.map_or(NO_ACTION, |action| action as i64);
            }
        }
        let answered = without_gil(py, &mut *inner.core, |core| core.answer(&numbers));
        // The caller has checked that every action is legal.
        answered.map_err(|error| step_error(py, inner.numbering(), &error, &OutOfRange::default()))
    }

    /// Abort the step or reset that this call has started: everything is as before it.
    ///
    /// Returns:
    ///     Whether it was under way.
    fn roll_back(&self, py: Python<'_>, call: NonZeroU64) -> PyResult<bool> {
        // Another call may hold the lock for long, perhaps in this very thread.
        let is_under_way = self.0.is_of(call);
        if is_under_way {
            let mut inner = self.0.wait(py)?;
            inner.core.roll_back();
            self.0.end();
        }
        Ok(is_under_way)
    }

    /// End the reset under way and return its results.
    fn finish_reset(&self, py: Python<'_>) -> PyResult<ViewResult> {
        let mut inner = self.0.wait_answered(py)?;
        let outputs = inner.take_outputs(py)?;
        inner.core.release();
        self.0.end();
        inner.observe(py, outputs)
    }

    /// End the step under way and return its results.
    fn finish_step(&self, py: Python<'_>) -> PyResult<StepResult> {
        let mut inner = self.0.wait_answered(py)?;
        let outputs = inner.take_outputs(py)?;
        let inner = &mut *inner;
        let (core, buffers) = (&mut inner.core, inner.outputs[outputs].buffers());
        without_gil(py, &mut **core, |core| {
            core.finish_step(buffers).map(|_| ())
        })?;
        self.0.end();
        inner.step_result(py, outputs)
    }

    /// The current observations and ``info``.
    fn observe(&self, py: Python<'_>) -> PyResult<ViewResult> {
        let mut inner = self.0.lock()?;
        let outputs = inner.take_outputs(py)?;
        inner.observe(py, outputs)
    }

    /// A random legal action for each game, int64 ``(num_envs,)``.
    fn sample_actions(&self, py: Python<'_>) -> PyResult<Array1<i64>> {
        let mut inner = self.0.lock()?;
        check_started(&*inner.core, "drawing actions")?;
        let mut actions = zeroed(ACTIONS, inner.core.num_envs())?;
        without_gil(py, &mut *inner.core, |core| {
            core.sample_actions(&mut actions);
        });
        Ok(Array1::from_vec(py, actions))
    }

    /// The position of each game.
    #[pyo3(signature = () -> "list[Position]")]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let inner = self.0.lock()?;
        let games = 0..inner.core.num_envs();
        mixed_list(py, games.map(|game| inner.position(game)))
    }

    /// The legal actions of each game, int8 ``(num_envs, num_actions)``.
    fn action_masks(&self, py: Python<'_>) -> PyResult<Array2<i8>> {
        let mut inner = self.0.lock()?;
        check_started(&*inner.core, "asking for masks")?;
        let width = inner.core.config().variants.num_actions();
        let mut masks = zeroed_rows(MASKS, inner.core.num_envs(), width)?;
        without_gil(py, &mut *inner.core, |core| {
            core.write_masks(masks.as_slice_mut().expect("rows lie one after the other"));
        });
        Ok(masks.into_pyarray(py).into())
    }

    /// Put games at positions, all or those that the mask selects, and return the new view.
    ///
    /// Raises:
    ///     ValueError: not one position for each of these games, or a mask of another length.
    ///     GameOverError: the mask leaves out games, and they were never started.
    ///     PositionError: a position is over or of another variant.
    #[pyo3(signature = (positions, mask: "list[bool] | None" = None))]
    fn set_positions(
        &self,
        py: Python<'_>,
        positions: Positions,
        mask: Option<Listed<bool>>,
    ) -> PyResult<ViewResult> {
        let mut inner = self.0.lock_idle()?;
        let inner = &mut *inner;
        let mask = checked_mask(&*inner.core, mask.as_ref())?;
        let placed = placed(&*inner.core, &positions, mask)?;
        let outputs = inner.take_outputs(py)?;
        without_gil(py, &mut *inner.core, |core| {
            core.set_positions(&placed, mask);
        });
        inner.observe(py, outputs)
    }

    /// Whether the batch has started, and all its games, for pickles.
    fn state(&self, py: Python<'_>) -> PyResult<(bool, Vec<PySavedGame>)> {
        let core = &*self.0.lock_idle()?.core;
        let is_quick = core.num_envs() <= QUICK_STATE;
        Ok(run_unless_quick(py, is_quick, |stop| saved(core, stop))??)
    }

    /// Restore a state that `state` returned.
    #[pyo3(signature = (state: "tuple[bool, list[SavedGame]]"))]
    fn restore(&self, py: Python<'_>, state: (bool, Listed<Py<PySavedGame>>)) -> PyResult<()> {
        let (started, Listed(games)) = state;
        let core = &mut self.0.lock_idle()?.core;
        let is_quick = games.len() <= QUICK_STATE;
        let saved = run_unless_quick(py, is_quick, |stop| to_restore(&**core, &games, stop))??;
        core.restore(started, &saved);
        Ok(())
    }
}

/// The seeds and the mask of a reset.
///
/// # Errors
///
/// `ValueError` unless each has an entry for each game.
fn starts<'a>(
    core: &dyn BatchEnv,
    seeds: Option<&'a PySeeds>,
    mask: Option<&'a Listed<bool>>,
) -> PyResult<(Seeds<'a>, Option<&'a [bool]>)> {
    let seeds = PySeeds::core(seeds);
    if let Seeds::Each(seeds) = seeds {
        check_count(core.num_envs(), "seeds", seeds.len())?;
    }
    Ok((seeds, checked_mask(core, mask)?))
}

/// The entries of a mask.
///
/// # Errors
///
/// `ValueError` unless there is one for each game.
fn checked_mask<'a>(
    core: &dyn BatchEnv,
    mask: Option<&'a Listed<bool>>,
) -> PyResult<Option<&'a [bool]>> {
    let mask = mask.map(|Listed(mask)| mask.as_slice());
    if let Some(mask) = mask {
        check_count(core.num_envs(), "entries of the mask", mask.len())?;
    }
    Ok(mask)
}

/// Fails before the first reset, while there are no games to ask about.
fn check_started(core: &dyn BatchEnv, before: &str) -> PyResult<()> {
    if core.is_started() {
        return Ok(());
    }
    let message = format!("reset the environment before {before}");
    Err(exceptions::ResetNeeded::new_err(message))
}

/// Fails unless there is one of `what` for each of so many games.
fn check_count(games: usize, what: &str, found: usize) -> PyResult<()> {
    if found == games {
        return Ok(());
    }
    let message = format!("{games} games need {games} {what}, not {found}");
    Err(PyValueError::new_err(message))
}
