//! Lists of positions.

#![allow(
    clippy::mutable_key_type,
    reason = "variants are hashed and compared by what never changes"
)]

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use pyo3::Borrowed;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::canvas::{PyCanvas, layout_or_usual};
use super::position::{PyPosition, check_all_playable, not_a_position};
use super::rows::{rows, visit_each};
use super::variant::PyVariant;
use crate::encode::{Canvas, Layout, Numbering, num_actions, write_mask};
use crate::game::{Position, Variant};
use crate::memory::{OutOfMemory, with_room, zeroed};
use crate::python::convert::actions::copy_actions;
use crate::python::convert::arrays::{AnyArray, Array1, Array2, shaped};
use crate::python::convert::lists::Items;
use crate::python::convert::observations::{OBSERVATIONS, format_of, observation_array};
use crate::python::convert::shown::argument;
use crate::python::errors::does_not_fit;
use crate::search::CHECK_INTERVAL;
use crate::vector::ObservationRows;

/// Named in the error if memory does not suffice.
const LIST: &str = "a list of positions";
const MASKS: &str = "the masks";

/// A list of positions.
pub(crate) struct Positions(pub(crate) Vec<PyPosition>);

argument!(Positions: "Sequence[Position]" = |value: Borrowed<'_, '_, PyAny>| {
    let items = Items::of("positions", "Position", &value)?;
    let positions = items.list(|number, item| match item.cast::<PyPosition>() {
        Ok(position) => Ok(position.get().clone()),
        Err(_) => Err(not_a_position(&format!("position {number}"), item)),
    });
    positions.map(Self)
});

impl Deref for Positions {
    type Target = [PyPosition];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// The observations of several positions, ``(B, ...)``.
///
/// Layouts and dtypes are those of `Position.observation`; the default layout is ``"flat"``, and
/// ``"planes"`` with a canvas. Without a canvas all positions are of one variant. Runs without the
/// GIL.
///
/// Raises:
///     ValueError: no positions, positions of different variants without a canvas, an unknown
///         layout, or a canvas and another layout than planes.
///     TypeError: an item is not a `Position`, or another dtype.
///     VariantError: packed, but more than 16 cells or 3 copies, or a board does not fit the
///         canvas.
#[pyfunction]
#[pyo3(signature = (
    positions, layout: "Literal['planes', 'flat', 'packed'] | None" = None,
    dtype: "DTypeLike | None" = None, canvas=None
))]
pub(crate) fn observe_batch(
    py: Python<'_>,
    positions: Positions,
    layout: Option<Layout>,
    dtype: Option<&Bound<'_, PyAny>>,
    canvas: Option<PyCanvas>,
) -> PyResult<AnyArray> {
    let layout = layout_or_usual(layout, canvas);
    let numbering = common_numbering(&positions, canvas)?;
    let format = format_of(numbering, layout, dtype)?;
    let mut rows = ObservationRows::zeroed(OBSERVATIONS, numbering, format, positions.len())?;
    let mut memory = rows.memory();
    visit_each(py, &positions, |row, position| {
        let numbering = Numbering::new(&position.variant, numbering.canvas());
        memory.write(numbering, row, &position.core);
    })?;
    Ok(observation_array(py, numbering, &[positions.len()], rows))
}

/// The action masks of several positions, int8 ``(B, num_actions)``.
///
/// Without a canvas all positions are of one variant; with one, actions are those of the canvas.
/// Runs without the GIL.
///
/// Raises:
///     ValueError: no positions, or positions of different variants without a canvas.
///     TypeError: an item is not a `Position`.
///     VariantError: a board does not fit the canvas.
#[pyfunction]
#[pyo3(signature = (positions, canvas=None))]
pub(crate) fn mask_batch(
    py: Python<'_>,
    positions: Positions,
    canvas: Option<PyCanvas>,
) -> PyResult<Array2<i8>> {
    let numbering = common_numbering(&positions, canvas)?;
    let actions = numbering.num_actions();
    let masks = rows(py, MASKS, &positions, actions, |position, mask| {
        let numbering = Numbering::new(&position.variant, numbering.canvas());
        numbering.write_mask(&position.core, mask);
    })?;
    Ok(shaped(py, masks, (positions.len(), actions)))
}

/// The action masks of positions of any variants, int8 ``(B, most)``.
///
/// Each row has the actions of the position's own variant; zeros fill up the shorter ones.
///
/// Raises:
///     TypeError: an item is not a `Position`.
#[pyfunction]
pub(crate) fn own_masks(py: Python<'_>, positions: Positions) -> PyResult<Array2<i8>> {
    let lengths = positions.iter().map(|it| num_actions(&it.variant));
    let length = lengths.max().unwrap_or(1);
    let masks = rows(py, MASKS, &positions, length, |position, mask| {
        let own = &mut mask[..num_actions(&position.variant)];
        write_mask(&position.variant, &position.core, own);
    })?;
    Ok(shaped(py, masks, (positions.len(), length)))
}

/// The actions of positions of any variants that actions of a canvas stand for, int64 ``(B,)``.
///
/// Raises:
///     IndexError: the canvas has no such action, or the board no cell there.
///     ValueError: not one action for each position.
///     TypeError: the actions are not integers, or an item is not a `Position`.
///     VariantError: a board does not fit the canvas.
#[pyfunction]
#[pyo3(signature = (positions, actions: "ArrayLike", canvas))]
pub(crate) fn own_actions(
    py: Python<'_>,
    positions: Positions,
    actions: &Bound<'_, PyAny>,
    canvas: PyCanvas,
) -> PyResult<Array1<i64>> {
    let mut numbers = zeroed("the actions", positions.len())?;
    copy_actions(actions, &mut numbers)?;
    for (number, position) in numbers.iter_mut().zip(&*positions) {
        canvas.0.check(&position.variant)?;
        // No canvas has an action of the number that stands for a negative one.
        let action = usize::try_from(*number).unwrap_or(usize::MAX);
        *number = canvas.0.variant_action(&position.variant, action)? as i64;
    }
    Ok(Array1::from_vec(py, numbers))
}

