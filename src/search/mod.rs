//! Searches: the value of a position, and the moves that keep it.
//!
//! Every value is a margin, in points, seen by the side to move: own points minus the opponent's.
//! [`minimax()`] is the definition of a depth-limited value, [`best_moves`] computes the same by
//! alpha-beta. Both judge the positions where they stop by the margin so far; where the game is
//! over, that margin is the exact result, in the same unit. [`solver`] searches to the end of the
//! game.

#![forbid(unsafe_code)]

mod alphabeta;
mod depth;
mod limits;
mod lookahead;
mod minimax;
mod move_set;
pub mod solver;

pub use alphabeta::{BestMoves, best_moves};
pub use depth::{Depth, DepthError};
pub(crate) use limits::CHECK_INTERVAL;
pub use limits::{Halt, Limits, Meter};
pub use minimax::{minimax, minimax_moves};
pub use move_set::MoveSet;
