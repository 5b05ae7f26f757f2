//! The search for boards that the packed state does not fit: slower, and as exact.

use std::collections::HashMap;

use super::bounds::{Bounds, narrow, static_bounds};
use crate::game::{Position, Variant};
use crate::search::{Halt, Limits, Meter, MoveSet};

/// The approximate size of an entry of the map, its share of the empty slots included.
const ENTRY_BYTES: usize = 200;

/// The search of large boards, with bounds by position.
pub(super) struct LargeSearch<'a> {
    variant: &'a Variant,
    known: HashMap<Position, Bounds>,
    capacity: usize,
    meter: Meter<'a>,
}

impl<'a> LargeSearch<'a> {
    pub(super) fn new(variant: &'a Variant, table_bytes: usize, limits: Limits<'a>) -> Self {
        Self {
            variant,
            known: HashMap::new(),
            capacity: table_bytes / ENTRY_BYTES,
            meter: limits.start(),
        }
    }

    pub(super) fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    /// Narrows the bounds of a position that is not over.
    pub(super) fn solve(
        &mut self,
        position: &Position,
        guess: i32,
        bounds: &mut Bounds,
    ) -> Result<(), Halt> {
        narrow(bounds, guess, |beta| self.bound(position, beta))
    }

    /// As `SolverSearch::bound`, also for a position that is over.
    fn bound(&mut self, position: &Position, beta: i32) -> Result<i32, Halt> {
        self.meter.count()?;
        let mut bounds = static_bounds(self.variant, position);
        if let Some(known) = self.known.get(position) {
            bounds = *known;
        }
        if position.is_over(self.variant) {
            let side = position.side_to_move();
            let points = position.score(self.variant).map(i32::from);
            return Ok(points[side.index()] - points[side.opponent().index()]);
        }
        if bounds.lower >= beta {
            return Ok(bounds.lower);
        }
        if bounds.upper < beta {
            return Ok(bounds.upper);
        }
        // Moves that leave the opponent the least come first; a move that forces a pass leaves
        // nothing.
        let mut children: Vec<Position> = MoveSet::legal(self.variant, position)
            .iter()
            .map(|mv| position.play_unchecked(self.variant, mv))
            .collect();
        children.sort_by_cached_key(|child| child.count_legal_moves(self.variant));
        let mut best = i32::MIN;
        for child in children {
            best = best.max(-self.bound(&child, 1 - beta)?);
            if best >= beta {
                break;
            }
        }
        if best >= beta {
            bounds.lower = bounds.lower.max(best);
        } else {
            bounds.upper = bounds.upper.min(best);
        }
        if self.known.len() >= self.capacity || !self.has_room() {
            self.known.clear();
        }
        self.known.insert(*position, bounds);
        Ok(best)
    }

    /// Whether there is room for another entry, made if the system has the memory.
    fn has_room(&mut self) -> bool {
        /// Entries from which on all that are allowed get their room at once: the memory is only
        /// taken when it is written to, but moving a large map takes seconds.
        const LARGE: usize = 1 << 16;
        let len = self.known.len();
        if len < self.known.capacity() {
            return true;
        }
        let all = if len < LARGE { 1 } else { self.capacity - len };
        self.known.try_reserve(all).is_ok() || self.known.try_reserve(1).is_ok()
    }
}
