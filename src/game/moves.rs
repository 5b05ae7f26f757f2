//! Moves: placements and passes.

use super::{Cell, Piece};

/// A turn: a placement, or a pass when no placement is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Puts a piece of this type on this cell.
    Place {
        /// The type of the piece.
        piece: Piece,
        /// The empty cell it goes to.
        cell: Cell,
    },
    /// Does nothing; legal only when nothing else is.
    Pass,
}
