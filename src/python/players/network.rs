//! `mijnlieff._mijnlieff.Network`, on which `mijnlieff.ExportedPolicy` stands.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ndarray::Array2;
use numpy::ndarray::Axis;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::encode::{Layout, num_actions};
use crate::memory::with_room;
use crate::policy::network::ChoiceError;
use crate::policy::network::{Choice, NUM_VALUES, Network, NetworkError, SharedWeights};
use crate::python::convert::arrays::shaped;
use crate::python::convert::lists::Listed;
use crate::python::errors::classes;
use crate::python::errors::not_halted;
use crate::python::interrupt::run_interruptible;
use crate::python::rules::position::{PyPosition, check_playable, common_variant, cores};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Up to this many positions are over before a thread to watch for Ctrl-C has paid.
const QUICK_POSITIONS: usize = 16;

/// Positions that are evaluated at a time: enough that starting a thread does not count.
const PART: usize = 1 << 14;

/// What the memory is for, where there is none.
const OUTPUTS: &str = "the network's outputs";

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
        let mut copied = with_room("the weights", numbers.len())?;
        copied.extend(numbers.as_array().iter());
        let variant = (*variant.0).clone();
        Self::build(py, || {
            SharedWeights::new(variant, channels, blocks, copied).map(|w| Network::new(&w))
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
        let actions = num_actions(self.0.variant());
        let mut logits = with_room(OUTPUTS, found[0].saturating_mul(actions))?;
        let mut values = with_room(OUTPUTS, found[0].saturating_mul(NUM_VALUES))?;
        // Other threads may write to the array while a part of it is evaluated, so that is copied.
        for part in observations.as_array().axis_chunks_iter(Axis(0), PART) {
            let numbers: Array2<f32> = part.to_owned();
            let evaluated = run(py, part.nrows(), |limits| self.0.evaluate(&numbers, limits))?;
            let evaluated = evaluated.map_err(|halt| not_halted(&halt))?;
            logits.extend(evaluated.logits);
            values.extend(evaluated.values);
        }
        Ok((
            shaped(py, logits, (found[0], actions)),
            shaped(py, values, (found[0], NUM_VALUES)),
        ))
    }

    /// An action for each position, int64 ``(B,)``.
    fn choose<'py>(
        &self,
        py: Python<'py>,
        positions: Listed<PyPosition>,
        temperature: f64,
        seed: u64,
        first: u64,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let variant = common_variant(&positions.0)?;
        if !self.0.serves(&variant) {
            let found = PyVariant(variant).__repr__();
            let expected = self.variant().__repr__();
            return Err(classes::PolicyError::new_err(format!(
                "the network was trained on {expected}, and knows no position of {found}"
            )));
        }
        for (i, position) in positions.0.iter().enumerate() {
            check_playable(position, &format!("position {i}: "))?;
        }
        let cores = cores(&positions.0)?;
        let choice = Choice {
            temperature,
            seed,
            first,
        };
        let chosen = run(py, cores.len(), |limits| {
            self.0.choose(&variant, &cores, choice, limits)
        })?;
        let actions = chosen.map_err(|error| choice_error(&error))?;
        let mut numbers = with_room("the actions", actions.len())?;
        numbers.extend(actions.into_iter().map(|action| action as i64));
        Ok(PyArray1::from_vec(py, numbers))
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
    fn build(
        py: Python<'_>,
        make: impl FnOnce() -> Result<Network, NetworkError> + Send,
    ) -> PyResult<Self> {
        match py.detach(make) {
            Ok(network) => Ok(Self(Arc::new(network))),
            Err(error) => Err(classes::CheckpointError::new_err(error.to_string())),
        }
    }
}

/// Runs `work` without the GIL; stopped by Ctrl-C when there are many positions.
fn run<T: Send>(
    py: Python<'_>,
    positions: usize,
    work: impl FnOnce(Limits<'_>) -> T + Send,
) -> PyResult<T> {
    if positions <= QUICK_POSITIONS {
        return Ok(py.detach(|| work(Limits::default())));
    }
    run_interruptible(py, |stop: &AtomicBool| work(Limits::stopped_by(stop)))
}

fn choice_error(error: &ChoiceError) -> PyErr {
    match error {
        ChoiceError::Halted(halt) => not_halted(halt),
        ChoiceError::Logit { .. } => classes::PolicyError::new_err(error.to_string()),
    }
}
