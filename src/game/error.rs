//! Errors, one type per operation. On an error nothing has changed.

use thiserror::Error;

use super::{Board, Cell, Move, Piece, Player, Variant};
use crate::names::{UnknownName, shortened};

/// Cells that do not make a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BoardError {
    /// No cells, or more than [`Cell::MAX`].
    #[error("a board has 1 to {} cells, not {found}", Cell::MAX)]
    CellCount {
        /// The number of different cells given.
        found: usize,
    },
    /// Cells more than [`Board::MAX_SIDE`] columns or rows apart.
    #[error(
        "a board spans at most {max} columns and rows, not {width} x {height}",
        max = Board::MAX_SIDE
    )]
    TooWide {
        /// Columns of the bounding box.
        width: u64,
        /// Rows of the bounding box.
        height: u64,
    },
    /// An empty list of blocks.
    #[error("a board needs at least one block, but the list is empty")]
    NoBlocks,
    /// Two blocks that share a cell.
    #[error("{}", overlap(*.first, *.second))]
    OverlappingBlocks {
        /// Lower left corner of the earlier block.
        first: (i32, i32),
        /// Lower left corner of the later block.
        second: (i32, i32),
    },
    /// A row of text that is not as long as the first.
    #[error(
        "row {row} has {found} characters, but the first row has {expected}; fill it up with '.'"
    )]
    RaggedRow {
        /// The row, counted from 1 at the top.
        row: usize,
        /// Characters in the first row.
        expected: usize,
        /// Characters in this row.
        found: usize,
    },
    /// A character that is neither a cell nor a gap.
    #[error("unknown character {character:?} in row {row}; '#' is a cell and '.' is a gap")]
    UnknownCharacter {
        /// The row, counted from 1 at the top.
        row: usize,
        /// The character.
        character: char,
    },
    /// Something else than the two coordinates of a block.
    #[error("{found:?} is not the corner X,Y of a block; write for example blocks:0,0;2,2")]
    NotACorner {
        /// The text.
        found: String,
    },
}

/// An opening rule or a number of copies that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VariantError {
    /// No opening rule has this name.
    #[error(transparent)]
    Opening(#[from] UnknownName),
    /// The number of copies is not in `1..=127`.
    #[error("copies must be 1 to {}, not {found}", Variant::MAX_COPIES)]
    Copies {
        /// The number given.
        found: i64,
    },
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IllegalReason {
    /// The cell does not exist on the board.
    #[error("the board has no such cell")]
    OffBoard,
    /// The cell has a stone.
    #[error("the cell is occupied")]
    Occupied,
    /// The opponent's last piece does not allow the cell.
    #[error("the opponent's last piece does not allow that cell")]
    NotAllowed,
    /// The opening rule does not allow the cell.
    #[error("the opening rule does not allow that cell")]
    OpeningCell,
    /// The opening rule does not allow the type.
    #[error("the opening rule does not allow that piece")]
    OpeningPiece,
    /// The player has used all pieces of the type.
    #[error("no piece of that type is left in the hand")]
    NotHeld,
    /// A pass although a placement is legal.
    #[error("a pass is legal only when no placement is")]
    PassNotForced,
    /// A placement although none is legal.
    #[error("no cell is allowed, so a pass is the only move")]
    MustPass,
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The game is over.
    #[error("the game is over, nothing can be played")]
    GameOver,
    /// The rules do not allow the move.
    #[error("illegal {}: {reason}", describe(*.mv))]
    Illegal {
        /// The move.
        mv: Move,
        /// Why it is illegal.
        reason: IllegalReason,
    },
}

/// Why a position is impossible.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionReason {
    /// More stones of a type than a player has.
    #[error("{player:?} has {found} stones of type {}, but only {copies} exist", .piece.name())]
    TooManyPieces {
        /// Whose stones.
        player: Player,
        /// The type.
        piece: Piece,
        /// Stones on the board.
        found: usize,
        /// Pieces that the player starts with.
        copies: u8,
    },
    /// More turns than a game can have.
    #[error("{ply} turns are more than the {max} that a game can have")]
    TooManyTurns {
        /// The turns given.
        ply: usize,
        /// The most there can be.
        max: usize,
    },
    /// More passes than there can be between so many placements.
    #[error(
        "{passes} passes are more than the {most} that {placements} placements leave room for; a \
         pass never follows a pass"
    )]
    TooManyPasses {
        /// Turns that did not place a stone.
        passes: usize,
        /// Stones on the board.
        placements: usize,
        /// The most passes there can be.
        most: usize,
    },
    /// More stones than a player has had turns.
    #[error("{player:?} has {stones} stones after only {turns} turns")]
    TooFewTurns {
        /// The player.
        player: Player,
        /// Stones on the board.
        stones: usize,
        /// Turns that the player has had.
        turns: usize,
    },
    /// Turns have been played, but no last turn is given.
    #[error("{ply} turns have been played, but the last one is not given")]
    LastTurnMissing {
        /// The turns given.
        ply: usize,
    },
    /// A last turn is given before the first turn.
    #[error("a last turn is given, but no turn has been played")]
    LastTurnBeforeStart,
    /// The last turn is a pass, but each turn of that player placed a stone.
    #[error("the last turn is a pass, but every turn of {player:?} placed a stone")]
    PassWithoutTurn {
        /// The player.
        player: Player,
    },
    /// The last turn is a pass, but that player had already placed all pieces, after which there is no
    /// further turn.
    #[error("the last turn is a pass, but {player:?} had no pieces left for another turn")]
    PassWithoutPieces {
        /// The player.
        player: Player,
    },
    /// The last turn placed a stone that does not lie there.
    #[error("the last turn needs a {} of {player:?} on cell {}", .piece.name(), .cell.index())]
    LastStoneMissing {
        /// The player who moved last.
        player: Player,
        /// The type.
        piece: Piece,
        /// Where it should lie.
        cell: Cell,
    },
    /// Light has no stone where the opening rule allows one.
    #[error("Light has no stone on an opening cell")]
    NoOpeningStone,
}

/// A position that no game reaches, with every reason found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("impossible position: {}", join(.reasons))]
pub struct PositionError {
    /// Why, in the order of the checks; never empty.
    pub reasons: Vec<PositionReason>,
}

/// A text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected {expected}, {} (character {at})", describe_found(.found))]
pub struct ParseError {
    /// Where reading stopped, in characters from 0.
    pub at: usize,
    /// The text found there, cut when it is long; empty at the end.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl ParseError {
    pub(super) fn new(at: usize, found: &str, expected: impl Into<String>) -> Self {
        Self {
            at,
            found: shortened(found),
            expected: expected.into(),
        }
    }
}

fn overlap(first: (i32, i32), second: (i32, i32)) -> String {
    if first == second {
        return format!("the block at {first:?} is listed twice");
    }
    format!(
        "the blocks at {first:?} and {second:?} overlap; a block covers 2x2 cells from its lower \
         left corner"
    )
}

fn describe(mv: Move) -> String {
    match mv {
        Move::Pass => "pass".to_owned(),
        Move::Place { piece, cell } => format!("{} on cell {}", piece.name(), cell.index()),
    }
}

fn join(reasons: &[PositionReason]) -> String {
    let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    reasons.join("; ")
}

fn describe_found(found: &str) -> String {
    if found.is_empty() {
        "but the text ends".to_owned()
    } else {
        format!("found {found:?}")
    }
}
