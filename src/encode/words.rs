//! Positions as words, from which a game can be continued.

use thiserror::Error;

use crate::game::{Cell, CellSet, Move, Player, Position, PositionError, Variant};

/// The largest board whose states are single words.
const MAX_SMALL_CELLS: usize = 16;

/// The words of a state on a larger board.
const LARGE_WORDS: usize = 5;

/// What four cells can be: nine digits each.
const FOUR_CELLS: usize = 9 * 9 * 9 * 9;
const FOUR_CELLS_BITS: u32 = 13;

const SMALL_PLY_SHIFT: u32 = 52;
const SMALL_LAST_SHIFT: u32 = 58;
const LARGE_LAST_SHIFT: u32 = 8;
const ILLEGAL_END: u64 = 1 << 63;

pub(crate) const LAST_NONE: u64 = 0;
pub(crate) const LAST_PASS: u64 = 1;
pub(crate) const LAST_CELL: u64 = 2;

/// Of every number of four cells: Light's stones, Dark's, and the two bits of the types, four bits
/// each.
static SETS: [u16; FOUR_CELLS] = {
    let mut table = [0; FOUR_CELLS];
    let mut number = 0;
    while number < FOUR_CELLS {
        let (mut rest, mut cell) = (number, 0);
        while rest > 0 {
            let digit = rest % 9;
            if digit > 0 {
                let (player, piece) = ((digit - 1) / 4, (digit - 1) % 4);
                let sets = 1 << (4 * player) | (piece & 1) << 8 | (piece >> 1) << 12;
                table[number] |= (sets as u16) << cell;
            }
            rest /= 9;
            cell += 1;
        }
        number += 1;
    }
    table
};

/// Of the set of eight cells in a byte: the number in which each of them has the digit 1.
static ONES: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut cell, mut power) = (0, 1);
        while cell < 4 {
            table[byte] += (byte as u32 >> cell & 1) * power;
            table[byte] += ((byte as u32 >> (4 + cell) & 1) * power) << FOUR_CELLS_BITS;
            power *= 9;
            cell += 1;
        }
        byte += 1;
    }
    table
};

/// Why words are not a state of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WordsError {
    /// A number that four cells cannot have.
    #[error("bits {first} to {} hold {found}, four cells are at most {}", .first + FOUR_CELLS_BITS - 1, FOUR_CELLS - 1)]
    Cells {
        /// The lowest bit.
        first: u32,
        /// The number.
        found: u64,
    },
    /// A stone where the board has no cell.
    #[error("there is a stone on cell {cell}, but the board has only {num_cells} cells")]
    OffBoard {
        /// The first such cell.
        cell: usize,
        /// The cells of the board.
        num_cells: usize,
    },
    /// A stone of each player on the same cell.
    #[error("cell {cell} has a stone of Light and one of Dark")]
    TwoStones {
        /// The first such cell.
        cell: usize,
    },
    /// A type, but no stone.
    #[error("cell {cell} has a type but not a stone")]
    TypeWithoutStone {
        /// The first such cell.
        cell: usize,
    },
    /// A last turn that is neither none, a pass nor a cell.
    #[error(
        "the last turn is {found}, it must be 0 (none), 1 (pass) or 2 to {} (a cell)", .num_cells + 1
    )]
    LastTurn {
        /// The number.
        found: u64,
        /// The cells of the board.
        num_cells: usize,
    },
    /// Bits without a meaning that are not 0.
    #[error("the last word is {found:#x}, but its bits 15 to 62 must be 0")]
    UnusedBits {
        /// The word.
        found: u64,
    },
    /// An end by an illegal action after the game was over.
    #[error("the game was over, so an illegal action cannot have ended it")]
    EndedTwice,
    /// A position that no game reaches.
    #[error(transparent)]
    Impossible(#[from] PositionError),
}

