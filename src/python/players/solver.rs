//! `mijnlieff._mijnlieff.Solver`, on which `mijnlieff.solve` and `PerfectPolicy` stand.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::encode::{action_of, num_actions};
use crate::game::Variant;
use crate::memory::{OutOfMemory, zeroed};
use crate::python::convert::arrays::shaped;
use crate::python::convert::integers;
use crate::python::convert::lists::Listed;
use crate::python::errors::{classes, out_of_memory};
use crate::python::interrupt::run_interruptible;
use crate::python::rules::position::{PyPosition, common_variant, cores};
use crate::python::rules::variant::PyVariant;
use crate::search::solver::{self, Book, Solution, Solver, Unsolved};
use crate::search::{Halt, Limits};

/// How many positions, up to symmetry, a variant has after 0, 1, ... `plies` turns.
#[pyfunction]
pub(crate) fn canonical_counts(
    py: Python<'_>,
    variant: PyVariant,
    plies: &Bound<'_, PyAny>,
) -> PyResult<Vec<usize>> {
    let plies = integers::count("plies", plies)?;
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
        solver::canonical_counts(&variant, plies, Limits::stopped_by(stop))
    })?;
    counts.map_err(|halt| crate::python::errors::not_halted(&halt))
}

/// What an illegal action is given for a margin.
const ILLEGAL: i16 = i16::MIN;

/// Margin, actions, their margins, positions looked into.
type Answer = (i32, Vec<usize>, Vec<i32>, u64);
/// The row of a position in [`Answers`].
type Row<'a> = (&'a mut i16, (&'a mut [i16], &'a mut [i8]));
/// Margins ``(B,)``, margins of actions and mask ``(B, num_actions)``.
type Answers<'py> = (
    Bound<'py, PyArray1<i16>>,
    Bound<'py, PyArray2<i16>>,
    Bound<'py, PyArray2<i8>>,
);

/// Solves positions of one board and number of copies, whatever the opening rule.
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
        let variant = variant.0;
        let parsed = py.detach(|| book.map(Book::parse).transpose());
        let book = parsed.map_err(|error| classes::BookError::new_err(error.to_string()))?;
        let book_positions = book.as_ref().map_or(0, Book::len);
        let core = py.detach(|| {
            let solver = Solver::with_table(&variant, table_bytes)?;
            Ok(match book {
                Some(book) => solver.with_book(Arc::new(book)),
                None => solver,
            })
        });
        let core = core.map_err(|error: OutOfMemory| {
            PyMemoryError::new_err(format!(
                "{error}; {table_bytes} bytes are allowed, set_table_bytes allows fewer"
            ))
        })?;
        Ok(Self {
            core: Arc::new(core),
            variant,
            book_positions,
        })
    }

    /// The memory of the table, in bytes.
    #[getter]
    fn table_bytes(&self) -> usize {
        self.core.table_bytes()
    }

    /// How many positions the book holds.
    #[getter]
    fn book_positions(&self) -> usize {
        self.book_positions
    }

    /// The margin of a position, its legal actions, their margins, and the positions looked into.
    #[pyo3(signature = (position, max_nodes=None, max_seconds=None))]
    fn solve(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        max_nodes: Option<&Bound<'_, PyAny>>,
        max_seconds: Option<f64>,
    ) -> PyResult<Answer> {
        self.check_variant(&position.variant)?;
        let budget = SearchBudget::new(max_nodes, max_seconds)?;
        let solved = run_interruptible(py, |stop| {
            self.core.solve(&position.core, budget.limits(stop))
        })?;
        let Solution {
            margin,
            moves,
            nodes,
        } = solved.map_err(|unsolved| unsolved_error("", &unsolved))?;
        let variant = &position.variant;
        let actions = moves.iter().map(|&(mv, _)| action_of(variant, mv));
        let margins = moves.iter().map(|&(_, margin)| margin);
        Ok((margin, actions.collect(), margins.collect(), nodes))
    }

    /// Margins int16 ``(B,)``, margins of actions int16 and mask int8 ``(B, num_actions)``.
    #[pyo3(signature = (positions, num_threads=None, max_nodes=None, max_seconds=None))]
    fn solve_batch<'py>(
        &self,
        py: Python<'py>,
        positions: Listed<PyPosition>,
        num_threads: Option<&Bound<'py, PyAny>>,
        max_nodes: Option<&Bound<'_, PyAny>>,
        max_seconds: Option<f64>,
    ) -> PyResult<Answers<'py>> {
        const LABELS: &str = "the margins of positions";
        let budget = SearchBudget::new(max_nodes, max_seconds)?;
        let num_threads = integers::threads(num_threads)?;
        if !positions.0.is_empty() {
            self.check_variant(&*common_variant(&positions.0)?)?;
        }
        let cores = cores(&positions.0)?;
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
            of_actions.fill(ILLEGAL);
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
        solved.map_err(|(number, unsolved)| {
            unsolved_error(&format!("position {number}: "), &unsolved)
        })?;
        Ok((
            PyArray1::from_vec(py, margins),
            shaped(py, of_actions, (count, width)),
            shaped(py, mask, (count, width)),
        ))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Solver of {} cells, table of {} MiB, {} positions in the book>",
            self.variant.board().num_cells(),
            self.core.table_bytes() >> 20,
            self.book_positions
        )
    }
}

impl PySolver {
    fn check_variant(&self, variant: &Variant) -> PyResult<()> {
        if self.core.serves(variant) {
            return Ok(());
        }
        Err(PyValueError::new_err(
            "the position is of another board or number of copies than the solver",
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
    fn new(max_nodes: Option<&Bound<'_, PyAny>>, max_seconds: Option<f64>) -> PyResult<Self> {
        let max_nodes = max_nodes.map(|given| integers::seed("max_nodes", given));
        let deadline = max_seconds.map(|seconds| {
            let time = Duration::try_from_secs_f64(seconds).map_err(|_| {
                PyValueError::new_err(format!("max_seconds must be 0 or more, not {seconds}"))
            })?;
            // A time too far away to name is none.
            Ok::<_, PyErr>(Instant::now().checked_add(time))
        });
        Ok(Self {
            max_nodes: max_nodes.transpose()?,
            deadline: deadline.transpose()?.flatten(),
        })
    }

    fn limits(self, stop: &AtomicBool) -> Limits<'_> {
        Limits {
            max_nodes: self.max_nodes,
            deadline: self.deadline,
            ..Limits::stopped_by(stop)
        }
    }
}

/// The exception for a search that reached a limit; the message starts with `place`.
fn unsolved_error(place: &str, unsolved: &Unsolved) -> PyErr {
    let (lower, upper) = (unsolved.bounds.lower, unsolved.bounds.upper);
    let halt = unsolved.halt;
    if let Halt::OutOfMemory(error) = &halt {
        return out_of_memory(error);
    }
    let message = format!("{place}{halt}; the margin is proven to be {lower} to {upper}");
    classes::SearchLimitError::new_err((message, lower, upper))
}
