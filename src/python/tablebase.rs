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
use crate::python::convert::arrays::{Array1, Array2, shaped};
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
/// open. It can be pickled: the other process opens the same path. Several threads may use it at
/// once.
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
            path,
        })
    }

    /// Build the table of a variant into a new file, and open it.
    ///
    /// It grows as ``PATH.partial``, from the last stones to the first, and gets its name when it
    /// is whole. A partial file is continued: after Ctrl-C, a kill or a full disk, the next call
    /// loses at most the rows with one number of stones. `size` says beforehand what it takes. Runs
    /// without the GIL and stops on Ctrl-C.
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
    ///     FileExistsError: there is a file at `path`.
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

    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Its variant, with the opening rule ``"anywhere"``; every rule has the same table.
    #[getter]
    fn variant(&self) -> PyVariant {
        PyVariant(Arc::new(self.core.variant().clone()))
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

    /// Count the positions that can be reached in games, by the number of stones and by margin.
    ///
    /// Positions in which both players hold pieces count, each once up to symmetry, seen by the
    /// side to move; how many passes led there does not matter. For the standard game that takes
    /// some minutes of processor time and 0.7 GB of memory. Runs without the GIL and stops on
    /// Ctrl-C.
    ///
    /// Args:
    ///     variant: the game, of which the opening rule matters; None is the standard game.
    ///     num_threads: 1 to 1024; None is as many as there are cores.
    ///
    /// Returns:
    ///     int64 ``(num_cells, 15)``: with so many stones, how many positions have the margins -7
    ///     to 7 for the side to move.
    ///
    /// Raises:
    ///     ValueError: the table is not of this variant.
    ///     TablebaseError: the table is damaged.
    #[pyo3(signature = (variant=None, *, num_threads=None))]
    fn census(
        &self,
        py: Python<'_>,
        variant: Option<PyVariant>,
        num_threads: Option<Threads>,
    ) -> PyResult<Array2<i64>> {
        let variant = PyVariant::or_default(variant).0;
        self.solver(&variant)?; // checks that the table is of this variant
        let num_threads = Threads::or_cores(num_threads);
        let counts = run_interruptible(py, |stop| self.core.census(&variant, num_threads, stop))??;
        let shape = (counts.len(), counts[0].len());
        let counts = counts.as_flattened().iter().map(|&count| count as i64);
        Ok(shaped(py, counts.collect(), shape))
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