/// A position, and whether its side to move has lost by an illegal action; as words, a state.
///
/// A state holds what the notation of a position holds: which piece lies where, the last turn, and
/// the number of plies so far, whose parity tells who is to move. Hands and allowed cells follow from
/// them. It differs from the packed observation ([`super::pack`]), which has no seat: the same view
/// can belong to Light or to Dark, as a pass changes who moves and leaves no trace on the board.
///
/// # Format
///
/// On a board of at most 16 cells, with any number of copies, a state is one word:
///
/// ```text
/// bit   0..13   cells 0 to 3 as a number of base 9: d0 + 9 * d1 + 81 * d2 + 729 * d3, where the
///               digit of a cell is 0 for an empty one and 1 + 4 * player + piece for a stone
/// bit  13..26   cells 4 to 7, in the same way
/// bit  26..39   cells 8 to 11
/// bit  39..52   cells 12 to 15
/// bit  52..58   number of plies so far, passes included
/// bit  58..63   last turn: 0 none, 1 pass, 2 + cell for a placement
/// bit  63       whether an illegal action of the side to move has ended the game
/// ```
///
/// Players and pieces are numbered as everywhere ([`Player`], [`Piece`](crate::game::Piece));
/// cells that the board lacks are empty. On a larger board a state is five words:
///
/// ```text
/// word 0        stones of Light, bit i for cell i
/// word 1        stones of Dark
/// word 2        stones whose type index is odd: Diagonal and Puller
/// word 3        stones whose type index is 2 or 3: Pusher and Puller
/// word 4        bit 0..8 plies so far, bit 8..15 last turn, bit 63 illegal end, all as above
/// ```
///
/// In both formats zeros are the start of every variant. Two states of a variant are equal words if
/// and only if their positions have the same notation; positions that are equal because they have the
/// same future may have different states.
///
/// # Stability
///
/// The format is part of the public interface. It changes only in a release whose change log says
/// so under Breaking; words do not carry a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionWords {
    /// The position.
    pub position: Position,
    /// Whether an illegal action of the side to move has ended the game, which was not over.
    pub illegal: bool,
}

impl PositionWords {
    /// The number of words of a state: 1 on boards of at most 16 cells, else 5.
    #[must_use]
    pub fn num_words(variant: &Variant) -> usize {
        if is_small(variant) { 1 } else { LARGE_WORDS }
    }

    /// Whether the game is over, by the rules or by an illegal action.
    #[must_use]
    pub fn is_over(&self, variant: &Variant) -> bool {
        self.illegal || self.position.is_over(variant)
    }

    /// The state in these words.
    ///
    /// # Errors
    ///
    /// When the words are not a state, or the position cannot occur ([`Position::from_stones`]).
    ///
    /// # Panics
    ///
    /// If there are not [`PositionWords::num_words`] words.
    #[inline]
    pub fn read(variant: &Variant, words: &[u64]) -> Result<Self, WordsError> {
        let (sets, ply, last, illegal) = if is_small(variant) {
            let &[word] = words else {
                panic!("a state of this board is one word");
            };
            let (ply, last) = decode_plies(word);
            (read_cells(word)?, ply, last, word)
        } else {
            let &[light, dark, low, high, rest] = words else {
                panic!("a state of this board is five words");
            };
            if (rest & !ILLEGAL_END) >> 15 != 0 {
                return Err(WordsError::UnusedBits { found: rest });
            }
            let sets = [light, dark, low, high].map(CellSet::from_bits);
            (sets, rest & 255, rest >> LARGE_LAST_SHIFT & 127, rest)
        };
        let [light, dark, low, high] = sets;
        check_sets(variant, sets)?;
        let last = match last {
            LAST_NONE => None,
            LAST_PASS => Some(Move::Pass),
            found => {
                let (cell, num_cells) = ((found - LAST_CELL) as usize, variant.board().num_cells());
                if cell >= num_cells {
                    return Err(WordsError::LastTurn { found, num_cells });
                }
                Some(Move::placed([low, high], Cell::new(cell)))
            }
        };
        let position =
            Position::from_sets(variant, [light, dark], [low, high], last, ply as usize)?;
        let illegal = illegal & ILLEGAL_END != 0;
        if illegal && position.is_over(variant) {
            return Err(WordsError::EndedTwice);
        }
        Ok(Self { position, illegal })
    }

    /// Writes the words of this state.
    ///
    /// # Panics
    ///
    /// If there are not [`PositionWords::num_words`] words.
    #[inline]
    pub fn write(&self, variant: &Variant, words: &mut [u64]) {
        let position = &self.position;
        let [light, dark] = Player::ALL.map(|player| position.stones(player).bits());
        let [low, high] = position.types().map(CellSet::bits);
        let ply = position.ply() as u64;
        let last = match position.last_move() {
            None => LAST_NONE,
            Some(Move::Pass) => LAST_PASS,
            Some(Move::Place { cell, .. }) => LAST_CELL + cell.index() as u64,
        };
        assert_eq!(words.len(), Self::num_words(variant));
        encode([light, dark, low, high], ply, last, self.illegal, words);
    }
}

