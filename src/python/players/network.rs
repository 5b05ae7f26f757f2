//! `mijnlieff.Network`.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::ndarray::Axis;
use numpy::{
    PyArrayDyn, PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use super::loaded::Loaded;
use super::masks::Masks;
use crate::encode::{Layout, num_actions};
use crate::game::{Board, Opening, Variant};
use crate::memory::{with_room, zeroed_rows};
use crate::network::{
    Architecture, Choice, MAX_NETWORK_BYTES, NUM_VALUES, Network, NetworkWeights, Scope,
};
use crate::python::convert::arrays::{Array1, Array2, readable, shape_text, shaped};
use crate::python::convert::floats::PlayTemperature;
use crate::python::convert::integers::{
    First, NetworkBlocks, NetworkHeads, NetworkUnits, Seed, Threads,
};
use crate::python::convert::short_repr;
use crate::python::convert::shown::{Word, type_texts};
use crate::python::errors::unreadable;
use crate::python::files::{read_whole, write_whole};
use crate::python::rules::batch::{Positions, common_variant};
use crate::python::rules::canvas::PyCanvas;
use crate::python::rules::variant::PyVariant;
use crate::python::rules::variant_parts::copies;

/// Positions that are copied and evaluated at a time: enough that the time to start threads does
/// not matter.
const PART: usize = 1 << 14;

/// Named in the error if memory does not suffice.
const OUTPUTS: &str = "the network's outputs";

/// Logits ``(B, num_actions)`` and values ``(B, 2)``.
type Outputs = (Array2<f32>, Array2<f32>);

type_texts! {
    LayoutName: "Literal['flat', 'planes']";
    Float32: "Literal['float32']";
}

/// A trained network, evaluated natively; immutable, equal when its file is.
///
/// It knows the positions of the board and the number of copies of a variant, whatever the opening
/// rule, or those of every board that fits a canvas. It is a `mijnlieff.policies.Model`, so
/// `NetworkPolicy` plays by it. `load` reads a file of ``mijnlieff export``, which
/// ``docs/champion.md`` describes byte by byte, and `from_torch` takes the weights of a network in
/// training.
///
/// Args:
///     file: the content of a file, as `to_bytes` gives it.
///
/// Raises:
///     CheckpointError: the bytes are not exactly those of a network of this version, or it would
///         take more than 2 GiB of memory when it is ready to evaluate.
///     MemoryError: memory does not suffice.
#[pyclass(name = "Network", module = "mijnlieff", frozen, eq, hash)]
#[derive(Clone)]
pub(crate) struct PyNetwork(pub(crate) Arc<Loaded>);

impl PartialEq for PyNetwork {
    fn eq(&self, other: &Self) -> bool {
        self.0.network == other.0.network
    }
}

impl Eq for PyNetwork {}

impl std::hash::Hash for PyNetwork {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.network.hash(state);
    }
}

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
    ///     CheckpointError: the file is missing, truncated, damaged, too large, or from another
    ///         program or version; the message names the file and the reason.
    ///     MemoryError: memory does not suffice.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = read_whole(py, "network file", &path, MAX_NETWORK_BYTES)?;
        Self::build(py, || {
            let place = format!("{}: ", path.display());
            Network::parse(&file).map_err(|error| unreadable(&place, &error))
        })
    }

    /// The native form of a network of `mijnlieff.train`, with its current weights.
    ///
    /// Args:
    ///     module: the PyTorch module, on any device; later training does not change the result.
    ///
    /// Raises:
    ///     CheckpointError: a weight is not finite.
    ///     TypeError: another module.
    #[staticmethod]
    fn from_torch<'py>(module: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let Ok(to_native) = module.getattr("to_native") else {
            return Err(PyTypeError::new_err(format!(
                "module must be a network of mijnlieff.train, not {}",
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
    ///     OSError: the file cannot be written; the message names it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        write_whole(py, &path, self.core().file())
    }

    /// The network with these weights.
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
    ///         many weights as the layers need, one that is not finite, or more than 2 GiB of
    ///         memory needed.
    ///     MemoryError: memory does not suffice.
    #[staticmethod]
    #[pyo3(signature = (variant, units, blocks, heads, weights: "NDArray[np.float32]"))]
    fn of_cells(
        py: Python<'_>,
        variant: PyVariant,
        units: NetworkUnits,
        blocks: NetworkBlocks,
        heads: NetworkHeads,
        weights: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let architecture = Architecture {
            units: units.0,
            blocks: blocks.0,
            heads: heads.0,
        };
        let variant = (*variant.0).clone();
        Self::of(py, variant.into(), architecture, &weights)
    }

    /// The network with these weights for all boards that fit a canvas.
    ///
    /// Args:
    ///     canvas: that it was trained on.
    ///     copies: pieces of each type that each player starts with, 1 to 127.
    ///     units: as in `of_cells`, and so are the others.
    ///     blocks: residual blocks.
    ///     heads: kernels of each block.
    ///     weights: float32 ``(num_weights,)``.
    ///
    /// Raises:
    ///     CheckpointError: as in `of_cells`, and so is MemoryError.
    ///     VariantError: an impossible number of copies.
    #[staticmethod]
    #[pyo3(signature = (
        canvas, copies: "SupportsIndex", units, blocks, heads, weights: "NDArray[np.float32]"
    ))]
    fn on_canvas(
        py: Python<'_>,
        canvas: PyCanvas,
        #[pyo3(from_py_with = copies)] copies: i64,
        units: NetworkUnits,
        blocks: NetworkBlocks,
        heads: NetworkHeads,
        weights: PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let architecture = Architecture {
            units: units.0,
            blocks: blocks.0,
            heads: heads.0,
        };
        let copies = Variant::new(Board::default(), Opening::default(), copies)?.copies();
        let canvas = canvas.0;
        Self::of(py, Scope::Canvas { canvas, copies }, architecture, &weights)
    }

    /// The file, as the constructor reads it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.core().file())
    }

    /// The network with weights rounded to 16 bits, whose file is half as large.
    ///
    /// Its outputs differ a little, since they are those of the rounded weights.
    ///
    /// Raises:
    ///     CheckpointError: a weight is too large for 16 bits; the message says which.
    ///     MemoryError: memory does not suffice.
    fn half(&self, py: Python<'_>) -> PyResult<Self> {
        Self::build(py, || self.core().half())
    }

    /// All weights and biases, layer by layer, as `of_cells` takes them; a copy.
    #[getter]
    fn weights(&self, py: Python<'_>) -> PyResult<Array1<f32>> {
        Ok(Array1::from_vec(py, self.core().weights()?))
    }

    /// The variant that it was trained on; None if it is for all boards that fit a canvas.
    #[getter]
    pub(crate) fn variant(&self) -> Option<PyVariant> {
        let variant = self.core().scope().variant()?;
        Some(PyVariant(Arc::new(variant.clone())))
    }

    /// The canvas of its observations, whose boards it plays; None if it is for one variant.
    #[getter]
    fn canvas(&self) -> Option<PyCanvas> {
        match self.core().scope() {
            Scope::Variant(_) => None,
            Scope::Canvas { canvas, .. } => Some(PyCanvas(*canvas)),
        }
    }

    /// Pieces of each type that each player starts with.
    #[getter]
    fn copies(&self) -> u8 {
        self.core().scope().copies()
    }

    /// The layout of its observations.
    #[getter]
    fn observation(&self) -> Word<LayoutName> {
        match self.core().scope() {
            Scope::Variant(_) => "flat".into(),
            Scope::Canvas { .. } => "planes".into(),
        }
    }

    /// The dtype of its observations.
    #[getter]
    #[allow(clippy::unused_self)] // Python asks an object
    fn dtype(&self) -> Word<Float32> {
        "float32".into()
    }

    /// Units of a cell in every layer.
    #[getter]
    fn width(&self) -> usize {
        self.core().architecture().units
    }

    /// Residual blocks.
    #[getter]
    fn blocks(&self) -> usize {
        self.core().architecture().blocks
    }

    /// Kernels of each block.
    #[getter]
    fn heads(&self) -> usize {
        self.core().architecture().heads
    }

    /// The number of learned parameters.
    #[getter]
    fn num_weights(&self) -> usize {
        self.core().num_weights()
    }

    /// Raise unless the network knows the board and the number of copies of a variant.
    ///
    /// Raises:
    ///     PolicyError: it was trained on other boards or another number of copies.
    pub(crate) fn check_variant(&self, variant: PyVariant) -> PyResult<()> {
        self.0.check_variant(&variant.0)
    }

    /// Evaluate positions, given as observations, by products of integers of 16 bits.
    ///
    /// The outputs for a position depend neither on the rest of the batch, nor on the threads, nor
    /// on the processor. Runs without the GIL and stops on Ctrl-C.
    ///
    /// Args:
    ///     observations: float32 ``(B, 3 * num_cells + 8)``, flat; on a canvas ``(B, 12, height,
    ///         width)``, planes. Entries for cells that are above 0 count as 1, and shares of
    ///         hands are rounded to whole pieces.
    ///     masks: int8 or bool ``(B, num_actions)``, the legal actions. The others get the logit
    ///         -inf; None leaves all as they are.
    ///     num_threads: None for one per core.
    ///
    /// Returns:
    ///     Logits float32 ``(B, num_actions)``, and values float32 ``(B, 2)`` for the side to move:
    ///     expected outcome (-1 to 1) and expected final margin in units of 4 points. Without
    ///     masks, logits of a canvas are 0 where the board has no cell.
    ///
    /// Raises:
    ///     ValueError: the observations or masks have another shape, or observations on a canvas
    ///         show no board.
    ///     TypeError: the observations are not a float32 array, or the masks no int8 or bool array.
    ///     MemoryError: memory does not suffice.
    #[pyo3(signature = (
        observations: "NDArray[np.float32]",
        masks: "NDArray[np.int8] | NDArray[np.bool_] | None" = None, *,
        num_threads=None
    ))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        observations: &Bound<'py, PyAny>,
        masks: Option<Masks<'py>>,
        num_threads: Option<Threads>,
    ) -> PyResult<Outputs> {
        let num_threads = Threads::or_cores(num_threads);
        let (what, shape, actions) = match self.core().scope() {
            Scope::Variant(variant) => (
                "flat observations of the network's board",
                Layout::Flat.shape(variant),
                num_actions(variant),
            ),
            Scope::Canvas { canvas, .. } => (
                "observations on the network's canvas",
                canvas.observation_shape().to_vec(),
                canvas.num_actions(),
            ),
        };
        let observations = read_observations(what, &shape, observations)?;
        let rows = (observations.shape()[0], shape.iter().product::<usize>());
        let rows = observations.as_array().into_shape_with_order(rows);
        let rows = rows.expect("C order");
        masks
            .as_ref()
            .map_or(Ok(()), |masks| masks.check([rows.nrows(), actions]))?;
        let mut logits = with_room(OUTPUTS, rows.nrows().saturating_mul(actions))?;
        let mut values = with_room(OUTPUTS, rows.nrows().saturating_mul(NUM_VALUES))?;
        // Other threads may write to the array once the GIL is released, so each part is copied.
        for part in rows.axis_chunks_iter(Axis(0), PART) {
            let mut copied = zeroed_rows("the observations", part.nrows(), part.ncols())?;
            copied.assign(&part);
            let evaluated = self.0.evaluate(py, &copied, num_threads)?;
            logits.extend(evaluated.logits);
            values.extend(evaluated.values);
        }
        if let Some(masks) = masks {
            masks.apply(&mut logits);
        }
        Ok((
            shaped(py, logits, (rows.nrows(), actions)),
            shaped(py, values, (rows.nrows(), NUM_VALUES)),
        ))
    }

    /// An action for each position, int64 ``(B,)``.
    ///
    /// At temperature 0 the legal action with the largest logit, above 0 a draw from
    /// ``softmax(logits / temperature)``. Position ``i`` draws from stream ``first + i`` of the
    /// seed. Positions may be of several variants if the network is for a canvas; actions are those
    /// of each position's own variant.
    ///
    /// Raises:
    ///     GameOverError: a game is over, the message says which.
    ///     PolicyError: another board or number of copies, or a logit that is not finite.
    ///     ValueError: no positions, positions of several variants if the network is for one, or a
    ///         number out of range.
    ///     TypeError: a number of another type.
    fn choose(
        &self,
        py: Python<'_>,
        positions: Positions,
        temperature: PlayTemperature,
        seed: Seed,
        first: First,
    ) -> PyResult<Array1<i64>> {
        let choice = Choice {
            temperature: temperature.0,
            seed: seed.0,
            first: first.0,
        };
        if self.canvas().is_none() {
            common_variant(&positions)?;
        }
        Ok(Array1::from_vec(py, self.0.choose(py, &positions, choice)?))
    }

    fn __repr__(&self) -> String {
        let Architecture {
            units,
            blocks,
            heads,
        } = self.core().architecture();
        let scope = self.0.scope_text();
        format!("<Network of width {units}, {blocks} blocks and {heads} heads for {scope}>")
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (slf.get_type(), (slf.get().to_bytes(slf.py()),))
    }
}

