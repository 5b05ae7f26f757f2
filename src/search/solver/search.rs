//! Null-window alpha-beta.
//!
//! The devices, each kept because it made the eight openings of the standard game cheaper: margins
//! already out of reach of the empty cells are cut off without search; children are looked up in
//! the table before any is searched (enhanced transposition cutoff, Plaat 1996); moves are ordered
//! by what they leave to the opponent and by which moves cut off before (history heuristic,
//! Schaeffer 1983); a forced pass is played inside the move that forces it; the last two turns
//! need no move generation.

use super::exact::{Bounds, narrow};
use super::geometry::Geometry;
use super::state::State;
use super::table::{Known, MAX_MARGIN, Table};
use crate::search::{Halt, Limits, Meter};

/// Below any margin.
const NOTHING: i32 = -1000;
/// No move: codes are below it.
const NO_MOVE: u8 = 64;

/// Positions with fewer empty cells are searched again rather than kept.
const TABLE_FROM: u32 = 6;
/// Positions with fewer empty cells are kept as they are, without looking for symmetric ones.
const SYMMETRY_FROM: u32 = 7;
/// Positions with fewer empty cells do not look their children up first.
const CHILDREN_FROM: u32 = 7;

// Weights of the move order, found by counting nodes.
const FORCES_PASS: i32 = 10_000;
const POINT: i32 = 300;
const OPEN_CELL: i32 = 140;
const OPEN_THREAT: i32 = 350;
const HISTORY: i32 = 1;
/// History counts are halved when one exceeds this.
const HISTORY_MAX: u32 = 1 << 20;
const HISTORY_SHIFT: u32 = 10;
/// Makes every rank positive.
const RANK_BASE: i32 = 1 << 20;
/// Before every other move.
const FIRST: i32 = 1 << 22;

/// How often each move, by code, cut a search off, weighted by the size of what it saved.
pub(super) type History = [u32; 64];

/// Moves of a position, best first: the rank and, in the lowest 6 bits, the code.
struct Moves {
    items: [u32; 64],
    count: usize,
}

impl Moves {
    #[inline]
    fn insert(&mut self, item: u32) {
        let mut at = self.count;
        self.count += 1;
        while at > 0 && self.items[at - 1] < item {
            self.items[at] = self.items[at - 1];
            at -= 1;
        }
        self.items[at] = item;
    }

    #[inline]
    fn codes(&self) -> impl Iterator<Item = usize> {
        self.items[..self.count]
            .iter()
            .map(|item| (item & 63) as usize)
    }
}

/// One thread's search.
pub(super) struct Search<'a, const W: u32> {
    geometry: &'a Geometry,
    table: &'a Table,
    history: History,
    meter: Meter<'a>,
    /// Nodes not yet told to the meter, and when to tell them.
    nodes: u64,
    report_at: u64,
    total: u64,
    halt: Option<Halt>,
}

impl<'a, const W: u32> Search<'a, W> {
    pub(super) fn new(
        geometry: &'a Geometry,
        table: &'a Table,
        history: History,
        limits: Limits<'a>,
    ) -> Self {
        let meter = limits.start();
        Self {
            geometry,
            table,
            history,
            report_at: meter.stride(),
            meter,
            nodes: 0,
            total: 0,
            halt: None,
        }
    }

    /// What cut off, for a later search to start from.
    pub(super) fn history(&self) -> &History {
        &self.history
    }

    /// Positions looked into.
    pub(super) fn nodes(&self) -> u64 {
        self.total + self.nodes
    }

    /// Looks at the limits; a search starts with it, as short ones do not come to look.
    pub(super) fn check(&mut self) -> Result<(), Halt> {
        if self.halt.is_none() {
            self.halt = self.meter.add(self.nodes).err();
        }
        self.total += self.nodes;
        self.nodes = 0;
        self.report_at = self.meter.stride();
        self.halt.map_or(Ok(()), Err)
    }

    /// A bound of the margin of a position that is not over: at least `beta` if the margin is, and
    /// then not above the margin; else below `beta`, and not below the margin.
    pub(super) fn bound(&mut self, state: State<W>, beta: i32) -> Result<i32, Halt> {
        let geometry = self.geometry;
        let diff = geometry.points(state.own) - geometry.points(state.opp);
        if state.opp_hand() == 0 {
            return Ok(diff + geometry.best_gain(state.own, state.allowed));
        }
        if state.allowed == 0 {
            let open = geometry.all & !(state.own | state.opp);
            let passed = State {
                own: state.opp,
                opp: state.own,
                allowed: open,
                hands: state.hands.rotate_left(16),
            };
            return Ok(if open == 0 {
                diff
            } else {
                -self.bound(passed, 1 - beta)?
            });
        }
        let value = self.search(state, diff, beta);
        self.halt.map_or(Ok(value), Err)
    }

    /// The margin of a position that is not over.
    pub(super) fn margin(&mut self, state: State<W>, guess: i32) -> Result<i32, Halt> {
        let mut bounds = Bounds {
            lower: -MAX_MARGIN,
            upper: MAX_MARGIN,
        };
        narrow(&mut bounds, guess, |beta| self.bound(state, beta))?;
        Ok(bounds.lower)
    }

