//! `mijnlieff.TreeSearch`.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use numpy::{IntoPyArray, PyArrayDyn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::errors::nothing_selected;
use super::evaluations::{floats, leaf_values, values_shape};
use super::interrupt::{run_interruptible, run_unless_quick};
use super::players::solvers::solvers_of;
use super::search_options::{Options, PySearchOptions, options_with};
use super::search_variants::{roots_of, variants_of, variants_with};
use super::tree_seeds::TreeSeeds;
use crate::encode::{Layout, VariantSet};
use crate::memory::with_room;
use crate::python::convert::arrays::{AnyArray, Array1, Array2, ArrayDyn};
use crate::python::convert::integers::{Threads, indexed};
use crate::python::convert::observations::ObservationArray;
use crate::python::convert::shared_memory::LentArray;
use crate::python::rules::batch::Positions;
use crate::python::rules::canvas::{PyCanvas, layout_or_usual};
use crate::python::rules::position::check_all_playable;
use crate::search::{CHECK_INTERVAL, Halt, Limits};
use crate::tree_search::{NextRoot, TreeConfig, TreeSearch, tree_search};
use crate::vector::{Dtype, Format};

/// Up to this many empty cells, solving a position takes less time than starting the thread that
/// makes Ctrl-C work.
const QUICK_SOLVE: usize = 8;

/// Up to this many simulations of all trees together, a step never takes more than a moment. Near
/// the end of a game, where no position has to be evaluated, it makes all of them.
const QUICK_SIMULATIONS: usize = 1 << 17;

/// The same where roots or leaves are solved: a tenth of a millisecond each on a large board.
const QUICK_SIMULATIONS_SOLVING: usize = 1 << 11;

/// The positions of a `TreeSearch` that wait for the network.
///
/// The search writes the next leaves over both arrays: copy what must last.
#[pyclass(name = "LeafBatch", module = "mijnlieff", frozen)]
pub(crate) struct PyLeafBatch {
    /// The observations, ``(B, ...)``, in the layout of the search.
    #[pyo3(get)]
    observation: AnyArray,
    /// The legal actions, int8 ``(B, num_actions)``: 1 = legal.
    #[pyo3(get)]
    action_mask: ArrayDyn<i8>,
    len: usize,
}

#[pymethods]
impl PyLeafBatch {
    fn __len__(&self) -> usize {
        self.len
    }

    fn __repr__(&self) -> String {
        format!("<LeafBatch of {} positions>", self.len)
    }
}

/// The results of finished searches, as arrays.
struct Found {
    actions: Array1<i64>,
    policy_targets: Array2<f32>,
    root_values: Array1<f32>,
    visit_counts: Array2<i32>,
    root_noise: Array2<f32>,
    solved: Array1<bool>,
}

/// Tree search over many positions at once, with native trees and an outside network.
///
/// ::
///
///    search = TreeSearch(positions, num_simulations=32)
///    while (batch := search.select()) is not None:
///        search.update(*network(batch.observation, batch.action_mask))
///    search.actions, search.policy_targets, search.root_values
///
/// A simulation goes down a tree to a position that is not in it yet. A finished game has its exact
/// value, and forced passes are skipped. All other new positions wait for the network: at most one
/// leaf for each tree, equal ones once. Values are for the side to move, and so are their signs.
///
/// A tree depends on its position, its seed and the evaluations alone.
///
/// A search serves one thread at a time; RuntimeError tells a second one, and whoever asks for the
/// results of a search that is not done.
///
/// Args:
///     positions: of one variant, or with a canvas of any that fit; none of them finished.
///     options: a `SearchOptions`, or the number of simulations; None has the defaults.
///     seed: of the first tree, 0 to 2**64 - 1; tree ``i`` has ``seed + i``. Or the seed of each
///         tree, uint64 ``(B,)``.
///     num_threads: 1 to 1024; None is as many as there are cores.
///     observation: layout of the leaves, see `Position.observation`; numbers are float32. None is
///         ``"flat"``, and ``"planes"`` with a canvas.
///     canvas: a `Canvas` for positions of several variants. Leaves are shown as its planes, and
///         its actions number all masks, logits and results. Each tree is the one that a search of
///         positions of its own variant has on the same canvas, given the same evaluations.
///     changes: settings of `SearchOptions` by name, which replace those of `options`.
///
/// Raises:
///     ValueError: no position, several variants without a canvas, a canvas and another layout than
///         planes, seeds of another shape, or a setting out of range.
///     TypeError: seeds that are not uint64.
///     VariantError: a board does not fit the canvas; the message says which position's.
///     GameOverError: a position is finished; the message says which.
#[pyclass(name = "TreeSearch", module = "mijnlieff", subclass, frozen)]
pub(crate) struct PyTreeSearch {
    search: Mutex<Search>,
    trees: usize,
    options: PySearchOptions,
}

