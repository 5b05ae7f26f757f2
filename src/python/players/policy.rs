//! `mijnlieff.RandomPolicy`, `GreedyPolicy`, `MinimaxPolicy` and `PerfectPolicy`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::solver::PySolver;
use crate::encode::{action_of, num_actions};
use crate::game::{Position, Variant};
use crate::memory::{with_room, zeroed};
use crate::policy::{Epsilon, Perfect, Policy, Turn, choose_batch};
use crate::python::convert::arrays::shaped;
use crate::python::convert::integers::{self, integer_or};
use crate::python::convert::lists::ITEMS_BETWEEN_LOOKS;
use crate::python::convert::shown;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::batch::{common_variant, cores, positions};
use crate::python::rules::position::{PyPosition, check_playable, position};
use crate::python::rules::variant::PyVariant;
use crate::random::SplitMix64;
use crate::search::{Depth, Halt, Limits};
use crate::threads::map_in_order;

/// Named in the error if memory does not suffice.
const ACTIONS: &str = "the actions";

/// Up to this depth a single move takes less time than starting the thread that makes Ctrl-C work.
const QUICK_DEPTH: u8 = 3;

/// The kind of a built-in policy, for any variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PolicyKind {
    Random,
    Greedy,
    Minimax(Depth),
    Perfect(Epsilon),
}

