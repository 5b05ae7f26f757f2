//! Where the rows of a table lie: a number for every way to place and hold pieces, without gaps.

use super::TablebaseError;
use crate::game::Variant;
use crate::memory::{with_room, zeroed};
use crate::small_board::{Geometry, SmallState, TWO_BIT_HAND};

/// Named in the error if memory does not suffice.
const LAYOUT: &str = "the layout of a tablebase";

/// A position with hands of two bits for each type, which the tables of this crate pack.
pub(super) type State = SmallState<2>;

/// The most points that a value of four bits tells apart.
pub(super) const MAX_POINTS: i32 = 7;
/// A margin of 0, as it is stored. Stored values ascend with margins, and 0 is none.
pub(super) const DRAW: u8 = MAX_POINTS as u8 + 1;
/// A row may be read in one word, so this many bytes follow the last one of a level.
pub(super) const PADDING: usize = 8;

/// The order of the rows of one board and number of copies.
///
/// A row has a value for each empty cell: the best margin of placing a piece there, whichever cells are
/// allowed. It is known by the cells of both players, up to symmetry, and by their hands. Rows with the
/// same number of stones make a level.
///
/// The symmetry is the one that maps the taken cells to the least of their images. So the number of a row
/// is that of the least set of taken cells, then the rank of the mover's stones among all choices from
/// it, then the numbers of both hands among those with as many pieces. Sets that are symmetric themselves
/// have some rows more than once.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) geometry: Box<Geometry>,
    pub(super) cells: usize,
    /// The pieces of a full hand.
    pub(super) pieces: usize,
    /// Hands, packed, by the pieces missing from a full one.
    pub(super) hands: Vec<Vec<u8>>,
    /// The number of a packed hand among those with as many pieces.
    hand_numbers: [u8; 256],
    /// By the number of stones.
    pub(super) levels: Vec<Level>,
    /// The number of each set that is the least of its images, among those with as many cells.
    set_numbers: Vec<u16>,
    /// The rank of a set among those with as many cells, in ascending order.
    ranks: Vec<u16>,
    /// The bits of a byte that a mask has (high byte of the index), moved together.
    gathered: Vec<u8>,
}

/// The rows with one number of stones.
#[derive(Debug)]
pub(super) struct Level {
    /// Every least set of taken cells.
    pub(super) sets: Vec<u16>,
    /// By the number of the mover's stones; empty where a player would have no piece left.
    pub(super) parts: Vec<Option<Part>>,
    pub(super) row_bytes: usize,
    /// The bytes of all rows and of the padding.
    pub(super) bytes: usize,
}

impl Level {
    pub(super) fn num_rows(&self) -> usize {
        (self.bytes - PADDING) / self.row_bytes
    }
}

/// The rows of a level with one number of stones for the mover.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Where it starts in the level, in bytes.
    pub(super) start: usize,
    /// In how many ways the mover's stones may lie on a set of taken cells.
    pub(super) choices: usize,
    pub(super) own_hands: usize,
    pub(super) opp_hands: usize,
    /// The bytes of the rows that differ only in the hands.
    pub(super) block_bytes: usize,
}

impl Part {
    /// The rows of a block.
    pub(super) fn rows(&self) -> usize {
        self.own_hands * self.opp_hands
    }
}

/// The rows of one placing of the stones, for all hands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub(super) stones: usize,
    pub(super) part: &'a Part,
    /// Where it starts in its level, in bytes.
    pub(super) start: usize,
    symmetry: u32,
    /// The empty cells, under the symmetry.
    empty: u16,
}

impl Layout {
    /// The layout of the tables of a variant's board and copies.
    pub(super) fn new(variant: &Variant) -> Result<Self, TablebaseError> {
        let board = variant.board();
        let (cells, copies) = (board.num_cells(), variant.copies());
        let pieces = 4 * usize::from(copies);
        check(variant)?;
        let (hands, hand_numbers) = hands(copies);
        let mut layout = Self {
            geometry: Box::new(Geometry::new(board)?),
            cells,
            pieces,
            hands,
            hand_numbers,
            levels: Vec::new(),
            set_numbers: zeroed(LAYOUT, 1 << 16)?,
            ranks: zeroed(LAYOUT, 1 << 16)?,
            gathered: with_room(LAYOUT, 1 << 16)?,
        };
        let gathered = (0..=u16::MAX).map(|at| gather(at as u8, (at >> 8) as u8));
        layout.gathered.extend(gathered);
        let mut seen = [0; 17];
        for set in 0..1 << cells {
            let count = &mut seen[(set as u32).count_ones() as usize];
            layout.ranks[set] = *count;
            *count += 1;
        }
        let mut sets = vec![Vec::new(); cells + 1];
        for set in 0..=layout.geometry.all {
            if layout.geometry.image(layout.geometry.to_least(set), set) == set {
                let sets: &mut Vec<u16> = &mut sets[set.count_ones() as usize];
                layout.set_numbers[usize::from(set)] = sets.len() as u16;
                sets.push(set);
            }
        }
        sets.pop(); // nothing can be placed on a full board
        let levels = sets.into_iter().enumerate();
        layout.levels = levels
            .map(|(stones, sets)| layout.level(stones, sets))
            .collect();
        Ok(layout)
    }

