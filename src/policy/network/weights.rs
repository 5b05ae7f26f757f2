//! The learnt numbers of a network.

use ndarray::{ArrayView, ArrayView1, Axis, Dimension, IntoDimension};

use super::NetworkError;
use super::features::TacticalFeatures;
use crate::encode::num_actions;
use crate::game::Variant;

/// How many values follow the logits: expected outcome and expected margin.
pub const NUM_VALUES: usize = 2;

/// The learnt numbers, one for all places that symmetries move onto each other.
///
/// With `C` channels, `G` symmetries of the board, `F` inputs and `A` actions they are, in this
/// order and each in C order:
///
/// ```text
/// input layer   weights (C, F)         bias (C)
/// each block    weights (C, C, G)      bias (C)
///               weights (C, C, G)      bias (C)
/// heads         weights (C, A + 2)     bias (A + 2)
/// ```
#[derive(Clone, Debug)]
pub struct SharedWeights {
    pub(super) variant: Variant,
    pub(super) channels: usize,
    pub(super) blocks: usize,
    pub(super) numbers: Vec<f32>,
}

impl SharedWeights {
    /// The weights of a network for this variant.
    ///
    /// # Errors
    ///
    /// When there are no channels, or not as many numbers as they and the blocks need, or when a
    /// number is infinite or NaN.
    pub fn new(
        variant: Variant,
        channels: usize,
        blocks: usize,
        numbers: Vec<f32>,
    ) -> Result<Self, NetworkError> {
        if channels == 0 {
            return Err(NetworkError::NoChannels);
        }
        let expected = count(&variant, channels, blocks);
        if expected != Some(numbers.len()) {
            return Err(NetworkError::Count {
                found: numbers.len(),
                expected,
            });
        }
        if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(NetworkError::NotFinite { index });
        }
        Ok(Self {
            variant,
            channels,
            blocks,
            numbers,
        })
    }

    /// The numbers, to be taken apart layer by layer.
    pub(super) fn numbers(&self) -> Numbers<'_> {
        Numbers {
            rest: ArrayView1::from(&self.numbers),
        }
    }
}

/// Weights that have not been taken yet.
pub(super) struct Numbers<'a> {
    rest: ArrayView1<'a, f32>,
}

impl<'a> Numbers<'a> {
    /// The next weights, in this shape.
    pub(super) fn next<D: Dimension>(
        &mut self,
        shape: impl IntoDimension<Dim = D>,
    ) -> ArrayView<'a, f32, D> {
        let shape = shape.into_dimension();
        let (next, rest) = self.rest.split_at(Axis(0), shape.size());
        self.rest = rest;
        next.into_shape_with_order(shape)
            .expect("as many numbers as the shape has")
    }
}

/// How many numbers there are; none when there are too many to count.
fn count(variant: &Variant, channels: usize, blocks: usize) -> Option<usize> {
    let order = variant.board().symmetries().len();
    let outputs = num_actions(variant) + NUM_VALUES;
    let inputs = channels.checked_mul(TacticalFeatures::size(variant) + 1)?;
    let square = channels.checked_mul(channels)?.checked_mul(order)?;
    let layers = blocks.checked_mul(2)?;
    let hidden = layers.checked_mul(square.checked_add(channels)?)?;
    let heads = channels.checked_add(1)?.checked_mul(outputs)?;
    inputs.checked_add(hidden)?.checked_add(heads)
}
