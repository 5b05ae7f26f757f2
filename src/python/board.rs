//! `mijnlieff.Board`.

use std::num::TryFromIntError;
use std::sync::Arc;

use numpy::PyArrayDyn;
use pyo3::prelude::*;

use super::arrays::shaped;
use super::errors::{board_error, classes};
use crate::game::{Board, Cell};

/// A set of 1 to 64 unit cells, numbered along the row from ``a1``, then up.
#[pyclass(name = "Board", module = "mijnlieff", frozen, eq, hash, from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyBoard(pub(crate) Arc<Board>);

#[pymethods]
impl PyBoard {
    /// The 4x4 board.
    #[staticmethod]
    fn standard() -> Self {
        Self(Arc::new(Board::default()))
    }

    /// A board of 2x2 blocks, given by the ``(x, y)`` of their lower left corners.
    #[staticmethod]
    fn from_blocks(blocks: Vec<(i64, i64)>) -> PyResult<Self> {
        let corner = |&(x, y): &(i64, i64)| Ok((i32::try_from(x)?, i32::try_from(y)?));
        let corners: Vec<(i32, i32)> = blocks
            .iter()
            .map(|block| {
                corner(block).map_err(|_: TryFromIntError| {
                    let (min, max) = (i32::MIN, i32::MAX);
                    classes::BoardError::new_err(format!(
                        "the block at {block:?} is too far out; coordinates are {min} to {max}"
                    ))
                })
            })
            .collect::<PyResult<_>>()?;
        Board::from_blocks(&corners)
            .map(Self::new)
            .map_err(|error| board_error(&error))
    }

    /// A board drawn as text, top row first, ``#`` a cell and ``.`` a gap.
    #[staticmethod]
    fn from_text(text: &str) -> PyResult<Self> {
        Board::from_text(text)
            .map(Self::new)
            .map_err(|error| board_error(&error))
    }

    /// How many cells exist, 1 to 64.
    #[getter]
    fn num_cells(&self) -> usize {
        self.0.num_cells()
    }

    /// Columns of the bounding box.
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// Rows of the bounding box.
    #[getter]
    fn height(&self) -> usize {
        self.0.height()
    }

    /// The ``(x, y)`` of every cell by cell number; ``(0, 0)`` is the lower left corner.
    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        // Plain integers: a list of Rust bytes would become Python `bytes`.
        let cells = self
            .0
            .cells()
            .iter()
            .map(|&(x, y)| (usize::from(x), usize::from(y)));
        pyo3::types::PyTuple::new(py, cells.collect::<Vec<_>>())
    }

    /// Where each cell goes under each symmetry, int64 ``(k, num_cells)``.
    #[getter]
    fn symmetries<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let symmetries = self.0.symmetries();
        let images = symmetries.iter().flat_map(|symmetry| {
            self.0
                .all()
                .into_iter()
                .map(|cell| symmetry.cell(cell).index() as i64)
        });
        shaped(
            py,
            images.collect(),
            &[symmetries.len(), self.0.num_cells()],
        )
    }

    /// The name of a cell, such as ``a1``.
    fn cell_name(&self, cell: usize) -> PyResult<String> {
        if cell >= self.0.num_cells() {
            let last = self.0.num_cells() - 1;
            let message = format!("cell {cell} does not exist, cells are 0 to {last}");
            return Err(pyo3::exceptions::PyIndexError::new_err(message));
        }
        Ok(self.0.cell_name(Cell::new(cell)))
    }

    fn __str__(&self) -> String {
        self.0.to_text()
    }

    pub(crate) fn __repr__(&self) -> String {
        if *self.0 == Board::default() {
            "Board.standard()".to_owned()
        } else {
            format!("Board.from_text({:?})", self.0.to_text())
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((super::restorer(py, "_restore_board")?, (self.0.to_text(),)))
    }
}

impl PyBoard {
    fn new(board: Board) -> Self {
        Self(Arc::new(board))
    }
}

/// Reads what [`PyBoard::__reduce__`] wrote.
#[pyfunction]
#[pyo3(name = "_restore_board")]
pub(crate) fn restore_board(text: &str) -> PyResult<PyBoard> {
    PyBoard::from_text(text)
}
