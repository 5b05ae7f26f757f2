//! Positions in which a player holds a last piece: no moves are ordered, nothing is kept.

use super::search::{NOTHING, SolverSearch};
use crate::small_board::SmallState;

impl<const W: u32> SolverSearch<'_, W> {
    /// Own last piece, then the opponent's last turn.
    #[inline]
    pub(super) fn last_turns(
        &self,
        state: SmallState<W>,
        piece: usize,
        diff: i32,
        beta: i32,
    ) -> i32 {
        let geometry = self.geometry;
        let empty = geometry.all & !(state.own | state.opp);
        let base = diff - geometry.points(state.own);
        let mut best = NOTHING;
        let mut rest = state.allowed;
        while rest != 0 && best < beta {
            let cell = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let mut value = base + geometry.points(state.own | bit);
            if value > best {
                let allowed = geometry.reach[piece * 16 + cell] & empty & !bit;
                value -= geometry.best_gain(state.opp, allowed);
                best = best.max(value);
            }
        }
        best
    }

    /// A turn, the opponent holding a last piece of type `theirs`.
    pub(super) fn before_last(
        &mut self,
        state: SmallState<W>,
        theirs: usize,
        diff: i32,
        beta: i32,
        empty: u16,
    ) -> i32 {
        let geometry = self.geometry;
        let base = diff - geometry.points(state.own);
        let upper = base + geometry.points(state.own | empty);
        if upper < beta || empty & empty.wrapping_sub(1) == 0 {
            // With one cell left, whatever fills it, the opponent passes and the game is over.
            return upper;
        }
        let lower = diff - geometry.best_gain(state.opp, empty);
        if lower >= beta {
            return lower;
        }
        // Cells that score go first.
        let scoring = geometry.threats(state.own) & state.allowed;
        let mut best = NOTHING;
        for mut rest in [scoring, state.allowed ^ scoring] {
            while rest != 0 {
                let cell = rest.trailing_zeros() as usize;
                let bit = rest & rest.wrapping_neg();
                rest ^= bit;
                let diff = base + geometry.points(state.own | bit);
                for piece in 0..4 {
                    if !state.holds(piece) {
                        continue;
                    }
                    let (child, again) = state.after(geometry, piece * 16 + cell);
                    let value = if again {
                        self.search(child, diff, beta)
                    } else {
                        -self.last_turns(child, theirs, -diff, 1 - beta)
                    };
                    best = best.max(value);
                    if best >= beta {
                        return best;
                    }
                }
            }
        }
        best
    }
}
