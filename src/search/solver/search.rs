//! Null-window alpha-beta.
//!
//! The devices, each kept because it made the eight openings of the standard game or batches of
//! positions of random games cheaper: margins already out of reach of the empty cells are cut off
//! without search; with many cells empty, children are looked up in the table before any is
//! searched (enhanced transposition cutoff, Plaat 1996); moves are ordered by what they leave to the
//! opponent and by which moves cut off before (history heuristic, Schaeffer 1983); a forced pass is
//! played inside the move that forces it; few cells are searched without the table, which would be
//! waited for longer; the last turns need no move order.

use super::bounds::{Bounds, narrow};
use super::moves::{History, Moves, SMALL};
use super::table::{Known, MAX_MARGIN, TranspositionTable};
use super::tables::Tables;
use crate::game::Position;
use crate::search::{Halt, Limits, Meter};
use crate::small_board::{Geometry, SmallState};

/// Below any margin.
pub(super) const NOTHING: i32 = -1000;
/// No move: codes are below it.
const NO_MOVE: u8 = 64;

/// Positions with fewer empty cells are searched again rather than kept.
const TABLE_FROM: u32 = 8;
/// Positions with fewer empty cells do not look their children up first.
const CHILDREN_FROM: u32 = 12;

/// One thread's search.
pub(super) struct SolverSearch<'a, const W: u32> {
    pub(super) geometry: &'a Geometry,
    tables: &'a Tables,
    /// That of the position that is searched.
    table: &'a TranspositionTable,
    history: History,
    meter: Meter<'a>,
    /// Nodes not yet told to the meter, and when to tell them.
    nodes: u64,
    report_at: u64,
    total: u64,
    halt: Option<Halt>,
}

impl<'a, const W: u32> SolverSearch<'a, W> {
    pub(super) fn new(
        geometry: &'a Geometry,
        tables: &'a Tables,
        history: History,
        limits: Limits<'a>,
    ) -> Self {
        let meter = limits.start();
        Self {
            geometry,
            tables,
            table: tables.of_search(0),
            history,
            report_at: meter.stride(),
            meter,
            nodes: 0,
            total: 0,
            halt: None,
        }
    }

    /// History counts, reused by the next search.
    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// Positions searched.
    pub(super) fn nodes(&self) -> u64 {
        self.total + self.nodes
    }

    /// Checks the limits. A search calls it at the start, because a short one never gets to the next
    /// check.
    pub(super) fn check(&mut self) -> Result<(), Halt> {
        if self.halt.is_none() {
            self.halt = self.meter.add(self.nodes).err();
        }
        self.total += self.nodes;
        self.nodes = 0;
        // Nothing is searched once it is halted.
        self.report_at = self.halt.map_or(self.meter.stride(), |_| 0);
        self.halt.map_or(Ok(()), Err)
    }

    /// A bound of the margin of a position that is not over: at least `beta` if the margin is, and
    /// then not above the margin; else below `beta`, and not below the margin.
    pub(super) fn bound(&mut self, state: SmallState<W>, beta: i32) -> Result<i32, Halt> {
        self.choose_table(state);
        let geometry = self.geometry;
        let diff = geometry.points(state.own) - geometry.points(state.opp);
        if state.opp_hand() == 0 {
            return Ok(diff + geometry.best_gain(state.own, state.allowed));
        }
        if state.allowed == 0 {
            let empty = geometry.all & !(state.own | state.opp);
            let passed = SmallState {
                own: state.opp,
                opp: state.own,
                allowed: empty,
                hands: state.hands.rotate_left(16),
            };
            return Ok(if empty == 0 {
                diff
            } else {
                -self.bound(passed, 1 - beta)?
            });
        }
        let value = self.search(state, diff, beta);
        self.halt.map_or(Ok(value), Err)
    }

    /// The margin of a position that is not over.
    pub(super) fn margin(&mut self, state: SmallState<W>, guess: i32) -> Result<i32, Halt> {
        let mut bounds = Bounds {
            lower: -MAX_MARGIN,
            upper: MAX_MARGIN,
        };
        narrow(&mut bounds, guess, |beta| self.bound(state, beta))?;
        Ok(bounds.lower)
    }

    /// Chooses the table for the search of a position.
    fn choose_table(&mut self, state: SmallState<W>) {
        let empty = self.geometry.all & !(state.own | state.opp);
        self.table = self.tables.of_search(empty.count_ones());
    }

    #[inline]
    fn key(&self, state: SmallState<W>) -> u64 {
        SmallState::<W>::pack(self.geometry.canonical(state.planes()), state.hands)
    }

