//! The architecture that respects the symmetries of the board: a residual MLP.
//!
//! It is the network of `python/mijnlieff/train/network/network.py`. Only the learned weights are in
//! a file; they are put into blocks when it is loaded.

mod basis;
mod forward;
mod group;
mod heads;
mod irreps;
mod layers;

use basis::AdaptedFeatures;
pub(super) use forward::forward;
use group::SymmetryGroup;
use heads::Heads;
use irreps::Irreps;
use layers::Shape;

use crate::encode::num_actions;
use crate::game::Variant;
use crate::network::NUM_VALUES;
use crate::network::features::TacticalFeatures;
use crate::network::layer::Layer;
use crate::network::weight_reader::WeightReader;

/// The layers, ready to evaluate.
pub(super) struct SymmetricLayers {
    num_cells: usize,
    irreps: Irreps,
    features: AdaptedFeatures,
    inputs: Layer,
    blocks: Vec<[Layer; 2]>,
    readout: Layer,
    heads: Heads,
    /// The largest integer in a hidden layer.
    levels: f32,
}

impl SymmetricLayers {
    /// Spreads out the weights, of which there are as many as [`count`] says.
    pub(super) fn new(
        variant: &Variant,
        channels: usize,
        blocks: usize,
        mut reader: WeightReader<'_>,
    ) -> Self {
        let group = SymmetryGroup::of(variant.board());
        let irreps = Irreps::of(&group.elements());
        let shape = Shape {
            variant,
            group: &group,
            irreps: &irreps,
            channels,
        };
        let cells = variant.board().num_cells();
        let (features, order) = (TacticalFeatures::size(cells), group.order());
        let outputs = num_actions(variant) + NUM_VALUES;
        let inputs = shape.inputs(&reader.next((channels, features)), &reader.next(channels));
        let mut hidden = || {
            let weights = reader.next((channels, channels, order));
            shape.hidden(&weights, &reader.next(channels))
        };
        let blocks = (0..blocks).map(|_| [hidden(), hidden()]).collect();
        let readout = shape.heads(&reader.next((channels, outputs)));
        let heads = Heads::new(variant, &group, &irreps, &reader.next(outputs));
        Self {
            num_cells: cells,
            features: AdaptedFeatures::new(variant, &group, &irreps),
            inputs,
            blocks,
            readout,
            heads,
            levels: shape.levels(),
            irreps,
        }
    }
}

/// How many weights there are; none when there are too many to count.
pub(super) fn count(variant: &Variant, channels: usize, blocks: usize) -> Option<usize> {
    let order = variant.board().symmetries().len();
    let outputs = num_actions(variant) + NUM_VALUES;
    let features = TacticalFeatures::size(variant.board().num_cells());
    let inputs = channels.checked_mul(features + 1)?;
    let square = channels.checked_mul(channels)?.checked_mul(order)?;
    let layers = blocks.checked_mul(2)?;
    let hidden = layers.checked_mul(square.checked_add(channels)?)?;
    let heads = channels.checked_add(1)?.checked_mul(outputs)?;
    inputs.checked_add(hidden)?.checked_add(heads)
}
