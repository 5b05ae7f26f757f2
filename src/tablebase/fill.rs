//! Fills the rows with some number of stones from those with one more.
//!
//! A block, the rows of one placing of the stones, is filled at once: each cell and type of piece leads to
//! one block of the level after it, whatever the hands, and there to the same allowed cells in every
//! row. So the work is done on planes, the values of one cell for all hands.

use std::sync::atomic::{AtomicBool, Ordering};

use super::TablebaseError;
use super::layout::{DRAW, Layout, Part};
use crate::memory::{OutOfMemory, filled, zeroed};
use crate::threads::map_in_order;

/// Named in the error if memory does not suffice.
pub(super) const ROWS: &str = "the rows of a tablebase";

/// Rows whose stones lie on one set of cells and are divided in one ratio.
#[derive(Clone, Copy)]
pub(super) struct Division<'a> {
    pub(super) part: &'a Part,
    pub(super) own_count: usize,
    pub(super) taken: u16,
}

impl Division<'_> {
    /// The mover's stones, in the order of the rows.
    pub(super) fn choices(self) -> impl Iterator<Item = u16> {
        let subsets = (0..=self.taken).filter(move |set| set & !self.taken == 0);
        subsets.filter(move |set| set.count_ones() as usize == self.own_count)
    }
}

/// All divisions of a level, each with the part of `items` that belongs to it; a row has `per_row`.
pub(super) fn divisions<'a, T>(
    layout: &'a Layout,
    stones: usize,
    items: &'a mut [T],
    per_row: usize,
) -> Vec<(Division<'a>, &'a mut [T])> {
    let level = &layout.levels[stones];
    let mut divisions = Vec::new();
    let mut rest = items;
    for (own_count, part) in level.parts.iter().enumerate() {
        let Some(part) = part else { continue };
        let count = part.choices * part.rows() * per_row;
        for &taken in &level.sets {
            let (items, others) = rest.split_at_mut(count);
            rest = others;
            let division = Division {
                part,
                own_count,
                taken,
            };
            divisions.push((division, items));
        }
    }
    divisions
}

/// The values of some cells of a block, by cell and then by row.
pub(super) struct Planes {
    values: Vec<u8>,
    /// The most rows of a block.
    stride: usize,
}

impl Planes {
    pub(super) fn new(stride: usize, cells: usize) -> Result<Self, OutOfMemory> {
        let values = filled(ROWS, cells * stride, 0)?;
        Ok(Self { values, stride })
    }

    pub(super) fn plane(&self, cell: usize) -> &[u8] {
        &self.values[cell * self.stride..][..self.stride]
    }

    fn plane_mut(&mut self, cell: usize) -> &mut [u8] {
        &mut self.values[cell * self.stride..][..self.stride]
    }

    /// Takes the rows of a block apart.
    pub(super) fn unpack(&mut self, rows: &[u8], row_bytes: usize) {
        for (number, row) in rows.chunks_exact(row_bytes).enumerate() {
            for (pair, byte) in row.iter().enumerate() {
                self.values[2 * pair * self.stride + number] = byte & 0xf;
                self.values[(2 * pair + 1) * self.stride + number] = byte >> 4;
            }
        }
    }

    /// Puts the first `cells` planes together to the rows of a block.
    fn pack(&self, cells: usize, rows: &mut [u8], row_bytes: usize) {
        for (number, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
            for (pair, byte) in row.iter_mut().enumerate() {
                let value = |cell: usize| {
                    if cell < cells {
                        self.plane(cell)[number]
                    } else {
                        0
                    }
                };
                *byte = value(2 * pair) | value(2 * pair + 1) << 4;
            }
        }
    }

    /// The largest value of each row among some cells.
    pub(super) fn largest(&self, mut cells: u16, rows: usize, largest: &mut [u8]) {
        let largest = &mut largest[..rows];
        largest.fill(0);
        while cells != 0 {
            let plane = &self.plane(cells.trailing_zeros() as usize)[..rows];
            cells &= cells - 1;
            for (most, &value) in largest.iter_mut().zip(plane) {
                *most = (*most).max(value);
            }
        }
    }
}

