//! The search for boards that the packed state does not fit. It is slower, but just as exact.

use std::collections::HashMap;

use super::bounds::{Bounds, narrow, static_bounds};
use super::ending::Ending;
use crate::game::{Position, Variant};
use crate::search::{Halt, Limits, Meter, MoveSet};

/// The approximate size of an entry of the map, its share of the empty slots included.
const ENTRY_BYTES: usize = 200;

/// The search of large boards, with bounds by position until an ending is reached.
pub(super) struct LargeSearch<'a> {
    variant: &'a Variant,
    known: HashMap<Position, Bounds>,
    table_bytes: usize,
    /// The ending searched last. Its table serves the next ending if that is a part of it.
    ending: Option<Box<Ending>>,
    limits: Limits<'a>,
    meter: Meter<'a>,
}

impl<'a> LargeSearch<'a> {
    pub(super) fn new(variant: &'a Variant, table_bytes: usize, limits: Limits<'a>) -> Self {
        Self {
            variant,
            known: HashMap::new(),
            table_bytes,
            ending: None,
            limits,
            meter: limits.start(),
        }
    }

    pub(super) fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    /// Checks the limits.
    pub(super) fn check(&mut self) -> Result<(), Halt> {
        self.meter.add(0)
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

    /// The ending that a position is part of, if few cells are empty.
    pub(super) fn ending_of(&mut self, position: &Position) -> Result<Option<&mut Ending>, Halt> {
        let empty = self.variant.board().num_cells() - position.occupied().len();
        if empty > Ending::MAX_EMPTY {
            return Ok(None);
        }
        let is_part = |ending: &Ending| ending.leads_to(position);
        if !self.ending.as_deref().is_some_and(is_part) {
            self.ending = None; // frees its memory first
            let ending = Ending::new(self.variant, position, self.table_bytes)?;
            self.ending = Some(Box::new(ending));
        }
        Ok(self.ending.as_deref_mut())
    }

    /// As `SolverSearch::bound`, also for a position that is over.
    fn bound(&mut self, position: &Position, beta: i32) -> Result<i32, Halt> {
        self.meter.count()?;
        if position.is_over(self.variant) {
            return Ok(position.margin_of(self.variant, position.side_to_move()));
        }
        let (limits, nodes) = (self.limits, self.meter.nodes());
        if let Some(ending) = self.ending_of(position)? {
            let max_nodes = limits.max_nodes.map(|max| max - nodes);
            let (value, nodes) = ending.bound(
                position,
                beta,
                Limits {
                    max_nodes,
                    ..limits
                },
            );
            self.meter.add(nodes)?;
            return value.map_err(|halt| self.named(halt));
        }
        let mut bounds = static_bounds(self.variant, position);
        if let Some(known) = self.known.get(position) {
            bounds = *known;
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
        if self.known.len() >= self.capacity() || !self.has_room() {
            self.known.clear();
        }
        self.known.insert(*position, bounds);
        Ok(best)
    }

    /// Names the caller's limit of nodes, not the rest of it that the search of an ending had.
    fn named(&self, halt: Halt) -> Halt {
        match (halt, self.limits.max_nodes) {
            (Halt::NodeLimit { .. }, Some(max_nodes)) => Halt::NodeLimit { max_nodes },
            _ => halt,
        }
    }

    fn capacity(&self) -> usize {
        self.table_bytes / ENTRY_BYTES
    }

    /// Whether there is room for another entry, made if the system has the memory.
    fn has_room(&mut self) -> bool {
        /// From this many entries on, room for all that are allowed is made at once. Moving a large
        /// map takes seconds, and memory is only taken when it is written to.
        const LARGE: usize = 1 << 16;
        let len = self.known.len();
        if len < self.known.capacity() {
            return true;
        }
        let all = if len < LARGE {
            1
        } else {
            self.capacity() - len
        };
        self.known.try_reserve(all).is_ok() || self.known.try_reserve(1).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Opening};
    use crate::policy::opening;

    #[test]
    fn the_table_takes_as_many_positions_as_it_may() {
        let board = Board::from_text("#######\n#######\n#######\n#######").unwrap();
        let variant = Variant::new(board, Opening::Anywhere, 1).unwrap();
        let position = opening(&variant, 3, 1).unwrap();
        let search = |entries: usize| {
            let mut search = LargeSearch::new(&variant, entries * ENTRY_BYTES, Limits::default());
            let mut bounds = static_bounds(&variant, &position);
            search.solve(&position, 0, &mut bounds).unwrap();
            (search.known.len(), search.nodes(), bounds)
        };
        let (all, fewest, bounds) = search(1 << 20);
        assert!((200..1 << 20).contains(&all), "{all} positions");
        let (kept, nodes, again) = search(100);
        assert!(kept <= 100, "{kept} positions");
        assert!(
            nodes > fewest,
            "{nodes} nodes with a small table, {fewest} with a large one"
        );
        assert_eq!((again.lower, again.upper), (bounds.lower, bounds.upper));
    }
}
