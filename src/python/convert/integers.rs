//! Converts integers from Python: anything with `__index__` except booleans.

#![allow(unsafe_code, reason = "PyO3 has no safe form of PyNumber_Index")]

use std::fmt::{self, Display};
use std::ops::RangeInclusive;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt};

use super::short_repr;
use crate::game::{Board, Player};
use crate::vector::MAX_ENVS;

/// The most threads that a call may ask for; a mistyped number would take all memory.
pub(crate) const MAX_THREADS: usize = 1024;

/// Defines the extractor (`from_py_with`) of each integer argument, which knows name and range.
macro_rules! arguments {
    ($($name:ident: $type:ty = $range:expr;)*) => {$(
        pub(crate) fn $name(value: &Bound<'_, PyAny>) -> PyResult<$type> {
            integer_in(stringify!($name), value, $range)
        }
    )*};
}

arguments! {
    blocks: usize = 1..=Board::MAX_ARRANGED_BLOCKS;
    count: usize = 0..=usize::MAX;
    depth: u32 = 0..=u32::MAX;
    first: u64 = 0..=u64::MAX;
    games: usize = 1..=usize::MAX;
    max_considered: usize = 1..=1 << 10;
    num_envs: usize = 1..=MAX_ENVS;
    num_games: usize = 1..=MAX_ENVS;
    num_simulations: usize = 1..=1 << 24;
    plies: usize = 0..=usize::MAX;
    random_plies: usize = 0..=1000;
    repeats: usize = 0..=usize::MAX;
    samples: usize = 1..=usize::MAX;
    seed: u64 = 0..=u64::MAX;
    solve_leaves_below: usize = 0..=usize::MAX;
    solve_roots_below: usize = 0..=usize::MAX;
    word: u64 = 0..=u64::MAX;
}

/// The extractor of the `blocks` of a random board.
pub(crate) fn random_blocks(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    integer_in("blocks", value, 1..=Board::MAX_BLOCKS)
}

/// The seed that `rng` stands for: itself, or one drawn from a `numpy.random.Generator`; None draws
/// from a new generator, which the system seeds.
pub(crate) fn rng_seed(py: Python<'_>, rng: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    let numpy = py.import(intern!(py, "numpy.random"))?;
    let fresh = numpy.getattr(intern!(py, "default_rng"))?;
    let generator = numpy.getattr(intern!(py, "Generator"))?;
    let drawn = |generator: &Bound<'_, PyAny>| {
        let options = PyDict::new(py);
        options.set_item("dtype", numpy::dtype::<u64>(py))?;
        options.set_item("endpoint", true)?;
        let drawn = generator.call_method("integers", (u64::MAX,), Some(&options))?;
        drawn.extract()
    };
    match rng {
        None => drawn(&fresh.call0()?),
        Some(given) if given.is_instance(&generator)? => drawn(given),
        Some(given) => integer_in("rng", given, 0..=u64::MAX).map_err(|error| {
            if error.is_instance_of::<PyTypeError>(py) {
                let given = short_repr(given);
                let message =
                    format!("rng must be a seed or a numpy.random.Generator, not {given}");
                PyTypeError::new_err(message)
            } else {
                error
            }
        }),
    }
}

/// The extractor of `max_nodes`; None means no limit.
pub(crate) fn max_nodes(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    unless_none(value, |given| integer_in("max_nodes", given, 0..=u64::MAX))
}

/// The extractor of `player`; None means the side to move.
pub(crate) fn player(value: &Bound<'_, PyAny>) -> PyResult<Option<Player>> {
    unless_none(value, |given| {
        integer_in("player", given, 0..=1).map(|index: usize| Player::ALL[index])
    })
}

/// The extractor of `num_threads`; None is as many as there are cores, see [`threads_or_cores`].
pub(crate) fn num_threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    unless_none(value, |given| {
        integer_in("num_threads", given, 1..=MAX_THREADS)
    })
}

/// The number of threads given, or as many as there are cores that this process may use.
pub(crate) fn threads_or_cores(num_threads: Option<usize>) -> usize {
    num_threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

fn unless_none<'py, T>(
    value: &Bound<'py, PyAny>,
    extract: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if value.is_none() {
        Ok(None)
    } else {
        extract(value).map(Some)
    }
}

