//! Bounds of a margin, and the null windows that narrow them.

use crate::game::{Cell, Move, Position, Variant};
use crate::search::Halt;

/// Bounds of a margin, both included, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The margin is at least this.
    pub lower: i32,
    /// The margin is at most this.
    pub upper: i32,
}

impl Bounds {
    /// A margin that is known.
    #[must_use]
    pub const fn exact(margin: i32) -> Self {
        Self {
            lower: margin,
            upper: margin,
        }
    }

    /// The same margin seen by the other player.
    #[must_use]
    pub(super) const fn flipped(self) -> Self {
        Self {
            lower: -self.upper,
            upper: -self.lower,
        }
    }
}

/// Narrows the bounds of a margin to one value, starting near `guess`, by asking `bound(beta)`
/// whether it is at least `beta` (MTD(f), Plaat 1996). Bounds stay proven when it breaks off.
pub(super) fn narrow(
    bounds: &mut Bounds,
    guess: i32,
    mut bound: impl FnMut(i32) -> Result<i32, Halt>,
) -> Result<(), Halt> {
    let mut beta = guess;
    while bounds.lower < bounds.upper {
        beta = beta.clamp(bounds.lower + 1, bounds.upper);
        let value = bound(beta)?;
        if value >= beta {
            bounds.lower = bounds.lower.max(value);
        } else {
            bounds.upper = bounds.upper.min(value);
        }
        beta = value;
    }
    Ok(())
}

/// Guesses of the margins of moves: the mean of those before with the same piece or the same cell, else
/// the last one.
pub(super) struct Guesses {
    /// Sums and counts of margins, by piece and by cell.
    pieces: [(i32, i32); 4],
    cells: [(i32, i32); Cell::MAX],
    last: i32,
}

impl Guesses {
    /// Guesses `first` as long as no margin is known.
    pub(super) const fn new(first: i32) -> Self {
        Self {
            pieces: [(0, 0); 4],
            cells: [(0, 0); Cell::MAX],
            last: first,
        }
    }

    pub(super) fn margin(&self, mv: Move) -> i32 {
        let Move::Place { piece, cell } = mv else {
            return self.last;
        };
        let (by_piece, by_cell) = (self.pieces[piece.index()], self.cells[cell.index()]);
        let (sum, count) = (by_piece.0 + by_cell.0, by_piece.1 + by_cell.1);
        if count == 0 {
            return self.last;
        }
        (2 * sum + count).div_euclid(2 * count) // rounded
    }

    pub(super) fn add(&mut self, mv: Move, margin: i32) {
        self.last = margin;
        if let Move::Place { piece, cell } = mv {
            for (sum, count) in [
                &mut self.pieces[piece.index()],
                &mut self.cells[cell.index()],
            ] {
                *sum += margin;
                *count += 1;
            }
        }
    }
}

/// Bounds that the margin lies within, however the game continues.
pub(super) fn static_bounds(variant: &Variant, position: &Position) -> Bounds {
    let margin = |ours: u16, theirs: u16| i32::from(ours) - i32::from(theirs);
    let board = variant.board();
    let side = position.side_to_move();
    let empty = board.all() - position.occupied();
    let points = |player| {
        let stones = position.stones(player);
        (board.points(stones), board.points(stones | empty))
    };
    let (own, own_most) = points(side);
    let (opp, opp_most) = points(side.opponent());
    Bounds {
        lower: margin(own, opp_most),
        upper: margin(own_most, opp),
    }
}

/// A move with the proven bounds of the position it leads to, for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveBounds {
    /// The move.
    pub mv: Move,
    /// Bounds of its margin.
    pub bounds: Bounds,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Piece;

    #[test]
    fn margins_are_guessed_by_like_moves() {
        let place = |piece: usize, cell| Move::Place {
            piece: Piece::ALL[piece],
            cell: Cell::new(cell),
        };
        let mut guesses = Guesses::new(3);
        assert_eq!(guesses.margin(place(0, 1)), 3);
        guesses.add(place(0, 1), -2);
        guesses.add(place(1, 2), -5);
        assert_eq!(guesses.margin(place(2, 3)), -5); // the last
        assert_eq!(guesses.margin(place(0, 3)), -2); // the same piece
        assert_eq!(guesses.margin(place(3, 2)), -5); // the same cell
        assert_eq!(guesses.margin(place(0, 2)), -3); // both: -3.5, rounded up
        assert_eq!(guesses.margin(Move::Pass), -5);
    }
}
