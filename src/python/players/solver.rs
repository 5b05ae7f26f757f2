//! `mijnlieff._mijnlieff.Solver`; the package shares those of `src/python/players/solvers.rs`.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::solution::PySolution;
use crate::encode::{action_of, num_actions};
use crate::game::Variant;
use crate::memory::{OutOfMemory, zeroed};
use crate::python::convert::arrays::{Array1, Array2, shaped};
use crate::python::convert::floats::MaxSeconds;
use crate::python::convert::integers::{MaxNodes, Plies, Threads};
use crate::python::errors::{no_table, unsolved};
use crate::python::interrupt::run_interruptible;
use crate::python::rules::batch::{Positions, common_variant, cores};
use crate::python::rules::position::PyPosition;
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;
use crate::search::solver::{self, Book, NO_MARGIN, Solution, Solver};

/// How many positions, up to symmetry, a variant has after 0, 1, ... `plies` actions.
///
/// Finished games count. The list ends where no game is longer. Memory grows with the count: 6
/// plies of the standard game take about 2 GB.
///
/// Raises:
///     ValueError: more than 16 cells or 3 copies.
#[pyfunction]
pub(crate) fn canonical_counts(
    py: Python<'_>,
    variant: PyVariant,
    plies: Plies,
) -> PyResult<Vec<usize>> {
    let variant = variant.0;
    if variant.board().num_cells() > Solver::MAX_CELLS || variant.copies() > 3 {
        return Err(PyValueError::new_err(format!(
            "positions are counted on boards of up to {} cells with up to 3 copies, not {} and {}",
            Solver::MAX_CELLS,
            variant.board().num_cells(),
            variant.copies()
        )));
    }
    let counts = run_interruptible(py, |stop| {
        solver::canonical_counts(&variant, plies.0, Limits::stopped_by(stop))
    })??;
    Ok(counts)
}

/// The row of a position in [`Answers`].
type Row<'a> = (&'a mut i16, (&'a mut [i16], &'a mut [i8]));
/// Margins ``(B,)``, margins of actions and mask ``(B, num_actions)``.
type Answers = (Array1<i16>, Array2<i16>, Array2<i8>);

/// The native part of `mijnlieff.solve`, `mijnlieff.solve_batch` and `PerfectPolicy`.
///
/// Solves positions of the board and number of copies of a variant. The opening rule does not
/// matter, unless one of the two is ``"corner_straight"``.
///
/// Args:
///     variant: which board, number of copies and opening rule.
///     table_bytes: the most memory for the large table, see `set_table_bytes`.
///     book: the bytes of a book file; used for the standard board with 2 copies.
///
/// Raises:
///     BookError: the bytes are not a book of this version.
#[pyclass(name = "Solver", module = "mijnlieff._mijnlieff", frozen)]
pub(crate) struct PySolver {
    pub(crate) core: Arc<Solver>,
    variant: Arc<Variant>,
    book_positions: usize,
}

#[pymethods]
impl PySolver {
    #[new]
    #[pyo3(signature = (variant, table_bytes, book=None))]
    fn new(
        py: Python<'_>,
        variant: PyVariant,
        table_bytes: usize,
        book: Option<&[u8]>,
    ) -> PyResult<Self> {
        let book = py.detach(|| book.map(Book::parse).transpose())?;
        Self::with_table(py, variant.0, table_bytes, book.map(Arc::new))
    }

    /// The memory of the tables, in bytes.
    #[getter]
    fn table_bytes(&self) -> usize {
        self.core.table_bytes()
    }

    /// The number of positions in the book.
    #[getter]
    fn book_positions(&self) -> usize {
        self.book_positions
    }

    /// The exact value of a position, see `mijnlieff.solve`.
    ///
    /// Raises:
    ///     SearchLimitError: a limit was reached.
    ///     ValueError: another board or number of copies, or a limit that is negative or NaN.
    ///     TypeError: `position` is not a `Position`, `max_nodes` not an integer, or `max_seconds`
    ///         not a number.
    #[pyo3(signature = (position, max_nodes=None, max_seconds=None))]
    pub(crate) fn solve(
        &self,
        py: Python<'_>,
        position: PyPosition,
        max_nodes: Option<MaxNodes>,
        max_seconds: Option<MaxSeconds>,
    ) -> PyResult<PySolution> {
        self.check_variant(&position.variant)?;
        let budget = SearchBudget::new(max_nodes, max_seconds);
        let solved = run_interruptible(py, |stop| {
            self.core.solve(&position.core, budget.limits(stop))
        })?;
        let solution = solved.map_err(|error| unsolved("", &error))?;
        PySolution::of(py, &position, &solution)
    }

