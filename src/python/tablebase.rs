//! `mijnlieff.Tablebase`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::game::Variant;
use crate::memory::with_room;
use crate::python::census;
use crate::python::convert::arrays::Array1;
use crate::python::convert::integers::Threads;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::batch::{Positions, common_variant, cores};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;
use crate::search::solver::Solver;
use crate::tablebase::{Progress, Tablebase};

/// The least time between two calls of a function that is told of the progress.
const PAUSE: Duration = Duration::from_millis(100);

/// The exact margin of every position of one board and number of copies, in a file.
///
/// The file of the standard game has 2.27 GB and serves all opening rules. Give the object as
/// ``tablebase=`` to whatever else would ask the exact solver: nothing is searched then.
///
/// ::
///
///     table = Tablebase.build("standard.tablebase")  # once; then Tablebase.open
///     table.margins(positions)
///     solve(position, tablebase=table).best_actions
///
/// The file is mapped into memory, so reading is fast once the system keeps it there. Each block of
/// 64 KiB is checked when it is read for the first time. The file must not be changed while it is
/// open: where it is cut short meanwhile, the system ends the process with the signal SIGBUS. It
/// may be deleted or renamed; copies of the object are itself. It can be pickled: the other process
/// opens the same path. Several threads may use it at once.
#[pyclass(name = "Tablebase", module = "mijnlieff", frozen)]
pub(crate) struct PyTablebase {
    core: Arc<Tablebase>,
    path: PathBuf,
}

