//! Trained networks as players, in two architectures.
//!
//! One is a residual MLP that respects the symmetries of the board, the other a convolution over its
//! cells; `python/mijnlieff/train/` has both. A file holds only the learned weights, see
//! [`Architecture`]; they are made ready to evaluate when it is loaded.

mod cells;
mod choice;
mod error;
mod features;
mod format;
mod inputs;
mod layer;
mod product;
mod symmetric;
mod weight_reader;
mod weights;
#[cfg(target_arch = "x86_64")]
mod wide;

use std::hash::{Hash, Hasher};

use ndarray::{Array2, ArrayRef2, ArrayView2, Axis};

pub use choice::Choice;
pub use error::{ChoiceError, NetworkError};
pub use weights::{Architecture, NUM_VALUES, NetworkWeights};

use cells::CellLayers;
use symmetric::SymmetricLayers;

use crate::encode::{Layout, num_actions};
use crate::game::Variant;
use crate::memory::zeroed_rows;
use crate::search::{Halt, Limits};
use crate::threads::map_in_order;

/// Positions that a thread evaluates at once: their hidden layers stay in the cache.
const CHUNK: usize = 32;

/// Named in the error if there is not enough memory.
const EVALUATIONS: &str = "the network's outputs";

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

/// A network, ready to evaluate. Two are equal when their files are.
pub struct Network {
    variant: Variant,
    architecture: Architecture,
    num_weights: usize,
    file: Box<[u8]>,
    layers: Layers,
}

/// The layers of a network, by its architecture.
enum Layers {
    Symmetric(SymmetricLayers),
    Cells(CellLayers),
}

/// The outputs of a network for positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// `(positions, num_actions)`; illegal actions are not ruled out.
    pub logits: Array2<f32>,
    /// `(positions, 2)`, for the side to move: expected outcome, -1 to 1, and expected final margin
    /// in units of [`Network::MARGIN_UNIT`] points.
    pub values: Array2<f32>,
}

impl Network {
    /// Points per unit of the expected margin.
    pub const MARGIN_UNIT: f32 = 4.0;

    /// Makes weights ready to evaluate.
    #[must_use]
    pub fn new(weights: &NetworkWeights) -> Self {
        Self::with_file(weights, format::write(weights))
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When the bytes are not exactly those of a network of this version.
    pub fn parse(file: &[u8]) -> Result<Self, NetworkError> {
        Ok(Self::with_file(&format::read(file)?, file.to_vec()))
    }

    fn with_file(weights: &NetworkWeights, file: Vec<u8>) -> Self {
        let variant = &weights.variant;
        let reader = weights.reader();
        let layers = match weights.architecture {
            Architecture::Symmetric { channels, blocks } => {
                Layers::Symmetric(SymmetricLayers::new(variant, channels, blocks, reader))
            }
            Architecture::Cells {
                units,
                blocks,
                heads,
            } => Layers::Cells(CellLayers::new(variant, units, blocks, heads, reader)),
        };
        Self {
            variant: variant.clone(),
            architecture: weights.architecture,
            num_weights: weights.numbers.len(),
            file: file.into(),
            layers,
        }
    }

    /// The variant that it was trained on.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
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
                channels * self.variant.board().symmetries().len()
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

    /// Whether it knows positions of this variant: the board and the copies are its own, the opening
    /// rule does not matter.
    #[must_use]
    pub fn serves(&self, variant: &Variant) -> bool {
        variant.board() == self.variant.board() && variant.copies() == self.variant.copies()
    }

    /// Evaluates positions, given as observations in [`Layout::Flat`], one in each row.
    ///
    /// What is found for a position depends neither on the others nor on `num_threads` nor on the
    /// processor. Entries of planes that are above 0 count as 1, and shares of hands are rounded to
    /// whole pieces.
    ///
    /// # Errors
    ///
    /// When the stop flag is set, which is looked at between every 32 positions, or there is no
    /// memory for the results.
    ///
    /// # Panics
    ///
    /// If a row is not as long as an observation of the network's variant, or `num_threads` is 0.
    pub fn evaluate(
        &self,
        observations: &ArrayRef2<f32>,
        precision: Precision,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt> {
        assert_eq!(observations.ncols(), Layout::Flat.len(&self.variant));
        assert!(num_threads > 0, "num_threads must be at least 1");
        let (count, actions) = (observations.nrows(), num_actions(&self.variant));
        let mut logits = zeroed_rows(EVALUATIONS, count, actions)?;
        let mut values = zeroed_rows(EVALUATIONS, count, NUM_VALUES)?;
        let inputs = observations.axis_chunks_iter(Axis(0), CHUNK);
        let outputs = logits
            .axis_chunks_iter_mut(Axis(0), CHUNK)
            .zip(values.axis_chunks_iter_mut(Axis(0), CHUNK));
        let evaluate = |(): &mut (), (observations, (logits, values)): (ArrayView2<'_, f32>, _)| {
            if limits.is_stopped() {
                return Err(Halt::Stopped);
            }
            match &self.layers {
                Layers::Symmetric(layers) => {
                    symmetric::forward(layers, precision, &observations, logits, values);
                }
                Layers::Cells(layers) => {
                    cells::forward(layers, precision, &observations, logits, values);
                }
            }
            Ok(())
        };
        map_in_order(inputs.zip(outputs), num_threads, || (), evaluate)?;
        values.column_mut(0).mapv_inplace(f32::tanh);
        Ok(Evaluations { logits, values })
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
