//! `mijnlieff.Network`.

use std::path::PathBuf;
use std::sync::Arc;

use ndarray::Array2;
use numpy::ndarray::Axis;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::encode::{Layout, num_actions};
use crate::memory::with_room;
use crate::network::{Architecture, Choice, NUM_VALUES, Network, NetworkWeights, Precision};
use crate::python::convert::arrays::{readable, shape_text, shaped};
use crate::python::convert::{integers, short_repr};
use crate::python::errors::classes;
use crate::python::files::{read_whole, write_whole};
use crate::python::interrupt::run_unless_quick;
use crate::python::rules::batch::{common_variant, cores, positions};
use crate::python::rules::canvas::PyCanvas;
use crate::python::rules::position::{PyPosition, check_playable};
use crate::python::rules::variant::PyVariant;
use crate::search::Limits;

/// Up to this many positions take less time than starting the thread that makes Ctrl-C work.
const QUICK_POSITIONS: usize = 16;

/// Positions that are copied and evaluated at a time: enough that the time to start threads does
/// not matter.
const PART: usize = 1 << 14;

/// Named in the error if memory does not suffice.
const OUTPUTS: &str = "the network's outputs";

/// Logits ``(B, num_actions)`` and values ``(B, 2)``.
type Outputs<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);

/// The legal actions of positions.
#[derive(FromPyObject)]
enum Masks<'py> {
    Int8(PyReadonlyArray2<'py, i8>),
    Bool(PyReadonlyArray2<'py, bool>),
}

impl Masks<'_> {
    /// Raise unless there is a mask for each of the logits.
    fn check(&self, shape: [usize; 2]) -> PyResult<()> {
        let found = match self {
            Self::Int8(masks) => masks.shape(),
            Self::Bool(masks) => masks.shape(),
        };
        if found == shape {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "the masks of these positions have the shape {}, not {}",
            shape_text(&shape),
            shape_text(found)
        )))
    }

    /// Give illegal actions the logit -inf; the logits are in C order.
    fn apply(&self, logits: &mut [f32]) -> PyResult<()> {
        fn rule_out(logits: &mut [f32], legal: impl Iterator<Item = bool>) {
            for (logit, _) in logits.iter_mut().zip(legal).filter(|(_, legal)| !legal) {
                *logit = f32::NEG_INFINITY;
            }
        }
        match self {
            Self::Int8(masks) => {
                rule_out(
                    logits,
                    readable(masks)?.as_array().iter().map(|&one| one != 0),
                );
            }
            Self::Bool(masks) => rule_out(logits, readable(masks)?.as_array().iter().copied()),
        }
        Ok(())
    }
}

/// A trained network, evaluated natively; immutable, equal when its file is.
///
/// It knows the positions of the board and the number of copies of a variant, whatever the opening
/// rule. It is a `mijnlieff.policies.Model`, so `NetworkPolicy` plays by it. `load` reads a file of
/// ``mijnlieff export``, which ``docs/champion.md`` describes byte by byte, and `from_torch` takes
/// the weights of a network in training.
///
/// Args:
///     file: the content of a file, as `to_bytes` gives it.
///
/// Raises:
///     CheckpointError: the bytes are not exactly those of a network of this version.
#[pyclass(name = "Network", module = "mijnlieff", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyNetwork(pub(crate) Arc<Network>);

#[pymethods]
impl PyNetwork {
    #[new]
    fn new(py: Python<'_>, file: &[u8]) -> PyResult<Self> {
        Self::build(py, || Network::parse(file))
    }