    fn level(&self, stones: usize, sets: Vec<u16>) -> Level {
        let row_bytes = (self.cells - stones).div_ceil(2);
        let mut bytes = 0;
        let parts = (0..=stones).map(|own| {
            let opp = stones - own;
            let both_hold = own.max(opp) < self.pieces;
            both_hold.then(|| {
                let (own_hands, opp_hands) = (self.hands[own].len(), self.hands[opp].len());
                let part = Part {
                    start: bytes,
                    choices: choices(stones, own),
                    own_hands,
                    opp_hands,
                    block_bytes: own_hands * opp_hands * row_bytes,
                };
                bytes += sets.len() * part.choices * part.block_bytes;
                part
            })
        });
        let parts = parts.collect();
        Level {
            sets,
            parts,
            row_bytes,
            bytes: bytes + PADDING,
        }
    }

    /// The rows of the mover's and the opponent's stones; both players must hold a piece.
    #[inline]
    pub(super) fn block(&self, own: u16, opp: u16) -> Block<'_> {
        let taken = own | opp;
        let symmetry = self.geometry.to_least(taken);
        let least = self.geometry.image(symmetry, taken);
        let stones = self.geometry.count(taken) as usize;
        let part = &self.levels[stones].parts[self.geometry.count(own) as usize];
        let part = part.as_ref().expect("both players hold a piece");
        let chosen = self.gather(least, self.geometry.image(symmetry, own));
        let rank = usize::from(self.ranks[usize::from(chosen)]);
        let number = usize::from(self.set_numbers[usize::from(least)]) * part.choices + rank;
        Block {
            stones,
            part,
            start: part.start + number * part.block_bytes,
            symmetry,
            empty: self.geometry.all & !least,
        }
    }

    /// The values of a row that belong to these empty cells, a bit each.
    #[inline]
    pub(super) fn places(&self, block: &Block<'_>, cells: u16) -> u16 {
        self.gather(block.empty, self.geometry.image(block.symmetry, cells))
    }

    /// Where the row of these hands starts in its level, in bytes.
    #[inline]
    pub(super) fn row(&self, block: &Block<'_>, own_hand: u32, opp_hand: u32) -> usize {
        let [own, opp] = [own_hand, opp_hand].map(|hand| self.hand_number(hand));
        let number = own * block.part.opp_hands + opp;
        block.start + number * self.levels[block.stones].row_bytes
    }

    #[inline]
    pub(super) fn hand_number(&self, hand: u32) -> usize {
        usize::from(self.hand_numbers[hand as usize & 0xff])
    }

    /// The most rows of a block.
    pub(super) fn most_rows(&self) -> usize {
        self.hands.iter().map(Vec::len).max().unwrap_or(1).pow(2)
    }

    /// The bits that `mask` has, moved together.
    #[inline]
    pub(super) fn gather(&self, mask: u16, set: u16) -> u16 {
        let part = |shift: u32| {
            let at = usize::from(mask >> shift & 0xff) << 8 | usize::from(set >> shift & 0xff);
            u16::from(self.gathered[at])
        };
        part(0) | part(8) << self.geometry.count(mask & 0xff)
    }

    /// The rows and the values of all levels.
    pub(super) fn counts(&self) -> (u64, u64) {
        let levels = self.levels.iter().enumerate();
        let counts = levels.map(|(stones, level)| {
            let parts = level.parts.iter().flatten();
            let hands = parts.map(|part| part.choices * part.rows());
            let rows = (level.sets.len() * hands.sum::<usize>()) as u64;
            (rows, rows * (self.cells - stones) as u64)
        });
        counts.fold((0, 0), |sum, level| (sum.0 + level.0, sum.1 + level.1))
    }
}

