//! What can go wrong, one type per operation. On an error nothing has changed.

use std::fmt;

use super::{Board, Cell, Move, Opening, Piece, Player, Variant};

/// Cells that do not make a board.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoardError {
    /// No cells, or more than [`Cell::MAX`].
    CellCount {
        /// The number of different cells given.
        found: usize,
    },
    /// Cells more than [`Board::MAX_SIDE`] columns or rows apart.
    TooWide {
        /// Columns of the bounding box.
        width: u64,
        /// Rows of the bounding box.
        height: u64,
    },
    /// An empty list of blocks.
    NoBlocks,
    /// Two blocks that share a cell.
    OverlappingBlocks {
        /// Lower left corner of the earlier block.
        first: (i32, i32),
        /// Lower left corner of the later block.
        second: (i32, i32),
    },
    /// A row of text that is not as long as the first.
    RaggedRow {
        /// The row, counted from 1 at the top.
        row: usize,
        /// Characters in the first row.
        expected: usize,
        /// Characters in this row.
        found: usize,
    },
    /// A character that is neither a cell nor a gap.
    UnknownCharacter {
        /// The row, counted from 1 at the top.
        row: usize,
        /// The character.
        character: char,
    },
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CellCount { found } => {
                write!(f, "a board has 1 to {} cells, not {found}", Cell::MAX)
            }
            Self::TooWide { width, height } => {
                let max = Board::MAX_SIDE;
                write!(
                    f,
                    "a board spans at most {max} columns and rows, not {width} x {height}"
                )
            }
            Self::NoBlocks => f.write_str("a board needs at least one block, the list is empty"),
            Self::OverlappingBlocks { first, second } if first == second => {
                write!(f, "the block at {first:?} is listed twice")
            }
            Self::OverlappingBlocks { first, second } => write!(
                f,
                "the blocks at {first:?} and {second:?} overlap; a block covers 2x2 cells from its \
                 lower left corner"
            ),
            Self::RaggedRow {
                row,
                expected,
                found,
            } => write!(
                f,
                "row {row} has {found} characters, the first has {expected}; fill up with '.'"
            ),
            Self::UnknownCharacter { row, character } => {
                write!(
                    f,
                    "unknown character {character:?} in row {row}; '#' is a cell, '.' a gap"
                )
            }
        }
    }
}

/// An opening rule or a number of copies that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariantError {
    /// No opening rule has this name.
    UnknownOpening {
        /// The name given.
        name: String,
    },
    /// The number of copies is not in `1..=127`.
    Copies {
        /// The number given.
        found: i64,
    },
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOpening { name } => {
                let names = Opening::ALL.map(Opening::name).join(", ");
                write!(f, "unknown opening {name:?}; choose one of {names}")
            }
            Self::Copies { found } => {
                let max = Variant::MAX_COPIES;
                write!(f, "copies must be 1 to {max}, not {found}")
            }
        }
    }
}

/// Why a move is illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IllegalReason {
    /// The cell does not exist on the board.
    OffBoard,
    /// The cell has a stone.
    Occupied,
    /// The opponent's last piece does not allow the cell.
    NotAllowed,
    /// The opening rule does not allow the cell.
    OpeningCell,
    /// The opening rule does not allow the type.
    OpeningPiece,
    /// No piece of the type is held any more.
    NotHeld,
    /// A pass although a placement is legal.
    PassNotForced,
    /// A placement although none is legal.
    MustPass,
}

