//! The moves of a position, best first.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::small_board::{Geometry, SmallState};

// Weights of the move order, found by counting nodes.
const FORCES_PASS: i32 = 10_000;
const POINT: i32 = 400;
/// The cell would have scored for the opponent.
const BLOCK: i32 = 200;

/// Weights that depend on how many moves there are.
struct Weights {
    /// By piece: some are better kept.
    piece: [i32; 4],
    /// Each cell on which the own side would score next.
    threat: i32,
    /// Each cell on which the opponent may place.
    open_cell: i32,
    /// The opponent may score.
    open_threat: i32,
}

/// Weights of searches that the table does not keep.
const FEW: Weights = Weights {
    piece: [100, -150, 250, 0],
    threat: 0,
    open_cell: 520,
    open_threat: 300,
};
const MANY: Weights = Weights {
    piece: [150, -220, 400, 0],
    threat: 90,
    open_cell: 390,
    open_threat: 200,
};

/// History counts are halved when one exceeds this.
const HISTORY_MAX: u32 = 1 << 20;
const HISTORY_SHIFT: u32 = 12;
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

/// No fewer than the moves of a position that the table does not keep.
pub(super) const SMALL: usize = 28;

/// Moves of a position, up to `N`, with their ranks.
pub(super) struct Moves<const N: usize> {
    /// The rank and, in the lowest 6 bits, the code; no two are equal, none is 0.
    items: [i32; N],
    count: usize,
    /// The greatest item, 0 if there are none.
    first: i32,
}

impl<const N: usize> Moves<N> {
    /// The moves of a position that has these empty cells; `first` goes before all others.
    #[inline(always)]
    pub(super) fn new<const W: u32>(
        geometry: &Geometry,
        history: &History,
        state: SmallState<W>,
        empty: u16,
        first: u8,
    ) -> Self {
        let weights = if N == SMALL { FEW } else { MANY };
        let mut pieces = [(0, 0); 4];
        let mut held = 0;
        for (piece, weight) in weights.piece.into_iter().enumerate() {
            pieces[held & 3] = (piece * 16, weight);
            held += usize::from(state.holds(piece));
        }
        let base = RANK_BASE - POINT * geometry.points(state.own);
        let threats = geometry.threats(state.opp);
        let mut moves = Self {
            items: [0; N],
            count: 0,
            first: 0,
        };
        let mut rest = state.allowed;
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let block = i32::from(threats >> cell & 1) * BLOCK;
            let own = state.own | bit;
            let mut base = base + POINT * geometry.points(own) + block;
            if weights.threat != 0 {
                base += weights.threat * geometry.count(geometry.threats(own) & empty & !bit);
            }
            for &(piece, weight) in &pieces[..held] {
                let code = (piece + cell) & 63;
                let allowed = geometry.reach[code] & empty & !bit;
                // Sums rather than branches, which would be guessed wrong too often.
                let rank = base + weight + (history.0[code] >> HISTORY_SHIFT) as i32
                    - weights.open_cell * geometry.count(allowed)
                    - weights.open_threat * i32::from(allowed & threats != 0)
                    + FORCES_PASS * i32::from(allowed == 0)
                    + FIRST * i32::from(code == usize::from(first));
                let item = rank << 6 | code as i32;
                moves.items[moves.count] = item;
                moves.first = moves.first.max(item);
                moves.count += 1;
            }
        }
        moves
    }

    /// The codes, best first. Each after the first is looked for when it is its turn, as most searches
    /// end soon.
    #[inline]
    pub(super) fn in_order(&self) -> impl Iterator<Item = usize> {
        let items = &self.items[..self.count];
        let (mut item, mut is_first) = (self.first, true);
        std::iter::from_fn(move || {
            if !is_first {
                let rest = items
                    .iter()
                    .map(|&other| if other < item { other } else { 0 });
                item = rest.fold(0, i32::max);
            }
            is_first = false;
            (item != 0).then_some((item & 63) as usize)
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
