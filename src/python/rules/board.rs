//! `mijnlieff.Board`.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::encode::cell_symmetries;
use crate::game::{Board, Cell};
use crate::memory::check_room;
use crate::python::convert::arrays::Array2;
use crate::python::convert::integers::{Blocks, RandomBlocks, index, indexed, rng_seed};
use crate::python::convert::lists::Listed;
use crate::python::convert::short_repr;
use crate::python::convert::shown::{Shown, type_texts};
use crate::python::convert::text::Text;
use crate::python::exceptions;
use crate::python::interrupt::run_interruptible;
use crate::random::SplitMix64;

/// Memory that the boards of 0, 1, ... blocks take at most, with joints at corners, in bytes.
const ROOM_FOR_BOARDS: [u64; Board::MAX_ARRANGED_BLOCKS + 1] = {
    const MB: u64 = 1 << 20;
    [0, MB, MB, MB, 2 * MB, 16 * MB, 128 * MB]
};

type_texts! {
    Cells: "tuple[tuple[int, int], ...]";
}

/// A set of 1 to 64 unit cells, numbered along the row from ``a1``, then up.
///
/// Boards are immutable and equal when they have the same cells, wherever the grid starts. Make
/// one with `standard`, `from_blocks` or `from_text`.
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
    ///
    /// Raises:
    ///     BoardError: an empty list, blocks that overlap, more than 64 cells, or a side over 64.
    #[staticmethod]
    #[pyo3(signature = (blocks: "Sequence[Sequence[int]]"))]
    fn from_blocks(blocks: Listed<Listed<Bound<'_, PyAny>>>) -> PyResult<Self> {
        let corner = |(number, Listed(corner)): (usize, &Listed<Bound<'_, PyAny>>)| {
            let [x, y] = &corner[..] else {
                let count = corner.len();
                let message = format!("block {number} must be 2 numbers, (x, y), not {count}");
                return Err(PyValueError::new_err(message));
            };
            let x = index(format_args!("x of block {number}"), x)?;
            let y = index(format_args!("y of block {number}"), y)?;
            let near = x.extract().ok().zip(y.extract().ok());
            near.ok_or_else(|| {
                let (min, max) = (i32::MIN, i32::MAX);
                exceptions::BoardError::new_err(format!(
                    "the block at ({}, {}) is too far out; coordinates are {min} to {max}",
                    short_repr(&x),
                    short_repr(&y)
                ))
            })
        };
        let corners = blocks.0.iter().enumerate().map(corner);
        let corners: Vec<(i32, i32)> = corners.collect::<PyResult<_>>()?;
        Ok(Self::new(Board::from_blocks(&corners)?))
    }

    /// The board with this text.
    ///
    /// Args:
    ///     text: the rows from the top, ``#`` a cell and ``.`` a gap, separated by line breaks or
    ///         ``/``; or ``standard``; or ``blocks:0,0;2,2``, as for `from_blocks`.
    ///
    /// Raises:
    ///     BoardError: another character, rows of different lengths, no cell or more than 64, or as
    ///         for `from_blocks`.
    ///     ParseError: the text has a lone surrogate.
    #[staticmethod]
    fn from_text(text: Text<'_>) -> PyResult<Self> {
        Ok(Self::new(Board::from_text(text.0)?))
    }

    /// Return every board that can be laid out with a number of 2x2 blocks.
    ///
    /// Each board comes once up to rotation and reflection, in a fixed order: flat ones first, each
    /// lying on its longer side. Runs without the GIL and stops on Ctrl-C.
    ///
    /// Args:
    ///     blocks: number of blocks, 1 to 6. The four blocks of one box make 60 boards, five blocks
    ///         467 and six 4,226.
    ///     corners: False joins each block to the others along at least one edge of a cell; True
    ///         also allows joints at a corner (145 boards of four blocks).
    ///
    /// Raises:
    ///     ValueError: ``blocks`` is not 1 to 6.
    ///     TypeError: ``blocks`` is not an integer.
    #[staticmethod]
    #[pyo3(signature = (blocks: "SupportsIndex" = 4, corners = false))]
    fn arrangements(
        py: Python<'_>,
        #[pyo3(from_py_with = Blocks::number)] blocks: usize,
        corners: bool,
    ) -> PyResult<Vec<Self>> {
        // Boards lie in many small pieces of memory, so whether there is enough is asked beforehand.
        check_room("the boards", ROOM_FOR_BOARDS[blocks])?;
        let boards =
            run_interruptible(py, |stop| Board::arrangements_until(blocks, corners, stop))?;
        // Only Ctrl-C sets the flag, and it has returned above.
        let boards = boards.unwrap_or_default().into_iter();
        Ok(boards.map(Self::new).collect())
    }

    /// Return a random board of a number of 2x2 blocks.
    ///
    /// The blocks hang together. The board grows from one block. Each further block goes to one of
    /// the free places that are joined to a block already there, each place equally likely. So a
    /// board is as likely as its rotations and reflections, but boards that can grow in more ways
    /// are more likely than others. Choose from `arrangements` for boards that are all equally
    /// likely.
    ///
    /// Args:
    ///     blocks: number of blocks, 1 to 16.
    ///     rng: a seed, 0 to 2**64 - 1, which gives the same board on every machine; a generator,
    ///         from which one number is drawn; or None for a different board each time.
    ///     corners: False joins each block to another along at least one edge of a cell; True also
    ///         allows joints at a corner.
    ///
    /// Raises:
    ///     ValueError: ``blocks`` is not 1 to 16, or the seed is out of range.
    ///     TypeError: ``blocks`` is not an integer, or ``rng`` is none of these.
    #[staticmethod]
    #[pyo3(signature = (
        blocks: "SupportsIndex" = 4, rng: "SupportsIndex | np.random.Generator | None" = None,
        corners = false
    ))]
    fn random(
        py: Python<'_>,
        #[pyo3(from_py_with = RandomBlocks::number)] blocks: usize,
        rng: Option<&Bound<'_, PyAny>>,
        corners: bool,
    ) -> PyResult<Self> {
        let mut rng = SplitMix64::new(rng_seed(py, rng)?);
        Ok(Self::new(Board::random(blocks, corners, &mut rng)))
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
    fn cells(&self, py: Python<'_>) -> PyResult<Shown<Cells, PyTuple>> {
        // Plain integers: a list of Rust bytes would become Python `bytes`.
        let cells = self
            .0
            .cells()
            .iter()
            .map(|&(x, y)| (usize::from(x), usize::from(y)));
        Ok(PyTuple::new(py, cells.collect::<Vec<_>>())?.into())
    }

    /// Where each cell goes under each symmetry, int64 ``(k, num_cells)``.
    ///
    /// Row 0 is the identity; 1 <= k <= 8, and k = 8 on the standard board. An observation ``x``
    /// by cell turns into ``y`` with ``y[symmetries[k]] = x``.
    #[getter]
    fn symmetries(&self, py: Python<'_>) -> Array2<i64> {
        let images = cell_symmetries(&self.0).mapv(|cell| cell as i64);
        images.into_pyarray(py).into()
    }

    /// The name of a cell, such as ``a1``.
    ///
    /// Raises:
    ///     IndexError: the board has no such cell.
    #[pyo3(signature = (cell: "SupportsIndex"))]
    fn cell_name(&self, cell: &Bound<'_, PyAny>) -> PyResult<String> {
        let cells = self.0.num_cells();
        let known = |cell| (cell < cells).then(|| Cell::new(cell));
        let cell = indexed("cell", cell, known, |number| {
            let last = cells - 1;
            format!("cell {number} does not exist, cells are 0 to {last}")
        })?;
        Ok(self.0.cell_name(cell))
    }

    /// Return the rows for `from_text`, one on each line: ``#`` a cell, ``.`` a gap.
    fn to_text(&self) -> String {
        self.0.to_text()
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

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    // The object cannot change, so search trees of other libraries copy it for nothing.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let from_text = slf.get_type().getattr("from_text")?;
        Ok((from_text, (slf.get().to_text(),)))
    }
}

impl PyBoard {
    fn new(board: Board) -> Self {
        Self(Arc::new(board))
    }
}