impl fmt::Display for IllegalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OffBoard => "the board has no such cell",
            Self::Occupied => "the cell is occupied",
            Self::NotAllowed => "the opponent's last piece does not allow that cell",
            Self::OpeningCell => "the opening rule does not allow that cell",
            Self::OpeningPiece => "the opening rule does not allow that piece",
            Self::NotHeld => "no piece of that type is left in the hand",
            Self::PassNotForced => "a pass is legal only when no placement is",
            Self::MustPass => "no cell is allowed, so a pass is the only move",
        })
    }
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlayError {
    /// The game is over.
    GameOver,
    /// The rules do not allow the move.
    Illegal {
        /// The move.
        mv: Move,
        /// Why it is illegal.
        reason: IllegalReason,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameOver => f.write_str("the game is over, nothing can be played"),
            Self::Illegal {
                mv: Move::Pass,
                reason,
            } => write!(f, "illegal pass: {reason}"),
            Self::Illegal {
                mv: Move::Place { piece, cell },
                reason,
            } => {
                write!(
                    f,
                    "illegal {} on cell {}: {reason}",
                    piece.name(),
                    cell.index()
                )
            }
        }
    }
}

/// Why a position is impossible.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionReason {
    /// More stones of a type than a player has.
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
    TooManyTurns {
        /// The turns given.
        ply: usize,
        /// The most there can be.
        max: usize,
    },
    /// More stones than a player has had turns.
    TooFewTurns {
        /// The player.
        player: Player,
        /// Stones on the board.
        stones: usize,
        /// Turns that the player has had.
        turns: usize,
    },
    /// Turns have been played, but no last turn is given.
    LastTurnMissing {
        /// The turns given.
        ply: usize,
    },
    /// A last turn is given before the first turn.
    LastTurnBeforeStart,
    /// The last turn is a pass, but each turn of that player placed a stone.
    PassWithoutTurn {
        /// The player.
        player: Player,
    },
    /// The last turn placed a stone that does not lie there.
    LastStoneMissing {
        /// Who moved last.
        player: Player,
        /// The type.
        piece: Piece,
        /// Where it should lie.
        cell: Cell,
    },
    /// No stone of Light lies where the opening rule allows one.
    NoOpeningStone,
}

impl fmt::Display for PositionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyPieces {
                player,
                piece,
                found,
                copies,
            } => {
                write!(
                    f,
                    "{player:?} has {found} stones of type {}, at most {copies} exist",
                    piece.name()
                )
            }
            Self::TooManyTurns { ply, max } => {
                write!(
                    f,
                    "{ply} turns are more than the {max} that a game can have"
                )
            }
            Self::TooFewTurns {
                player,
                stones,
                turns,
            } => {
                write!(f, "{player:?} has {stones} stones after only {turns} turns")
            }
            Self::LastTurnMissing { ply } => {
                write!(f, "after {ply} turns the last one must be given")
            }
            Self::LastTurnBeforeStart => f.write_str("before the first turn there is no last one"),
            Self::PassWithoutTurn { player } => {
                write!(
                    f,
                    "the last turn is a pass, but every turn of {player:?} placed a stone"
                )
            }
            Self::LastStoneMissing {
                player,
                piece,
                cell,
            } => write!(
                f,
                "the last turn needs a {} of {player:?} on cell {}",
                piece.name(),
                cell.index()
            ),
            Self::NoOpeningStone => f.write_str("no stone of Light lies where Light may open"),
        }
    }
}

/// A position that no game comes to, with every reason found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionError {
    /// Why, in the order of the checks; never empty.
    pub reasons: Vec<PositionReason>,
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<String> = self.reasons.iter().map(ToString::to_string).collect();
        write!(f, "impossible position: {}", reasons.join("; "))
    }
}

/// A text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where reading stopped, in characters from 0.
    pub at: usize,
    /// What stands there, cut when it is long; empty at the end of the text.
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

/// A text as errors keep it: at most 60 characters, however long the input was.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            at,
            found,
            expected,
        } = self;
        if found.is_empty() {
            write!(f, "expected {expected}, but the text ends (character {at})")
        } else {
            write!(f, "expected {expected}, found {found:?} (character {at})")
        }
    }
}

impl std::error::Error for BoardError {}
impl std::error::Error for VariantError {}
impl std::error::Error for PlayError {}
impl std::error::Error for PositionError {}
impl std::error::Error for ParseError {}
