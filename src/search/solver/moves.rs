//! The moves of a position, best first.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::small_board::{Geometry, SmallState};

// Weights of the move order, found by counting nodes.
const FORCES_PASS: i32 = 10_000;
const POINT: i32 = 400;
/// The cell would have scored for the opponent.
const BLOCK: i32 = 300;
/// By piece: some are better kept.
const PIECE: [i32; 4] = [100, -100, 250, 0];
const OPEN_CELL: i32 = 260;
const OPEN_THREAT: i32 = 400;
/// History counts are halved when one exceeds this.
const HISTORY_MAX: u32 = 1 << 20;
const HISTORY_SHIFT: u32 = 11;
/// Makes every rank positive.
const RANK_BASE: i32 = 1 << 20;
/// Before every other move.
const FIRST: i32 = 1 << 22;

/// How often each move, by code, cut a search off, weighted by the size of the search it saved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct History([u32; 64]);

impl History {
    /// Nothing learned yet.
    pub(super) const NONE: Self = Self([0; 64]);

    /// Counts a move that cut off a search of this many empty cells.
    #[inline]
    pub(super) fn reward(&mut self, code: usize, empties: u32) {
        self.0[code] += 1 << empties;
        if self.0[code] > HISTORY_MAX {
            for count in &mut self.0 {
                *count /= 2;
            }
        }
    }
}

/// History counts that searches leave for later ones.
///
/// There is no lock, so a process forked while another thread stores counts can go on. Counts that
/// two searches store at once may get mixed; they order moves, and change no result.
#[derive(Debug)]
pub(super) struct SharedHistory([AtomicU32; 64]);

impl SharedHistory {
    /// Nothing learned yet.
    pub(super) const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; 64])
    }

    /// The counts stored last.
    pub(super) fn load(&self) -> History {
        History(std::array::from_fn(|code| self.0[code].load(Relaxed)))
    }

    /// Replaces the counts.
    pub(super) fn store(&self, history: &History) {
        for (shared, &count) in self.0.iter().zip(&history.0) {
            shared.store(count, Relaxed);
        }
    }
}

/// Moves of a position, up to `N`, with their ranks.
pub(super) struct Moves<const N: usize> {
    /// The rank and, in the lowest 6 bits, the code; no two are equal, none is 0.
    items: [i32; N],
    count: usize,
}

impl<const N: usize> Moves<N> {
    /// The moves of a position that has these empty cells; `first` goes before all others.
    #[inline]
    pub(super) fn new<const W: u32>(
        geometry: &Geometry,
        history: &History,
        state: SmallState<W>,
        empty: u16,
        first: u8,
    ) -> Self {
        let mut pieces = [(0, 0); 4];
        let mut held = 0;
        for (piece, weight) in PIECE.into_iter().enumerate() {
            pieces[held & 3] = (piece * 16, weight);
            held += usize::from(state.holds(piece));
        }
        let base = RANK_BASE - POINT * geometry.points(state.own);
        let threats = geometry.threats(state.opp);
        let mut moves = Self {
            items: [0; N],
            count: 0,
        };
        let mut rest = state.allowed;
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let block = i32::from(threats >> cell & 1) * BLOCK;
            let base = base + POINT * geometry.points(state.own | bit) + block;
            for &(piece, weight) in &pieces[..held] {
                let code = (piece + cell) & 63;
                let allowed = geometry.reach[code] & empty & !bit;
                // Sums rather than branches, which would be guessed wrong too often.
                let rank = base + weight + (history.0[code] >> HISTORY_SHIFT) as i32
                    - OPEN_CELL * geometry.count(allowed)
                    - OPEN_THREAT * i32::from(allowed & threats != 0)
                    + FORCES_PASS * i32::from(allowed == 0)
                    + FIRST * i32::from(code == usize::from(first));
                moves.items[moves.count] = rank << 6 | code as i32;
                moves.count += 1;
            }
        }
        moves
    }

    /// The codes, best first. Each is looked for when it is its turn, as most searches end soon.
    #[inline]
    pub(super) fn in_order(&self) -> impl Iterator<Item = usize> {
        let items = &self.items[..self.count];
        let mut last = i32::MAX;
        std::iter::from_fn(move || {
            let rest = items.iter().map(|&item| if item < last { item } else { 0 });
            last = rest.fold(0, i32::max);
            (last != 0).then_some((last & 63) as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_halved_when_one_is_too_large() {
        let mut history = History::NONE;
        history.reward(5, 3);
        history.reward(9, 20);
        assert_eq!((history.0[5], history.0[9]), (1 << 3, 1 << 20));
        history.reward(9, 1);
        assert_eq!((history.0[5], history.0[9]), (1 << 2, (1 << 19) + 1));
    }
}
