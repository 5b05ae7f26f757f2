//! Sets of moves in a few machine words.

use crate::game::{CellSet, Move, Piece, Position, Variant};

/// Moves of one position: cells by type of piece, or a pass alone when there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveSet([CellSet; 4]);

impl MoveSet {
    /// No placement, so the pass alone.
    pub const PASS: Self = Self([CellSet::EMPTY; 4]);

    /// The legal moves of a position that is not over.
    #[must_use]
    pub fn legal(variant: &Variant, position: &Position) -> Self {
        let mut moves = Self::PASS;
        for piece in position.placeable(variant) {
            moves.0[piece.index()] = position.allowed();
        }
        moves
    }

    /// How many moves there are, at least 1: without a placement there is the pass.
    #[must_use]
    pub fn count(&self) -> usize {
        self.placements().max(1)
    }

    /// Whether the move is in the set.
    #[must_use]
    pub fn contains(&self, mv: Move) -> bool {
        match mv {
            Move::Place { piece, cell } => self.0[piece.index()].contains(cell),
            Move::Pass => self.placements() == 0,
        }
    }

    /// The move with this number, `0..count`, by piece, then by cell.
    ///
    /// # Panics
    ///
    /// If there are not that many.
    #[must_use]
    pub fn nth(&self, number: usize) -> Move {
        let count = self.count();
        assert!(number < count, "no move {number} of {count}");
        let mut left = number;
        for piece in Piece::ALL {
            let cells = self.0[piece.index()];
            if let Some(cell) = cells.into_iter().nth(left) {
                return Move::Place { piece, cell };
            }
            left -= cells.len();
        }
        Move::Pass
    }

    /// The moves, in the order of [`MoveSet::nth`].
    pub fn iter(&self) -> impl Iterator<Item = Move> {
        (0..self.count()).map(|number| self.nth(number))
    }

    /// Adds a move; a pass is there already when nothing else is.
    pub(super) fn insert(&mut self, mv: Move) {
        if let Move::Place { piece, cell } = mv {
            let cells = &mut self.0[piece.index()];
            *cells = cells.with(cell);
        }
    }

    fn placements(&self) -> usize {
        self.0.iter().map(|cells| cells.len()).sum()
    }
}
