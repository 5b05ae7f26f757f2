//! `mijnlieff.Position`.

use std::sync::Arc;

use ndarray::arr2;
use numpy::IntoPyArray;
use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::canvas::PyCanvas;
use super::variant::PyVariant;
use super::words::{packed, unpacked};
use crate::encode::{Numbering, action_of};
use crate::game::{
    self, Move, Player, Position, Variant, draw_position, format_position, parse_move,
    parse_position,
};
use crate::python::convert::actions::GameActions;
use crate::python::convert::arrays::{AnyArray, Array1, Array2};
use crate::python::convert::integers::index;
use crate::python::convert::observations::{OBSERVATIONS, format_of, observation_array};
use crate::python::convert::short_repr;
use crate::python::convert::shown::argument;
use crate::python::convert::text::Text;
use crate::python::errors::{game_over, not_an_action, play_error, record_error, unknown_action};
use crate::search::solver::Solver;
use crate::vector::ObservationRows;

/// The state of a game; immutable, every method returns a new one.
///
/// Positions are equal when they have the same future: same variant, stones by player, hands,
/// allowed cells and side to move. Which type lies where, the last action and the ply are not
/// compared.
///
/// Args:
///     variant: the standard game unless given.
#[pyclass(name = "Position", module = "mijnlieff", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyPosition {
    pub(crate) variant: Arc<Variant>,
    pub(crate) core: Position,
}

#[pymethods]
impl PyPosition {
    #[new]
    #[pyo3(signature = (variant=None))]
    fn new(variant: Option<PyVariant>) -> Self {
        let variant = PyVariant::or_default(variant).0;
        let core = Position::new(&variant);
        Self { variant, core }
    }

    /// The position after these actions, indices or texts, from the start.
    ///
    /// Raises:
    ///     IllegalMoveError: an action is illegal; the message says which.
    ///     GameOverError: the game is over before the last action.
    ///     ParseError: a text is not an action; the message says which.
    ///     TypeError: not a list of actions; `from_record` takes a text.
    #[staticmethod]
    #[pyo3(signature = (actions, variant=None))]
    fn from_actions(actions: GameActions<'_>, variant: Option<PyVariant>) -> PyResult<Self> {
        let Self { variant, core } = Self::new(variant);
        let (_, core) = parse_actions(&variant, core, actions)?;
        Ok(Self { variant, core })
    }

    /// The position after a game record such as ``"1. a1+, a3><; 2. a2+, a4<>"``.
    ///
    /// Raises:
    ///     ParseError: the text is not a record, or stops in the middle of a turn.
    ///     IllegalMoveError: a move is illegal; the message says which.
    #[staticmethod]
    #[pyo3(signature = (record: "str", variant=None))]
    fn from_record(record: Text<'_>, variant: Option<PyVariant>) -> PyResult<Self> {
        let Self { variant, core } = Self::new(variant);
        let moves = game::parse_record(&variant, record.0)
            .map_err(|error| record_error(&variant, error))?;
        let core = moves
            .into_iter()
            .fold(core, |core, mv| core.play_unchecked(&variant, mv));
        Ok(Self { variant, core })
    }

    /// The position with this text, see `notation`.
    ///
    /// Raises:
    ///     ParseError: the text does not fit the board.
    ///     PositionError: no game reaches the position; the message gives every reason found.
    #[staticmethod]
    #[pyo3(signature = (text, variant=None))]
    fn from_notation(text: Text<'_>, variant: Option<PyVariant>) -> PyResult<Self> {
        let variant = PyVariant::or_default(variant).0;
        let core = parse_position(&variant, text.0)?;
        Ok(Self { variant, core })
    }

    /// The position as one line: board, last action, number of plies so far.
    ///
    /// Rows from the top, separated by ``/``; ``.`` empty, ``_`` no cell; ``S`` Straight, ``D``
    /// Diagonal, ``P`` Pusher, ``L`` puLler, upper case for Light; then a cell, ``pass`` or ``-``;
    /// then the ply, which also says who moves next.
    #[getter]
    fn notation(&self) -> String {
        format_position(&self.variant, &self.core)
    }

