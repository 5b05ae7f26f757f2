//! `mijnlieff._mijnlieff.Network`, on which `mijnlieff.ExportedPolicy` stands.

use std::sync::Arc;

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::encode::Layout;
use crate::game::Position;
use crate::policy::network::{Choice, Evaluations, Network, SharedWeights};
use crate::python::errors::classes;
use crate::python::interrupt::run;
use crate::python::rules::batch::{common_variant, positions};
use crate::python::rules::position::{PyPosition, check_playable};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Up to this many positions take less time than to start a thread that watches for Ctrl-C.
const QUICK_POSITIONS: usize = 16;

/// Logits ``(B, num_actions)`` and values ``(B, 2)``.
type Outputs<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);

/// A trained network, evaluated natively; immutable, equal when its file is.
#[pyclass(name = "Network", module = "mijnlieff._mijnlieff", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyNetwork(Arc<Network>);

#[pymethods]
impl PyNetwork {
    #[new]
    fn new(py: Python<'_>, file: &[u8]) -> PyResult<Self> {
        Self::build(py, || Network::parse(file))
    }

    /// The network with these weights.
    #[staticmethod]
    fn from_weights(
        py: Python<'_>,
        variant: PyVariant,
        channels: usize,
        blocks: usize,
        numbers: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let numbers = numbers.as_array().to_vec();
        let variant = (*variant.0).clone();
        Self::build(py, || {
            SharedWeights::new(variant, channels, blocks, numbers).map(|w| Network::new(&w))
        })
    }

    /// The file, as the constructor reads it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.file())
    }

    /// The variant that it was trained on.
    #[getter]
    fn variant(&self) -> PyVariant {
        PyVariant(Arc::new(self.0.variant().clone()))
    }

    /// Units of every hidden layer.
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// Residual blocks of two layers.
    #[getter]
    fn blocks(&self) -> usize {
        self.0.num_blocks()
    }

    /// How many numbers were learnt.
    #[getter]
    fn num_weights(&self) -> usize {
        self.0.num_weights()
    }

    /// Evaluate positions, given as flat observations.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        observations: PyReadonlyArray2<'py, f32>,
    ) -> PyResult<Outputs<'py>> {
        let expected = Layout::Flat.len(self.0.variant());
        let found = observations.shape();
        if found[1] != expected {
            return Err(PyValueError::new_err(format!(
                "flat observations of the network's board have the shape (B, {expected}), not \
                 ({}, {})",
                found[0], found[1]
            )));
        }
        // Other threads may write to the array once the GIL is released.
        let numbers = observations.as_array().to_owned();
        let Evaluations { logits, values } = run(py, found[0] <= QUICK_POSITIONS, |stop| {
            self.0.evaluate(&numbers, Limits::stopped_by(stop))
        })??;
        Ok((logits.into_pyarray(py), values.into_pyarray(py)))
    }

    /// An action for each position, int64 ``(B,)``.
    fn choose<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
        temperature: f64,
        seed: u64,
        first: u64,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let variant = common_variant(&positions)?;
        if !self.0.serves(&variant) {
            let found = PyVariant(variant).__repr__();
            let expected = self.variant().__repr__();
            return Err(classes::PolicyError::new_err(format!(
                "the network was trained on {expected} and cannot play {found}"
            )));
        }
        for (i, position) in positions.iter().enumerate() {
            check_playable(position, &format!("position {i}: "))?;
        }
        let cores: Vec<Position> = positions.iter().map(|position| position.core).collect();
        let choice = Choice {
            temperature,
            seed,
            first,
        };
        let actions = run(py, cores.len() <= QUICK_POSITIONS, |stop| {
            let limits = Limits::stopped_by(stop);
            self.0.choose(&variant, &cores, choice, limits)
        })??;
        let actions = actions.into_iter().map(|action| action as i64);
        Ok(PyArray1::from_iter(py, actions))
    }

    fn __repr__(&self) -> String {
        let (width, blocks) = (self.width(), self.blocks());
        let variant = self.variant().__repr__();
        format!("<Network of width {width} and {blocks} blocks for {variant}>")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (slf.get_type(), (slf.get().to_bytes(slf.py()),))
    }
}

impl PyNetwork {
    fn build<E: Into<PyErr> + Send>(
        py: Python<'_>,
        make: impl FnOnce() -> Result<Network, E> + Send,
    ) -> PyResult<Self> {
        let network = py.detach(make).map_err(Into::into)?;
        Ok(Self(Arc::new(network)))
    }
}