    /// What the table knows of a position.
    pub(super) fn known(&self, state: State<W>) -> Option<Known> {
        let open = self.geometry.all & !(state.own | state.opp);
        self.table.get(self.key(state, open.count_ones()))
    }

    #[inline]
    fn key(&self, state: State<W>, empties: u32) -> u64 {
        let planes = state.planes();
        let planes = if empties < SYMMETRY_FROM {
            planes
        } else {
            self.geometry.canonical(planes)
        };
        State::<W>::pack(planes, state.hands)
    }

    /// Own last piece, then the opponent's last turn.
    #[inline]
    fn last_turns(&self, state: State<W>, piece: usize, diff: i32, beta: i32) -> i32 {
        let geometry = self.geometry;
        let open = geometry.all & !(state.own | state.opp);
        let base = diff - geometry.points(state.own);
        let mut best = NOTHING;
        let mut rest = state.allowed;
        while rest != 0 && best < beta {
            let cell = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let mut value = base + geometry.points(state.own | bit);
            if value > best {
                let allowed = geometry.reach[piece * 16 + cell] & open & !bit;
                value -= geometry.best_gain(state.opp, allowed);
                best = best.max(value);
            }
        }
        best
    }

    /// As [`Search::bound`], where a cell is allowed and both players hold pieces; `diff` is the
    /// margin so far. Of no meaning once `halt` is set.
    fn search(&mut self, state: State<W>, diff: i32, beta: i32) -> i32 {
        if let Some(piece) = state.only_piece() {
            return self.last_turns(state, piece, diff, beta);
        }
        self.nodes += 1;
        let geometry = self.geometry;
        let open = geometry.all & !(state.own | state.opp);
        let own_points = geometry.points(state.own);
        let upper = diff + geometry.points(state.own | open) - own_points;
        if upper < beta {
            return upper;
        }
        let lower = diff + geometry.points(state.opp) - geometry.points(state.opp | open);
        if lower >= beta {
            return lower;
        }
        let empties = open.count_ones();
        let mut known = Known {
            lower,
            upper,
            best: NO_MOVE,
        };
        if empties < TABLE_FROM {
            return self.expand(state, diff, beta, open, &mut known);
        }
        if self.nodes >= self.report_at && self.check().is_err() {
            return 0;
        }
        let key = self.key(state, empties);
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
        let value = self.expand(state, diff, beta, open, &mut known);
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
    fn expand(
        &mut self,
        state: State<W>,
        diff: i32,
        beta: i32,
        open: u16,
        known: &mut Known,
    ) -> i32 {
        let geometry = self.geometry;
        if open & open.wrapping_sub(1) == 0 {
            // The last cell: whatever fills it, the opponent passes and the game is over.
            known.best = 0;
            return diff + geometry.points(state.own | open) - geometry.points(state.own);
        }
        let moves = self.ordered_moves(state, open, known.best);
        let empties = open.count_ones();
        if empties >= CHILDREN_FROM {
            for code in moves.codes() {
                let (child, again) = state.after(geometry, code);
                if let Some(found) = self.table.get(self.key(child, empties - 1)) {
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
        for code in moves.codes() {
            let (child, again) = state.after(geometry, code);
            let value = if again {
                self.search(child, base + geometry.points(child.own), beta)
            } else {
                -self.search(child, -(base + geometry.points(child.opp)), 1 - beta)
            };
            if value > best {
                (best, best_code) = (value, code);
                if best >= beta {
                    self.reward(code, empties);
                    break;
                }
            }
        }
        known.best = best_code as u8;
        best
    }

    #[inline]
    fn ordered_moves(&self, state: State<W>, open: u16, first: u8) -> Moves {
        let geometry = self.geometry;
        let mut pieces = [0; 4];
        let mut held = 0;
        for piece in 0..4 {
            if state.holds(piece) {
                pieces[held] = piece * 16;
                held += 1;
            }
        }
        let base = RANK_BASE - POINT * geometry.points(state.own);
        let threats = geometry.threats(state.opp);
        let mut moves = Moves {
            items: [0; 64],
            count: 0,
        };
        let mut rest = state.allowed;
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize;
            let bit = rest & rest.wrapping_neg();
            rest ^= bit;
            let base = base + POINT * geometry.points(state.own | bit);
            for &piece in &pieces[..held] {
                let code = (piece + cell) & 63;
                let allowed = geometry.reach[code] & open & !bit;
                let rank = if code == usize::from(first) {
                    FIRST
                } else if allowed == 0 {
                    base + FORCES_PASS
                } else {
                    let threat = if allowed & threats == 0 {
                        0
                    } else {
                        OPEN_THREAT
                    };
                    base + HISTORY * (self.history[code] >> HISTORY_SHIFT) as i32
                        - OPEN_CELL * allowed.count_ones() as i32
                        - threat
                };
                moves.insert((rank as u32) << 6 | code as u32);
            }
        }
        moves
    }

    #[inline]
    fn reward(&mut self, code: usize, empties: u32) {
        self.history[code] += 1 << empties;
        if self.history[code] > HISTORY_MAX {
            for count in &mut self.history {
                *count /= 2;
            }
        }
    }
}
