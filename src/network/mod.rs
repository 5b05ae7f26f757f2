//! Trained networks as players: a convolution over the cells of a board.
//!
//! It is the network of `python/mijnlieff/train/network/cells.py`. A file holds only the learned
//! weights, see [`Architecture`]; they are made ready to evaluate when it is loaded. Products are of
//! integers of 16 bits: weights are rounded, and what hidden layers read to fractions of the cell's
//! largest number.

mod board;
mod canvas_rows;
mod cells;
mod choice;
mod error;
mod features;
mod floats;
mod format;
mod half;
mod inputs;
mod integers;
mod layer;
mod scope;
mod size;
mod weight_reader;
mod weights;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub use board::{BoardNetwork, Evaluations};
pub use canvas_rows::CanvasRows;
pub use choice::Choice;
pub use error::{ChoiceError, NetworkError, NoBoardError};
pub use scope::Scope;
pub use size::MAX_NETWORK_BYTES;
pub use weights::{Architecture, NUM_VALUES, NetworkWeights};

use cells::CellLayers;
use size::board_bytes;

use crate::game::{Board, Variant};
use crate::memory::{OutOfMemory, check_room};

/// Named in the error if there is not enough memory.
const LAYERS: &str = "the network";

/// A network; [`Network::on`] makes it ready to evaluate the positions of a board. Two are equal when
/// their files are.
pub struct Network {
    scope: Scope,
    architecture: Architecture,
    num_weights: usize,
    file: Box<[u8]>,
    layers: Arc<CellLayers>,
}

impl Network {
    /// Points per unit of the expected margin.
    pub const MARGIN_UNIT: f32 = 4.0;

    /// Takes weights.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn new(weights: &NetworkWeights) -> Result<Self, NetworkError> {
        check_room(LAYERS, weights.size.layers())?;
        Ok(Self::with_file(weights, format::write(weights)))
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When the bytes are not exactly those of a network of this version, or there is not enough memory.
    pub fn parse(file: &[u8]) -> Result<Self, NetworkError> {
        let weights = format::read(file)?;
        check_room(LAYERS, weights.size.layers())?;
        Ok(Self::with_file(&weights, file.to_vec()))
    }

    fn with_file(weights: &NetworkWeights, file: Vec<u8>) -> Self {
        let (scope, architecture) = (weights.scope.clone(), weights.architecture);
        let layers = CellLayers::new(scope.canvas(), architecture, weights.reader());
        Self {
            scope,
            architecture,
            num_weights: weights.numbers.len(),
            file: file.into(),
            layers: Arc::new(layers),
        }
    }

    /// The network with weights rounded to 16 bits, whose file is half as large.
    ///
    /// # Errors
    ///
    /// When a weight is too large for 16 bits, or there is not enough memory.
    pub fn half(&self) -> Result<Self, NetworkError> {
        Self::new(&format::read(&self.file)?.half()?)
    }

    /// All weights and biases, layer by layer.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn weights(&self) -> Result<Vec<f32>, NetworkError> {
        Ok(format::read(&self.file)?.numbers)
    }

    /// The boards that it was trained on.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The network on one of its boards.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    ///
    /// # Panics
    ///
    /// If the variant is not in its [scope](Network::scope).
    pub fn on(&self, variant: &Variant) -> Result<BoardNetwork, OutOfMemory> {
        assert!(self.scope.contains(variant), "the network is for others");
        check_room(LAYERS, self.bytes_on(variant.board()))?;
        Ok(BoardNetwork::new(variant, Arc::clone(&self.layers)))
    }

    /// An upper bound for the bytes that the network on a board takes beside the network itself.
    #[must_use]
    pub fn bytes_on(&self, board: &Board) -> u64 {
        board_bytes(self.architecture, board.num_cells())
    }

    /// What it is built of.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// How many numbers were learned.
    #[must_use]
    pub fn num_weights(&self) -> usize {
        self.num_weights
    }

    /// The file, as [`Network::parse`] reads it.
    #[must_use]
    pub fn file(&self) -> &[u8] {
        &self.file
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Architecture { units, blocks, .. } = self.architecture;
        write!(f, "Network({units} units, {blocks} blocks)")
    }
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

impl Eq for Network {}

impl Hash for Network {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.file.hash(state);
    }
}
