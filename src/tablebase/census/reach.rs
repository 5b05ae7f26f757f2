//! Which positions of a block games reach.

use super::super::fill::{Division, OtherHands, other_hands};
use super::super::layout::{Block, Layout};
use crate::game::{Piece, Variant};

/// Where the positions of a level may be gone on from: by block, empty cell and row, after how many passes
/// games reach a position in which that cell is allowed, a bit each. There are fewer than 16, as a stone
/// is placed between two passes.
pub(super) type Open = Vec<u16>;

/// What leads to the positions of a level.
pub(super) struct Reach<'a> {
    pub(super) layout: &'a Layout,
    pub(super) variant: &'a Variant,
    /// Hands with one piece more, by the number of pieces placed.
    pub(super) hands_with: &'a [OtherHands],
    /// Of the level with one stone less.
    pub(super) before: &'a [u16],
}

/// The sets of allowed cells of a block, and after how many passes the positions are reached: for each set
/// a plane, the opponent's hands first.
pub(super) struct Reached {
    sets: Vec<u16>,
    planes: Vec<u16>,
}

/// What a player can have placed last, in all rows of a block.
struct Last<'a> {
    /// The rows before it, and the number of the cell in them.
    before: Block<'a>,
    place: usize,
    /// Of each type: the number of the cells that it allows, in `Reached::sets`.
    sets: [Option<usize>; 4],
}

impl Reached {
    pub(super) fn is_empty(&self) -> bool {
        self.planes.iter().all(|&reached| reached == 0)
    }

    /// Each set and its plane.
    pub(super) fn sets(&self, rows: usize) -> impl Iterator<Item = (u16, &[u16])> {
        let sets = self.sets.iter().copied();
        sets.zip(self.planes.chunks_exact(rows))
    }
}

impl Reach<'_> {
    /// What is reached of the positions of the mover's stones.
    pub(super) fn block(&self, division: Division<'_>, own: u16) -> Reached {
        let opp = division.taken & !own;
        let empty = self.layout.geometry.all & !division.taken;
        let (own_hands, opp_hands) = (division.part.own_hands, division.part.opp_hands);
        let rows = division.part.rows();
        if division.taken == 0 {
            return Reached {
                sets: vec![self.variant.opening_cells().bits() as u16],
                planes: vec![1],
            };
        }
        let mut sets = vec![empty];
        let theirs = self.lasts(opp, own, &mut sets, false);
        let opp_holds = opp.count_ones() < self.layout.pieces as u32;
        let ours = opp_holds.then(|| self.lasts(own, opp, &mut sets, true));
        let mut planes = vec![0_u16; sets.len() * rows];
        for last in theirs {
            let hands = &self.hands_with[opp.count_ones() as usize];
            let before = self.plane(&last);
            for (with, number) in hands.iter().zip(0..opp_hands) {
                for (&hand, set) in with.iter().zip(last.sets) {
                    if let (Some(hand), Some(set)) = (hand, set) {
                        let reached = &mut planes[set * rows + number * own_hands..][..own_hands];
                        add(reached, &before[usize::from(hand) * own_hands..]);
                    }
                }
            }
        }
        // The opponent passed: every empty cell is allowed.
        let mut passed = vec![0_u16; rows];
        for last in ours.into_iter().flatten() {
            let hands = &self.hands_with[own.count_ones() as usize];
            let before = self.plane(&last);
            for (with, reached) in hands.iter().zip(passed.chunks_exact_mut(opp_hands)) {
                for (&hand, set) in with.iter().zip(last.sets) {
                    if let (Some(hand), Some(_)) = (hand, set) {
                        add(reached, &before[usize::from(hand) * opp_hands..]);
                    }
                }
            }
        }
        for (own_hand, hands) in passed.chunks_exact(opp_hands).enumerate() {
            for (opp_hand, reached) in hands.iter().enumerate() {
                planes[opp_hand * own_hands + own_hand] |= reached << 1;
            }
        }
        Reached { sets, planes }
    }

    /// What the owner of `placed` can have placed last; with `blocking` only what leaves no cell.
    fn lasts(
        &self,
        placed: u16,
        others: u16,
        sets: &mut Vec<u16>,
        blocking: bool,
    ) -> Vec<Last<'_>> {
        let geometry = &self.layout.geometry;
        let empty = geometry.all & !(placed | others);
        let is_first = geometry.count(placed | others) == 1;
        let cells = (0..16).filter(|cell| placed >> cell & 1 == 1);
        let lasts = cells.filter_map(|cell| {
            let sets = Piece::ALL.map(|piece| {
                let allowed = geometry.reach[piece.index() * 16 + cell] & empty;
                let may_open = !is_first || self.variant.opening().admits(piece);
                if !may_open || (blocking && allowed != 0) {
                    return None;
                }
                let known = sets.iter().position(|&set| set == allowed);
                Some(known.unwrap_or_else(|| {
                    sets.push(allowed);
                    sets.len() - 1
                }))
            });
            let before = || self.layout.block(placed & !(1 << cell), others);
            (sets != [None; 4]).then(|| {
                let before = before();
                let place = self.layout.places(&before, 1 << cell).trailing_zeros() as usize;
                Last {
                    before,
                    place,
                    sets,
                }
            })
        });
        lasts.collect()
    }

    /// The rows before a placement, in which its cell is allowed.
    fn plane(&self, last: &Last<'_>) -> &[u16] {
        let block = &last.before;
        let rows = block.part.rows();
        let first = block.start / self.layout.levels[block.stones].row_bytes;
        let cells = self.layout.cells - block.stones;
        &self.before[first * cells + last.place * rows..][..rows]
    }
}

fn add(reached: &mut [u16], before: &[u16]) {
    for (reached, before) in reached.iter_mut().zip(before) {
        *reached |= before;
    }
}

/// Hands with one piece more, by the number of pieces placed.
pub(super) fn hands_with(layout: &Layout) -> Vec<OtherHands> {
    let full = layout.hands[0][0];
    other_hands(layout, |hand, piece| {
        (hand & (3 * piece) < full & (3 * piece)).then(|| hand + piece)
    })
}
