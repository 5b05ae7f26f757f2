//! The rules of Mijnlieff, a placement game for two by Andy Hopwood (2010).
//!
//! # Material
//!
//! A [`Board`] is a set of 1 to 64 unit cells on an integer grid. The box holds four blocks of 2x2
//! cells, laid out as a 4x4 square on the standard board and in any other shape in advanced play.
//! [`Player::Light`] moves first, then [`Player::Dark`]; turns alternate strictly. Each holds the
//! same number of copies (2, unless boxes are put together) of four types of [`Piece`]. A piece
//! binds the opponent's next turn, and that turn only:
//!
//! | piece | sign | after it the opponent must place on an empty cell that |
//! | --- | --- | --- |
//! | Straight | `+`  | shares an unbroken row or column with it |
//! | Diagonal | `x`  | shares an unbroken diagonal with it |
//! | Pusher   | `<>` | does not touch it |
//! | Puller   | `><` | touches it, orthogonally or diagonally |
//!
//! # Rulings
//!
//! The published rule sheets differ, and irregular boards raise questions that some leave open.
//! Short names: **EN** the English sheet, **IT** the Italian translation 1.0, **FR** the French
//! translation of December 2010, **PG** the article on `PerGioco`.
//!
//! * **Opening.** All four published rules can be played, see [`Opening`].
//! * **Lines.** Stones never block a line (EN: "intervening pieces do not block your path"). A gap
//!   does: a row, column or diagonal stops where a cell is missing.
//! * **Corners.** Two cells that meet only at a corner touch each other, and a diagonal runs
//!   through that corner, even where both cells beside it are missing (EN, FR, IT).
//! * **Pusher.** It reaches every cell of the board that it does not touch, across gaps as well.
//! * **Pass.** A player passes when, and only when, no placement is legal; it is never a choice.
//!   The opponent of a player who passed may place on any empty cell.
//! * **Last turn.** When a player has placed the last piece, the opponent gets one more turn: a
//!   placement under the usual restriction or a pass that forfeits it (EN: "ONE last chance means
//!   ONE last piece"). Then the game is over, whatever pieces are still held.
//! * **Full board.** The game also ends when a pass is answered by a pass, which takes a full
//!   board (PG, FR). The second pass is certain and is not played: a pass on a full board ends the
//!   game. A full board alone does not, the player to move still passes first.
//! * **Score.** A maximal run of `n >= 3` cells in a row, column or diagonal that one player's
//!   stones occupy scores `n - 2`. A gap, an empty cell or an opposing stone ends a run; a stone
//!   may count in several. More points win, equal points are a draw. (For the example game that the
//!   sheets share, IT counts 3 points for Light where the others, and the position, give 4.)
//!
//! # Notation (PG)
//!
//! Columns are letters from `a` at the left (`aa` follows `z`), rows are numbers from `1` at the
//! bottom. A placement is the cell and the sign (`a1+`, `d4x`, `b3<>`, `c2><`), a pass is `pass`.
//!
//! # Where to read
//!
//! [`Position`] plays the game, [`perft()`] is the shortest use of it; [`Board`] turns geometry into
//! cell sets, [`Variant`] adds the fixed parts of a game.
//!
//! # Representations
//!
//! [`Position`] is what the rules are written for. Loops that this would slow down have other
//! representations with the same meaning:
//!
//! | type | holds | for |
//! | --- | --- | --- |
//! | [`Position`] | stones, types, hands, allowed cells, last move and ply, on any board | the rules, notation, all that is not named below |
//! | `vector::step::PackedGame` | the same, from the side to move, in two words; 16 cells, at most 3 copies | batches of games, tree search |
//! | `vector::step::WideGame` | the same, from the side to move, with the index of the variant; any board | batches of games, tree search |
//! | `small_board::SmallState` | stones, allowed cells and hands, from the side to move; at most 16 cells | the exact solver, endings of large boards, the table of all positions |
//! | `best_response::Node` | stones, types and last action in 16 bytes; at most 16 cells | millions of positions side by side |
//! | `encode::PositionWords` | stones, types, last move and ply in one or five documented words | states that leave the process |
//! | `encode::pack` | stones, allowed cells and hands, from the side to move, in one word | observations, not for playing on |

#![forbid(unsafe_code)]

mod arrangements;
mod board;
mod cell;
mod drawing;
mod error;
mod lines;
mod moves;
mod notation;
mod perft;
mod piece;
mod position;
mod score;
mod symmetry;
mod text;
mod variant;

pub use board::Board;
pub use cell::{Cell, CellSet};
pub use drawing::draw_position;
pub use error::{
    BoardError, IllegalReason, ParseError, PlayError, PositionError, PositionReason, VariantError,
};
pub use lines::Gains;
pub use moves::Move;
pub use notation::{
    PositionTextError, RecordError, format_move, format_position, format_record, parse_move,
    parse_position, parse_record,
};
pub use perft::{perft, perft_until};
pub use piece::{Hand, Piece, Player};
pub use position::Position;
pub(crate) use position::count_types;
pub use symmetry::Symmetry;
pub use text::VariantTextError;
pub use variant::{Opening, Variant};
