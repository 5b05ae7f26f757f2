//! `mijnlieff.Position`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytemuck::Zeroable;
use ndarray::arr2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::drawing::draw;
use super::variant::PyVariant;
use crate::encode::{
    Feature, Layout, PackError, action_of, move_of, num_actions, observe, pack, write_mask,
};
use crate::game::{
    self, Move, PlayError, Player, Position, Variant, format_position, parse_move, parse_position,
};
use crate::memory::{OutOfMemory, with_room, zeroed};
use crate::python::convert::arrays::{Dtype, parse_layout, shaped};
use crate::python::convert::integers::index;
use crate::python::convert::lists::{ITEMS_BETWEEN_LOOKS, Items, Listed};
use crate::python::errors::{
    legal_actions, out_of_memory, pack_error, parse_error, play_error, position_error,
    record_error, unknown_action,
};
use crate::python::interrupt::run_unless_quick;

/// Up to this many positions are written in less time than a thread takes to start that watches for
/// Ctrl-C.
const QUICK_POSITIONS: usize = 4096;

/// What the memory is for, where there is none.
const OBSERVATIONS: &str = "the observations";

/// The state of a game; immutable, every method returns a new one.
#[pyclass(
    name = "Position",
    module = "mijnlieff",
    frozen,
    eq,
    hash,
    from_py_object
)]
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
    #[staticmethod]
    #[pyo3(signature = (actions, variant=None))]
    fn from_actions(actions: Items<'_>, variant: Option<PyVariant>) -> PyResult<Self> {
        let mut position = Self::new(variant);
        for (ply, action) in actions.0.enumerate() {
            let place = format!("move {}: ", ply + 1);
            position.core = parse_action(&position.variant, &position.core, &action?, &place)?.1;
        }
        Ok(position)
    }

    /// The position after a game record such as ``"1. a1+, a3><; 2. a2+, a4<>"``.
    #[staticmethod]
    #[pyo3(signature = (record, variant=None))]
    fn from_record(record: &str, variant: Option<PyVariant>) -> PyResult<Self> {
        let Self { variant, core } = Self::new(variant);
        let moves =
            game::parse_record(&variant, record).map_err(|error| record_error(&variant, &error))?;
        let core = moves
            .into_iter()
            .fold(core, |core, mv| core.play_unchecked(&variant, mv));
        Ok(Self { variant, core })
    }

    /// The position with this text, see `notation`.
    #[staticmethod]
    #[pyo3(signature = (text, variant=None))]
    fn from_notation(text: &str, variant: Option<PyVariant>) -> PyResult<Self> {
        let variant = PyVariant::or_default(variant).0;
        let core = parse_position(&variant, text).map_err(|error| position_error(&error))?;
        Ok(Self { variant, core })
    }

    /// The position as one line: board, last turn, number of turns so far.
    #[getter]
    fn notation(&self) -> String {
        format_position(&self.variant, &self.core)
    }

    /// The variant that is played.
    #[getter]
    fn variant(&self) -> PyVariant {
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

    /// 0 Light, 1 Dark; None for a draw and while the game goes on.
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
    fn hands<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i8>> {
        let counts = Player::ALL.map(|player| self.core.hand(player).counts());
        arr2(&counts).mapv(|count| count as i8).into_pyarray(py)
    }

    /// int8 ``(num_cells,)``: 0 empty, 1 Light, 2 Dark.
    #[getter]
    fn stones<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        self.by_cell(py, |stone| {
            stone.map_or(0, |(player, _)| player.index() as i8 + 1)
        })
    }

    /// int8 ``(num_cells,)``: the piece type of each stone, -1 where the cell is empty.
    #[getter]
    fn pieces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
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
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_vec(py, legal_actions(&self.variant, &self.core))
    }

    /// int8 ``(num_actions,)``: 1 = legal; all 0 when the game is over.
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let mut mask = vec![0; num_actions(&self.variant)];
        write_mask(&self.variant, &self.core, &mut mask);
        PyArray1::from_vec(py, mask)
    }

    /// The position after this action, an index or a text such as ``"a1+"``.
    fn play(&self, action: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (_, core) = parse_action(&self.variant, &self.core, action, "")?;
        Ok(Self {
            variant: self.variant.clone(),
            core,
        })
    }

    /// The full state as numbers, seen by the side to move.
    #[pyo3(signature = (layout="planes", dtype=None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        layout: &str,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let layout = parse_layout(layout)?;
        observations(
            py,
            &self.variant,
            &[self.core],
            layout,
            dtype,
            &layout.shape(&self.variant),
        )
    }

    fn __str__(&self) -> String {
        draw(&self.variant, &self.core)
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

    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("mijnlieff.render")?
            .call_method1("svg", (slf,))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, PyVariant))> {
        let arguments = (self.notation(), self.variant());
        Ok((crate::python::restorer(py, "_restore_position")?, arguments))
    }
}

impl PyPosition {
    fn by_cell<'py>(
        &self,
        py: Python<'py>,
        number: impl Fn(Option<(Player, game::Piece)>) -> i8,
    ) -> Bound<'py, PyArray1<i8>> {
        let cells = self.variant.board().all().into_iter();
        PyArray1::from_vec(
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
        return Err(play_error(
            variant,
            position,
            None,
            &PlayError::GameOver,
            place,
        ));
    }
    let mv = if let Ok(name) = action.cast::<PyString>() {
        parse_move(variant.board(), name.to_str()?).map_err(|error| parse_error(&error))?
    } else {
        let index = index(format_args!("{place}action"), action)?;
        let known = index.extract().ok();
        let known = known.and_then(|action| move_of(variant, action));
        known.ok_or_else(|| unknown_action(variant, position, index, place))?
    };
    let next = position.play(variant, mv).map_err(|error| {
        play_error(
            variant,
            position,
            Some(action_of(variant, mv) as i64),
            &error,
            place,
        )
    })?;
    Ok((mv, next))
}

