//! How many positions can be reached, by stones and margin.

use std::sync::atomic::{AtomicBool, Ordering};

use super::fill::{Division, divisions};
use super::layout::{Block, Layout, MAX_POINTS, best};
use super::{Tablebase, TablebaseError};
use crate::game::{Piece, Position, Variant};
use crate::memory::zeroed;
use crate::threads::map_in_order;

/// Named in the error if memory does not suffice.
const OPEN: &str = "the cells that may be taken in a position";

/// Numbers of positions by margin, the least margin first.
pub type MarginCounts = [u64; 2 * MAX_POINTS as usize + 1];

/// For each number of missing pieces, hand and type: the number of the hand with one more such piece.
type HandsWith = Vec<Vec<[Option<u16>; 4]>>;

/// The cells that may be taken next, of every row of a level: those that are allowed in any reachable
/// position of the row, numbered as its values are.
type Open = Vec<u16>;

/// What a player can have placed last, in all rows of a block.
struct Lasts<'a> {
    /// The rows before each placement, and the number of the cell in them.
    before: Vec<(Block<'a>, u16)>,
    /// Of each type on each of these cells: the number of the cells that it allows, in `Reachable::sets`.
    sets: Vec<[Option<u8>; 4]>,
}

/// The count of a division of a level.
struct Census<'a> {
    table: &'a Tablebase,
    layout: &'a Layout,
    variant: &'a Variant,
    hands_with: &'a HandsWith,
    /// The level with one stone less.
    before: &'a [u16],
}

impl Tablebase {
    /// How many positions can be reached in games of a variant, by the number of stones and by margin.
    ///
    /// Positions in which both players hold pieces count, each once up to symmetry, seen by the side to
    /// move; how many turns led there does not matter. The margins are those of the side to move.
    ///
    /// # Errors
    ///
    /// When a part of the table is damaged, `stop` is set, or memory does not suffice.
    ///
    /// # Panics
    ///
    /// If the table does not serve the variant, or `num_threads` is 0.
    pub fn census(
        &self,
        variant: &Variant,
        num_threads: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<MarginCounts>, TablebaseError> {
        assert!(self.serves(variant), "a table of another game");
        assert!(num_threads > 0, "num_threads must be at least 1");
        let layout = &self.layout;
        let hands_with = hands_with(layout);
        let mut before: Open = Vec::new();
        let mut counts = Vec::new();
        for stones in 0..layout.cells {
            let census = Census {
                table: self,
                layout,
                variant,
                hands_with: &hands_with,
                before: &before,
            };
            let mut open: Open = zeroed(OPEN, layout.levels[stones].num_rows())?;
            let work = divisions(layout, stones, &mut open, 1);
            let found = map_in_order(
                work,
                num_threads,
                || (),
                |(), (division, open)| {
                    if stop.load(Ordering::Relaxed) {
                        return Err(TablebaseError::Stopped);
                    }
                    census.count(division, open)
                },
            )?;
            let mut sum = MarginCounts::default();
            for part in found {
                for (sum, count) in sum.iter_mut().zip(part) {
                    *sum += count;
                }
            }
            counts.push(sum);
            before = open;
        }
        Ok(counts)
    }
}

fn hands_with(layout: &Layout) -> HandsWith {
    let full = layout.hands[0][0];
    let with = |hand: u8| {
        [0, 2, 4, 6].map(|shift| {
            let has_room = hand >> shift & 3 < full >> shift & 3;
            has_room.then(|| layout.hand_number(u32::from(hand + (1 << shift))) as u16)
        })
    };
    let hands = layout.hands.iter();
    hands
        .map(|hands| hands.iter().map(|&hand| with(hand)).collect())
        .collect()
}

impl Census<'_> {
    /// Counts the positions of a division, and fills in its open cells.
    fn count(
        &self,
        division: Division<'_>,
        open: &mut [u16],
    ) -> Result<MarginCounts, TablebaseError> {
        let Division { part, taken, .. } = division;
        let mut counts = MarginCounts::default();
        let rows = part.own_hands * part.opp_hands;
        for (own, open) in division.choices().zip(open.chunks_exact_mut(rows)) {
            self.count_block(division, own, taken & !own, open, &mut counts)?;
        }
        Ok(counts)
    }

