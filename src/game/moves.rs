//! Moves: placements and passes.

use super::{Cell, CellSet, Piece};

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

impl Move {
    /// The placement of the stone on a cell, where `types` are the low and the high bit of every stone's
    /// type index.
    pub(crate) fn placed(types: [CellSet; 2], cell: Cell) -> Self {
        let piece = Piece::at(types, cell);
        Self::Place { piece, cell }
    }
}
