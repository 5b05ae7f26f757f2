//! The last two plies of a search, from cell sets instead of positions.
//!
//! The margin depends on where stones lie, not on their types. So the best reply to a placement is
//! found without playing anything: the cells where the replier would gain points are the same for
//! every placement but for the cell taken, and the placement only says which of them are open.

use crate::game::{Cell, CellSet, Move, Piece, Position, Variant};

/// A cell belongs to at most three triples in each of four directions.
const MAX_GAIN: usize = 12;

/// The placements of one position, with their values one and two plies deep.
pub(super) struct Lookahead<'a> {
    variant: &'a Variant,
    own: CellSet,
    empty: CellSet,
    /// The margin before the placement.
    margin: i32,
    /// The cells where a stone of the opponent gains exactly this many points; empty if the
    /// opponent has no piece left.
    replies: [CellSet; MAX_GAIN + 1],
    max_reply: usize,
}

impl<'a> Lookahead<'a> {
    /// Looks at a position where the side to move can place a piece.
    #[inline]
    pub(super) fn new(variant: &'a Variant, position: &Position) -> Self {
        let board = variant.board();
        let side = position.side_to_move();
        let [own, other] = [side, side.opponent()].map(|player| position.stones(player));
        let empty = board.all() - position.occupied();
        let mut replies = [CellSet::EMPTY; MAX_GAIN + 1];
        let mut max_reply = 0;
        if !position.hand(side.opponent()).is_empty() {
            for cell in empty {
                let gain = usize::from(board.gain(other, cell));
                replies[gain] = replies[gain].with(cell);
                max_reply = max_reply.max(gain);
            }
        }
        Self {
            variant,
            own,
            empty,
            margin: i32::from(board.points(own)) - i32::from(board.points(other)),
            replies,
            max_reply,
        }
    }

    /// The margin, for the side that places, right after a stone on this cell.
    ///
    /// No reply makes it larger: stones stay, and so do points.
    #[inline]
    pub(super) fn after_placement(&self, cell: Cell) -> i32 {
        self.margin + i32::from(self.variant.board().gain(self.own, cell))
    }

    /// The points that the best reply to this placement gains; 0 if there is none.
    #[inline]
    pub(super) fn best_reply(&self, piece: Piece, cell: Cell) -> i32 {
        let reach = self.variant.board().reach(piece, cell) & self.empty;
        let open = |&gain: &usize| !(self.replies[gain] & reach).is_empty();
        (1..=self.max_reply).rev().find(open).unwrap_or(0) as i32
    }
}

/// The placements of one position, most promising first: those with the largest margin after the
/// opponent's best reply.
pub(super) struct Ordered {
    /// The move in the low 8 bits, above it how little it promises.
    keys: [u32; 4 * Cell::MAX],
    len: usize,
}

impl Ordered {
    pub(super) fn new(variant: &Variant, position: &Position) -> Self {
        let lookahead = Lookahead::new(variant, position);
        let mut ordered = Self {
            keys: [0; 4 * Cell::MAX],
            len: 0,
        };
        for cell in position.allowed() {
            let margin = lookahead.after_placement(cell);
            for piece in position.placeable(variant) {
                let promise = margin - lookahead.best_reply(piece, cell);
                let rank = (1 << 16) - promise;
                ordered.keys[ordered.len] =
                    (rank as u32) << 8 | (piece.index() << 6 | cell.index()) as u32;
                ordered.len += 1;
            }
        }
        ordered.keys[..ordered.len].sort_unstable();
        ordered
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Move> {
        self.keys[..self.len].iter().map(|key| Move::Place {
            piece: Piece::ALL[(key >> 6 & 3) as usize],
            cell: Cell::new((key & 63) as usize),
        })
    }
}