    fn count_block(
        &self,
        division: Division<'_>,
        own: u16,
        opp: u16,
        open: &mut [u16],
        counts: &mut MarginCounts,
    ) -> Result<(), TablebaseError> {
        let layout = self.layout;
        let geometry = &layout.geometry;
        let empty = geometry.all & !division.taken;
        let (own_block, opp_block) = (layout.block(own, opp), layout.block(opp, own));
        let mut sets = vec![empty];
        let theirs = self.lasts(opp, own, &mut sets, false);
        let ours = self.lasts(own, opp, &mut sets, true);
        // Of symmetric positions with the same stones, one counts.
        let counted = sets
            .iter()
            .map(|&set| geometry.is_least(division.taken, (own, set)));
        let counted: Vec<bool> = counted.collect();
        let places: Vec<u16> = sets
            .iter()
            .map(|&set| layout.places(&own_block, set))
            .collect();
        let all_theirs = layout.places(&opp_block, empty);
        let own_count = division.own_count;
        let opp_count = opp.count_ones() as usize;
        for own_hand in 0..division.part.own_hands {
            for opp_hand in 0..division.part.opp_hands {
                let row = own_hand * division.part.opp_hands + opp_hand;
                let with = &self.hands_with;
                let mut reached = self.reached(&theirs, &with[opp_count][opp_hand], own_hand);
                // The opponent passed: every empty cell is allowed.
                let passed = self.reached(&ours, &with[own_count][own_hand], opp_hand);
                if division.taken == 0 {
                    // The opening.
                    let opening = self.variant.opening_cells().bits() as u16;
                    open[row] = layout.places(&own_block, opening);
                    let start = Position::new(self.variant);
                    let margin = self.table.margin(self.variant, &start)?;
                    counts[(margin + MAX_POINTS) as usize] += 1;
                    continue;
                }
                reached |= u32::from(passed != 0);
                let mut word = None;
                while reached != 0 {
                    let set = reached.trailing_zeros() as usize;
                    reached &= reached - 1;
                    open[row] |= places[set];
                    if !counted[set] {
                        continue;
                    }
                    let margin = if places[set] == 0 {
                        let number = opp_hand * opp_block.part.opp_hands + own_hand;
                        let start =
                            opp_block.start + number * layout.levels[opp_block.stones].row_bytes;
                        -best(self.table.row(opp_block.stones, start)?, all_theirs)
                    } else {
                        let start =
                            own_block.start + row * layout.levels[own_block.stones].row_bytes;
                        let word = match word {
                            Some(word) => word,
                            None => *word.insert(self.table.row(own_block.stones, start)?),
                        };
                        best(word, places[set])
                    };
                    counts[(i32::from(margin) + MAX_POINTS) as usize] += 1;
                }
            }
        }
        Ok(())
    }

    /// What the owner of `placed` can have placed last; with `blocking` only what leaves no cell.
    fn lasts(&self, placed: u16, others: u16, sets: &mut Vec<u16>, blocking: bool) -> Lasts<'_> {
        let geometry = &self.layout.geometry;
        let empty = geometry.all & !(placed | others);
        let is_first = geometry.count(placed | others) == 1;
        let mut lasts = Lasts {
            before: Vec::new(),
            sets: Vec::new(),
        };
        let mut rest = placed;
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let of_type = Piece::ALL.map(|piece| {
                let allowed = geometry.reach[piece.index() * 16 + cell] & empty;
                let may_open = !is_first || self.variant.opening().admits(piece);
                if !may_open || (blocking && allowed != 0) {
                    return None;
                }
                let known = sets.iter().position(|&set| set == allowed);
                let number = known.unwrap_or_else(|| {
                    sets.push(allowed);
                    sets.len() - 1
                });
                Some(number as u8)
            });
            if of_type != [None; 4] {
                let block = self.layout.block(placed & !(1 << cell), others);
                let place = self.layout.places(&block, 1 << cell);
                lasts.before.push((block, place));
                lasts.sets.push(of_type);
            }
        }
        lasts
    }

    /// The sets of allowed cells that a player can have left whose hand with each piece more is given; a
    /// bit each.
    #[inline]
    fn reached(&self, lasts: &Lasts<'_>, with: &[Option<u16>; 4], other_hand: usize) -> u32 {
        let mut reached = 0;
        for ((block, place), sets) in lasts.before.iter().zip(&lasts.sets) {
            let first = block.start / self.layout.levels[block.stones].row_bytes;
            for (&hand, &set) in with.iter().zip(sets) {
                let (Some(hand), Some(set)) = (hand, set) else {
                    continue;
                };
                let row = first + usize::from(hand) * block.part.opp_hands + other_hand;
                if self.before[row] & place != 0 {
                    reached |= 1 << set;
                }
            }
        }
        reached
    }
}
