//! How far a depth-limited search looks.

use thiserror::Error;

/// A number of plies to look ahead, `1..=Depth::MAX`; a pass is a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Depth(u8);

impl Depth {
    /// The deepest search offered, which sees the end of every game on the standard board.
    pub const MAX: u8 = 64;

    /// One ply: the margin right after the move.
    pub const ONE: Self = Self(1);

    /// This many plies.
    ///
    /// # Errors
    ///
    /// When the number is out of range.
    pub fn new(plies: i64) -> Result<Self, DepthError> {
        match u8::try_from(plies) {
            Ok(plies @ 1..=Self::MAX) => Ok(Self(plies)),
            _ => Err(DepthError { found: plies }),
        }
    }

    /// The number of plies.
    #[must_use]
    pub const fn plies(self) -> u8 {
        self.0
    }
}

/// A depth that is not offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("depth must be 1 to {} plies, not {found}", Depth::MAX)]
pub struct DepthError {
    /// The number of plies asked for.
    pub found: i64,
}