fn is_small(variant: &Variant) -> bool {
    variant.board().num_cells() <= MAX_SMALL_CELLS
}

/// Writes as many words as there are with these sets of stones (of Light, of Dark, and by the bits of
/// their types), number of plies, last turn, and illegal end.
#[inline(always)]
pub(crate) fn encode(sets: [u64; 4], ply: u64, last: u64, illegal: bool, words: &mut [u64]) {
    if let [word] = words {
        *word = encode_small(sets, ply, last, illegal);
    } else {
        let [light, dark, low, high] = sets;
        let rest = ply | last << LARGE_LAST_SHIFT | illegal_end(illegal);
        words.copy_from_slice(&[light, dark, low, high, rest]);
    }
}

/// The only word, see [`encode`].
#[inline(always)]
pub(crate) fn encode_small(sets: [u64; 4], ply: u64, last: u64, illegal: bool) -> u64 {
    let [light, dark, low, high] = sets;
    // A digit is a sum over these sets, and so is the number.
    let cells = ones(light | dark) + 4 * ones(dark) + ones(low) + 2 * ones(high);
    cells | ply << SMALL_PLY_SHIFT | last << SMALL_LAST_SHIFT | illegal_end(illegal)
}

#[inline(always)]
const fn illegal_end(illegal: bool) -> u64 {
    if illegal { ILLEGAL_END } else { 0 }
}

/// The number of plies and the last turn of a word, as [`encode_small`] takes them.
#[inline(always)]
pub(crate) fn decode_plies(word: u64) -> (u64, u64) {
    (word >> SMALL_PLY_SHIFT & 63, word >> SMALL_LAST_SHIFT & 31)
}

/// The sets of a word as [`encode_small`] takes them, 16 bits each from the lowest; none if a number of
/// four cells is too large.
#[inline(always)]
pub(crate) fn decode_sets(word: u64) -> Option<u64> {
    let mut rows = 0;
    for group in 0..4 {
        let number = word >> (FOUR_CELLS_BITS * group) & ((1 << FOUR_CELLS_BITS) - 1);
        rows |= u64::from(*SETS.get(number as usize)?) << (16 * group);
    }
    Some(transpose(rows))
}

/// Exchanges the rows and the columns of four times four numbers of four bits.
#[inline(always)]
const fn transpose(rows: u64) -> u64 {
    let swapped = (rows ^ rows >> 12) & 0x0000_f0f0_0000_f0f0;
    let rows = rows ^ swapped ^ swapped << 12;
    let swapped = (rows ^ rows >> 24) & 0x0000_0000_ff00_ff00;
    rows ^ swapped ^ swapped << 24
}

/// The number of 16 cells in which those of a set have the digit 1.
#[inline]
fn ones(set: u64) -> u64 {
    let half = |byte: u64| u64::from(ONES[(byte & 0xff) as usize]);
    half(set) | half(set >> 8) << (2 * FOUR_CELLS_BITS)
}

/// The stones of Light and Dark, and of which types they are.
#[inline]
fn read_cells(word: u64) -> Result<[CellSet; 4], WordsError> {
    if let Some(sets) = decode_sets(word) {
        return Ok([0, 16, 32, 48].map(|shift| CellSet::from_bits(sets >> shift & 0xffff)));
    }
    let numbers = (0..4).map(|group| {
        let first = FOUR_CELLS_BITS * group;
        (first, word >> first & ((1 << FOUR_CELLS_BITS) - 1))
    });
    let mut large = numbers.filter(|&(_, number)| number >= FOUR_CELLS as u64);
    let (first, found) = large.next().expect("a number of four cells is too large");
    Err(WordsError::Cells { first, found })
}

#[inline]
fn check_sets(variant: &Variant, sets: [CellSet; 4]) -> Result<(), WordsError> {
    let [light, dark, low, high] = sets;
    let first = |set: CellSet| set.into_iter().next().map(Cell::index);
    let stones = light | dark;
    if let Some(cell) = first((stones | low | high) - variant.board().all()) {
        let num_cells = variant.board().num_cells();
        return Err(WordsError::OffBoard { cell, num_cells });
    }
    if let Some(cell) = first(light & dark) {
        return Err(WordsError::TwoStones { cell });
    }
    match first((low | high) - stones) {
        Some(cell) => Err(WordsError::TypeWithoutStone { cell }),
        None => Ok(()),
    }
}
