//! `mijnlieff.RandomPolicy`, `GreedyPolicy` and `MinimaxPolicy`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use numpy::PyArray1;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::errors::play_error;
use super::interrupt::run_interruptible;
use super::position::PyPosition;
use crate::encode::action_of;
use crate::game::{PlayError, Position};
use crate::policy::Policy;
use crate::random::SplitMix64;
use crate::search::{Depth, Halt, Limits};

/// Up to this depth a single move takes less time than a thread to watch for Ctrl-C.
const QUICK_DEPTH: u8 = 3;

/// What the built-in policies have in common; make one of its subclasses.
///
/// Decision `n` of a policy draws from stream `n` of its seed, however the calls are cut into
/// batches; the number of decisions so far is all that changes.
#[pyclass(name = "BuiltinPolicy", module = "mijnlieff", subclass, frozen)]
pub(crate) struct PyBuiltinPolicy {
    pub(crate) core: Policy,
    pub(crate) seed: u64,
    decisions: AtomicU64,
}

#[pymethods]
impl PyBuiltinPolicy {
    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The action this policy plays.
    fn act(&self, py: Python<'_>, position: PyPosition) -> PyResult<usize> {
        check_playable(&position, "")?;
        let number = self.take_numbers(1);
        let mv = if self.is_quick() {
            self.choose(&position, number, Limits::default())
        } else {
            run_interruptible(py, |stop| {
                self.choose(&position, number, Limits::stopped_by(stop))
            })?
        };
        mv.map_err(|halt| not_halted(&halt))
    }

    /// The actions this policy plays, int64 ``(B,)``; positions may be of several variants.
    fn act_batch<'py>(
        &self,
        py: Python<'py>,
        positions: Vec<PyPosition>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        for (i, position) in positions.iter().enumerate() {
            check_playable(position, &format!("position {i}: "))?;
        }
        let first = self.take_numbers(positions.len());
        let actions = run_interruptible(py, |stop| {
            let limits = Limits::stopped_by(stop);
            let numbered = positions.iter().zip(0_u64..);
            numbered
                .map(|(position, i)| {
                    let action = self.choose(position, first.wrapping_add(i), limits)?;
                    Ok(action as i64)
                })
                .collect::<Result<Vec<i64>, Halt>>()
        })?;
        let actions = actions.map_err(|halt| not_halted(&halt))?;
        Ok(PyArray1::from_vec(py, actions))
    }

    /// A policy of the same kind with this seed, and no decision made yet.
    fn with_seed<'py>(
        slf: &Bound<'py, Self>,
        seed: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = slf.get().arguments(slf.py(), parse_seed(seed)?)?;
        slf.get_type().call1(arguments)
    }

    fn __repr__(&self) -> String {
        let seed = self.seed;
        match self.core {
            Policy::Random => format!("RandomPolicy(seed={seed})"),
            Policy::Greedy => format!("GreedyPolicy(seed={seed})"),
            Policy::Minimax(depth) => {
                format!("MinimaxPolicy(depth={}, seed={seed})", depth.plies())
            }
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| (other.get().core, other.get().seed) == (self.core, self.seed))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.core, self.seed).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>, u64)> {
        let policy = slf.get();
        let arguments = policy.arguments(slf.py(), policy.seed)?;
        let decisions = policy.decisions.load(Ordering::Relaxed);
        Ok((slf.get_type().into_any(), arguments, decisions))
    }

    fn __setstate__(&self, decisions: u64) {
        self.decisions.store(decisions, Ordering::Relaxed);
    }
}

impl PyBuiltinPolicy {
    fn new(core: Policy, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(Self {
            core,
            seed: seed.map_or(Ok(0), parse_seed)?,
            decisions: AtomicU64::new(0),
        })
    }

    fn is_quick(&self) -> bool {
        match self.core {
            Policy::Random | Policy::Greedy => true,
            Policy::Minimax(depth) => depth.plies() <= QUICK_DEPTH,
        }
    }

    /// Numbers for this many decisions; returns the first.
    fn take_numbers(&self, count: usize) -> u64 {
        self.decisions.fetch_add(count as u64, Ordering::Relaxed)
    }