    /// As [`SolverSearch::bound`], where a cell is allowed and both players hold pieces; `diff` is the
    /// margin so far. Meaningless once `halt` is set.
    pub(super) fn search(&mut self, state: SmallState<W>, diff: i32, beta: i32) -> i32 {
        if let Some(piece) = state.only_piece() {
            return self.last_turns(state, piece, diff, beta);
        }
        self.nodes += 1;
        let geometry = self.geometry;
        let empty = geometry.all & !(state.own | state.opp);
        if let Some(theirs) = state.only_piece_of_opponent() {
            return self.before_last(state, theirs, diff, beta, empty);
        }
        let own_points = geometry.points(state.own);
        let upper = diff + geometry.points(state.own | empty) - own_points;
        if upper < beta {
            return upper;
        }
        let lower = diff + geometry.points(state.opp) - geometry.points(state.opp | empty);
        if lower >= beta {
            return lower;
        }
        let empties = geometry.count(empty) as u32;
        let mut known = Known {
            lower,
            upper,
            best: NO_MOVE,
        };
        if empties < TABLE_FROM {
            return self.expand::<SMALL>(state, diff, beta, empty, &mut known);
        }
        if self.nodes >= self.report_at && self.check().is_err() {
            return 0;
        }
        let key = self.key(state);
        if let Some(found) = self.table.get(key) {
            if found.lower >= beta {
                return found.lower;
            }
            if found.upper < beta {
                return found.upper;
            }
            known = found;
        }
        let before = self.nodes();
        let value = self.expand::<64>(state, diff, beta, empty, &mut known);
        if self.halt.is_some() {
            return 0;
        }
        if value >= beta {
            known.lower = known.lower.max(value);
        } else {
            known.upper = known.upper.min(value);
        }
        self.table.put(key, known, self.nodes() - before);
        value
    }

    /// Searches the moves of a position; `known.best` goes first, and becomes the best found.
    fn expand<const N: usize>(
        &mut self,
        state: SmallState<W>,
        diff: i32,
        beta: i32,
        empty: u16,
        known: &mut Known,
    ) -> i32 {
        let geometry = self.geometry;
        if empty & empty.wrapping_sub(1) == 0 {
            // The last cell: whatever fills it, the opponent passes and the game is over.
            known.best = 0;
            return diff + geometry.points(state.own | empty) - geometry.points(state.own);
        }
        let moves = Moves::<N>::new(geometry, &self.history, state, empty, known.best);
        let empties = geometry.count(empty) as u32;
        if N > SMALL && empties >= CHILDREN_FROM {
            for code in moves.in_order() {
                let (child, again) = state.after(geometry, code);
                if let Some(found) = self.table.get(self.key(child)) {
                    let value = if again { found.lower } else { -found.upper };
                    if value >= beta {
                        known.best = code as u8;
                        return value;
                    }
                }
            }
        }
        let base = diff - geometry.points(state.own);
        let (mut best, mut best_code) = (NOTHING, 0);
        let mut codes = moves.in_order().peekable();
        while let Some(code) = codes.next() {
            // The next child's bucket arrives while this child is searched.
            if N > SMALL
                && empties > TABLE_FROM
                && let Some(&next) = codes.peek()
            {
                self.table.fetch(self.key(state.after(geometry, next).0));
            }
            let (child, again) = state.after(geometry, code);
            let value = if again {
                self.search(child, base + geometry.points(child.own), beta)
            } else {
                -self.search(child, -(base + geometry.points(child.opp)), 1 - beta)
            };
            if value > best {
                (best, best_code) = (value, code);
                if best >= beta {
                    self.history.reward(code, empties);
                    break;
                }
            }
        }
        known.best = best_code as u8;
        best
    }

    /// Narrows the bounds of a position that is not over.
    pub(super) fn solve(
        &mut self,
        position: &Position,
        guess: i32,
        bounds: &mut Bounds,
    ) -> Result<(), Halt> {
        let state = SmallState::new(position);
        self.choose_table(state);
        if let Some(known) = self.table.get(self.key(state)) {
            bounds.lower = bounds.lower.max(known.lower);
            bounds.upper = bounds.upper.min(known.upper);
        }
        narrow(bounds, guess, |beta| self.bound(state, beta))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::game::Variant;

    #[test]
    fn a_search_that_was_stopped_looks_into_no_further_positions() {
        let variant = Variant::default();
        let geometry = Geometry::new(variant.board()).unwrap();
        let tables = Tables::new(1 << 20, SmallState::<2>::KEY_BITS).unwrap();
        let stop = AtomicBool::new(false);
        let limits = Limits::stopped_by(&stop);
        let mut search = SolverSearch::<2>::new(&geometry, &tables, History::NONE, limits);
        let state = SmallState::new(&Position::new(&variant));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(search.check(), Err(Halt::Stopped));
        assert_eq!(search.bound(state, 0), Err(Halt::Stopped));
        assert_eq!(search.nodes(), 1);
    }
}