/// Base class of the built-in policies; make one of its subclasses.
///
/// Decision `n` of a policy draws from stream `n` of its seed, however the calls are cut into
/// batches; the number of decisions so far is all that changes.
#[pyclass(name = "BuiltinPolicy", module = "mijnlieff", subclass, frozen)]
pub(crate) struct PyBuiltinPolicy {
    kind: PolicyKind,
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
    fn act(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = position)] position: &PyPosition,
    ) -> PyResult<usize> {
        check_playable(position, "")?;
        let policy = self.core(py, &position.variant)?;
        let number = self.take_numbers(1);
        let mv = if self.is_quick() {
            self.choose(&policy, position, number, Limits::default())
        } else {
            run_interruptible(py, |stop| {
                self.choose(&policy, position, number, Limits::stopped_by(stop))
            })?
        };
        Ok(mv?)
    }

    /// The actions this policy plays, int64 ``(B,)``; positions may be of several variants.
    fn act_batch<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        for (i, position) in positions.iter().enumerate() {
            check_playable(position, &format!("position {i}: "))?;
        }
        let (policies, numbers) = self.policies(py, &positions)?;
        let mut turns = with_room(ACTIONS, positions.len())?;
        let numbered = positions.iter().zip(&numbers);
        turns.extend(
            numbered.map(|(PyPosition { variant, core }, &number)| Turn {
                variant,
                position: core,
                policy: &policies[number],
            }),
        );
        let num_threads = self.num_threads();
        let first = self.take_numbers(positions.len());
        let moves = run_interruptible(py, |stop| {
            let limits = Limits::stopped_by(stop);
            choose_batch(&turns, self.seed, first, num_threads, limits)
        })??;
        let mut actions = with_room(ACTIONS, positions.len())?;
        let chosen = moves.iter().zip(&positions);
        actions.extend(chosen.map(|(&mv, position)| action_of(&position.variant, mv) as i64));
        Ok(PyArray1::from_vec(py, actions))
    }

    /// The probability of every action, float64 ``(B, num_actions)``.
    fn action_probabilities<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let variant = common_variant(&positions)?;
        for (i, position) in positions.iter().enumerate() {
            check_playable(position, &format!("position {i}: "))?;
        }
        let policy = self.core(py, &variant)?;
        let cores = cores(&positions)?;
        let (count, width) = (cores.len(), num_actions(&variant));
        let mut numbers = zeroed("the probabilities", count.saturating_mul(width))?;
        let num_threads = self.num_threads();
        run_interruptible(py, |stop| {
            let rows = cores.iter().zip(numbers.chunks_exact_mut(width));
            let limits = Limits::stopped_by(stop);
            let write = |(): &mut (), (position, row): (&Position, &mut [f64])| {
                if limits.is_stopped() {
                    return Err(Halt::Stopped);
                }
                for (mv, probability) in policy.probabilities(&variant, position, limits)? {
                    row[action_of(&variant, mv)] = probability;
                }
                Ok(())
            };
            map_in_order(rows, num_threads, || (), write)
        })??;
        Ok(shaped(py, numbers, (count, width)))
    }

    /// A policy of the same kind with this seed, and no decision made yet.
    fn with_seed<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = integers::seed)] seed: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = slf.get().arguments(slf.py(), seed)?;
        slf.get_type().call1(arguments)
    }

    fn __repr__(&self) -> String {
        let seed = self.seed;
        match self.kind {
            PolicyKind::Random => format!("RandomPolicy(seed={seed})"),
            PolicyKind::Greedy => format!("GreedyPolicy(seed={seed})"),
            PolicyKind::Minimax(depth) => {
                format!("MinimaxPolicy(depth={}, seed={seed})", depth.plies())
            }
            PolicyKind::Perfect(epsilon) => {
                format!("PerfectPolicy(seed={seed}, epsilon={:?})", epsilon.share())
            }
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| (other.get().kind, other.get().seed) == (self.kind, self.seed))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.seed.hash(&mut hasher);
        match self.kind {
            PolicyKind::Random => 0.hash(&mut hasher),
            PolicyKind::Greedy => 1.hash(&mut hasher),
            PolicyKind::Minimax(depth) => (2, depth).hash(&mut hasher),
            PolicyKind::Perfect(epsilon) => (3, epsilon.share().to_bits()).hash(&mut hasher),
        }
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
    fn new(kind: PolicyKind, seed: u64) -> Self {
        Self {
            kind,
            seed,
            decisions: AtomicU64::new(0),
        }
    }

    /// The player of this variant; a perfect one shares the solver of `mijnlieff.solve`.
    pub(crate) fn core(&self, py: Python<'_>, variant: &Arc<Variant>) -> PyResult<Policy> {
        Ok(match self.kind {
            PolicyKind::Random => Policy::Random,
            PolicyKind::Greedy => Policy::Greedy,
            PolicyKind::Minimax(depth) => Policy::Minimax(depth),
            PolicyKind::Perfect(epsilon) => {
                let solver = py
                    .import("mijnlieff.solving")?
                    .getattr("solver_for")?
                    .call1((PyVariant(Arc::clone(variant)),))?;
                let solver = Arc::clone(&solver.cast::<PySolver>()?.get().core);
                Policy::Perfect(Perfect::new(solver, epsilon))
            }
        })
    }

    /// The players of the variants of these positions, and which of them each position has.
    #[allow(clippy::mutable_key_type)] // the tables that a board makes on first use are not compared
    fn policies(
        &self,
        py: Python<'_>,
        positions: &[PyPosition],
    ) -> PyResult<(Vec<Policy>, Vec<usize>)> {
        let (mut policies, mut numbers) = (Vec::new(), with_room(ACTIONS, positions.len())?);
        let mut known: HashMap<Arc<Variant>, usize> = HashMap::new();
        let mut last: Option<(&Arc<Variant>, usize)> = None;
        for PyPosition { variant, .. } in positions {
            if numbers.len() % ITEMS_BETWEEN_LOOKS == ITEMS_BETWEEN_LOOKS - 1 {
                py.check_signals()?;
            }
            let number = match last {
                // Nearly always all are of one variant.
                Some((same, number)) if Arc::ptr_eq(same, variant) => number,
                _ => {
                    if let Some(&number) = known.get(variant) {
                        number
                    } else {
                        policies.push(self.core(py, variant)?);
                        known.insert(Arc::clone(variant), policies.len() - 1);
                        policies.len() - 1
                    }
                }
            };
            last = Some((variant, number));
            numbers.push(number);
        }
        Ok((policies, numbers))
    }

    fn is_quick(&self) -> bool {
        match self.kind {
            PolicyKind::Random | PolicyKind::Greedy => true,
            PolicyKind::Minimax(depth) => depth.plies() <= QUICK_DEPTH,
            PolicyKind::Perfect(_) => false,
        }
    }

    fn num_threads(&self) -> usize {
        // For quick choices, threads cost more than they save.
        if self.is_quick() {
            1
        } else {
            integers::threads_or_cores(None)
        }
    }

    /// Reserves the numbers of this many decisions; returns the first.
    fn take_numbers(&self, count: usize) -> u64 {
        self.decisions.fetch_add(count as u64, Ordering::Relaxed)
    }

    fn choose(
        &self,
        policy: &Policy,
        position: &PyPosition,
        number: u64,
        limits: Limits<'_>,
    ) -> Result<usize, Halt> {
        let PyPosition { variant, core } = position;
        let mut rng = SplitMix64::stream(self.seed, number);
        let mv = policy.choose_within(variant, core, &mut rng, limits)?;
        Ok(action_of(variant, mv))
    }

    /// The arguments of the class that make this policy with another seed.
    fn arguments<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyTuple>> {
        match self.kind {
            PolicyKind::Random | PolicyKind::Greedy => (seed,).into_pyobject(py),
            PolicyKind::Minimax(depth) => (depth.plies(), seed).into_pyobject(py),
            PolicyKind::Perfect(epsilon) => (seed, epsilon.share()).into_pyobject(py),
        }
    }
}