/// Raise unless a policy can be asked about these positions.
///
/// No game may be over, and all positions are of one variant, or their boards fit the canvas.
/// Policies that cut a call into parts check all positions before the first part.
///
/// Raises:
///     GameOverError: a game is over; the message says which.
///     ValueError: there are no positions, or without a canvas positions of several variants.
///     TypeError: an item is not a `Position`.
///     VariantError: a board does not fit the canvas.
#[pyfunction(name = "check_playable")]
#[pyo3(signature = (positions, canvas=None))]
pub(crate) fn python_check_playable(
    positions: Positions,
    canvas: Option<PyCanvas>,
) -> PyResult<()> {
    common_numbering(&positions, canvas)?;
    check_all_playable(&positions, "position")
}

/// The numbers of the first position: the shapes of its observation and its mask are those of all.
///
/// # Errors
///
/// Without positions, for several variants without a canvas, and for a board that does not fit.
fn common_numbering(positions: &[PyPosition], canvas: Option<PyCanvas>) -> PyResult<Numbering<'_>> {
    let canvas = canvas.map(|PyCanvas(canvas)| canvas);
    match canvas {
        Some(canvas) => check_positions(canvas, positions)?,
        None => drop(common_variant(positions)?),
    }
    Ok(Numbering::new(&positions[0].variant, canvas))
}

fn first_of(positions: &[PyPosition]) -> PyResult<&PyPosition> {
    let none = || PyValueError::new_err("the list of positions is empty, give at least one");
    positions.first().ok_or_else(none)
}

/// Fails unless there are positions and all their boards fit the canvas.
pub(crate) fn check_positions(canvas: Canvas, positions: &[PyPosition]) -> PyResult<()> {
    first_of(positions)?;
    for (number, position) in positions.iter().enumerate() {
        let fits = canvas.check(&position.variant);
        fits.map_err(|error| does_not_fit(number, &error))?;
    }
    Ok(())
}

/// The variants of positions, each once in the order in which they appear first, and the index among
/// them of each position's variant.
///
/// # Errors
///
/// `MemoryError`; also on Ctrl-C.
pub(crate) fn by_variant(
    py: Python<'_>,
    positions: &[PyPosition],
) -> PyResult<(Vec<Arc<Variant>>, Vec<usize>)> {
    let mut variants = Vec::new();
    let mut indices = with_room(LIST, positions.len())?;
    let mut known: HashMap<&Arc<Variant>, usize> = HashMap::new();
    let mut last: Option<(&Arc<Variant>, usize)> = None;
    for (number, PyPosition { variant, .. }) in positions.iter().enumerate() {
        if number % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
            py.check_signals()?;
        }
        let index = match last {
            // Nearly always all are of one variant.
            Some((last, index)) if Arc::ptr_eq(last, variant) => index,
            _ => *known.entry(variant).or_insert_with(|| {
                variants.push(Arc::clone(variant));
                variants.len() - 1
            }),
        };
        last = Some((variant, index));
        indices.push(index);
    }
    Ok((variants, indices))
}

/// The positions without their variant.
pub(crate) fn cores(positions: &[PyPosition]) -> PyResult<Vec<Position>> {
    let mut cores = with_room(LIST, positions.len())?;
    cores.extend(positions.iter().map(|position| position.core));
    Ok(cores)
}

/// A Python list of positions of one variant.
pub(crate) fn position_list<'py>(
    py: Python<'py>,
    variant: &Arc<Variant>,
    positions: impl ExactSizeIterator<Item = Position>,
) -> PyResult<Bound<'py, PyList>> {
    mixed_list(py, positions.map(|position| (variant, position)))
}

/// A Python list of positions, each with its variant.
pub(crate) fn mixed_list<'py, 'v>(
    py: Python<'py>,
    positions: impl ExactSizeIterator<Item = (&'v Arc<Variant>, Position)>,
) -> PyResult<Bound<'py, PyList>> {
    let wanted = OutOfMemory::of::<PyPosition>(LIST, positions.len());
    let list = PyList::empty(py);
    for (number, (variant, core)) in positions.enumerate() {
        if number % CHECK_INTERVAL == CHECK_INTERVAL - 1 {
            py.check_signals()?;
            py.detach(|| ());
        }
        let variant = Arc::clone(variant);
        let made = Bound::new(py, PyPosition { variant, core });
        made.and_then(|position| list.append(position))
            .map_err(|error| {
                if error.is_instance_of::<PyMemoryError>(py) {
                    wanted.into()
                } else {
                    error
                }
            })?;
    }
    Ok(list)
}

/// The variant that all positions share.
pub(crate) fn common_variant(positions: &[PyPosition]) -> PyResult<Arc<Variant>> {
    let first = first_of(positions)?;
    for (i, position) in positions.iter().enumerate() {
        if position.variant != first.variant {
            let (found, expected) = (position.variant().__repr__(), first.variant().__repr__());
            let message = format!("position {i} is of {found}, the first one of {expected}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(first.variant.clone())
}

/// The variant that all positions share.
///
/// Raises:
///     ValueError: no positions, or positions of different variants.
///     TypeError: an item is not a `Position`.
#[pyfunction(name = "common_variant")]
pub(crate) fn python_common_variant(positions: Positions) -> PyResult<PyVariant> {
    common_variant(&positions).map(PyVariant)
}