    /// Margins int16 ``(B,)``, margins of actions int16 and mask int8 ``(B, num_actions)``.
    ///
    /// Raises:
    ///     SearchLimitError: a limit was reached.
    ///     ValueError: as `solve`, or a number of threads that is not 1 to 1024.
    ///     TypeError: as `solve`.
    #[pyo3(signature = (positions, num_threads=None, max_nodes=None, max_seconds=None))]
    fn solve_batch(
        &self,
        py: Python<'_>,
        positions: Positions,
        num_threads: Option<Threads>,
        max_nodes: Option<MaxNodes>,
        max_seconds: Option<MaxSeconds>,
    ) -> PyResult<Answers> {
        const LABELS: &str = "the margins of positions";
        let budget = SearchBudget::new(max_nodes, max_seconds);
        let num_threads = Threads::or_cores(num_threads);
        if !positions.is_empty() {
            self.check_variant(&*common_variant(&positions)?)?;
        }
        let cores = cores(&positions)?;
        let (count, width) = (cores.len(), num_actions(&self.variant));
        let mut margins = zeroed(LABELS, count)?;
        let mut of_actions = zeroed(LABELS, count.saturating_mul(width))?;
        let mut mask = zeroed(LABELS, count.saturating_mul(width))?;
        let rows = of_actions.chunks_exact_mut(width);
        let rows = margins
            .iter_mut()
            .zip(rows.zip(mask.chunks_exact_mut(width)));
        let put = |(own, (of_actions, mask)): Row<'_>, solution: Solution| {
            *own = solution.margin as i16;
            of_actions.fill(NO_MARGIN);
            for (mv, margin) in solution.moves {
                let action = action_of(&self.variant, mv);
                of_actions[action] = margin as i16;
                mask[action] = 1;
            }
        };
        let solved = run_interruptible(py, |stop| {
            let limits = budget.limits(stop);
            self.core.solve_each(&cores, rows, num_threads, limits, put)
        })?;
        solved.map_err(|(number, error)| unsolved(&format!("position {number}: "), &error))?;
        Ok((
            Array1::from_vec(py, margins),
            shaped(py, of_actions, (count, width)),
            shaped(py, mask, (count, width)),
        ))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Solver of {} cells, tables of {} MiB, {} positions in the book>",
            self.variant.board().num_cells(),
            self.core.table_bytes() >> 20,
            self.book_positions
        )
    }
}

impl PySolver {
    /// A solver without a book.
    pub(crate) fn of(core: Solver, variant: Arc<Variant>) -> Self {
        Self {
            core: Arc::new(core),
            variant,
            book_positions: 0,
        }
    }

    pub(crate) fn with_table(
        py: Python<'_>,
        variant: Arc<Variant>,
        table_bytes: usize,
        book: Option<Arc<Book>>,
    ) -> PyResult<Self> {
        Self::make(py, variant, table_bytes, book, Solver::with_table)
    }

    /// A solver that takes at most about this much memory between searches, besides the book.
    ///
    /// Where a table does not fit, each search makes its own, which takes longer.
    pub(crate) fn within(
        py: Python<'_>,
        variant: Arc<Variant>,
        bytes: usize,
        book: Option<Arc<Book>>,
    ) -> PyResult<Self> {
        Self::make(py, variant, bytes, book, Solver::within)
    }

    fn make(
        py: Python<'_>,
        variant: Arc<Variant>,
        bytes: usize,
        book: Option<Arc<Book>>,
        make: fn(&Variant, usize) -> Result<Solver, OutOfMemory>,
    ) -> PyResult<Self> {
        let book_positions = book.as_ref().map_or(0, |book| book.num_positions());
        let core = py.detach(|| {
            make(&variant, bytes).map(|solver| match book {
                Some(book) => solver.with_book(book),
                None => solver,
            })
        });
        let core = core.map_err(|error| no_table(&error, bytes))?;
        Ok(Self {
            core: Arc::new(core),
            variant,
            book_positions,
        })
    }

    fn check_variant(&self, variant: &Variant) -> PyResult<()> {
        if self.core.serves(variant) {
            return Ok(());
        }
        Err(PyValueError::new_err(
            "the position is of another board, number of copies or opening rule than the solver",
        ))
    }
}

/// The limits that a caller sets.
#[derive(Clone, Copy)]
struct SearchBudget {
    max_nodes: Option<u64>,
    deadline: Option<Instant>,
}

impl SearchBudget {
    fn new(max_nodes: Option<MaxNodes>, max_seconds: Option<MaxSeconds>) -> Self {
        // Infinity, and any time too far away for the clock, means no limit.
        let time =
            max_seconds.and_then(|MaxSeconds(seconds)| Duration::try_from_secs_f64(seconds).ok());
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Self {
            max_nodes: max_nodes.map(|MaxNodes(count)| count),
            deadline,
        }
    }

    fn limits(self, stop: &AtomicBool) -> Limits<'_> {
        Limits {
            max_nodes: self.max_nodes,
            deadline: self.deadline,
            ..Limits::stopped_by(stop)
        }
    }
}
