//! Observations in their own memory.

use super::buffers::Observations;
use crate::encode::{Layout, Numbering};
use crate::memory::{OutOfMemory, zeroed};

/// The number type of observations, unless they are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// With hands as shares of the pieces at the start.
    Float32,
    /// With hands as counts.
    Uint8,
}

/// How observations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The layout.
    pub layout: Layout,
    /// The number type, which [`Layout::Packed`] ignores.
    pub dtype: Dtype,
}

/// Observations, one after the other; [`Observations`] is such memory of a caller.
#[derive(Clone, Debug, PartialEq)]
pub enum ObservationRows {
    /// [`Layout::Planes`] or [`Layout::Flat`], with hands as shares.
    Float32(Layout, Vec<f32>),
    /// The same with hands as counts.
    Uint8(Layout, Vec<u8>),
    /// [`Layout::Packed`].
    Packed(Vec<u64>),
}

impl ObservationRows {
    /// Zeros for so many observations; `what` is named if memory does not suffice.
    pub(crate) fn zeroed(
        what: &'static str,
        numbering: Numbering<'_>,
        format: Format,
        rows: usize,
    ) -> Result<Self, OutOfMemory> {
        let Format { layout, dtype } = format;
        let numbers = rows.saturating_mul(numbering.observation_len(layout));
        Ok(match (layout, dtype) {
            (Layout::Packed, _) => Self::Packed(zeroed(what, numbers)?),
            (_, Dtype::Float32) => Self::Float32(layout, zeroed(what, numbers)?),
            (_, Dtype::Uint8) => Self::Uint8(layout, zeroed(what, numbers)?),
        })
    }

    /// The memory, to write to.
    pub fn memory(&mut self) -> Observations<'_> {
        match self {
            Self::Float32(layout, all) => Observations::Float32(*layout, all),
            Self::Uint8(layout, all) => Observations::Uint8(*layout, all),
            Self::Packed(all) => Observations::Packed(all),
        }
    }
}
