//! `mijnlieff.RandomPolicy`, `GreedyPolicy`, `MinimaxPolicy` and `PerfectPolicy`.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use numpy::PyUntypedArrayMethods;
use pyo3::Borrowed;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::solvers::solvers_of;
use crate::encode::{action_of, num_actions};
use crate::game::{Position, Variant};
use crate::memory::{with_room, zeroed};
use crate::policy::{Epsilon, Perfect, Policy, Turn, choose_batch};
use crate::python::convert::arrays::{Array1, Array2, shape_text, shaped};
use crate::python::convert::floats::float;
use crate::python::convert::integers::{Seed, Threads, integer_or};
use crate::python::convert::short_repr;
use crate::python::convert::shown::argument;
use crate::python::convert::words::{copy_words, words_array};
use crate::python::interrupt::run_interruptible;
use crate::python::rules::batch::{Positions, by_variant, common_variant, cores};
use crate::python::rules::position::{PyPosition, check_all_playable, check_playable};
use crate::python::tablebase::PyTablebase;
use crate::random::SplitMix64;
use crate::search::solver::Solver;
use crate::search::{Depth, Halt, Limits};
use crate::threads::map_in_order;

/// Named in the error if memory does not suffice.
const ACTIONS: &str = "the actions";

/// Up to this depth a single move takes less time than starting the thread that makes Ctrl-C work.
const QUICK_DEPTH: u8 = 3;

/// Base class of the built-in policies; make one of its subclasses.
///
/// Decision ``n`` of a policy draws from stream ``n`` of its seed. So the same calls give the same
/// actions, and cutting a list of positions into batches changes nothing. Policies are equal when
/// kind, depth or epsilon, and seed are; how many decisions they have made is pickled, but not
/// compared.
#[pyclass(
    name = "BuiltinPolicy",
    module = "mijnlieff.policies",
    subclass,
    frozen
)]
pub(crate) struct PyBuiltinPolicy {
    /// A perfect player gets its solvers when the variants are known, see [`Self::core`].
    policy: Policy,
    /// Where a perfect player looks margins up, rather than search.
    tablebase: Option<Py<PyTablebase>>,
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
    ///
    /// Raises:
    ///     GameOverError: the game is over; no decision is counted.
    ///     TypeError: `position` is not a `Position`.
    fn act(&self, py: Python<'_>, position: PyPosition) -> PyResult<usize> {
        check_playable(&position, "")?;
        let policy = self.core(py, slice::from_ref(&position.variant))?;
        self.numbered(1, |number| {
            if self.is_quick() {
                return Ok(self.choose(&policy, &position, number, Limits::default())?);
            }
            let chosen = run_interruptible(py, |stop| {
                self.choose(&policy, &position, number, Limits::stopped_by(stop))
            })?;
            Ok(chosen?)
        })
    }

    /// The actions this policy plays, int64 ``(B,)``; positions may be of several variants.
    ///
    /// Runs without the GIL and stops on Ctrl-C; perfect play and deep searches run on all cores.
    ///
    /// Raises:
    ///     GameOverError: a game is over, the message says which; no decision is counted.
    ///     TypeError: an item is not a `Position`.
    fn act_batch(&self, py: Python<'_>, positions: Positions) -> PyResult<Array1<i64>> {
        self.numbered(positions.len(), |first| {
            let streams = (0..).map(|number| first.wrapping_add(number));
            self.choose_all(py, &positions, streams)
        })
    }

    /// The actions this policy plays in games of these numbers, both ``(B,)``.
    ///
    /// What is drawn depends on the seed, the game and the ply alone. No decision is counted.
    ///
    /// Raises:
    ///     GameOverError: a game is over, the message says which.
    ///     ValueError: another number of games than positions.
    ///     TypeError: an item is not a `Position`, or `games` is not uint64.
    #[pyo3(signature = (positions, games: "NDArray[np.uint64]"))]
    fn act_games(
        &self,
        py: Python<'_>,
        positions: Positions,
        games: &Bound<'_, PyAny>,
    ) -> PyResult<Array1<i64>> {
        let games = words_array("games", games)?;
        if games.shape() != [positions.len()] {
            return Err(PyValueError::new_err(format!(
                "games has shape {}, but there are {} positions",
                shape_text(games.shape()),
                positions.len()
            )));
        }
        let games = copy_words(&games)?;
        let turns = games.into_iter().zip(positions.iter());
        let streams = turns.map(|(game, position)| game.wrapping_add(position.core.ply() as u64));
        self.choose_all(py, &positions, streams)
    }