/// What one thread at a time may use.
struct Search {
    core: Box<dyn TreeSearch>,
    variants: Arc<VariantSet>,
    config: TreeConfig,
    observation: ObservationArray,
    action_mask: LentArray<i8>,
    leaves: usize,
    found: Option<Found>,
}

#[pymethods]
impl PyTreeSearch {
    #[new]
    // The default seed is no plain number, so Python reads it here.
    #[pyo3(
        signature = (
            positions, options=None, *,
            seed: "SupportsIndex | NDArray[np.uint64]" = TreeSeeds::From(0), num_threads=None,
            observation=None, canvas=None, **changes: "Any"
        ) -> "Self",
        text_signature = "(positions, options=None, *, seed=0, num_threads=None, \
                          observation=None, canvas=None, **changes)"
    )]
    #[allow(clippy::too_many_arguments)] // they are keywords in Python
    fn new(
        py: Python<'_>,
        positions: Positions,
        options: Option<Options<'_>>,
        #[pyo3(from_py_with = TreeSeeds::read)] seed: TreeSeeds<'_>,
        num_threads: Option<Threads>,
        observation: Option<Layout>,
        canvas: Option<PyCanvas>,
        changes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options_with(py, options, changes)?;
        let variants = variants_of(py, &positions, canvas)?;
        check_all_playable(&positions, "position")?;
        let layout = layout_or_usual(observation, canvas);
        variants.check(layout)?;
        let num_threads = Threads::or_cores(num_threads);
        let config = options.tree(seed.first());
        let solvers = solvers_of(py, variants.all(), None, config.solves())?;
        let roots = roots_of(&variants, &positions)?;
        let seeded = seed.seeded(&config, &roots)?;
        let core =
            py.detach(|| tree_search(&variants, &seeded, config, layout, solvers, num_threads))?;
        let format = Format {
            layout,
            dtype: Dtype::Float32,
        };
        let search = Search {
            observation: ObservationArray::zeros(py, &variants, format, roots.len())?,
            action_mask: LentArray::zeros(py, &[roots.len(), variants.num_actions()])?,
            core,
            variants,
            config,
            leaves: 0,
            found: None,
        };
        Ok(Self {
            search: Mutex::new(search),
            trees: roots.len(),
            options,
        })
    }

    /// Simulate until every tree needs the network or is done.
    ///
    /// Returns:
    ///     The leaves to evaluate, or None when all searches are done. Called again without an
    ///     update it returns the same leaves.
    ///
    /// Raises:
    ///     KeyboardInterrupt: Ctrl-C; the search can be continued.
    ///     MemoryError: the trees cannot grow; the next call continues where this one ended.
    fn select(&self, py: Python<'_>) -> PyResult<Option<PyLeafBatch>> {
        let mut guard = self.lock()?;
        let search = &mut *guard;
        // The leaves selected before count again only when this succeeds.
        search.leaves = 0;
        let leaves = search.run(py, |core, limits| core.select(limits))?;
        search.leaves = leaves;
        if leaves == 0 {
            return Ok(None);
        }
        let (observations, mask) = (search.observation.memory(), search.action_mask.numbers());
        let core = &mut *search.core;
        py.detach(|| core.write_leaves(observations, mask));
        Ok(Some(PyLeafBatch {
            observation: search.observation.lend_first(py, leaves)?.into(),
            action_mask: search
                .action_mask
                .lend_first(py, leaves)?
                .cast_into::<PyArrayDyn<i8>>()?
                .into(),
            len: leaves,
        }))
    }

    /// Take the network's evaluation of the leaves of the last `select`.
    ///
    /// Args:
    ///     logits: ``(B, num_actions)``, those of illegal actions are not read; real numbers, a
    ///         PyTorch tensor if you like. The search never tries an action with -inf; at
    ///         least one legal action of each leaf needs a logit above that.
    ///     values: for the side to move at the leaf, as `Model.evaluate` returns them: ``(B,)``,
    ///         -1 to 1; or ``(B, 2)``, the expected outcome, -1 to 1, and the expected margin in
    ///         units of 4 points, which `SearchOptions.margin_weight` mixes.
    ///
    /// Raises:
    ///     PolicyError: a wrong shape or dtype, NaN, infinity, a value or outcome more than 0.001
    ///         out of range, or no legal action with a logit above -inf; nothing has changed.
    ///     RuntimeError: no leaf waits.
    ///     MemoryError: some trees cannot grow; `select` has the leaves of those again.
    ///     KeyboardInterrupt: Ctrl-C with many trees; as for `MemoryError`.
    #[pyo3(signature = (logits: "ArrayLike", values: "ArrayLike"))]
    fn update(
        &self,
        py: Python<'_>,
        logits: &Bound<'_, PyAny>,
        values: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let mut search = self.lock()?;
        if search.leaves == 0 {
            return Err(nothing_selected());
        }
        let num_actions = search.variants.num_actions();
        let logits = floats(logits, "logits", &[search.leaves, num_actions])?;
        let values = floats(values, "values", &values_shape(values, search.leaves)?)?;
        // Python may write to the arrays once the GIL is released.
        let (logits, values) = (logits.as_slice()?, leaf_values(&values)?);
        search.core.store_evaluations(logits, values)?;
        search.leaves = 0;
        search.found = None;
        search.run(py, |core, limits| core.backpropagate(limits))
    }

    /// Run all simulations with random games instead of a network.
    ///
    /// All legal actions get equal prior probability, and the value of a leaf is the result of one
    /// game of random actions from there.
    ///
    /// Raises:
    ///     MemoryError: the trees cannot grow; the next call continues where this one ended.
    fn run_with_rollouts(&self, py: Python<'_>) -> PyResult<()> {
        let mut search = self.lock()?;
        // Before the search runs, as it may have gone on even where Ctrl-C ends the call.
        search.leaves = 0;
        search.found = None;
        let core = &mut *search.core;
        let done = run_interruptible(py, |stop| core.run_with_rollouts(Limits::stopped_by(stop)))?;
        Ok(done?)
    }

    /// Start the next searches, from as many positions as there are trees.
    ///
    /// If a new position follows the root of its tree by one action and the passes that it forces,
    /// the tree keeps that subtree; new simulations are added to it. With a canvas, positions may
    /// be of variants that the search has not seen yet. It keeps the tables of all variants seen;
    /// they may be 65,535 in all.
    ///
    /// Raises:
    ///     ValueError: another number of positions, or another variant without a canvas.
    ///     VariantError: a board does not fit the canvas.
    ///     GameOverError: a position is finished.
    ///     MemoryError: memory does not suffice; nothing has changed.
    ///     KeyboardInterrupt: Ctrl-C with many trees; `select` has the leaves of the old searches,
    ///         or starts the new ones.
    fn restart(&self, py: Python<'_>, positions: Positions) -> PyResult<()> {
        let (trees, found) = (self.trees, positions.len());
        if found != trees {
            return Err(PyValueError::new_err(format!(
                "there are {trees} trees, which cannot start from {found} positions"
            )));
        }
        let mut guard = self.lock()?;
        let search = &mut *guard;
        let variants = variants_with(py, &search.variants, &positions)?;
        check_all_playable(&positions, "position")?;
        let roots = roots_of(&variants, &positions)?;
        if !Arc::ptr_eq(&variants, &search.variants) {
            let solvers = solvers_of(py, variants.all(), None, search.config.solves())?;
            let core = &mut *search.core;
            py.detach(|| core.extend(variants.clone(), solvers))?;
            search.variants = variants;
        }
        let mut next = with_room("the positions of a search", roots.len())?;
        next.extend(roots.into_iter().map(NextRoot::Follow));
        // After Ctrl-C the searches may be new or old; without memory they are the old ones.
        search.found = None;
        let leaves = mem::take(&mut search.leaves);
        let restarted = search.run(py, |core, limits| Ok(core.restart_each(&next, limits)))?;
        if restarted.is_err() {
            search.leaves = leaves;
        }
        Ok(restarted?)
    }

    /// The nodes of one tree, each before its children.
    ///
    /// Returns:
    ///     Dicts with ``actions`` (from the root, forced passes left out), ``visits``, ``value``
    ///     (for the side to move at the node before, at the root for its own, see
    ///     `SearchOptions.backup`), ``prior`` and ``exact``.
    ///
    /// Raises:
    ///     IndexError: there is no such tree.
    ///     TypeError: `tree` is not an integer.
    #[pyo3(signature = (tree: "SupportsIndex") -> "list[dict[str, Any]]")]
    fn nodes<'py>(
        &self,
        py: Python<'py>,
        tree: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let trees = self.trees;
        let known = |tree| (tree < trees).then_some(tree);
        let tree = indexed("tree", tree, known, |number| {
            format!("there are {trees} trees, no tree {number}")
        })?;
        let nodes = self
            .lock()?
            .run(py, |core, limits| core.nodes(tree, limits))?;
        let list = PyList::empty(py);
        for (number, node) in nodes.iter().enumerate() {
            if number % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
                py.check_signals()?;
            }
            let dict = PyDict::new(py);
            dict.set_item("actions", PyTuple::new(py, &node.actions)?)?;
            dict.set_item("visits", node.visits)?;
            dict.set_item("value", node.value)?;
            dict.set_item("prior", node.prior)?;
            dict.set_item("exact", node.exact)?;
            list.append(dict)?;
        }
        Ok(list)
    }

    /// The action that each search has chosen, int64 ``(B,)``.
    #[getter]
    fn actions(&self, py: Python<'_>) -> PyResult<Array1<i64>> {
        Ok(self.lock()?.found(py)?.actions.clone_ref(py))
    }

    /// The policy to learn, float32 ``(B, num_actions)``; rows sum to 1.
    ///
    /// The improved policy (Gumbel), or the shares of the visits (PUCT).
    #[getter]
    fn policy_targets(&self, py: Python<'_>) -> PyResult<Array2<f32>> {
        Ok(self.lock()?.found(py)?.policy_targets.clone_ref(py))
    }

    /// The value of each root for its side to move, float32 ``(B,)``.
    ///
    /// The mean of all simulations and of the network's own value, or what `SearchOptions.backup`
    /// makes of them.
    #[getter]
    fn root_values(&self, py: Python<'_>) -> PyResult<Array1<f32>> {
        Ok(self.lock()?.found(py)?.root_values.clone_ref(py))
    }

    /// Visits of each action of the roots, int32 ``(B, num_actions)``, kept ones included.
    #[getter]
    fn visit_counts(&self, py: Python<'_>) -> PyResult<Array2<i32>> {
        Ok(self.lock()?.found(py)?.visit_counts.clone_ref(py))
    }

    /// The noise at the roots, float32 ``(B, num_actions)``.
    ///
    /// Noise on the logits (Gumbel), or the policy with noise in it (PUCT); 0 for illegal actions
    /// and those whose logit is -inf.
    #[getter]
    fn root_noise(&self, py: Python<'_>) -> PyResult<Array2<f32>> {
        Ok(self.lock()?.found(py)?.root_noise.clone_ref(py))
    }

    /// Whether a root has been solved, bool ``(B,)``.
    ///
    /// It has no visits then, its value is exact, and its policy is uniform over the best actions.
    #[getter]
    fn solved(&self, py: Python<'_>) -> PyResult<Array1<bool>> {
        Ok(self.lock()?.found(py)?.solved.clone_ref(py))
    }

    /// The settings of the search.
    #[getter]
    fn options(&self) -> PySearchOptions {
        self.options.clone()
    }

    /// The memory that the trees take, in bytes.
    #[getter]
    fn tree_bytes(&self) -> PyResult<usize> {
        Ok(self.lock()?.core.bytes())
    }

    /// The number of trees.
    fn __len__(&self) -> usize {
        self.trees
    }

    fn __repr__(&self) -> String {
        format!(
            "<TreeSearch of {} positions, num_simulations={}, root={:?}>",
            self.trees,
            self.options.num_simulations(),
            self.options.root()
        )
    }
}