    fn choose(
        &self,
        position: &PyPosition,
        number: u64,
        limits: Limits<'_>,
    ) -> Result<usize, Halt> {
        let PyPosition { variant, core } = position;
        let mut rng = SplitMix64::stream(self.seed, number);
        let mv = self.core.choose_within(variant, core, &mut rng, limits)?;
        Ok(action_of(variant, mv))
    }

    /// What the class takes to make this policy with another seed.
    fn arguments<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyTuple>> {
        match self.core {
            Policy::Random | Policy::Greedy => (seed,).into_pyobject(py),
            Policy::Minimax(depth) => (depth.plies(), seed).into_pyobject(py),
        }
    }
}

/// Plays any legal action, each equally likely.
#[pyclass(name = "RandomPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyRandomPolicy;

#[pymethods]
impl PyRandomPolicy {
    #[new]
    #[pyo3(signature = (seed=None), text_signature = "(seed=0)")]
    fn new(seed: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<Self>> {
        let base = PyBuiltinPolicy::new(Policy::Random, seed)?;
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}

/// Plays an action with the largest margin right after it; ties are broken at random.
#[pyclass(name = "GreedyPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyGreedyPolicy;

#[pymethods]
impl PyGreedyPolicy {
    #[new]
    #[pyo3(signature = (seed=None), text_signature = "(seed=0)")]
    fn new(seed: Option<&Bound<'_, PyAny>>) -> PyResult<PyClassInitializer<Self>> {
        let base = PyBuiltinPolicy::new(Policy::Greedy, seed)?;
        Ok(PyClassInitializer::from(base).add_subclass(Self))
    }
}

/// Plays a best action of a search to a fixed depth; ties are broken at random.
///
/// The value of the positions at that depth, and of finished games, is the margin: the points of
/// the side to move minus those of the opponent. Alpha-beta pruning finds every best action, and
/// each is equally likely. A pass counts as a ply. Depth 1 is ``GreedyPolicy``.
#[pyclass(name = "MinimaxPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyMinimaxPolicy {
    depth: Depth,
}

#[pymethods]
impl PyMinimaxPolicy {
    #[new]
    #[pyo3(signature = (depth, seed=None), text_signature = "(depth, seed=0)")]
    fn new(
        depth: &Bound<'_, PyAny>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let depth = parse_depth(depth)?;
        let base = PyBuiltinPolicy::new(Policy::Minimax(depth), seed)?;
        Ok(PyClassInitializer::from(base).add_subclass(Self { depth }))
    }

    /// Plies looked ahead.
    #[getter]
    fn depth(&self) -> u8 {
        self.depth.plies()
    }
}

/// A search depth in plies.
pub(crate) fn parse_depth(depth: &Bound<'_, PyAny>) -> PyResult<Depth> {
    let plies = depth.extract::<i64>().map_err(|error| {
        let message = || format!("depth must be 1 to {} plies, not {depth}", Depth::MAX);
        explain_overflow(depth.py(), error, message)
    })?;
    Depth::new(plies).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A seed.
pub(crate) fn parse_seed(seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    seed.extract().map_err(|error| {
        let message = || format!("seed must be 0 to 2**64 - 1, not {seed}");
        explain_overflow(seed.py(), error, message)
    })
}

/// An integer out of range is a wrong value; what is no integer is a wrong type.
fn explain_overflow(py: Python<'_>, error: PyErr, message: impl FnOnce() -> String) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(py) {
        PyValueError::new_err(message())
    } else {
        error
    }
}

/// Refuses finished games; the message starts with `place`.
pub(crate) fn check_playable(position: &PyPosition, place: &str) -> PyResult<()> {
    let PyPosition { variant, core } = position;
    let over = |core: &Position| play_error(variant, core, None, &PlayError::GameOver, place);
    if core.is_over(variant) {
        Err(over(core))
    } else {
        Ok(())
    }
}

/// Nothing but the stop flag limits these searches, and Ctrl-C, which sets it, has returned before.
pub(crate) fn not_halted(halt: &Halt) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(halt.to_string())
}