/// The value of a row that is best among some of its places, see [`Layout::places`].
#[inline]
pub(super) fn best(row: u64, mut places: u16) -> i8 {
    let mut best = 0;
    while places != 0 {
        best = best.max(row >> (4 * places.trailing_zeros()) & 0xf);
        places &= places - 1;
    }
    best as i8 - DRAW as i8
}

fn check(variant: &Variant) -> Result<(), TablebaseError> {
    let (cells, copies) = (variant.board().num_cells(), variant.copies());
    if cells > 16 {
        return Err(TablebaseError::TooManyCells { cells });
    }
    if copies > TWO_BIT_HAND {
        return Err(TablebaseError::TooManyCopies { copies });
    }
    let points = variant.max_margin();
    if i32::from(points) > MAX_POINTS {
        return Err(TablebaseError::TooManyPoints { points });
    }
    Ok(())
}

/// All hands by the pieces that are missing, and the number of each.
fn hands(copies: u8) -> (Vec<Vec<u8>>, [u8; 256]) {
    let mut hands = vec![Vec::new(); 4 * usize::from(copies) + 1];
    let mut numbers = [0; 256];
    for packed in 0..=u8::MAX {
        let counts = [0, 2, 4, 6].map(|shift| packed >> shift & 3);
        if counts.iter().all(|&count| count <= copies) {
            let missing = hands.len() - 1 - usize::from(counts.iter().sum::<u8>());
            numbers[usize::from(packed)] = hands[missing].len() as u8;
            hands[missing].push(packed);
        }
    }
    (hands, numbers)
}

/// The number of ways to choose some of several things.
pub(super) fn choices(all: usize, some: usize) -> usize {
    (0..some).fold(1, |product, chosen| product * (all - chosen) / (chosen + 1))
}

fn gather(byte: u8, mask: u8) -> u8 {
    let bits = (0..8).filter(|bit| mask >> bit & 1 == 1);
    let bits = bits.enumerate();
    bits.fold(0, |moved, (to, from)| moved | (byte >> from & 1) << to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Opening};

    fn layout(text: &str, copies: i64) -> Layout {
        let board = Board::from_text(text).unwrap();
        Layout::new(&Variant::new(board, Opening::Anywhere, copies).unwrap()).unwrap()
    }

    /// Every choice of stones and hands has its own row, and no byte is left over, but for sets
    /// that are symmetric themselves and the padding.
    #[test]
    fn rows_follow_each_other_without_gaps() {
        for (text, copies) in [("###\n###", 1), ("####\n.##.", 2), ("##.\n###", 3)] {
            let layout = layout(text, copies);
            let mut starts = vec![Vec::new(); layout.cells];
            for taken in 0..layout.geometry.all {
                let least = layout
                    .geometry
                    .image(layout.geometry.to_least(taken), taken);
                for own in (0..=taken).filter(|own| own & !taken == 0) {
                    let opp = taken & !own;
                    let (own_count, opp_count) = (own.count_ones(), opp.count_ones());
                    if own_count.max(opp_count) as usize >= layout.pieces || least != taken {
                        continue;
                    }
                    let block = layout.block(own, opp);
                    for &own_hand in &layout.hands[own_count as usize] {
                        for &opp_hand in &layout.hands[opp_count as usize] {
                            let row = layout.row(&block, own_hand.into(), opp_hand.into());
                            starts[block.stones].push(row);
                        }
                    }
                }
            }
            for (level, starts) in layout.levels.iter().zip(&mut starts) {
                starts.sort_unstable();
                let rows = (level.bytes - PADDING) / level.row_bytes;
                assert!(
                    starts
                        .iter()
                        .copied()
                        .eq((0..rows).map(|row| row * level.row_bytes))
                );
            }
        }
    }

    #[test]
    fn bits_are_gathered_in_order() {
        let layout = layout("####\n####\n####\n####", 1);
        assert_eq!(
            layout.gather(0b1010_0000_0000_1100, 0b1000_0000_0000_0100),
            0b1001
        );
        assert_eq!(layout.gather(u16::MAX, 0x1234), 0x1234);
        assert_eq!(choices(8, 4), 70);
    }

    #[test]
    fn the_best_of_some_places() {
        let row = 0x1_f83;
        assert_eq!(
            [1, 2, 4, 8, 7, 3].map(|places| best(row, places)),
            [-5, 0, 7, -7, 7, 0]
        );
    }
}