    /// Read a network from a file.
    ///
    /// Args:
    ///     path: a file written by `save` or ``mijnlieff export``.
    ///
    /// Raises:
    ///     CheckpointError: the file is missing, truncated, damaged, or from another program or
    ///         version; the message names the file and the reason.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = read_whole(py, "network file", &path)?;
        Self::build(py, || {
            Network::parse(&file).map_err(|error| {
                classes::CheckpointError::new_err(format!("{}: {error}", path.display()))
            })
        })
    }

    /// The native form of a network of `mijnlieff.train`, with its current weights.
    ///
    /// Args:
    ///     module: the PyTorch module, on any device; later training does not change the result.
    ///
    /// Raises:
    ///     CheckpointError: a weight is not finite.
    ///     TypeError: another module, or one for many boards, which only PyTorch evaluates.
    #[staticmethod]
    fn from_torch<'py>(module: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let Ok(to_native) = module.getattr("to_native") else {
            return Err(PyTypeError::new_err(format!(
                "module must be a network of mijnlieff.train for one board, not {}",
                short_repr(module)
            )));
        };
        Ok(to_native.call0()?.cast_into()?)
    }

    /// Write the network to a file, which is replaced whole or not at all.
    ///
    /// Args:
    ///     path: the file to create or replace.
    ///
    /// Raises:
    ///     OutputError: the file cannot be written; the message names it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        write_whole(py, &path, self.0.file())
    }

    /// The network of the form ``"symmetric"`` with these weights.
    ///
    /// Args:
    ///     variant: that it was trained on.
    ///     channels: of every hidden layer, each with a unit for every symmetry of the board.
    ///     blocks: residual blocks of two layers.
    ///     weights: float32 ``(num_weights,)``: weights and biases, layer by layer.
    ///
    /// Raises:
    ///     CheckpointError: 0 channels, not as many weights as the layers need, or one that is not
    ///         finite.
    #[staticmethod]
    fn symmetric(
        py: Python<'_>,
        variant: PyVariant,
        channels: usize,
        blocks: usize,
        weights: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let architecture = Architecture::Symmetric { channels, blocks };
        Self::of(py, &variant, architecture, &weights)
    }

    /// The network of the form ``"cells"`` with these weights.
    ///
    /// Args:
    ///     variant: that it was trained on.
    ///     units: numbers for each cell in every layer, a multiple of `heads`.
    ///     blocks: residual blocks of a convolution over the cells and two layers for each cell.
    ///     heads: kernels of each block; each serves an equal part of the units.
    ///     weights: float32 ``(num_weights,)``: weights and biases, layer by layer.
    ///
    /// Raises:
    ///     CheckpointError: 0 units or heads, heads that cannot share the units equally, not as
    ///         many weights as the layers need, or one that is not finite.
    #[staticmethod]
    fn of_cells(
        py: Python<'_>,
        variant: PyVariant,
        units: usize,
        blocks: usize,
        heads: usize,
        weights: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let architecture = Architecture::Cells {
            units,
            blocks,
            heads,
        };
        Self::of(py, &variant, architecture, &weights)
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

    /// The layout of its observations.
    #[getter]
    fn observation(&self) -> &'static str {
        "flat"
    }

    /// The dtype of its observations.
    #[getter]
    fn dtype(&self) -> &'static str {
        "float32"
    }

    /// The canvas of its observations: None, as it knows one board.
    #[getter]
    fn canvas(&self) -> Option<PyCanvas> {
        None
    }

    /// Layers that respect the symmetries of the board, or a token for each cell.
    #[getter]
    fn form(&self) -> &'static str {
        self.0.architecture().name()
    }

    /// Kernels of each block; None in the form ``"symmetric"``.
    #[getter]
    fn heads(&self) -> Option<usize> {
        match self.0.architecture() {
            Architecture::Symmetric { .. } => None,
            Architecture::Cells { heads, .. } => Some(heads),
        }
    }

    /// Units of every hidden layer; of a cell, in the form ``"cells"``.
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// Residual blocks.
    #[getter]
    fn blocks(&self) -> usize {
        self.0.num_blocks()
    }

    /// The number of learned parameters.
    #[getter]
    fn num_weights(&self) -> usize {
        self.0.num_weights()
    }

    /// Raise unless the network knows the board and the number of copies of a variant.
    ///
    /// Raises:
    ///     PolicyError: it was trained on another board or number of copies.
    pub(crate) fn check_variant(&self, variant: PyVariant) -> PyResult<()> {
        if self.0.serves(&variant.0) {
            return Ok(());
        }
        let (expected, found) = (self.variant().__repr__(), variant.__repr__());
        Err(classes::PolicyError::new_err(format!(
            "the network was trained on {expected} and cannot play {found}"
        )))
    }

    /// Evaluate positions, given as flat observations.
    ///
    /// The outputs for a position depend neither on the rest of the batch, nor on the threads, nor
    /// on the processor. Runs without the GIL and stops on Ctrl-C.
    ///
    /// Args:
    ///     observations: float32 ``(B, 3 * num_cells + 8)``. Entries for cells that are above 0
    ///         count as 1, and shares of hands are rounded to whole pieces.
    ///     masks: int8 or bool ``(B, num_actions)``, the legal actions. The others get the logit
    ///         -inf; None leaves all as they are.
    ///     precision: ``"int16"`` multiplies rounded weights and hidden units, which is faster;
    ///         outputs then differ from those of ``"float32"`` by about a thousandth of their size.
    ///     num_threads: None for one per core.
    ///
    /// Returns:
    ///     Logits float32 ``(B, num_actions)``, and values float32 ``(B, 2)`` for the side to move:
    ///     expected outcome (-1 to 1) and expected final margin in units of 4 points.
    ///
    /// Raises:
    ///     ValueError: the observations or masks have another shape, or `precision` is neither.
    #[pyo3(signature = (observations, masks = None, *, precision = "float32", num_threads = None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        observations: PyReadonlyArray2<'py, f32>,
        masks: Option<Masks<'py>>,
        precision: &str,
        #[pyo3(from_py_with = integers::num_threads)] num_threads: Option<usize>,
    ) -> PyResult<Outputs<'py>> {
        let precision = match precision {
            "float32" => Precision::Float32,
            "int16" => Precision::Int16,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "precision must be \"float32\" or \"int16\", not {precision:?}"
                )));
            }
        };
        let num_threads = integers::threads_or_cores(num_threads);
        let expected = Layout::Flat.len(self.0.variant());
        let observations = readable(&observations)?;
        let found = observations.shape();
        if found[1] != expected {
            return Err(PyValueError::new_err(format!(
                "flat observations of the network's board have the shape (B, {expected}), not \
                 ({}, {})",
                found[0], found[1]
            )));
        }
        let actions = num_actions(self.0.variant());
        masks
            .as_ref()
            .map_or(Ok(()), |masks| masks.check([found[0], actions]))?;
        let mut logits = with_room(OUTPUTS, found[0].saturating_mul(actions))?;
        let mut values = with_room(OUTPUTS, found[0].saturating_mul(NUM_VALUES))?;
        // Other threads may write to the array once the GIL is released, so each part is copied.
        for part in observations.as_array().axis_chunks_iter(Axis(0), PART) {
            let numbers: Array2<f32> = part.to_owned();
            let evaluated = run_unless_quick(py, part.nrows() <= QUICK_POSITIONS, |stop| {
                let limits = Limits::stopped_by(stop);
                self.0.evaluate(&numbers, precision, num_threads, limits)
            })??;
            logits.extend(evaluated.logits);
            values.extend(evaluated.values);
        }
        if let Some(masks) = masks {
            masks.apply(&mut logits)?;
        }
        Ok((
            shaped(py, logits, (found[0], actions)),
            shaped(py, values, (found[0], NUM_VALUES)),
        ))
    }

    /// An action for each position, int64 ``(B,)``.
    ///
    /// At temperature 0 the legal action with the largest logit, above 0 a draw from
    /// ``softmax(logits / temperature)``. Position ``i`` draws from stream ``first + i`` of the
    /// seed.
    ///
    /// Raises:
    ///     GameOverError: a game is over, the message says which.
    ///     PolicyError: another board or number of copies, or a logit that is not finite.
    ///     ValueError: no positions, or positions of several variants.
    fn choose<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = positions)] positions: Vec<PyPosition>,
        temperature: f64,
        seed: u64,
        first: u64,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let variant = common_variant(&positions)?;
        self.check_variant(PyVariant(Arc::clone(&variant)))?;
        for (i, position) in positions.iter().enumerate() {
            check_playable(position, &format!("position {i}: "))?;
        }
        let cores = cores(&positions)?;
        let choice = Choice {
            temperature,
            seed,
            first,
        };
        let num_threads = integers::threads_or_cores(None);
        let actions = run_unless_quick(py, cores.len() <= QUICK_POSITIONS, |stop| {
            let limits = Limits::stopped_by(stop);
            self.0.choose(&variant, &cores, choice, num_threads, limits)
        })??;
        let mut numbers = with_room("the actions", actions.len())?;
        numbers.extend(actions.into_iter().map(|action| action as i64));
        Ok(PyArray1::from_vec(py, numbers))
    }

    fn __repr__(&self) -> String {
        let (width, blocks) = (self.width(), self.blocks());
        let variant = self.variant().__repr__();
        match self.heads() {
            None => format!("<Network of width {width} and {blocks} blocks for {variant}>"),
            Some(heads) => {
                format!(
                    "<Network of width {width}, {blocks} blocks and {heads} heads for {variant}>"
                )
            }
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (slf.get_type(), (slf.get().to_bytes(slf.py()),))
    }
}

impl PyNetwork {
    fn of(
        py: Python<'_>,
        variant: &PyVariant,
        architecture: Architecture,
        weights: &PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let weights = readable(weights)?;
        let weights = weights.as_slice()?;
        let mut copied = with_room("the weights", weights.len())?;
        copied.extend_from_slice(weights);
        let variant = (*variant.0).clone();
        Self::build(py, || {
            NetworkWeights::new(variant, architecture, copied).map(|weights| Network::new(&weights))
        })
    }

    fn build<E: Into<PyErr> + Send>(
        py: Python<'_>,
        make: impl FnOnce() -> Result<Network, E> + Send,
    ) -> PyResult<Self> {
        let network = py.detach(make).map_err(Into::into)?;
        Ok(Self(Arc::new(network)))
    }
}
