//! A trained network as a player: a residual MLP that respects the symmetries of the board.
//!
//! The network is that of `python/mijnlieff/train/network/`. Its file holds only the learnt
//! weights, see [`SharedWeights`]; they are put into blocks when it is loaded.

mod choice;
mod error;
mod features;
mod format;
mod forward;
mod group;
mod heads;
mod irreps;
mod layers;
mod product;
mod weights;

use std::hash::{Hash, Hasher};

use ndarray::{Array2, ArrayRef2, Axis};

pub use choice::Choice;
pub use error::{ChoiceError, NetworkError};
pub use forward::Precision;
pub use weights::{NUM_VALUES, SharedWeights};

use features::TacticalFeatures;
use forward::forward;
use group::SymmetryGroup;
use heads::Heads;
use irreps::Irreps;
use layers::{Layer, Shape};

use crate::encode::{Layout, num_actions};
use crate::game::Variant;
use crate::memory::zeroed_rows;
use crate::search::{Halt, Limits};

/// Positions evaluated at once: their hidden layers stay in the cache.
const CHUNK: usize = 32;

/// Named in the error if there is not enough memory.
const EVALUATIONS: &str = "the network's outputs";

/// A network, ready to evaluate. Two are equal when their files are.
pub struct Network {
    variant: Variant,
    file: Box<[u8]>,
    channels: usize,
    num_weights: usize,
    irreps: Irreps,
    features: TacticalFeatures,
    inputs: Layer,
    blocks: Vec<[Layer; 2]>,
    readout: Layer,
    heads: Heads,
    /// The largest integer in a hidden layer.
    levels: f32,
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

    /// Spreads out the weights.
    #[must_use]
    pub fn new(weights: &SharedWeights) -> Self {
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

    fn with_file(weights: &SharedWeights, file: Vec<u8>) -> Self {
        let variant = &weights.variant;
        let channels = weights.channels;
        let group = SymmetryGroup::of(variant.board());
        let irreps = Irreps::of(&group.elements());
        let shape = Shape {
            variant,
            group: &group,
            irreps: &irreps,
            channels,
        };
        let (features, order) = (TacticalFeatures::size(variant), group.order());
        let outputs = num_actions(variant) + NUM_VALUES;
        let mut numbers = weights.numbers();
        let inputs = shape.inputs(&numbers.next((channels, features)), &numbers.next(channels));
        let mut hidden = || {
            let weights = numbers.next((channels, channels, order));
            shape.hidden(&weights, &numbers.next(channels))
        };
        let blocks = (0..weights.blocks).map(|_| [hidden(), hidden()]).collect();
        let readout = shape.heads(&numbers.next((channels, outputs)));
        let heads = Heads::new(variant, &group, &irreps, &numbers.next(outputs));
        Self {
            variant: variant.clone(),
            file: file.into(),
            channels: channels * order,
            num_weights: weights.numbers.len(),
            features: TacticalFeatures::new(variant, &group, &irreps),
            inputs,
            blocks,
            readout,
            heads,
            levels: shape.levels(),
            irreps,
        }
    }

    /// The variant that it was trained on.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Units of every hidden layer.
    #[must_use]
    pub fn width(&self) -> usize {
        self.channels
    }

    /// Residual blocks of two layers.
    #[must_use]
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many numbers were learnt.
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
    /// What is found for a position depends neither on the others nor on the processor. Entries of
    /// planes that are above 0 count as 1, and shares of hands are rounded to whole pieces.
    ///
    /// # Errors
    ///
    /// When the stop flag is set, which is looked at between every 32 positions, or there is no
    /// memory for the results.
    ///
    /// # Panics
    ///
    /// If a row is not as long as an observation of the network's variant.
    pub fn evaluate(
        &self,
        observations: &ArrayRef2<f32>,
        precision: Precision,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt> {
        assert_eq!(observations.ncols(), Layout::Flat.len(&self.variant));
        let (count, actions) = (observations.nrows(), num_actions(&self.variant));
        let mut logits = zeroed_rows(EVALUATIONS, count, actions)?;
        let mut values = zeroed_rows(EVALUATIONS, count, NUM_VALUES)?;
        let inputs = observations.axis_chunks_iter(Axis(0), CHUNK);
        let outputs = logits
            .axis_chunks_iter_mut(Axis(0), CHUNK)
            .zip(values.axis_chunks_iter_mut(Axis(0), CHUNK));
        for (observations, (logits, values)) in inputs.zip(outputs) {
            if limits.is_stopped() {
                return Err(Halt::Stopped);
            }
            forward(self, precision, &observations, logits, values);
        }
        values.column_mut(0).mapv_inplace(f32::tanh);
        Ok(Evaluations { logits, values })
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (width, blocks) = (self.width(), self.num_blocks());
        write!(f, "Network(width {width}, {blocks} blocks)")
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