/// What a thread works with.
pub(super) struct Filler<'a> {
    layout: &'a Layout,
    /// The level with one more stone.
    after: &'a [u8],
    /// The values of the block being filled: a plane for each empty cell, or for each type on it.
    pub(super) values: Planes,
    by_type: bool,
    /// The rows after a placement, of the opponent, and of the mover if the opponent passes.
    replies: Planes,
    own_again: Planes,
    largest: Vec<u8>,
    hands_without: &'a [OtherHands],
}

/// For each hand of as many pieces and each type: the number of the hand with one such piece less, or
/// more.
pub(super) type OtherHands = Vec<[Option<u16>; 4]>;

/// Fills the rows with this many stones from those with one more.
///
/// `done` is told the bytes of every part that is filled.
///
/// # Errors
///
/// When it is stopped, or memory does not suffice.
pub(super) fn fill(
    layout: &Layout,
    stones: usize,
    after: &[u8],
    num_threads: usize,
    stop: &AtomicBool,
    done: impl Fn(usize) + Sync,
) -> Result<Vec<u8>, TablebaseError> {
    let level = &layout.levels[stones];
    let mut bytes = zeroed(ROWS, level.bytes)?;
    let work = divisions(layout, stones, &mut bytes, level.row_bytes);
    let hands_without = hands_without(layout);
    let new_filler = || Filler::new(layout, after, &hands_without, false);
    map_in_order(work, num_threads, new_filler, |filler, (division, rows)| {
        if stop.load(Ordering::Relaxed) {
            return Err(TablebaseError::Stopped);
        }
        let bytes = rows.len();
        filler
            .as_mut()
            .map_err(|error| *error)?
            .fill(division, rows);
        done(bytes);
        Ok(())
    })?;
    Ok(bytes)
}

/// Hands with one piece less, by the number of pieces placed.
pub(super) fn hands_without(layout: &Layout) -> Vec<OtherHands> {
    other_hands(layout, |hand, piece| {
        (hand & (3 * piece) > 0).then(|| hand - piece)
    })
}

/// The hands that `change` makes, by the number of pieces placed. It is given a packed hand, and one
/// piece of a type.
pub(super) fn other_hands(
    layout: &Layout,
    change: impl Fn(u8, u8) -> Option<u8>,
) -> Vec<OtherHands> {
    let number = |hand: u8| layout.hand_number(hand.into()) as u16;
    let others = |&hand: &u8| [1, 4, 16, 64].map(|piece| change(hand, piece).map(number));
    let hands = layout.hands.iter();
    hands
        .map(|hands| hands.iter().map(others).collect())
        .collect()
}

impl<'a> Filler<'a> {
    pub(super) fn new(
        layout: &'a Layout,
        after: &'a [u8],
        hands_without: &'a [OtherHands],
        by_type: bool,
    ) -> Result<Self, OutOfMemory> {
        let (cells, most) = (layout.cells + 1, layout.most_rows());
        Ok(Self {
            layout,
            after,
            values: Planes::new(most, if by_type { 4 * cells } else { cells })?,
            by_type,
            replies: Planes::new(most, cells)?,
            own_again: Planes::new(most, cells)?,
            largest: filled(ROWS, most, 0)?,
            hands_without,
        })
    }

    fn fill(&mut self, division: Division<'_>, rows: &mut [u8]) {
        let Division { part, taken, .. } = division;
        let row_bytes = self.layout.levels[taken.count_ones() as usize].row_bytes;
        let cells = self.layout.cells - taken.count_ones() as usize;
        for (own, rows) in division
            .choices()
            .zip(rows.chunks_exact_mut(part.block_bytes))
        {
            self.fill_block(division, own);
            self.values.pack(cells, rows, row_bytes);
        }
    }

