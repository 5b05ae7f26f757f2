//! The solvers that the whole package shares: made on first use, within the memory that
//! `set_table_bytes` allows.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::{fs, io, mem};

use pyo3::prelude::*;

use super::solution::PySolution;
use super::solver::PySolver;
use crate::files::named;
use crate::game::Variant;
use crate::python::convert::floats::MaxSeconds;
use crate::python::convert::integers::{MaxNodes, integer_in};
use crate::python::rules::position::PyPosition;
use crate::python::rules::variant::PyVariant;
use crate::python::tablebase::PyTablebase;
use crate::search::solver::{Book, DEFAULT_TABLE_BYTES, Solver};

/// How many solvers with their own table are kept.
const KEPT: usize = 4;

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(|| {
    Mutex::new(Registry {
        table_bytes: DEFAULT_TABLE_BYTES,
        book: None,
        kept: Vec::new(),
        shared: HashMap::new(),
    })
});

struct Registry {
    table_bytes: usize,
    book: Option<Arc<Book>>,
    /// The one used last is at the end.
    kept: Vec<Py<PySolver>>,
    /// Solvers of many variants, with their shares of the memory of one table.
    shared: HashMap<(SolverKey, usize), Py<PySolver>>,
}

/// A variant, equal to every other that the same solver serves, see [`Solver::key`].
struct SolverKey(Arc<Variant>);

impl PartialEq for SolverKey {
    fn eq(&self, other: &Self) -> bool {
        Solver::key(&self.0) == Solver::key(&other.0)
    }
}

impl Eq for SolverKey {}

impl Hash for SolverKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Solver::key(&self.0).hash(state);
    }
}