    /// The position with these words, see `to_packed`.
    ///
    /// Args:
    ///     word: an integer of 64 bits; uint64 ``(5,)`` on boards of more than 16 cells.
    ///     variant: the standard game unless given.
    ///
    /// Raises:
    ///     PositionError: no position has these words; the message gives every reason found.
    ///     ValueError: the integer has more than 64 bits, or the array a wrong shape.
    ///     TypeError: not an integer, or not uint64.
    #[staticmethod]
    #[pyo3(signature = (word: "SupportsIndex | NDArray[np.uint64]", variant=None))]
    fn from_packed(word: &Bound<'_, PyAny>, variant: Option<PyVariant>) -> PyResult<Self> {
        let variant = PyVariant::or_default(variant).0;
        let core = unpacked(&variant, word)?;
        Ok(Self { variant, core })
    }

    /// The position as a state of `mijnlieff.functional`.
    ///
    /// An int on boards of up to 16 cells, else uint64 ``(5,)``. It holds all that `notation`
    /// holds, and `mijnlieff.functional` documents its format. It is not the packed observation,
    /// which lacks the seat.
    fn to_packed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        packed(py, &self.variant, self.core)
    }

    /// The variant that is played.
    #[getter]
    pub(crate) fn variant(&self) -> PyVariant {
        PyVariant(self.variant.clone())
    }

    /// Who acts next: 0 Light, 1 Dark.
    #[getter]
    fn to_play(&self) -> usize {
        self.core.side_to_move().index()
    }

    /// Actions so far, passes included.
    #[getter]
    fn ply(&self) -> usize {
        self.core.ply()
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.core.is_over(&self.variant)
    }

    /// Whether an exact answer about the position is within reach of `solve`.
    ///
    /// That is so on boards of up to 16 cells, and on larger ones for endings with at most 14 empty
    /// cells. `solve` tries all other positions too, but may take very long.
    #[getter]
    fn is_solvable(&self) -> bool {
        Solver::is_within_reach(&self.variant, &self.core)
    }

    /// The points of Light and of Dark so far.
    #[getter]
    fn score(&self) -> (u16, u16) {
        self.core.score(&self.variant).into()
    }

    /// The points of Light minus those of Dark.
    #[getter]
    fn margin(&self) -> i32 {
        self.core.margin(&self.variant)
    }

    /// 0 Light, 1 Dark; None for a draw and while the game is not over.
    #[getter]
    fn winner(&self) -> Option<usize> {
        if !self.is_over() {
            return None;
        }
        match self.margin() {
            0 => None,
            1.. => Some(Player::Light.index()),
            _ => Some(Player::Dark.index()),
        }
    }

    /// Pieces left, int8 ``(2, 4)``, by player and piece type.
    #[getter]
    fn hands(&self, py: Python<'_>) -> Array2<i8> {
        let counts = Player::ALL.map(|player| self.core.hand(player).counts());
        let counts = arr2(&counts).mapv(|count| count as i8);
        counts.into_pyarray(py).into()
    }

    /// int8 ``(num_cells,)``: 0 empty, 1 Light, 2 Dark.
    #[getter]
    fn stones(&self, py: Python<'_>) -> Array1<i8> {
        self.by_cell(py, |stone| {
            stone.map_or(0, |(player, _)| player.index() as i8 + 1)
        })
    }

    /// int8 ``(num_cells,)``: the piece type of each stone, -1 where the cell is empty.
    #[getter]
    fn pieces(&self, py: Python<'_>) -> Array1<i8> {
        self.by_cell(py, |stone| {
            stone.map_or(-1, |(_, piece)| piece.index() as i8)
        })
    }

    /// The action that led here; None at the start.
    #[getter]
    fn last_action(&self) -> Option<usize> {
        self.core.last_move().map(|mv| action_of(&self.variant, mv))
    }

    /// The legal action indices, int64, ascending; empty when the game is over.
    fn legal_actions(&self, py: Python<'_>) -> Array1<i64> {
        let moves = self.core.legal_moves(&self.variant).into_iter();
        let actions = moves.map(|mv| action_of(&self.variant, mv) as i64);
        Array1::from_vec(py, actions.collect())
    }

    /// int8 ``(num_actions,)``: 1 = legal; all 0 when the game is over.
    ///
    /// Args:
    ///     canvas: None for the actions of the variant, or a canvas for its actions.
    ///
    /// Raises:
    ///     VariantError: the board does not fit the canvas.
    #[pyo3(signature = (canvas=None))]
    fn action_mask(&self, py: Python<'_>, canvas: Option<PyCanvas>) -> PyResult<Array1<i8>> {
        let numbering = self.numbering(canvas)?;
        let mut mask = vec![0; numbering.num_actions()];
        numbering.write_mask(&self.core, &mut mask);
        Ok(Array1::from_vec(py, mask))
    }

    /// The position after this action, an index or a text such as ``"a1+"``.
    ///
    /// Raises:
    ///     IllegalMoveError: the action is illegal or does not exist.
    ///     GameOverError: the game is over.
    ///     ParseError: the text is not an action.
    #[pyo3(signature = (action: "SupportsIndex | str"))]
    fn play(&self, action: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (_, core) = parse_action(&self.variant, &self.core, action, "")?;
        Ok(Self {
            variant: self.variant.clone(),
            core,
        })
    }

    /// The full state as numbers, seen by the side to move or by one player.
    ///
    /// Args:
    ///     layout: ``"planes"`` ``(12, height, width)``, row 0 the lowest: own stones, opposing
    ///         stones, cells allowed now, cells that exist, and a constant plane for each piece
    ///         type in the own hand (4) and the opposing hand (4). ``"flat"``
    ///         ``(3 * num_cells + 8,)``: own, opposing, allowed, own hand, opposing hand.
    ///         ``"packed"`` ``()``: one uint64, see `mijnlieff.encoding.expand_packed`.
    ///     dtype: float32 (hands as shares of `Variant.copies`; the default) or uint8 (hands as
    ///         counts). A packed observation is always uint64.
    ///     player: None for the view of the side to move, 0 for Light's and 1 for Dark's. Off turn
    ///         no cell is allowed.
    ///     canvas: the planes of a canvas instead of those of the board.
    ///
    /// Raises:
    ///     ValueError: unknown layout or player, or a canvas and another layout than planes.
    ///     TypeError: another dtype.
    ///     VariantError: packed, but more than 16 cells or 3 copies, or the board does not fit the
    ///         canvas.
    #[pyo3(signature = (
        layout: "Literal['planes', 'flat', 'packed']" = "planes", dtype: "DTypeLike | None" = None,
        player=None, canvas=None
    ))]
    fn observation(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = Text::plain)] layout: &str,
        dtype: Option<&Bound<'_, PyAny>>,
        player: Option<Player>,
        canvas: Option<PyCanvas>,
    ) -> PyResult<AnyArray> {
        let layout = layout.parse()?;
        let numbering = self.numbering(canvas)?;
        let format = format_of(numbering, layout, dtype)?;
        let mut row = ObservationRows::zeroed(OBSERVATIONS, numbering, format, 1)?;
        let mut memory = row.memory();
        memory.write(numbering, 0, &self.core);
        if player.is_some_and(|player| player != self.core.side_to_move()) {
            memory.exchange_sides(numbering, 0);
        }
        Ok(observation_array(py, numbering, &[], row))
    }

    fn __str__(&self) -> String {
        draw_position(&self.variant, &self.core)
    }

    fn __repr__(&self) -> String {
        let notation = self.notation();
        if *self.variant == Variant::default() {
            format!("Position.from_notation('{notation}')")
        } else {
            let variant = self.variant().__repr__();
            format!("Position.from_notation('{notation}', {variant})")
        }
    }

    #[pyo3(signature = () -> "str")]
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("mijnlieff.render")?
            .call_method1("svg", (slf,))
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
    ) -> PyResult<(Bound<'py, PyAny>, (String, PyVariant))> {
        let from_notation = slf.get_type().getattr("from_notation")?;
        let position = slf.get();
        Ok((from_notation, (position.notation(), position.variant())))
    }
}