/// Converts a value to a Python integer.
///
/// # Errors
///
/// `TypeError` for a boolean, which is nearly always a flag in the wrong place, and for anything
/// that is not an integer; the message starts with `name`.
pub(crate) fn index<'py>(
    name: impl Display,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if value.is_exact_instance_of::<PyInt>() {
        return Ok(value.clone());
    }
    let py = value.py();
    let refused = || {
        let shown = short_repr(value);
        PyTypeError::new_err(format!("{name} must be an integer, not {shown}"))
    };
    if value.is_instance_of::<PyBool>() {
        return Err(refused());
    }
    // SAFETY: the pointer is to a live object, and the result is a new reference or null with the
    // exception set.
    let index = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyNumber_Index(value.as_ptr())) };
    index.map_err(|error| {
        if error.is_instance_of::<PyTypeError>(py) {
            refused()
        } else {
            error
        }
    })
}

/// A number of the type wanted, or the result of `otherwise` for an integer that does not fit.
pub(crate) fn integer_or<'py, T: FromPyObjectOwned<'py>>(
    name: &str,
    value: &Bound<'py, PyAny>,
    otherwise: impl FnOnce(&Bound<'py, PyAny>) -> PyErr,
) -> PyResult<T> {
    let index = index(name, value)?;
    index.extract().map_err(|_| otherwise(&index))
}

/// A number in a range.
///
/// # Errors
///
/// `TypeError` as [`index`], and `ValueError` for an integer out of the range.
pub(crate) fn integer_in<'py, T>(
    name: &str,
    value: &Bound<'py, PyAny>,
    range: RangeInclusive<T>,
) -> PyResult<T>
where
    T: FromPyObjectOwned<'py> + PartialOrd + Display,
{
    let index = index(name, value)?;
    match index.extract() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = (range.start(), Most(range.end()));
            let message = format!(
                "{name} must be {least} to {most}, not {}",
                short_repr(&index)
            );
            Err(PyValueError::new_err(message))
        }
    }
}

/// The end of a range; the largest number of 64 bits is easier to read as a power.
struct Most<'a, T>(&'a T);

impl<T: Display> Display for Most<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.to_string();
        if shown == u64::MAX.to_string() {
            f.write_str("2**64 - 1")
        } else {
            f.write_str(&shown)
        }
    }
}

/// The integer that an argument stands for.
///
/// Args:
///     name: of the argument, for the message.
///     value: anything with ``__index__`` except booleans, which are nearly always a flag in the
///         wrong place.
///
/// Raises:
///     TypeError: the value is not an integer, or a boolean.
#[pyfunction(name = "integer")]
#[pyo3(signature = (name, value: "object") -> "int")]
pub(crate) fn python_integer<'py>(
    name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    index(name, value)
}

/// The integer that an argument stands for, if it is `least` to `most`.
///
/// Args:
///     name: of the argument, for the message.
///     value: as in `integer`.
///     least: from 0.
///     most: to 2**64 - 1.
///
/// Raises:
///     TypeError: as `integer`.
///     ValueError: out of that range.
#[pyfunction(name = "integer_in")]
#[pyo3(signature = (name, value: "object", least, most))]
pub(crate) fn python_integer_in(
    name: &str,
    value: &Bound<'_, PyAny>,
    least: u64,
    most: u64,
) -> PyResult<u64> {
    integer_in(name, value, least..=most)
}

/// A seed, 0 to 2**64 - 1.
///
/// Raises:
///     TypeError: as `integer`.
///     ValueError: out of that range.
#[pyfunction]
#[pyo3(signature = (seed: "object"))]
pub(crate) fn seed_of(#[pyo3(from_py_with = seed)] seed: u64) -> u64 {
    seed
}

/// A number of threads, 1 to 1024, or None where the caller gave none.
///
/// Raises:
///     TypeError: as `integer`.
///     ValueError: out of that range.
#[pyfunction]
#[pyo3(signature = (num_threads: "object"))]
pub(crate) fn threads_of(
    #[pyo3(from_py_with = num_threads)] num_threads: Option<usize>,
) -> Option<usize> {
    num_threads
}