/// The observations of several positions of one variant, ``(B, ...)``.
#[pyfunction]
#[pyo3(signature = (positions, layout="flat", dtype=None))]
pub(crate) fn observe_batch<'py>(
    py: Python<'py>,
    positions: Listed<PyPosition>,
    layout: &str,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let variant = common_variant(&positions.0)?;
    let layout = parse_layout(layout)?;
    let cores = cores(&positions.0)?;
    let mut shape = vec![cores.len()];
    shape.extend(layout.shape(&variant));
    observations(py, &variant, &cores, layout, dtype, &shape)
}

/// The action masks of several positions of one variant, int8 ``(B, num_actions)``.
#[pyfunction]
pub(crate) fn mask_batch(
    py: Python<'_>,
    positions: Listed<PyPosition>,
) -> PyResult<Bound<'_, PyArray2<i8>>> {
    let variant = common_variant(&positions.0)?;
    let cores = cores(&positions.0)?;
    let actions = num_actions(&variant);
    let masks = rows(py, "the masks", &cores, actions, |position, mask| {
        write_mask(&variant, position, mask);
    })?;
    Ok(shaped(py, masks, (cores.len(), actions)))
}

/// The positions without their variant.
pub(crate) fn cores(positions: &[PyPosition]) -> PyResult<Vec<Position>> {
    let mut cores = with_room("a list of positions", positions.len())?;
    cores.extend(positions.iter().map(|position| position.core));
    Ok(cores)
}

/// A Python list of positions of one variant.
pub(crate) fn position_list<'py>(
    py: Python<'py>,
    variant: &Arc<Variant>,
    positions: impl ExactSizeIterator<Item = Position>,
) -> PyResult<Bound<'py, PyList>> {
    let wanted = OutOfMemory::of::<PyPosition>("a list of positions", positions.len());
    let list = PyList::empty(py);
    for (number, core) in positions.enumerate() {
        if number % ITEMS_BETWEEN_LOOKS == ITEMS_BETWEEN_LOOKS - 1 {
            py.check_signals()?;
            py.detach(|| ());
        }
        let variant = Arc::clone(variant);
        let made = Bound::new(py, PyPosition { variant, core });
        made.and_then(|position| list.append(position))
            .map_err(|error| {
                if error.is_instance_of::<PyMemoryError>(py) {
                    out_of_memory(&wanted)
                } else {
                    error
                }
            })?;
    }
    Ok(list)
}

/// The variant that all positions share.
pub(crate) fn common_variant(positions: &[PyPosition]) -> PyResult<Arc<Variant>> {
    let Some(first) = positions.first() else {
        return Err(PyValueError::new_err(
            "the list of positions is empty, give at least one",
        ));
    };
    for (i, position) in positions.iter().enumerate() {
        if position.variant != first.variant {
            let (found, expected) = (position.variant().__repr__(), first.variant().__repr__());
            let message = format!("position {i} is of {found}, the first one of {expected}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(first.variant.clone())
}

fn observations<'py>(
    py: Python<'py>,
    variant: &Variant,
    positions: &[Position],
    layout: Layout,
    dtype: Option<&Bound<'py, PyAny>>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    if layout == Layout::Packed {
        PackError::check(variant).map_err(|error| pack_error(&error))?;
        let words = rows(py, OBSERVATIONS, positions, 1, |position, row| {
            row[0] = pack(variant, position);
        })?;
        return Ok(shaped(py, words, shape).into_any());
    }
    Ok(match dtype.map_or(Ok(Dtype::Float32), Dtype::parse)? {
        Dtype::Float32 => {
            shaped(py, features::<f32>(py, variant, positions, layout)?, shape).into_any()
        }
        Dtype::Uint8 => {
            shaped(py, features::<u8>(py, variant, positions, layout)?, shape).into_any()
        }
    })
}

fn features<T: Feature + Zeroable + Send>(
    py: Python<'_>,
    variant: &Variant,
    positions: &[Position],
    layout: Layout,
) -> PyResult<Vec<T>> {
    let length = layout.len(variant);
    rows(py, OBSERVATIONS, positions, length, |position, row| {
        observe(variant, position, layout, row);
    })
}

/// A row of numbers for each position, written without the GIL when there are many.
fn rows<T: Zeroable + Send>(
    py: Python<'_>,
    what: &'static str,
    positions: &[Position],
    length: usize,
    write: impl Fn(&Position, &mut [T]) + Sync,
) -> PyResult<Vec<T>> {
    let mut numbers = zeroed(what, positions.len().saturating_mul(length))?;
    run_unless_quick(py, positions.len() <= QUICK_POSITIONS, |stop| {
        for (position, row) in positions.iter().zip(numbers.chunks_exact_mut(length)) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            write(position, row);
        }
    })?;
    Ok(numbers)
}

/// Reads what [`PyPosition::__reduce__`] wrote.
#[pyfunction]
#[pyo3(name = "_restore_position")]
pub(crate) fn restore_position(text: &str, variant: PyVariant) -> PyResult<PyPosition> {
    PyPosition::from_notation(text, Some(variant))
}

/// Refuses finished games; the message starts with `place`.
pub(crate) fn check_playable(position: &PyPosition, place: &str) -> PyResult<()> {
    let PyPosition { variant, core } = position;
    let over = |core: &Position| play_error(variant, core, None, &PlayError::GameOver, place);
    if core.is_over(variant) {
        Err(over(core))
    } else {
        Ok(())
    }
}
