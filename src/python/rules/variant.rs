//! `mijnlieff.Variant`.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple, PyType};

use super::board::PyBoard;
use super::variant_parts::{copies, from_parts, standard};
use crate::encode::{Layout, Numbering, action_of, action_symmetries, num_actions, pass_action};
use crate::game::{Opening, Variant, format_move, parse_move};
use crate::python::convert::arrays::Array2;
use crate::python::convert::integers::indexed;
use crate::python::convert::short_repr;
use crate::python::convert::shown::{Shown, type_texts};
use crate::python::convert::text::Text;

type_texts! {
    Parts: "dict[str, Any]";
}

/// The fixed parts of a game: board, opening rule, pieces of each type.
///
/// Wherever a variant is expected, its text (see `from_text`) or its dict (see `to_dict`) may be
/// given instead.
///
/// Args:
///     board: the standard 4x4 board unless given.
///     opening: where Light may open: ``"outside"`` any piece on a cell with an orthogonal
///         neighbor missing, ``"corner"`` any piece on a corner cell, ``"corner_straight"`` a
///         Straight on a corner cell, ``"anywhere"`` any piece anywhere.
///     copies: pieces of each of the four types that each player starts with, 1 to 127.
///
/// Raises:
///     VariantError: an unknown opening or an impossible number of copies.
///     ParseError: the opening has a lone surrogate.
#[pyclass(name = "Variant", module = "mijnlieff", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyVariant(pub(crate) Arc<Variant>);

#[pymethods]
impl PyVariant {
    #[new]
    #[pyo3(signature = (board=None, opening: "str" = "outside", copies: "SupportsIndex" = 2))]
    fn new(
        board: Option<PyBoard>,
        #[pyo3(from_py_with = Text::plain)] opening: &str,
        #[pyo3(from_py_with = copies)] copies: i64,
    ) -> PyResult<Self> {
        let board = board.map_or_else(|| standard().board().clone(), |board| board.0);
        Ok(Variant::new(board, Opening::from_name(opening)?, copies)?.into())
    }

    /// The variant with this text, such as ``standard corner 3``.
    ///
    /// Args:
    ///     text: a board as for `Board.from_text`, an opening and a number of copies, in this order
    ///         and separated by blanks. Each may be left out, but not all: the others are those of
    ///         the standard game.
    ///
    /// >>> from mijnlieff import Variant
    /// >>> Variant.from_text("corner") == Variant(opening="corner")
    /// True
    /// >>> str(Variant.from_text("blocks:0,0;2,1 3"))
    /// '..##/####/##.. 3'
    ///
    /// Raises:
    ///     VariantError: an unknown word or an impossible number of copies.
    ///     BoardError: what stands in the place of the board is not one.
    ///     ParseError: the text has a lone surrogate.
    #[staticmethod]
    pub(super) fn from_text(text: Text<'_>) -> PyResult<Self> {
        Ok(text.0.parse::<Variant>()?.into())
    }

    /// The variant with these parts, as `to_dict` returns them.
    ///
    /// Args:
    ///     parts: ``"board"``, a text as for `Board.from_text`, ``"opening"`` and ``"copies"``. A
    ///         missing one is that of the standard game.
    ///
    /// Raises:
    ///     VariantError: another part, an unknown opening or an impossible number of copies.
    ///     BoardError: the text is not a board.
    ///     TypeError: something else than a mapping, or a part of another type.
    #[staticmethod]
    #[pyo3(signature = (parts: "Mapping[str, Any]"))]
    fn from_dict(parts: &Bound<'_, PyAny>) -> PyResult<Self> {
        let parts = parts.cast::<PyMapping>().map_err(|_| {
            let parts = short_repr(parts);
            PyTypeError::new_err(format!("the parts of a variant are a dict, not {parts}"))
        });
        Ok(from_parts(parts?)?.into())
    }

    /// The board.
    #[getter]
    fn board(&self) -> PyBoard {
        PyBoard(self.0.board().clone())
    }

