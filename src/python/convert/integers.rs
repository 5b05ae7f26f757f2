//! Converts integers from Python: anything with `__index__` except booleans.

#![allow(unsafe_code, reason = "PyO3 has no safe form of PyNumber_Index")]

use std::fmt::{self, Display};
use std::num::NonZero;
use std::ops::RangeInclusive;

use numpy::PyArrayDescrMethods;
use pyo3::Borrowed;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt};

use super::short_repr;
use super::shown::argument;
use crate::game::{Board, Player};
use crate::vector::MAX_ENVS;

/// The most threads that a call may ask for; a mistyped number would take all memory.
pub(crate) const MAX_THREADS: usize = 1024;

/// Defines the type of each integer argument, which knows name and range.
macro_rules! integers {
    ($($type:ident($name:literal): $number:ty = $range:expr;)*) => {$(
        #[allow(dead_code, reason = "some have a default wherever they are an argument")]
        pub(crate) struct $type(pub(crate) $number);

        impl $type {
            /// The extractor (`from_py_with`) of an argument with a default, which signatures show
            /// only for a plain number.
            pub(crate) fn number(value: &Bound<'_, PyAny>) -> PyResult<$number> {
                integer_in($name, value, $range)
            }
        }

        argument!($type: "SupportsIndex" = |value: Borrowed<'_, '_, _>| {
            Self::number(&value).map(Self)
        });
    )*};
}

integers! {
    Blocks("blocks"): usize = 1..=Board::MAX_ARRANGED_BLOCKS;
    Count("count"): usize = 0..=usize::MAX;
    Depth("depth"): u32 = 0..=u32::MAX;
    First("first"): u64 = 0..=u64::MAX;
    Games("games"): usize = 1..=usize::MAX;
    MaxConsidered("max_considered"): usize = 1..=1 << 10;
    MaxNodes("max_nodes"): u64 = 0..=u64::MAX;
    NetworkBlocks("blocks"): usize = 0..=usize::MAX;
    NetworkHeads("heads"): usize = 0..=usize::MAX;
    NetworkUnits("units"): usize = 0..=usize::MAX;
    NumEnvs("num_envs"): usize = 1..=MAX_ENVS;
    NumGames("num_games"): usize = 1..=MAX_ENVS;
    NumSimulations("num_simulations"): usize = 1..=1 << 24;
    Plies("plies"): usize = 0..=usize::MAX;
    RandomBlocks("blocks"): usize = 1..=Board::MAX_BLOCKS;
    RandomPlies("random_plies"): usize = 0..=1000;
    Repeats("repeats"): usize = 0..=usize::MAX;
    Samples("samples"): usize = 1..=usize::MAX;
    Seed("seed"): u64 = 0..=u64::MAX;
    SolveLeavesBelow("solve_leaves_below"): usize = 0..=usize::MAX;
    SolveRootsBelow("solve_roots_below"): usize = 0..=usize::MAX;
    Threads("num_threads"): usize = 1..=MAX_THREADS;
}

impl Threads {
    /// The number given, or as many as there are cores that this process may use.
    pub(crate) fn or_cores(given: Option<Self>) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
        given.map_or_else(cores, |Self(count)| count)
    }
}

argument!(Player: "SupportsIndex" = |value: Borrowed<'_, '_, _>| {
    integer_in("player", &value, 0..=1).map(|index: usize| Self::ALL[index])
});

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
    // NumPy's booleans are indices before NumPy 2.3.
    let numpy_bool = numpy::dtype::<bool>(py).typeobj();
    if value.is_instance_of::<PyBool>() || value.get_type().is(&numpy_bool) {
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

/// What an integer is the index of.
///
/// # Errors
///
/// `TypeError` as [`index`], and `IndexError` where `find` has nothing of this index; the message is
/// what `unknown` makes of the integer.
pub(crate) fn indexed<T>(
    name: &str,
    value: &Bound<'_, PyAny>,
    find: impl FnOnce(usize) -> Option<T>,
    unknown: impl FnOnce(String) -> String,
) -> PyResult<T> {
    let index = index(name, value)?;
    let found = index.extract().ok().and_then(find);
    found.ok_or_else(|| PyIndexError::new_err(unknown(short_repr(&index))))
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
pub(crate) fn seed_of(seed: Seed) -> u64 {
    seed.0
}

/// The cores that this process may use; ``num_threads=None`` means as many threads.
#[pyfunction]
pub(crate) fn num_cores() -> usize {
    Threads::or_cores(None)
}

/// A number of threads, 1 to 1024, or None where the caller gave none.
///
/// Raises:
///     TypeError: as `integer`.
///     ValueError: out of that range.
#[pyfunction]
#[pyo3(signature = (num_threads: "object"))]
pub(crate) fn threads_of(num_threads: Option<Threads>) -> Option<usize> {
    num_threads.map(|Threads(count)| count)
}
