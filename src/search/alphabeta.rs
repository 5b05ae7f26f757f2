//! Depth-limited search with alpha-beta pruning (Knuth & Moore, "An analysis of alpha-beta pruning",
//! Artificial Intelligence 6, 1975), in the fail-hard form with one sign for both sides.
//!
//! Turns alternate without exception, a pass being a turn, so the side to move changes at every ply
//! and the value for it is the negative of the value for the other.
//!
//! One thing differs: the last two plies are not played but read off cell sets (`lookahead`), which
//! also orders the moves above them; and the moves at the root are searched with a narrow window that
//! tells moves as good as the best from worse ones, so that the whole set of best moves comes out.

use super::lookahead::{Lookahead, list_by_promise, listed_move};
use super::{Depth, Halt, Limits, Meter, MoveSet};
use crate::game::{Move, Position, Variant};

/// Beyond every margin: no board has 1000 triples.
const INFINITE: i32 = 1000;

/// The result of a depth-limited search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestMoves {
    /// The value for the side to move, in points, as [`minimax`](super::minimax()) defines it.
    pub margin: i32,
    /// All moves that reach it.
    pub moves: MoveSet,
}

impl BestMoves {
    const fn none_yet() -> Self {
        Self {
            margin: -INFINITE,
            moves: MoveSet::PASS,
        }
    }

    fn add(&mut self, mv: Move, margin: i32) {
        if margin > self.margin {
            *self = Self {
                margin,
                moves: MoveSet::PASS,
            };
        }
        if margin == self.margin {
            self.moves.insert(mv);
        }
    }
}

/// The value and the best moves of a position that is not over, `depth` plies deep.
///
/// ```
/// use mijnlieff::game::{Position, Variant};
/// use mijnlieff::search::{Depth, Limits, best_moves};
/// let variant = Variant::default();
/// let start = Position::new(&variant);
/// // Scoring takes more than two plies, so every first move is as good as any other.
/// let best = best_moves(&variant, &start, Depth::new(2)?, Limits::default())?;
/// assert_eq!((best.margin, best.moves.count()), (0, 48));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When a limit is reached.
///
/// # Panics
///
/// If the game is over.
pub fn best_moves(
    variant: &Variant,
    position: &Position,
    depth: Depth,
    limits: Limits<'_>,
) -> Result<BestMoves, Halt> {
    assert!(
        !position.is_over(variant),
        "a finished game has no best move"
    );
    let mut search = DepthSearch {
        variant,
        meter: limits.start(),
        listed: Vec::new(),
    };
    search.root(position, depth.plies())
}

struct DepthSearch<'a> {
    variant: &'a Variant,
    meter: Meter<'a>,
    /// The moves of the positions above the one searched, those of each after its parent's.
    listed: Vec<u32>,
}

impl DepthSearch<'_> {
    fn root(&mut self, position: &Position, depth: u8) -> Result<BestMoves, Halt> {
        let margin = position.margin_of(self.variant, position.side_to_move());
        let mut best = BestMoves::none_yet();
        if position.must_pass(self.variant) {
            let margin = self.value(position, margin, depth, -INFINITE, INFINITE)?;
            best.add(Move::Pass, margin);
            return Ok(best);
        }
        self.meter.count()?;
        let lookahead = Lookahead::new(self.variant, position, margin);
        if depth <= 2 {
            for cell in position.allowed() {
                let margin = lookahead.after_placement(cell);
                for piece in position.placeable(self.variant) {
                    let lost = if depth == 2 {
                        lookahead.best_reply(piece, cell)
                    } else {
                        0
                    };
                    best.add(Move::Place { piece, cell }, margin - lost);
                }
            }
            return Ok(best);
        }
        list_by_promise(self.variant, position, &lookahead, &mut self.listed);
        for number in 0..self.listed.len() {
            let (piece, cell) = listed_move(self.listed[number]);
            let mv = Move::Place { piece, cell };
            let next = position.play_unchecked(self.variant, mv);
            let after = -lookahead.after_placement(cell);
            // From one below the best so far to one above: enough to tell worse, equal, better.
            let (low, high) = if best.margin == -INFINITE {
                (-INFINITE, INFINITE)
            } else {
                (best.margin - 1, best.margin + 1)
            };
            let mut value = -self.value(&next, after, depth - 1, -high, -low)?;
            if value == high {
                value = -self.value(&next, after, depth - 1, -INFINITE, -low)?;
            }
            best.add(mv, value);
        }
        Ok(best)
    }

    /// The value for the side to move, whose margin so far is given, if it lies between `alpha` and
    /// `beta`; else the nearer one.
    fn value(
        &mut self,
        position: &Position,
        margin: i32,
        depth: u8,
        mut alpha: i32,
        beta: i32,
    ) -> Result<i32, Halt> {
        self.meter.count()?;
        if depth == 0 || position.is_over(self.variant) {
            return Ok(margin.clamp(alpha, beta));
        }
        if position.allowed().is_empty() {
            let next = position.play_unchecked(self.variant, Move::Pass);
            return Ok(-self.value(&next, -margin, depth - 1, -beta, -alpha)?);
        }
        let lookahead = Lookahead::new(self.variant, position, margin);
        if depth <= 2 {
            return Ok(last_plies(
                self.variant,
                position,
                &lookahead,
                depth,
                alpha,
                beta,
            ));
        }
        let first = self.listed.len();
        list_by_promise(self.variant, position, &lookahead, &mut self.listed);
        for number in first..self.listed.len() {
            let (piece, cell) = listed_move(self.listed[number]);
            let next = position.play_unchecked(self.variant, Move::Place { piece, cell });
            let after = -lookahead.after_placement(cell);
            alpha = alpha.max(-self.value(&next, after, depth - 1, -beta, -alpha)?);
            if alpha >= beta {
                break;
            }
        }
        self.listed.truncate(first);
        Ok(alpha)
    }
}

/// As [`DepthSearch::value`], where one or two plies are left and the side to move can place.
fn last_plies(
    variant: &Variant,
    position: &Position,
    lookahead: &Lookahead<'_>,
    depth: u8,
    mut alpha: i32,
    beta: i32,
) -> i32 {
    for cell in position.allowed() {
        let margin = lookahead.after_placement(cell);
        if margin <= alpha {
            continue; // a reply can only lower it
        }
        if depth == 1 {
            alpha = margin;
        } else {
            for piece in position.placeable(variant) {
                alpha = alpha.max(margin - lookahead.best_reply(piece, cell));
            }
        }
        if alpha >= beta {
            return beta;
        }
    }
    alpha
}
