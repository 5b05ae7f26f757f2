//! The learned numbers of a network.

use super::half::{from_half, to_half};
use super::size::{MAX_NETWORK_BYTES, Size};
use super::weight_reader::WeightReader;
use super::{NetworkError, Scope, cells};

/// How many values follow the logits: expected outcome and expected margin.
pub const NUM_VALUES: usize = 2;

/// The sizes of a network: a convolution over the cells, with kernels as large as the board.
///
/// With `U` units, `B` blocks, `K` heads and a canvas (or the only board) of height `H` and width `W`
/// its weights are, in this order and each in C order:
///
/// ```text
/// input layer   weights (U, 15)        bias (U)
/// globals       weights (U, 10)
/// kernels       weights (2 * (2 * H - 1) * (2 * W - 1), B * K)
/// each block    norm (U)               bias (U)
///     message   weights (U, U)         bias (U)
///     gather    weights (U, U)         bias (U)
///               norm (U)               bias (U)
///     inner     weights (2 * U, U)     bias (2 * U)
///     outer     weights (U, 2 * U)     bias (U)
/// norm          weights (U)            bias (U)
/// placements    weights (4, U)         bias (4)
/// summary       weights (U, U)         bias (U)
/// outcome       weights (3, U)         bias (3)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// Units of each cell in every layer.
    pub units: usize,
    /// Blocks of a convolution and a layer for each cell.
    pub blocks: usize,
    /// Kernels of each block; each serves an equal part of the units.
    pub heads: usize,
}

impl Architecture {
    /// The name that files have.
    pub(super) const NAME: &str = "cells";

    /// Fails for sizes of which no network can be made.
    fn check(self) -> Result<(), NetworkError> {
        let nothing = |what| Err(NetworkError::Nothing { what });
        match self {
            Self { units: 0, .. } => nothing("units"),
            Self { heads: 0, .. } => nothing("heads"),
            Self { units, heads, .. } if !units.is_multiple_of(heads) => {
                Err(NetworkError::Heads { units, heads })
            }
            _ => Ok(()),
        }
    }
}

/// How exact the learned numbers are in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// 32 bits each.
    Single,
    /// 16 bits each.
    Half,
}

impl Precision {
    /// Of each number.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Half => 2,
        }
    }
}

/// The learned numbers, in the order of [`Architecture`].
#[derive(Clone, Debug)]
pub struct NetworkWeights {
    pub(super) scope: Scope,
    pub(super) architecture: Architecture,
    pub(super) size: Size,
    pub(super) numbers: Vec<f32>,
    pub(super) precision: Precision,
}

impl NetworkWeights {
    /// The weights of a network for one variant, or for a canvas.
    ///
    /// # Errors
    ///
    /// When there are no units or heads, the heads cannot share the units equally, there are not as many
    /// numbers as the architecture needs, a number is infinite or NaN, or the network would take more than
    /// [`MAX_NETWORK_BYTES`].
    pub fn new(
        scope: impl Into<Scope>,
        architecture: Architecture,
        numbers: Vec<f32>,
    ) -> Result<Self, NetworkError> {
        let scope = scope.into();
        architecture.check()?;
        let expected = cells::count(scope.canvas(), architecture);
        if expected != Some(numbers.len()) {
            return Err(NetworkError::Count {
                found: numbers.len(),
                expected,
            });
        }
        if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(NetworkError::NotFinite { index });
        }
        let size = Size::of(&scope, architecture, numbers.len());
        let bytes = size.total();
        if bytes > MAX_NETWORK_BYTES {
            return Err(NetworkError::TooLarge { bytes });
        }
        Ok(Self {
            scope,
            architecture,
            size,
            numbers,
            precision: Precision::Single,
        })
    }

    /// The weights rounded to 16 bits, with which the file is half as large.
    ///
    /// # Errors
    ///
    /// When a weight is too large for 16 bits.
    pub fn half(mut self) -> Result<Self, NetworkError> {
        for (index, weight) in self.numbers.iter_mut().enumerate() {
            let rounded = from_half(to_half(*weight));
            if rounded.abs() > NetworkError::MOST_IN_HALF {
                let weight = weight.to_string();
                return Err(NetworkError::TooLargeForHalf { index, weight });
            }
            *weight = rounded;
        }
        self.precision = Precision::Half;
        Ok(self)
    }

    /// The numbers, to be taken apart layer by layer.
    pub(super) fn reader(&self) -> WeightReader<'_> {
        WeightReader::of(&self.numbers)
    }
}
