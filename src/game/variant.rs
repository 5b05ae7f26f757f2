//! The fixed parts of a game: the board, the opening rule, the pieces.

use std::sync::Arc;

use super::{Board, CellSet, Hand, Piece, Player, VariantError};
use crate::names::named;

named! {
    /// Where, and with what, Light may open. The published rules differ; sources in [`crate::game`].
    #[derive(Default, Hash)]
    Opening as "opening" {
        /// Any piece on an outside cell: one of its orthogonal neighbors is missing (EN). The default.
        #[default]
        Outside = "outside",
        /// Any piece on a corner cell: a horizontal and a vertical neighbor are missing (IT).
        Corner = "corner",
        /// A Straight on a corner cell (FR).
        CornerStraight = "corner_straight",
        /// Any piece anywhere (PG).
        Anywhere = "anywhere",
    }
}

impl Opening {
    /// The rule of this name.
    ///
    /// # Errors
    ///
    /// When there is none, as an error of variants.
    pub fn from_name(name: &str) -> Result<Self, VariantError> {
        Ok(name.parse()?)
    }

    /// Whether Light may open with a piece of this type.
    #[must_use]
    pub fn admits(self, piece: Piece) -> bool {
        self != Self::CornerStraight || piece == Piece::Straight
    }
}

/// A board, an opening rule and the number of pieces of each type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    board: Arc<Board>,
    opening: Opening,
    copies: u8,
}

impl Default for Variant {
    /// The standard game: 4x4 board, opening on an outside cell, 2 pieces of each type.
    fn default() -> Self {
        Self {
            board: Arc::new(Board::default()),
            opening: Opening::default(),
            copies: 2,
        }
    }
}

impl Variant {
    /// The most pieces of a type that a player can have; hands are written as signed bytes.
    pub const MAX_COPIES: u8 = 127;

    /// A variant with `copies` pieces of each type for each player, 1 to 127.
    ///
    /// # Errors
    ///
    /// When `copies` is out of range.
    pub fn new(
        board: impl Into<Arc<Board>>,
        opening: Opening,
        copies: i64,
    ) -> Result<Self, VariantError> {
        match u8::try_from(copies) {
            Ok(copies @ 1..=Self::MAX_COPIES) => Ok(Self {
                board: board.into(),
                opening,
                copies,
            }),
            _ => Err(VariantError::Copies { found: copies }),
        }
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// The opening rule.
    #[must_use]
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// Pieces of each type that each player starts with.
    #[must_use]
    pub fn copies(&self) -> u8 {
        self.copies
    }

    /// Whether another variant has the same board and as many copies.
    #[must_use]
    pub fn equals_but_for_opening(&self, other: &Self) -> bool {
        (&self.board, self.copies) == (&other.board, other.copies)
    }

    /// The hand that a player starts with.
    #[must_use]
    pub fn full_hand(&self) -> Hand {
        Hand::full(self.copies)
    }

    /// The cells where Light may open.
    #[must_use]
    pub fn opening_cells(&self) -> CellSet {
        match self.opening {
            Opening::Outside => self.board.outside(),
            Opening::Corner | Opening::CornerStraight => self.board.corners(),
            Opening::Anywhere => self.board.all(),
        }
    }

    /// The most actions, passes included, that a game of this variant can have.
    ///
    /// A game ends at the latest when both hands are empty or the board is full, and a pass is
    /// followed by a placement unless it ends the game.
    #[must_use]
    pub fn max_game_length(&self) -> usize {
        let pieces = Player::ALL.len() * self.full_hand().total();
        2 * pieces.min(self.board.num_cells()) + 1
    }

    /// A bound for the margin of a game, for either winner.
    ///
    /// On boards of up to 16 cells it is the most points that all stones of a player can score wherever
    /// they lie, on larger ones the points of the whole board.
    #[must_use]
    pub fn max_margin(&self) -> u16 {
        /// On more cells there are too many ways to lay stones.
        const MAX_CELLS: usize = 16;
        let (cells, stones) = (self.board.num_cells(), self.full_hand().total());
        if cells > MAX_CELLS || stones >= cells {
            return self.board.points(self.board.all());
        }
        let sets = (0..1_u64 << cells).map(CellSet::from_bits);
        let sets = sets.filter(|set| set.len() == stones);
        let points = sets.map(|set| self.board.points(set));
        points.max().unwrap_or(0)
    }
}