impl PyPosition {
    /// The numbers of its actions and observations over a canvas, or else over its own cells.
    ///
    /// # Errors
    ///
    /// `VariantError` if the board does not fit the canvas.
    fn numbering(&self, canvas: Option<PyCanvas>) -> PyResult<Numbering<'_>> {
        let canvas = canvas.map(|PyCanvas(canvas)| canvas);
        if let Some(canvas) = canvas {
            canvas.check(&self.variant)?;
        }
        Ok(Numbering::new(&self.variant, canvas))
    }

    fn by_cell(
        &self,
        py: Python<'_>,
        number: impl Fn(Option<(Player, game::Piece)>) -> i8,
    ) -> Array1<i8> {
        let cells = self.variant.board().all().into_iter();
        Array1::from_vec(
            py,
            cells.map(|cell| number(self.core.stone_at(cell))).collect(),
        )
    }
}

/// Reads an action, an index or a text, and plays it; error messages start with `place`.
pub(crate) fn parse_action(
    variant: &Variant,
    position: &Position,
    action: &Bound<'_, PyAny>,
    place: &str,
) -> PyResult<(Move, Position)> {
    if position.is_over(variant) {
        return Err(game_over(place));
    }
    let numbering = Numbering::own(variant);
    let mv = if action.is_instance_of::<PyString>() {
        parse_move(variant.board(), action.extract::<Text<'_>>()?.0)
            .map_err(|error| not_an_action(&error, place))?
    } else {
        let index = index(format_args!("{place}action"), action)?;
        let known = index.extract().ok();
        let known = known.and_then(|action| numbering.move_of(action));
        known.ok_or_else(|| unknown_action(numbering, position, index, place, None))?
    };
    let next = position.play(variant, mv).map_err(|error| {
        let action = Some(numbering.action_of(mv) as i64);
        play_error(numbering, position, action, &error, place, None)
    })?;
    Ok((mv, next))
}

/// Reads actions and plays them, one after another from `start`; returns the moves and the last
/// position. Error messages say which action it is.
pub(crate) fn parse_actions(
    variant: &Variant,
    start: Position,
    actions: GameActions<'_>,
) -> PyResult<(Vec<Move>, Position)> {
    let (mut moves, mut last) = (Vec::new(), start);
    for (ply, action) in actions.0.enumerate() {
        let place = format!("move {}: ", ply + 1);
        let (mv, next) = parse_action(variant, &last, &action?, &place)?;
        moves.push(mv);
        last = next;
    }
    Ok((moves, last))
}

argument!(PyPosition: "Position" = |value: Borrowed<'_, '_, PyAny>| {
    match value.cast::<Self>() {
        Ok(position) => Ok(position.get().clone()),
        Err(_) => Err(not_a_position("position", &value)),
    }
});

/// The exception for a value that is not a position; the message starts with `name`.
pub(super) fn not_a_position(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let value = short_repr(value);
    PyTypeError::new_err(format!("{name} must be a Position, not {value}"))
}

/// Refuses finished games; the message starts with `what` and the number of the first.
pub(crate) fn check_all_playable(positions: &[PyPosition], what: &str) -> PyResult<()> {
    let is_over = |position: &PyPosition| position.core.is_over(&position.variant);
    match positions.iter().position(is_over) {
        Some(number) => Err(game_over(&format!("{what} {number}: "))),
        None => Ok(()),
    }
}

/// Refuses finished games; the message starts with `place`.
pub(crate) fn check_playable(position: &PyPosition, place: &str) -> PyResult<()> {
    if position.core.is_over(&position.variant) {
        Err(game_over(place))
    } else {
        Ok(())
    }
}
