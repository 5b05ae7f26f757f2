//! Boards and variants as text.
//!
//! A board is one of
//!
//! - `standard`, the 4x4 board;
//! - `blocks:0,0;2,2`, blocks of 2x2 cells by the `x,y` of their lower left corners;
//! - its rows from the top, `#` a cell and `.` a gap, separated by line breaks or `/`. Blanks around
//!   each row, and breaks before the first and after the last one, are ignored.
//!
//! A variant is a board, an opening rule and the number of copies, in this order and separated by
//! blanks, such as `standard corner 3`. Each of them may be left out, but not all.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::{Board, BoardError, Cell, Opening, Variant, VariantError};
use crate::names::shortened;

const STANDARD: &str = "standard";
const BLOCKS: &str = "blocks:";

impl Board {
    /// The board with this text: `standard`, blocks, or rows of cells.
    ///
    /// # Errors
    ///
    /// When a character is neither a cell nor a gap, when rows differ in length, when a corner of a
    /// block is not two numbers, or as [`Board::from_cells`] and [`Board::from_blocks`].
    pub fn from_text(text: &str) -> Result<Self, BoardError> {
        let text = text.trim();
        if text == STANDARD {
            return Ok(Self::default());
        }
        match text.strip_prefix(BLOCKS) {
            Some(corners) => Self::from_blocks(&corners_of(corners)?),
            None => Self::from_rows(text),
        }
    }

    fn from_rows(text: &str) -> Result<Self, BoardError> {
        let text =
            text.trim_matches(|character: char| character.is_whitespace() || character == '/');
        let rows = || text.split(['\n', '/']).map(str::trim);
        let expected = rows().next().map_or(0, |row| row.chars().count());
        let mut cells = Vec::new();
        let mut count = 0;
        for (row, line) in rows().enumerate() {
            let found = line.chars().count();
            if found != expected {
                return Err(BoardError::RaggedRow {
                    row: row + 1,
                    expected,
                    found,
                });
            }
            for (x, character) in line.chars().enumerate() {
                match character {
                    // The cells of a long text are counted, but not kept.
                    '#' => {
                        count += 1;
                        if count <= Cell::MAX {
                            cells.push((x as i64, -(row as i64)));
                        }
                    }
                    '.' => {}
                    _ => {
                        return Err(BoardError::UnknownCharacter {
                            row: row + 1,
                            character,
                        });
                    }
                }
            }
        }
        if count > Cell::MAX {
            return Err(BoardError::CellCount { found: count });
        }
        Self::from_wide_cells(cells)
    }

    /// The rows of the board, as [`Board::from_text`] reads them, one on each line.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.rows("\n")
    }

    fn rows(&self, separator: &str) -> String {
        let row = |y| -> String {
            (0..self.width())
                .map(|x| {
                    if self.cell_at(x, y).is_some() {
                        '#'
                    } else {
                        '.'
                    }
                })
                .collect()
        };
        let rows: Vec<String> = (0..self.height()).rev().map(row).collect();
        rows.join(separator)
    }
}

fn corners_of(text: &str) -> Result<Vec<(i32, i32)>, BoardError> {
    let number = |text: &str| text.trim().parse::<i32>().ok();
    let mut corners = Vec::new();
    for corner in text.split(';').filter(|corner| !corner.is_empty()) {
        let read = corner.split_once(',');
        let read = read.and_then(|(x, y)| number(x).zip(number(y)));
        corners.push(read.ok_or_else(|| BoardError::NotACorner {
            found: shortened(corner),
        })?);
        // More blocks than a board can have are refused before a long text is read to its end.
        if 4 * corners.len() > Cell::MAX {
            break;
        }
    }
    Ok(corners)
}

/// Why a text is not a variant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VariantTextError {
    /// What stands in the place of the board is not one.
    #[error("{text:?}: {error}")]
    Board {
        /// The text.
        text: String,
        /// Why it is not a board.
        error: BoardError,
    },
    /// The number of copies is out of range.
    #[error("{text:?}: {error}")]
    Variant {
        /// The text.
        text: String,
        /// What is wrong.
        error: VariantError,
    },
    /// A word that is nothing of a variant, or in the wrong place.
    #[error(
        "{text:?} is not a variant because of {word:?}; write a board ({STANDARD}, {BLOCKS}0,0;2,2 \
         or rows such as ##../..##), an opening ({}) and a number of copies, in this order, or \
         only some of them, such as \"standard corner 2\"",
        Opening::ALL.map(Opening::name).join(", ")
    )]
    Word {
        /// The text.
        text: String,
        /// The word.
        word: String,
    },
}

impl fmt::Display for Variant {
    /// The text of the variant, without an opening and copies that are those of the standard game.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standard = Self::default();
        if self.board() == standard.board() {
            f.write_str(STANDARD)?;
        } else {
            f.write_str(&self.board().rows("/"))?;
        }
        if self.opening() != standard.opening() {
            write!(f, " {}", self.opening().name())?;
        }
        if self.copies() != standard.copies() {
            write!(f, " {}", self.copies())?;
        }
        Ok(())
    }
}

impl FromStr for Variant {
    type Err = VariantTextError;

    fn from_str(text: &str) -> Result<Self, VariantTextError> {
        let standard = Self::default();
        let (mut opening, mut copies) = (standard.opening(), i64::from(standard.copies()));
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(wrong_word(text, rest));
        }
        if let (before, Ok(number)) = parsed_end(rest) {
            (rest, copies) = (before, number);
        }
        if let (before, Ok(rule)) = parsed_end(rest) {
            (rest, opening) = (before, rule);
        }
        let board = match rest {
            "" | STANDARD => Arc::clone(standard.board()),
            _ => {
                let mut words = rest.split_whitespace().rev();
                if let Some(word) = words.find(|word| !is_of_a_board(word)) {
                    return Err(wrong_word(text, word));
                }
                let board = Board::from_text(rest).map_err(|error| VariantTextError::Board {
                    text: shortened(text),
                    error,
                });
                Arc::new(board?)
            }
        };
        Self::new(board, opening, copies).map_err(|error| VariantTextError::Variant {
            text: shortened(text),
            error,
        })
    }
}

/// The text before the last word, and what the word means.
fn parsed_end<T: FromStr>(text: &str) -> (&str, Result<T, T::Err>) {
    let (before, word) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    (before.trim_end(), word.parse())
}

/// Whether a word may be meant as rows or corners of blocks. Others were meant as another part.
fn is_of_a_board(word: &str) -> bool {
    word.contains(['#', ',', ':']) || word.chars().all(|character| "./".contains(character))
}

fn wrong_word(text: &str, word: &str) -> VariantTextError {
    VariantTextError::Word {
        text: shortened(text),
        word: shortened(word),
    }
}