impl PyNetwork {
    fn of(
        py: Python<'_>,
        scope: Scope,
        architecture: Architecture,
        weights: &PyReadonlyArray1<'_, f32>,
    ) -> PyResult<Self> {
        let weights = readable(weights)?;
        let weights = weights.as_slice()?;
        let mut copied = with_room("the weights", weights.len())?;
        copied.extend_from_slice(weights);
        Self::build(py, || {
            let weights = NetworkWeights::new(scope, architecture, copied);
            weights.and_then(|weights| Network::new(&weights))
        })
    }

    fn build<E: Into<PyErr> + Send>(
        py: Python<'_>,
        make: impl FnOnce() -> Result<Network, E> + Send,
    ) -> PyResult<Self> {
        let network = py.detach(make).map_err(Into::into)?;
        Ok(Self(Arc::new(Loaded::new(network))))
    }

    fn core(&self) -> &Network {
        &self.0.network
    }
}

/// Observations of this shape each, called `what` where an array has another, in C order.
///
/// # Errors
///
/// `ValueError` for another shape, and `TypeError` for what is no float32 array.
fn read_observations<'py>(
    what: &str,
    shape: &[usize],
    given: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArrayDyn<'py, f32>> {
    let sides: Vec<_> = shape.iter().map(ToString::to_string).collect();
    let expected = format!("(B, {})", sides.join(", "));
    let Ok(array) = given.cast::<PyArrayDyn<f32>>() else {
        let found = match given.cast::<PyUntypedArray>() {
            Ok(array) => format!("an array of {}", array.dtype()),
            Err(_) => short_repr(given),
        };
        return Err(PyTypeError::new_err(format!(
            "observations must be a float32 array of shape {expected}, not {found}"
        )));
    };
    match array.shape() {
        [_, rest @ ..] if rest == shape => readable(array),
        found => Err(PyValueError::new_err(format!(
            "{what} have the shape {expected}, not {}",
            shape_text(found)
        ))),
    }
}