#[pymethods]
impl PyTablebase {
    /// Open the table in a file.
    ///
    /// Args:
    ///     path: a file that `build` has made.
    ///
    /// Raises:
    ///     TablebaseError: the file is not a whole table of this version.
    ///     OSError: it cannot be read.
    #[staticmethod]
    #[pyo3(signature = (path: "str | PathLike[str]"))]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let core = py.detach(|| Tablebase::open(&path))?;
        Ok(Self {
            core: Arc::new(core),
            // The working directory may change, and that of another process is another one.
            path: std::path::absolute(path)?,
        })
    }

    /// Build the table of a variant into a new file, and open it.
    ///
    /// It grows as ``PATH.partial``, from the last stones to the first, and gets its name when it
    /// is whole. A partial file is continued: after Ctrl-C, a kill or a full disk, the next call
    /// loses at most the rows with one number of stones. Ctrl-C in the last moment leaves the whole
    /// file, which `open` opens. `size` says beforehand what it takes. Runs without the GIL and
    /// stops on Ctrl-C.
    ///
    /// Args:
    ///     path: where to write it; there must be no file yet.
    ///     variant: None is the standard game. The opening rule does not matter.
    ///     num_threads: 1 to 1024; None is as many as there are cores. The file does not depend on
    ///         it.
    ///     progress: called now and then, from another thread, with the bytes that are done, all
    ///         bytes, and the number of stones of the rows in work. An exception ends the build.
    ///
    /// Raises:
    ///     FileExistsError: there is something at `path`.
    ///     OSError: the file cannot be written, or another process is building it.
    ///     TablebaseError: the variant has more than 16 cells or 3 copies, or margins of more than
    ///         7 points.
    ///     MemoryError: memory does not suffice.
    #[staticmethod]
    #[pyo3(signature = (
        path: "str | PathLike[str]", variant=None, *,
        num_threads=None,
        progress: "Callable[[int, int, int], object] | None" = None
    ))]
    fn build(
        py: Python<'_>,
        path: PathBuf,
        variant: Option<PyVariant>,
        num_threads: Option<Threads>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let variant = PyVariant::or_default(variant).0;
        let num_threads = Threads::or_cores(num_threads);
        let failed = Mutex::new(None);
        let last: Mutex<Option<Instant>> = Mutex::new(None);
        let built = run_interruptible(py, |stop| {
            let report = |state: Progress| {
                let Some(progress) = &progress else { return };
                let Ok(mut last) = last.try_lock() else {
                    return;
                };
                let is_end = state.done == state.total;
                if !is_end && last.is_some_and(|last| last.elapsed() < PAUSE) {
                    return;
                }
                *last = Some(Instant::now());
                let told = Python::attach(|py| {
                    progress
                        .call1(py, (state.done, state.total, state.stones))
                        .map(drop)
                });
                if let Err(error) = told {
                    *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            };
            Tablebase::build(&variant, &path, num_threads, stop, report)
        })?;
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        built?;
        Self::open(py, path)
    }

    /// What the table of a variant takes, before it is built.
    ///
    /// Args:
    ///     variant: None is the standard game.
    ///
    /// Returns:
    ///     ``"rows"``, one for every way to place and hold pieces; ``"values"``, one for each empty
    ///     cell of a row; ``"file_bytes"``; and ``"build_bytes"``, the most memory that building
    ///     takes.
    ///
    /// Raises:
    ///     TablebaseError: it has no table, see `build`.
    #[staticmethod]
    #[pyo3(signature = (variant=None) -> "dict[str, int]")]
    fn size(py: Python<'_>, variant: Option<PyVariant>) -> PyResult<Bound<'_, PyDict>> {
        let size = Tablebase::size(&PyVariant::or_default(variant).0)?;
        let numbers = PyDict::new(py);
        numbers.set_item("rows", size.rows)?;
        numbers.set_item("values", size.values)?;
        numbers.set_item("file_bytes", size.file_bytes)?;
        numbers.set_item("build_bytes", size.build_bytes)?;
        Ok(numbers)
    }

    /// The file, as an absolute path.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Its variant, with the opening rule ``"anywhere"``; every rule has the same table.
    #[getter]
    fn variant(&self) -> PyVariant {
        PyVariant(Arc::new(self.core.variant().clone()))
    }

    /// Whether it holds the positions of a variant: those of any opening rule.
    fn serves(&self, variant: PyVariant) -> bool {
        self.core.serves(&variant.0)
    }

    /// The margins of many positions of one variant, int16 ``(B,)``, for the side to move.
    ///
    /// `solve_batch` with ``tablebase=`` gives those of all actions too. Runs without the GIL and
    /// stops on Ctrl-C.
    ///
    /// Args:
    ///     positions: finished games are allowed; their margin is the result.
    ///     num_threads: 1 to 1024; None is as many as there are cores.
    ///
    /// Raises:
    ///     ValueError: no positions, several variants, or one that the table is not of.
    ///     TablebaseError: the table is damaged.
    #[pyo3(signature = (positions, num_threads=None))]
    fn margins(
        &self,
        py: Python<'_>,
        positions: Positions,
        num_threads: Option<Threads>,
    ) -> PyResult<Array1<i16>> {
        let solver = self.solver(&*common_variant(&positions)?)?;
        let cores = cores(&positions)?;
        let num_threads = Threads::or_cores(num_threads);
        let margins = run_interruptible(py, |stop| {
            solver.margins(&cores, num_threads, Limits::stopped_by(stop))
        })??;
        let mut narrow = with_room("the margins of positions", margins.len())?;
        narrow.extend(margins.into_iter().map(|margin| margin as i16));
        Ok(Array1::from_vec(py, narrow))
    }

    /// Count the positions that can be reached in games, by ply and by margin.
    ///
    /// Positions count in which a cell is empty and the game is not over, up to symmetry, once for
    /// every ply at which games reach them. All values are of the side to move. For the standard
    /// game that takes minutes of processor time, and 5 GB of memory. Runs without the GIL and
    /// stops on Ctrl-C.
    ///
    /// Args:
    ///     variant: the game, of which the opening rule matters; None is the standard game.
    ///     facts: whether to find out more than the margins.
    ///     num_threads: 1 to 1024; None is as many as there are cores.
    ///
    /// Returns:
    ///     Arrays by name, with a row for each ply. ``"margins"``: int64 ``(plies, 15)``, how many
    ///     positions have the margins -7 to 7. ``"as_they_are"``: int64 ``(plies,)``, how many
    ///     there are if symmetric ones are not one.
    ///
    ///     With facts, int64 ``(plies,)``: ``"passes"``, positions in which the side to move has to
    ///     pass; ``"can_block"``, in which it can make the opponent pass; ``"block_decides"``, in
    ///     which only that keeps the outcome; ``"single_saving"``, in which one of several actions
    ///     keeps a win or a draw; ``"actions"``, their legal actions.
    ///     ``"swings"``: int64 ``(plies, 15)``, how many have so many points between the best and
    ///     the worst action. float64 ``(plies,)``, means over the positions for an action drawn
    ///     uniformly: ``"best_share"``, how likely it is best; ``"kept_share"``, how likely it
    ///     keeps the outcome; ``"regret"``, its loss in points, and ``"outcome_regret"``, in
    ///     outcomes. ``"hardest"`` and ``"widest"``: int64 ``(plies, 6)``, a position with a single
    ///     saving action among the most, and one with the largest swing: that number, the cells of
    ///     the side to move, of the opponent, and the allowed ones as bits, and both hands with two
    ///     bits for each type. Of no ply, where a position counts once: ``"forced"``, int64, how
    ///     many begin so many turns in a row with a single legal action each; ``"most_forced"``,
    ///     one with the most; and ``"exchanges"``, float64 ``(4, 4)``, the mean change of the
    ///     margin where a piece of the row's type, in the hand of the side to move, were one of
    ///     the column's.
    ///
    /// Raises:
    ///     ValueError: the table is not of this variant.
    ///     TablebaseError: the table is damaged.
    #[pyo3(signature = (variant=None, *, facts=false, num_threads=None) -> "dict[str, NDArray[Any]]")]
    fn census<'py>(
        &self,
        py: Python<'py>,
        variant: Option<PyVariant>,
        facts: bool,
        num_threads: Option<Threads>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let variant = PyVariant::or_default(variant).0;
        self.solver(&variant)?; // checks that the table is of this variant
        let threads = Threads::or_cores(num_threads);
        let census =
            run_interruptible(py, |stop| self.core.census(&variant, facts, threads, stop))??;
        census::arrays(py, &census, facts)
    }

    /// Read the whole file and compare all checksums.
    ///
    /// Raises:
    ///     TablebaseError: it is damaged.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let checked = run_interruptible(py, |stop: &AtomicBool| self.core.check(stop))?;
        Ok(checked?)
    }

    pub(crate) fn __repr__(&self) -> String {
        format!("Tablebase.open({:?})", self.path.display().to_string())
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = () -> "tuple[Any, ...]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let open = slf.get_type().getattr("open")?;
        (open, (&slf.get().path,)).into_pyobject(slf.py())
    }
}

impl PyTablebase {
    /// A solver that looks positions of this variant up.
    ///
    /// # Errors
    ///
    /// `ValueError` when it is of another board or number of copies.
    pub(crate) fn solver(&self, variant: &Variant) -> PyResult<Solver> {
        if self.core.serves(variant) {
            return Ok(Solver::with_tablebase(variant, Arc::clone(&self.core)));
        }
        let own = self.core.variant();
        Err(PyValueError::new_err(format!(
            "the tablebase {} is of {} cells and {} copies, the position of {} cells and {} copies{}",
            self.path.display(),
            own.board().num_cells(),
            own.copies(),
            variant.board().num_cells(),
            variant.copies(),
            if own.board() == variant.board() {
                ""
            } else {
                "; the boards differ"
            },
        )))
    }
}