    /// The probability of every action, float64 ``(B, num_actions)``.
    ///
    /// All positions are of one variant. No decision is counted. Runs without the GIL and stops
    /// on Ctrl-C.
    ///
    /// Raises:
    ///     GameOverError: a game is over, the message says which.
    ///     ValueError: no positions, or positions of several variants.
    ///     TypeError: an item is not a `Position`.
    fn action_probabilities(&self, py: Python<'_>, positions: Positions) -> PyResult<Array2<f64>> {
        let variant = common_variant(&positions)?;
        check_all_playable(&positions, "position")?;
        let policy = self.core(py, slice::from_ref(&variant))?;
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
    #[pyo3(signature = (seed) -> "Self")]
    fn with_seed<'py>(slf: &Bound<'py, Self>, seed: Seed) -> PyResult<Bound<'py, PyAny>> {
        let arguments = slf.get().arguments(slf.py(), seed.0)?;
        slf.get_type().call1(arguments)
    }

    fn __repr__(&self) -> String {
        let seed = self.seed;
        match &self.policy {
            Policy::Random => format!("RandomPolicy(seed={seed})"),
            Policy::Greedy => format!("GreedyPolicy(seed={seed})"),
            Policy::Minimax(depth) => {
                format!("MinimaxPolicy(depth={}, seed={seed})", depth.plies())
            }
            Policy::Perfect(perfect) => {
                let epsilon = perfect.epsilon().share();
                let tablebase = self
                    .tablebase
                    .as_ref()
                    .map(|tablebase| format!(", tablebase={}", tablebase.get().__repr__()));
                let tablebase = tablebase.unwrap_or_default();
                format!("PerfectPolicy(seed={seed}, epsilon={epsilon:?}{tablebase})")
            }
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| (&other.get().policy, other.get().seed) == (&self.policy, self.seed))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.seed.hash(&mut hasher);
        match &self.policy {
            Policy::Random => 0.hash(&mut hasher),
            Policy::Greedy => 1.hash(&mut hasher),
            Policy::Minimax(depth) => (2, depth).hash(&mut hasher),
            Policy::Perfect(perfect) => {
                (3, perfect.epsilon().share().to_bits()).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    #[pyo3(signature = () -> "tuple[type[Self], tuple[Any, ...], int]")]
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
    fn new(policy: Policy, seed: u64) -> Self {
        Self {
            policy,
            tablebase: None,
            seed,
            decisions: AtomicU64::new(0),
        }
    }

    /// The player of these variants; a perfect one shares the solvers of the whole package.
    #[allow(clippy::mutable_key_type)] // the tables that a board makes on first use are not compared
    pub(crate) fn core(&self, py: Python<'_>, variants: &[Arc<Variant>]) -> PyResult<Policy> {
        let Policy::Perfect(perfect) = &self.policy else {
            return Ok(self.policy.clone());
        };
        // One solver serves all variants of a key, and a player looks through its solvers.
        let mut known = HashSet::new();
        let distinct: Vec<_> = variants
            .iter()
            .filter(|variant| known.insert(Solver::key(variant)))
            .cloned()
            .collect();
        let tablebase = self.tablebase.as_ref().map(Py::get);
        let solvers = solvers_of(py, &distinct, tablebase, true)?;
        Ok(Policy::Perfect(Perfect::new(solvers, perfect.epsilon())))
    }

    /// The actions in positions, each drawn from its stream.
    fn choose_all(
        &self,
        py: Python<'_>,
        positions: &Positions,
        streams: impl Iterator<Item = u64>,
    ) -> PyResult<Array1<i64>> {
        check_all_playable(positions, "position")?;
        let (variants, _) = by_variant(py, positions)?;
        let policy = self.core(py, &variants)?;
        let mut turns = with_room(ACTIONS, positions.len())?;
        turns.extend(
            positions
                .iter()
                .zip(streams)
                .map(|(position, stream)| Turn {
                    stream,
                    variant: &position.variant,
                    position: &position.core,
                }),
        );
        let num_threads = self.num_threads();
        let moves = run_interruptible(py, |stop| {
            let limits = Limits::stopped_by(stop);
            choose_batch(&policy, &turns, self.seed, num_threads, limits)
        })??;
        let mut actions = with_room(ACTIONS, positions.len())?;
        let chosen = moves.iter().zip(&**positions);
        actions.extend(chosen.map(|(&mv, position)| action_of(&position.variant, mv) as i64));
        Ok(Array1::from_vec(py, actions))
    }

    fn is_quick(&self) -> bool {
        match &self.policy {
            Policy::Random | Policy::Greedy => true,
            Policy::Minimax(depth) => depth.plies() <= QUICK_DEPTH,
            Policy::Perfect(_) => false,
        }
    }

    fn num_threads(&self) -> usize {
        // For quick choices, threads cost more than they save.
        if self.is_quick() {
            1
        } else {
            Threads::or_cores(None)
        }
    }

    /// Makes this many decisions, given the number of the first. Those that fail are not counted,
    /// unless another thread has counted on meanwhile.
    fn numbered<T>(&self, count: usize, decide: impl FnOnce(u64) -> PyResult<T>) -> PyResult<T> {
        let count = count as u64;
        let first = self.decisions.fetch_add(count, Ordering::Relaxed);
        decide(first).inspect_err(|_| {
            let (next, order) = (first.wrapping_add(count), Ordering::Relaxed);
            let _ = self.decisions.compare_exchange(next, first, order, order);
        })
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
        match &self.policy {
            Policy::Random | Policy::Greedy => (seed,).into_pyobject(py),
            Policy::Minimax(depth) => (depth.plies(), seed).into_pyobject(py),
            Policy::Perfect(perfect) => {
                let share = perfect.epsilon().share();
                match &self.tablebase {
                    None => (seed, share).into_pyobject(py),
                    Some(tablebase) => (seed, share, tablebase).into_pyobject(py),
                }
            }
        }
    }
}

/// Plays any legal action, each equally likely.
///
/// Args:
///     seed: 0 to 2**64 - 1.
#[pyclass(name = "RandomPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyRandomPolicy;

#[pymethods]
impl PyRandomPolicy {
    #[new]
    #[pyo3(signature = (seed: "SupportsIndex" = 0))]
    fn new(#[pyo3(from_py_with = Seed::number)] seed: u64) -> PyClassInitializer<Self> {
        let base = PyBuiltinPolicy::new(Policy::Random, seed);
        PyClassInitializer::from(base).add_subclass(Self)
    }
}

/// Plays an action with the largest margin right after it; ties are broken at random.
///
/// It looks one ply ahead, so it takes points where it can, and does not see what it allows.
///
/// Args:
///     seed: 0 to 2**64 - 1.
#[pyclass(name = "GreedyPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyGreedyPolicy;

#[pymethods]
impl PyGreedyPolicy {
    #[new]
    #[pyo3(signature = (seed: "SupportsIndex" = 0))]
    fn new(#[pyo3(from_py_with = Seed::number)] seed: u64) -> PyClassInitializer<Self> {
        let base = PyBuiltinPolicy::new(Policy::Greedy, seed);
        PyClassInitializer::from(base).add_subclass(Self)
    }
}

/// Plays a best action of a search to a fixed depth; ties are broken at random.
///
/// The value of the positions at that depth, and of finished games, is the margin: the points of
/// the side to move minus those of the opponent. Alpha-beta pruning finds every best action, and
/// each is equally likely. A pass counts as a ply. Depth 1 is `GreedyPolicy`.
///
/// Args:
///     depth: plies to look ahead, 1 to 64.
///     seed: 0 to 2**64 - 1.
///
/// Raises:
///     ValueError: a depth or seed out of range.
#[pyclass(name = "MinimaxPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyMinimaxPolicy {
    depth: Depth,
}

#[pymethods]
impl PyMinimaxPolicy {
    #[new]
    #[pyo3(signature = (depth, seed: "SupportsIndex" = 0))]
    fn new(
        depth: Depth,
        #[pyo3(from_py_with = Seed::number)] seed: u64,
    ) -> PyClassInitializer<Self> {
        let base = PyBuiltinPolicy::new(Policy::Minimax(depth), seed);
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
///
/// Boards of more than 16 cells may take very long. The first decision raises
/// `BookError` when the book that comes with the package is damaged.
///
/// Args:
///     seed: 0 to 2**64 - 1.
///     epsilon: 0 to 1.
///     tablebase: a `Tablebase` to look margins up in, rather than search; the actions are the
///         same. A decision raises ValueError where it is of another board or number of copies.
///
/// Raises:
///     ValueError: a seed or an epsilon out of range.
///     TypeError: an epsilon that is not a number.
#[pyclass(name = "PerfectPolicy", module = "mijnlieff", extends = PyBuiltinPolicy, frozen)]
pub(crate) struct PyPerfectPolicy {
    epsilon: Epsilon,
}

#[pymethods]
impl PyPerfectPolicy {
    #[new]
    #[pyo3(signature = (seed: "SupportsIndex" = 0, epsilon: "SupportsFloat | SupportsIndex" = 0.0, tablebase=None))]
    fn new(
        #[pyo3(from_py_with = Seed::number)] seed: u64,
        #[pyo3(from_py_with = epsilon_number)] epsilon: f64,
        tablebase: Option<Py<PyTablebase>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let epsilon = Epsilon::new(epsilon)?;
        let perfect = Policy::Perfect(Perfect::new(Vec::new(), epsilon));
        let base = PyBuiltinPolicy {
            tablebase,
            ..PyBuiltinPolicy::new(perfect, seed)
        };
        Ok(PyClassInitializer::from(base).add_subclass(Self { epsilon }))
    }

    /// The share of decisions made at random.
    #[getter]
    fn epsilon(&self) -> f64 {
        self.epsilon.share()
    }
}

/// The extractor of `epsilon`, whose range the core knows.
fn epsilon_number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    float("epsilon", value)
}

argument!(Depth: "SupportsIndex" = |value: Borrowed<'_, '_, PyAny>| -> PyResult<_> {
    let plies = integer_or("depth", &value, |number| {
        let (max, number) = (Self::MAX, short_repr(number));
        PyValueError::new_err(format!("depth must be 1 to {max} plies, not {number}"))
    })?;
    Ok(Self::new(plies)?)
});