    /// The opening rule.
    #[getter]
    fn opening(&self) -> &'static str {
        self.0.opening().name()
    }

    /// Pieces of each type that each player starts with.
    #[getter]
    fn copies(&self) -> usize {
        usize::from(self.0.copies())
    }

    /// Number of action indices, ``4 * num_cells + 1``; 65 on the standard board.
    #[getter]
    fn num_actions(&self) -> usize {
        num_actions(&self.0)
    }

    /// The index of the pass, the last action.
    #[getter]
    fn pass_action(&self) -> usize {
        pass_action(&self.0)
    }

    /// The most actions, passes included, that a game can have.
    #[getter]
    fn max_game_length(&self) -> usize {
        self.0.max_game_length()
    }

    /// A bound for the margin of a game: it is between ``-max_margin`` and ``max_margin``.
    ///
    /// On boards of up to 16 cells it is the most points that all stones of a player can score
    /// wherever they lie, on larger ones the points of the whole board.
    #[getter]
    fn max_margin(&self) -> u16 {
        self.0.max_margin()
    }

    /// The shape of one observation in a layout, see `Position.observation`.
    ///
    /// Raises:
    ///     ValueError: unknown layout.
    ///     VariantError: packed, but more than 16 cells or 3 copies.
    #[pyo3(signature = (layout) -> "tuple[int, ...]")]
    fn observation_shape<'py>(
        &self,
        py: Python<'py>,
        layout: Layout,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let numbering = Numbering::own(&self.0);
        numbering.check(layout)?;
        PyTuple::new(py, numbering.observation_shape(layout))
    }

    /// The text of an action, such as ``a1+`` or ``pass``.
    ///
    /// Raises:
    ///     IndexError: there is no such action.
    #[pyo3(signature = (action: "SupportsIndex"))]
    fn action_name(&self, action: &Bound<'_, PyAny>) -> PyResult<String> {
        let numbering = Numbering::own(&self.0);
        let known = |action| numbering.move_of(action);
        let mv = indexed("action", action, known, |number| {
            numbering.no_action(number)
        })?;
        Ok(format_move(self.0.board(), mv))
    }

    /// The action with this text.
    ///
    /// Raises:
    ///     ParseError: the text is neither a cell of the board with a sign nor a pass.
    fn action_index(&self, name: Text<'_>) -> PyResult<usize> {
        Ok(action_of(&self.0, parse_move(self.0.board(), name.0)?))
    }

    /// Where each action goes under each symmetry of the board, int64 ``(k, num_actions)``.
    #[getter]
    fn action_symmetries(&self, py: Python<'_>) -> Array2<i64> {
        let images = action_symmetries(&self.0).mapv(|action| action as i64);
        images.into_pyarray(py).into()
    }

    /// Return ``board`` (the text of its rows), ``opening`` and ``copies``, for JSON.
    ///
    /// >>> from mijnlieff import Board, Variant
    /// >>> Variant(Board.from_text("###"), "corner", copies=1).to_dict()
    /// {'board': '###', 'opening': 'corner', 'copies': 1}
    fn to_dict(&self, py: Python<'_>) -> PyResult<Shown<Parts, PyDict>> {
        let parts = PyDict::new(py);
        parts.set_item(intern!(py, "board"), self.0.board().to_text())?;
        parts.set_item(intern!(py, "opening"), self.opening())?;
        parts.set_item(intern!(py, "copies"), self.copies())?;
        Ok(parts.into())
    }

    /// Return the text that `from_text` reads.
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    pub(crate) fn __repr__(&self) -> String {
        let board = PyBoard(self.0.board().clone()).__repr__();
        let (opening, copies) = (self.0.opening().name(), self.0.copies());
        format!("Variant({board}, opening='{opening}', copies={copies})")
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    // The object cannot change, so search trees of other libraries copy it for nothing.
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyType>, (PyBoard, &'static str, usize)) {
        let variant = slf.get();
        (
            slf.get_type(),
            (variant.board(), variant.opening(), variant.copies()),
        )
    }
}

impl From<Variant> for PyVariant {
    fn from(variant: Variant) -> Self {
        match standard() {
            same if **same == variant => Self(Arc::clone(same)),
            _ => Self(Arc::new(variant)),
        }
    }
}

impl PyVariant {
    /// The variant given, or the standard game.
    pub(crate) fn or_default(variant: Option<Self>) -> Self {
        variant.unwrap_or_else(|| Self(Arc::clone(standard())))
    }
}