    /// Fills the planes of the mover's stones.
    pub(super) fn fill_block(&mut self, division: Division<'_>, own: u16) {
        self.values.values.fill(0);
        let empty = self.layout.geometry.all & !division.taken;
        let cells = (0..16).filter(|cell| empty >> cell & 1 == 1);
        for (place, cell) in cells.enumerate() {
            self.fill_cell(division, own, division.taken & !own, cell, place);
        }
    }

    /// Fills the planes of one empty cell.
    fn fill_cell(&mut self, division: Division<'_>, own: u16, opp: u16, cell: usize, place: usize) {
        let geometry = &self.layout.geometry;
        let own_after = own | 1 << cell;
        let empty = geometry.all & !(own_after | opp);
        let margin = geometry.points(own_after) - geometry.points(opp);
        let stored = |margin: i32| (i32::from(DRAW) + margin) as u8;
        let ends = opp.count_ones() as usize == self.layout.pieces;
        let is_last = division.own_count + 1 == self.layout.pieces;
        let (mut has_replies, mut has_own_again) = (false, false);
        for piece in 0..4 {
            let allowed = geometry.reach[piece * 16 + cell] & empty;
            if ends {
                self.raise_all(division, piece, place, stored(margin));
            } else if is_last || (allowed | empty) == 0 {
                // The opponent's last turn, or two passes on a full board.
                let gain = geometry.best_gain(opp, allowed);
                self.raise_all(division, piece, place, stored(margin - gain));
            } else if allowed != 0 {
                let block = self.layout.block(opp, own_after);
                let level = &self.layout.levels[block.stones];
                if !has_replies {
                    let rows = &self.after[block.start..][..block.part.block_bytes];
                    self.replies.unpack(rows, level.row_bytes);
                    has_replies = true;
                }
                let places = self.layout.places(&block, allowed);
                let rows = block.part.rows();
                self.replies.largest(places, rows, &mut self.largest);
                let hands = block.part.opp_hands;
                self.raise(division, piece, place, |largest, own_hand, opp_hand| {
                    2 * DRAW - largest[opp_hand * hands + own_hand]
                });
            } else {
                // The opponent passes, then every empty cell is allowed.
                let block = self.layout.block(own_after, opp);
                let level = &self.layout.levels[block.stones];
                if !has_own_again {
                    let rows = &self.after[block.start..][..block.part.block_bytes];
                    self.own_again.unpack(rows, level.row_bytes);
                    has_own_again = true;
                }
                let places = self.layout.places(&block, empty);
                let rows = block.part.rows();
                self.own_again.largest(places, rows, &mut self.largest);
                let hands = block.part.opp_hands;
                self.raise(division, piece, place, |largest, own_hand, opp_hand| {
                    largest[own_hand * hands + opp_hand]
                });
            }
        }
    }

    /// Raises the values of a plane to those of placing this piece, in the rows that hold it: the value
    /// for the hands after it.
    #[inline(always)]
    fn raise(
        &mut self,
        division: Division<'_>,
        piece: usize,
        place: usize,
        value: impl Fn(&[u8], usize, usize) -> u8,
    ) {
        let opp_hands = division.part.opp_hands;
        let values = self.values.plane_mut(if self.by_type {
            4 * place + piece
        } else {
            place
        });
        let hands = self.hands_without[division.own_count].iter();
        for (hands, rows) in hands.zip(values.chunks_exact_mut(opp_hands)) {
            let Some(own_hand) = hands[piece] else {
                continue;
            };
            for (opp_hand, most) in rows.iter_mut().enumerate() {
                *most = (*most).max(value(&self.largest, usize::from(own_hand), opp_hand));
            }
        }
    }

    fn raise_all(&mut self, division: Division<'_>, piece: usize, place: usize, value: u8) {
        self.raise(division, piece, place, |_, _, _| value);
    }
}
