//! Bounds of a margin, and the null windows that narrow them.

use crate::game::{Move, Position, Variant};
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
