//! Trained networks as players, in two architectures.
//!
//! One is a residual MLP that respects the symmetries of the board, the other a convolution over its
//! cells; `python/mijnlieff/train/` has both. A file holds only the learned weights, see
//! [`Architecture`]; they are made ready to evaluate when it is loaded.

mod board;
mod canvas_rows;
mod cells;
mod choice;
mod error;
mod features;
mod format;
mod inputs;
mod integers;
mod layer;
mod product;
mod scope;
mod size;
mod symmetric;
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
use symmetric::SymmetricLayers;

use crate::game::Variant;
use crate::memory::{OutOfMemory, check_room};

/// Named in the error if there is not enough memory.
const LAYERS: &str = "the network";

/// The numbers that a network is evaluated with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Products of floats.
    #[default]
    Float32,
    /// Products of integers of 16 bits, which are faster. Weights are rounded when the network is
    /// made, and what hidden layers read to fractions of the position's or the cell's largest number.
    Int16,
}

/// A network; [`Network::on`] makes it ready to evaluate the positions of a board. Two are equal when
/// their files are.
pub struct Network {
    scope: Scope,
    architecture: Architecture,
    num_weights: usize,
    file: Box<[u8]>,
    layers: Layers,
}

/// The layers of a network, by its architecture.
enum Layers {
    Symmetric(Arc<SymmetricLayers>),
    Cells(Arc<CellLayers>),
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
        let scope = weights.scope.clone();
        let reader = weights.reader();
        let layers = match weights.architecture {
            Architecture::Symmetric { channels, blocks } => {
                let variant = scope.variant().expect("weights were checked");
                let layers = SymmetricLayers::new(variant, channels, blocks, reader);
                Layers::Symmetric(Arc::new(layers))
            }
            Architecture::Cells {
                units,
                blocks,
                heads,
            } => {
                let layers = CellLayers::new(scope.canvas(), units, blocks, heads, reader);
                Layers::Cells(Arc::new(layers))
            }
        };
        Self {
            scope,
            architecture: weights.architecture,
            num_weights: weights.numbers.len(),
            file: file.into(),
            layers,
        }
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
        let bytes = board_bytes(self.architecture, variant.board().num_cells());
        check_room(LAYERS, bytes)?;
        Ok(match &self.layers {
            Layers::Symmetric(layers) => BoardNetwork::symmetric(variant, layers),
            Layers::Cells(layers) => BoardNetwork::cells(variant, layers),
        })
    }

    /// What it is built of.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Units of every hidden layer; of a cell, if each has its own.
    #[must_use]
    pub fn width(&self) -> usize {
        match self.architecture {
            Architecture::Symmetric { channels, .. } => {
                let order = |variant: &Variant| variant.board().symmetries().len();
                channels * self.scope.variant().map_or(1, order)
            }
            Architecture::Cells { units, .. } => units,
        }
    }

    /// Residual blocks.
    #[must_use]
    pub fn num_blocks(&self) -> usize {
        let (Architecture::Symmetric { blocks, .. } | Architecture::Cells { blocks, .. }) =
            self.architecture;
        blocks
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
        let (name, width, blocks) = (self.architecture.name(), self.width(), self.num_blocks());
        write!(f, "Network({name}, width {width}, {blocks} blocks)")
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
