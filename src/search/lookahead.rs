//! The last two plies of a search, from cell sets instead of positions.
//!
//! The margin depends on where stones lie, not on their types. So the best reply to a placement is
//! found without playing anything: the cells where the replier would gain points are the same for
//! every placement but for the cell taken, and the placement only says which of them are open.

use crate::game::{Board, Cell, CellSet, Gains, Piece, Position, Variant};

/// The placements of one position, with their values one and two plies deep.
pub(super) struct Lookahead<'a> {
    board: &'a Board,
    empty: CellSet,
    /// The margin before the placement.
    margin: i32,
    /// The points that the placement gains.
    own: Gains,
    /// The points that a stone of the opponent gains; none if the opponent has no piece left.
    replies: Gains,
    /// The types that may be placed, as many as `num_pieces`.
    pieces: [Piece; 4],
    num_pieces: usize,
}

impl<'a> Lookahead<'a> {
    /// Looks at a position where the side to move can place a piece and has this margin.
    #[inline]
    pub(super) fn new(variant: &'a Variant, position: &Position, margin: i32) -> Self {
        let board = variant.board();
        let side = position.side_to_move();
        let [own, other] = [side, side.opponent()].map(|player| position.stones(player));
        let empty = board.all() - position.occupied();
        let replies = if position.hand(side.opponent()).is_empty() {
            Gains::default()
        } else {
            board.gains(other, empty)
        };
        let (mut pieces, mut num_pieces) = (Piece::ALL, 0);
        for piece in position.placeable(variant) {
            pieces[num_pieces] = piece;
            num_pieces += 1;
        }
        Self {
            board,
            empty,
            margin,
            own: board.gains(own, position.allowed()),
            replies,
            pieces,
            num_pieces,
        }
    }

    /// The types that may be placed.
    #[inline]
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.num_pieces]
    }

    /// The margin, for the side that places, right after a stone on this cell.
    ///
    /// No reply makes it larger: stones stay, and so do points.
    #[inline]
    pub(super) fn after_placement(&self, cell: Cell) -> i32 {
        self.margin + i32::from(self.own.at(cell))
    }

    /// The points that the best reply to this placement gains; 0 if there is none.
    #[inline]
    pub(super) fn best_reply(&self, piece: Piece, cell: Cell) -> i32 {
        // The cell itself is not among those that it points to.
        i32::from(
            self.replies
                .most_in(self.board.reach(piece, cell) & self.empty),
        )
    }
}

/// Lists the placements of a position, most promising first: those with the largest margin after the
/// opponent's best reply. Each is a number that [`listed_move`] reads.
pub(super) fn list_by_promise(position: &Position, lookahead: &Lookahead<'_>, list: &mut Vec<u32>) {
    let first = list.len();
    for cell in position.allowed() {
        let margin = lookahead.after_placement(cell);
        for &piece in lookahead.pieces() {
            let promise = margin - lookahead.best_reply(piece, cell);
            // How little it promises, and below that the move in 8 bits.
            let rank = (1 << 16) - promise;
            list.push((rank as u32) << 8 | (piece.index() << 6 | cell.index()) as u32);
        }
    }
    list[first..].sort_unstable();
}

/// The move of a number that [`list_by_promise`] has listed.
#[inline]
pub(super) fn listed_move(number: u32) -> (Piece, Cell) {
    let (piece, cell) = (number >> 6 & 3, number & 63);
    (Piece::ALL[piece as usize], Cell::new(cell as usize))
}