impl PyTreeSearch {
    /// The search, if nobody else is using it right now.
    fn lock(&self) -> PyResult<MutexGuard<'_, Search>> {
        self.search.try_lock().map_err(|error| {
            PyRuntimeError::new_err(match error {
                TryLockError::WouldBlock => {
                    "another thread is using this search, or it was used from within `update`; \
                     give each thread its own"
                }
                TryLockError::Poisoned(_) => {
                    "an internal error has left this search unusable; make a new one"
                }
            })
        })
    }
}

impl Search {
    /// Runs work on all trees without the GIL; Ctrl-C stops it if it may take long.
    fn run<T: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn TreeSearch, Limits<'_>) -> Result<T, Halt> + Send,
    ) -> PyResult<T> {
        let quick = match self.config.most_solved() {
            0 => QUICK_SIMULATIONS,
            1..=QUICK_SOLVE => QUICK_SIMULATIONS_SOLVING,
            _ => 0,
        };
        let is_quick = self
            .core
            .num_trees()
            .saturating_mul(self.config.num_simulations)
            <= quick;
        let core = &mut *self.core;
        let done = run_unless_quick(py, is_quick, |stop| work(core, Limits::stopped_by(stop)))?;
        Ok(done?)
    }

    fn found(&mut self, py: Python<'_>) -> PyResult<&Found> {
        if !self.core.is_done() {
            return Err(PyRuntimeError::new_err(
                "the search is not done: call select and update until select returns None",
            ));
        }
        if self.found.is_none() {
            let results = self.run(py, |core, limits| core.results(limits))?;
            self.found = Some(Found {
                actions: results.actions.into_pyarray(py).into(),
                policy_targets: results.policy_targets.into_pyarray(py).into(),
                root_values: results.root_values.into_pyarray(py).into(),
                visit_counts: results.visit_counts.into_pyarray(py).into(),
                root_noise: results.root_noise.into_pyarray(py).into(),
                solved: results.solved.into_pyarray(py).into(),
            });
        }
        Ok(self.found.as_ref().expect("it has just been set"))
    }
}