/// Plays any legal action, each equally likely.
#[pyclass(name = "RandomPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyRandomPolicy;

#[pymethods]
impl PyRandomPolicy {
    #[new]
    #[pyo3(signature = (seed=0))]
    fn new(#[pyo3(from_py_with = integers::seed)] seed: u64) -> PyClassInitializer<Self> {
        let base = PyBuiltinPolicy::new(PolicyKind::Random, seed);
        PyClassInitializer::from(base).add_subclass(Self)
    }
}

/// Plays an action with the largest margin right after it; ties are broken at random.
#[pyclass(name = "GreedyPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyGreedyPolicy;

#[pymethods]
impl PyGreedyPolicy {
    #[new]
    #[pyo3(signature = (seed=0))]
    fn new(#[pyo3(from_py_with = integers::seed)] seed: u64) -> PyClassInitializer<Self> {
        let base = PyBuiltinPolicy::new(PolicyKind::Greedy, seed);
        PyClassInitializer::from(base).add_subclass(Self)
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
    #[pyo3(signature = (depth, seed=0))]
    fn new(
        #[pyo3(from_py_with = extract_depth)] depth: Depth,
        #[pyo3(from_py_with = integers::seed)] seed: u64,
    ) -> PyClassInitializer<Self> {
        let base = PyBuiltinPolicy::new(PolicyKind::Minimax(depth), seed);
        PyClassInitializer::from(base).add_subclass(Self { depth })
    }

    /// Plies looked ahead.
    #[getter]
    fn depth(&self) -> u8 {
        self.depth.plies()
    }
}

/// Plays an action that keeps the exact margin, each such action equally likely.
///
/// With probability `epsilon` it plays any legal action instead, each equally likely (that may be a
/// best one), so one number sets how strong it is.
#[pyclass(name = "PerfectPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyPerfectPolicy {
    epsilon: Epsilon,
}

#[pymethods]
impl PyPerfectPolicy {
    #[new]
    #[pyo3(signature = (seed=0, epsilon=0.0))]
    fn new(
        #[pyo3(from_py_with = integers::seed)] seed: u64,
        epsilon: f64,
    ) -> PyResult<PyClassInitializer<Self>> {
        let epsilon = Epsilon::new(epsilon)?;
        let base = PyBuiltinPolicy::new(PolicyKind::Perfect(epsilon), seed);
        Ok(PyClassInitializer::from(base).add_subclass(Self { epsilon }))
    }

    /// The share of decisions made at random.
    #[getter]
    fn epsilon(&self) -> f64 {
        self.epsilon.share()
    }
}

/// The extractor of a search depth in plies.
fn extract_depth(value: &Bound<'_, PyAny>) -> PyResult<Depth> {
    let plies = integer_or("depth", value, |number| {
        let (max, number) = (Depth::MAX, shown(number));
        PyValueError::new_err(format!("depth must be 1 to {max} plies, not {number}"))
    })?;
    Ok(Depth::new(plies)?)
}