/// The registry, for a moment only. As whoever holds it also holds the GIL, it is free when Python
/// forks the process, and the child finds it whole. Solvers hold no locks: their tables are read and
/// written in whole words.
fn registry(_py: Python<'_>) -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The solver for positions of this variant, which looks them up in the tablebase if there is one.
///
/// # Errors
///
/// `BookError` if the book that comes with the package is damaged, `ValueError` if the tablebase is of
/// another game, and `MemoryError`.
pub(crate) fn solver_of(
    py: Python<'_>,
    variant: &Arc<Variant>,
    tablebase: Option<&PyTablebase>,
) -> PyResult<Arc<Solver>> {
    let solver = solver_with(py, variant, tablebase)?;
    Ok(Arc::clone(&solver.get().core))
}

/// The solvers of these variants for searches that solve positions, as [`shared_solvers`] gives them, or
/// those of a tablebase; none for searches that do not.
///
/// # Errors
///
/// As [`solver_of`].
pub(crate) fn solvers_of(
    py: Python<'_>,
    variants: &[Arc<Variant>],
    tablebase: Option<&PyTablebase>,
    are_needed: bool,
) -> PyResult<Vec<Arc<Solver>>> {
    if !are_needed {
        return Ok(Vec::new());
    }
    if tablebase.is_some() {
        let solvers = variants.iter().map(|variant| {
            py.check_signals()?;
            solver_of(py, variant, tablebase)
        });
        return solvers.collect();
    }
    let solvers = shared_solvers(py, variants)?;
    let cores = solvers.iter().map(|solver| Arc::clone(&solver.get().core));
    Ok(cores.collect())
}

/// The exact margin of a position and of every legal action, for the side to move.
///
/// Any position of a board of up to 16 cells takes at most some 20 seconds with up to 3 copies, and
/// so does a position of a larger board with at most 14 empty cells. Others may take very long;
/// give a limit. What is known without a search, from the book of the standard game or a tablebase,
/// is answered whatever the limit. Runs without the GIL and stops on Ctrl-C.
///
/// >>> import mijnlieff
/// >>> mijnlieff.solve(mijnlieff.Position()).margin  # Light is to move: Dark wins by one point
/// -1
///
/// Args:
///     position: any position.
///     max_nodes: the most positions to search.
///     max_seconds: the most time to search, in seconds; infinity means no limit.
///     tablebase: a `Tablebase` to look the margins up in, rather than search.
///
/// Raises:
///     SearchLimitError: a limit was reached; the error holds the bounds proven so far.
///     ValueError: `max_nodes` or `max_seconds` is negative, `max_seconds` is NaN, or the tablebase
///         is of another board or number of copies.
///     TablebaseError: the tablebase is damaged.
///     TypeError: `position` is not a `Position`, `max_nodes` not an integer, or `max_seconds` not
///         a number.
///     BookError: the book that comes with the package is damaged.
#[pyfunction]
#[pyo3(signature = (position, *, max_nodes=None, max_seconds=None, tablebase=None))]
pub(crate) fn solve(
    py: Python<'_>,
    position: PyPosition,
    max_nodes: Option<MaxNodes>,
    max_seconds: Option<MaxSeconds>,
    tablebase: Option<&Bound<'_, PyTablebase>>,
) -> PyResult<PySolution> {
    let solver = solver_with(py, &position.variant, tablebase.map(Bound::get))?;
    solver.get().solve(py, position, max_nodes, max_seconds)
}

/// The solver for positions of this variant, which the whole package shares.
///
/// There is one for each board and number of copies, and another one for the opening rule
/// ``corner_straight``. It is made on first use; the four used last are kept. With a tablebase it
/// is one that looks positions up, and is not kept.
///
/// Raises:
///     BookError: the book that comes with the package is damaged.
///     ValueError: the tablebase is of another board or number of copies.
#[pyfunction]
#[pyo3(signature = (variant, tablebase=None))]
pub(crate) fn solver_for(
    py: Python<'_>,
    variant: PyVariant,
    tablebase: Option<&Bound<'_, PyTablebase>>,
) -> PyResult<Py<PySolver>> {
    solver_with(py, &variant.0, tablebase.map(Bound::get))
}

fn solver_with(
    py: Python<'_>,
    variant: &Arc<Variant>,
    tablebase: Option<&PyTablebase>,
) -> PyResult<Py<PySolver>> {
    match tablebase {
        Some(tablebase) => {
            let solver = tablebase.solver(variant)?;
            Py::new(py, PySolver::of(solver, Arc::clone(variant)))
        }
        None => shared_solver(py, variant),
    }
}

/// Set the most memory that the table of a solver may take, in bytes; the default is 64 MiB.
///
/// Existing solvers are dropped. A table takes the largest power of two that fits, less on boards
/// too small to fill it, and at least 32 MiB with more than 3 copies on 16 cells. On larger boards
/// it limits, roughly, the memory of the map that each search makes. Beside a table of 16 MiB or
/// more, searches from at most 11 empty cells have one of 4 MiB.
///
/// The next search makes the table, and raises MemoryError if the system does not have the memory.
/// The system hands out the memory only as entries are stored.
///
/// Raises:
///     ValueError: the number is below 1.
///     TypeError: it is not an integer.
#[pyfunction]
#[pyo3(signature = (count: "SupportsIndex"))]
pub(crate) fn set_table_bytes(py: Python<'_>, count: &Bound<'_, PyAny>) -> PyResult<()> {
    let count = integer_in("count", count, 1..=isize::MAX as usize)?;
    let dropped = {
        let mut registry = registry(py);
        registry.table_bytes = count;
        (
            mem::take(&mut registry.kept),
            mem::take(&mut registry.shared),
        )
    };
    drop(dropped);
    Ok(())
}

fn shared_solver(py: Python<'_>, variant: &Arc<Variant>) -> PyResult<Py<PySolver>> {
    let table_bytes = {
        let mut registry = registry(py);
        if let Some(solver) = registry.find(py, variant) {
            return Ok(solver);
        }
        registry.table_bytes
    };
    // Made outside the lock: that takes long where the book is read.
    let book = package_book_for(py, variant)?;
    let made = PySolver::with_table(py, Arc::clone(variant), table_bytes, book)?;
    let made = Py::new(py, made)?;
    let mut registry = registry(py);
    // Another thread may have been faster, or may have set another size.
    if let Some(solver) = registry.find(py, variant) {
        return Ok(solver);
    }
    if registry.table_bytes == table_bytes {
        registry.kept.push(made.clone_ref(py));
        if registry.kept.len() > KEPT {
            registry.kept.remove(0);
        }
    }
    Ok(made)
}

/// A few variants get the solvers of [`shared_solver`]. More share the memory of one table; solvers
/// of the same share of it are kept for the next call. All have the book that is about them.
#[allow(clippy::mutable_key_type)] // the tables that a board makes on first use are not compared
fn shared_solvers(py: Python<'_>, variants: &[Arc<Variant>]) -> PyResult<Vec<Py<PySolver>>> {
    let keys: Vec<_> = variants.iter().cloned().map(SolverKey).collect();
    let count = keys.iter().collect::<HashSet<_>>().len();
    if count <= KEPT {
        let solvers = variants.iter().map(|variant| {
            py.check_signals()?;
            shared_solver(py, variant)
        });
        return solvers.collect();
    }
    let table_bytes = registry(py).table_bytes;
    // A power of two, so that a few variants more or less have the same share.
    let share = table_bytes / count.next_power_of_two();
    let solvers = keys.into_iter().map(|key| {
        py.check_signals()?;
        let key = (key, share);
        if let Some(solver) = registry(py).shared.get(&key) {
            return Ok(solver.clone_ref(py));
        }
        let variant = Arc::clone(&key.0.0);
        let book = package_book_for(py, &variant)?;
        let made = Py::new(py, PySolver::within(py, variant, share, book)?)?;
        if made.get().core.table_bytes() == 0 {
            return Ok(made); // it holds nothing that is worth keeping
        }
        let mut registry = registry(py);
        if registry.table_bytes != table_bytes {
            return Ok(made);
        }
        let held: usize = registry.shared.keys().map(|(_, share)| share).sum();
        if held + share > table_bytes {
            registry.shared.clear();
        }
        Ok(registry.shared.entry(key).or_insert(made).clone_ref(py))
    });
    solvers.collect()
}

impl Registry {
    /// The solver that is kept for this variant, which becomes the one used last.
    fn find(&mut self, py: Python<'_>, variant: &Variant) -> Option<Py<PySolver>> {
        let serves = |solver: &Py<PySolver>| solver.get().core.serves(variant);
        let index = self.kept.iter().position(serves)?;
        self.kept[index..].rotate_left(1);
        self.kept.last().map(|solver| solver.clone_ref(py))
    }
}

/// The book that comes with the package, for the variant that it is about.
fn package_book_for(py: Python<'_>, variant: &Variant) -> PyResult<Option<Arc<Book>>> {
    Book::serves(variant).then(|| package_book(py)).transpose()
}

/// The book that comes with the package, read once.
fn package_book(py: Python<'_>) -> PyResult<Arc<Book>> {
    if let Some(book) = &registry(py).book {
        return Ok(Arc::clone(book));
    }
    let module = py.import("mijnlieff._mijnlieff")?;
    let module: PathBuf = module.getattr("__file__")?.extract()?;
    let path = module.with_file_name("data").join("book.bin");
    let bytes = py.detach(|| read(&path))?;
    let book = Arc::new(py.detach(|| Book::parse(&bytes))?);
    Ok(Arc::clone(registry(py).book.get_or_insert(book)))
}

/// The content of a file; errors name it.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path).map_err(|error| named(path, &error))
}
