//! The seeds of the trees of a search.

#![forbid(unsafe_code)]

use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::memory::with_room;
use crate::python::convert::arrays::{readable, shape_text};
use crate::python::convert::integers::Seed;
use crate::tree_search::{RootPosition, TreeConfig};

/// The argument `seed` of a search.
pub(crate) enum TreeSeeds<'py> {
    /// The seed of the first tree, from which the others count up.
    From(u64),
    /// An array with the seed of each.
    Each(Bound<'py, PyUntypedArray>),
}

impl<'py> TreeSeeds<'py> {
    /// The extractor (`from_py_with`) of the argument, which has a default.
    pub(crate) fn read(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = value.cast::<PyUntypedArray>().ok();
        // Without dimensions it is a number.
        match array.filter(|array| array.ndim() > 0) {
            Some(array) => Ok(Self::Each(array.clone())),
            None => Seed::number(value).map(Self::From),
        }
    }

    /// The seed that all count up from; 0 where each tree has its own.
    pub(crate) fn first(&self) -> u64 {
        match self {
            Self::From(seed) => *seed,
            Self::Each(_) => 0,
        }
    }

    /// Roots and the seeds of their trees, as [`TreeConfig::seeded`].
    ///
    /// # Errors
    ///
    /// `ValueError` for an array of another shape, and `TypeError` for one of another dtype.
    pub(crate) fn seeded(
        &self,
        config: &TreeConfig,
        roots: &[RootPosition],
    ) -> PyResult<Vec<(RootPosition, u64)>> {
        let Self::Each(seeds) = self else {
            return Ok(config.seeded(roots.iter().copied())?);
        };
        if seeds.shape() != [roots.len()] {
            let (found, needed) = (shape_text(seeds.shape()), shape_text(&[roots.len()]));
            let message = format!("seed has shape {found}, but the positions need {needed}");
            return Err(PyValueError::new_err(message));
        }
        let Ok(seeds) = seeds.cast::<PyArray1<u64>>() else {
            let message = format!("seed must be uint64, not {}", seeds.dtype());
            return Err(PyTypeError::new_err(message));
        };
        let seeds = readable(seeds)?;
        let mut seeded = with_room("the positions of a search", roots.len())?;
        seeded.extend(roots.iter().copied().zip(seeds.as_slice()?.iter().copied()));
        Ok(seeded)
    }
}
