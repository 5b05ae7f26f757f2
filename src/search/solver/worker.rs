//! The search of one thread: positions are looked up where they are known, or searched.

use super::bounds::{Bounds, Guesses, MoveBounds, static_bounds};
use super::large::LargeSearch;
use super::moves::SharedHistory;
use super::search::SolverSearch;
use super::{Known, Solution, Unsolved};
use crate::game::{Move, Position, Variant};
use crate::search::{Halt, Limits, MoveSet};
use crate::tablebase::Damaged;

/// The search of one thread.
///
/// At its end, what it has learned of the order of moves is kept for later ones.
pub(super) struct Worker<'a> {
    variant: &'a Variant,
    known: Option<&'a Known>,
    searcher: Searcher<'a>,
    history: &'a SharedHistory,
    limits: Limits<'a>,
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        match &self.searcher {
            Searcher::TwoBit(search) => self.history.store(search.history()),
            Searcher::FourBit(search) => self.history.store(search.history()),
            Searcher::Large(_) => (), // it has none
        }
    }
}

pub(super) enum Searcher<'a> {
    TwoBit(SolverSearch<'a, 2>),
    FourBit(SolverSearch<'a, 4>),
    Large(LargeSearch<'a>),
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        variant: &'a Variant,
        known: Option<&'a Known>,
        searcher: Searcher<'a>,
        history: &'a SharedHistory,
        limits: Limits<'a>,
    ) -> Self {
        Self {
            variant,
            known,
            searcher,
            history,
            limits,
        }
    }

    fn nodes(&self) -> u64 {
        match &self.searcher {
            Searcher::TwoBit(search) => search.nodes(),
            Searcher::FourBit(search) => search.nodes(),
            Searcher::Large(search) => search.nodes(),
        }
    }

    /// The margin if it is known without a search.
    fn look_up(&self, position: &Position) -> Result<Option<i32>, Damaged> {
        let known = self.known.map(|known| known.margin(self.variant, position));
        known.transpose().map(Option::flatten)
    }

    /// Narrows the bounds of a position to its margin, starting near `guess`.
    pub(super) fn narrow(
        &mut self,
        position: &Position,
        guess: i32,
        bounds: &mut Bounds,
    ) -> Result<(), Halt> {
        if position.is_over(self.variant) {
            let side = position.side_to_move();
            *bounds = Bounds::exact(position.margin_of(self.variant, side));
            return Ok(());
        }
        if position.ply() == 0 {
            // The opening rule is known to the position, not to the packed state.
            return self.narrow_start(position, guess, bounds);
        }
        if position.must_pass(self.variant) {
            // What is known is the position after the pass.
            let next = position.play_unchecked(self.variant, Move::Pass);
            let mut after = bounds.flipped();
            let done = self.narrow(&next, -guess, &mut after);
            *bounds = after.flipped();
            return done;
        }
        if let Some(margin) = self.look_up(position)? {
            *bounds = Bounds::exact(margin);
            return Ok(());
        }
        self.check_limits()?;
        match &mut self.searcher {
            Searcher::TwoBit(search) => search.solve(position, guess, bounds),
            Searcher::FourBit(search) => search.solve(position, guess, bounds),
            Searcher::Large(search) => search.solve(position, guess, bounds),
        }
    }

    /// Writes the margins of positions; with `least`, which is cheaper, numbers that are at least this
    /// where the margins are, and smaller elsewhere.
    pub(super) fn narrow_each(
        &mut self,
        positions: &[Position],
        least: Option<i32>,
        lower: &mut [i32],
    ) -> Result<(), Halt> {
        // Positions that are looked up do not check the flag themselves.
        self.check()?;
        if let Some(Known::Tablebase(tablebase)) = self.known {
            return Ok(tablebase.margins(self.variant, positions, lower)?);
        }
        for (position, lower) in positions.iter().zip(lower) {
            let mut bounds = static_bounds(self.variant, position);
            if let Some(least) = least {
                // Nothing is left to find above or below the window of one point.
                bounds.lower = bounds.lower.max(least - 1).min(least);
                bounds.upper = bounds.upper.min(least).max(least - 1);
            }
            self.narrow(position, least.unwrap_or(0), &mut bounds)?;
            *lower = bounds.lower;
        }
        Ok(())
    }

    pub(super) fn best_moves(&mut self, position: &Position) -> Result<MoveSet, Halt> {
        let mut bounds = static_bounds(self.variant, position);
        self.check()?;
        self.prepare(position)?;
        self.narrow(position, 0, &mut bounds)?;
        let margin = bounds.lower;
        let mut best = MoveSet::PASS;
        for mv in position.legal_moves(self.variant) {
            let child = position.play_unchecked(self.variant, mv);
            // No move is worth more than the margin, so one null window tells who reaches it.
            let mut after = static_bounds(self.variant, &child);
            after.lower = -margin;
            after.upper = after.upper.min(1 - margin);
            self.narrow(&child, 1 - margin, &mut after)?;
            if after.upper <= -margin {
                best.insert(mv);
            }
        }
        Ok(best)
    }

    fn narrow_start(
        &mut self,
        position: &Position,
        guess: i32,
        bounds: &mut Bounds,
    ) -> Result<(), Halt> {
        let mut best = i32::MIN;
        for mv in position.legal_moves(self.variant) {
            let child = position.play_unchecked(self.variant, mv);
            let mut after = static_bounds(self.variant, &child);
            self.narrow(&child, -guess, &mut after)?;
            best = best.max(-after.upper);
        }
        *bounds = Bounds::exact(best);
        Ok(())
    }

    /// Prepares to search the moves of a position, which share what they find.
    fn prepare(&mut self, position: &Position) -> Result<(), Halt> {
        if let Some(Known::Tablebase(_)) = self.known {
            return Ok(()); // nothing is searched
        }
        match &mut self.searcher {
            Searcher::TwoBit(_) | Searcher::FourBit(_) => Ok(()), // they share the table
            Searcher::Large(search) => search.ending_of(position).map(drop),
        }
    }

    /// Checks the stop flag, which ends even what is only looked up.
    pub(super) fn check(&self) -> Result<(), Halt> {
        self.limits.check_stop()
    }

    /// Checks all limits, before a search that may be too short to do it.
    fn check_limits(&mut self) -> Result<(), Halt> {
        match &mut self.searcher {
            Searcher::TwoBit(search) => search.check(),
            Searcher::FourBit(search) => search.check(),
            Searcher::Large(search) => search.check(),
        }
    }

    /// Tells the solutions of positions in their order.
    ///
    /// # Errors
    ///
    /// The number of the first position found unsolved among these, and its bounds.
    pub(super) fn solve_each(
        &mut self,
        positions: &[Position],
        mut put: impl FnMut(Solution),
    ) -> Result<(), (usize, Box<Unsolved>)> {
        let Some(Known::Tablebase(tablebase)) = self.known else {
            for (number, position) in positions.iter().enumerate() {
                let solution = self.solve(position);
                put(solution.map_err(|unsolved| (number, unsolved))?);
            }
            return Ok(());
        };
        let mut told = 0;
        let looked_up = self.check().and_then(|()| {
            let looked_up = tablebase.solve_each(self.variant, positions, |margin, moves| {
                told += 1;
                put(Solution {
                    margin,
                    moves: moves.to_vec(),
                    nodes: 0,
                });
            });
            looked_up.map_err(Halt::from)
        });
        looked_up.map_err(|halt| {
            let unsolved = Unsolved::unsearched(self.variant, &positions[told], halt);
            (told, Box::new(unsolved))
        })
    }

    pub(super) fn solve(&mut self, position: &Position) -> Result<Solution, Box<Unsolved>> {
        let before = self.nodes();
        if position.is_over(self.variant) {
            let mut bounds = Bounds::exact(0);
            let done = self.narrow(position, 0, &mut bounds);
            debug_assert!(done.is_ok());
            return Ok(Solution {
                margin: bounds.lower,
                moves: Vec::new(),
                nodes: 0,
            });
        }
        let mut moves: Vec<(MoveBounds, Position)> = position
            .legal_moves(self.variant)
            .into_iter()
            .map(|mv| {
                let child = position.play_unchecked(self.variant, mv);
                let bounds = static_bounds(self.variant, &child).flipped();
                (MoveBounds { mv, bounds }, child)
            })
            .collect();
        let found = self.look_up(position);
        let known = found.unwrap_or(None);
        let mut done = found.map_err(Halt::from).and_then(|_| self.check());
        done = done.and_then(|()| self.prepare(position));
        let mut guesses = Guesses::new(known.unwrap_or(0));
        for (after, child) in &mut moves {
            if done.is_err() {
                break;
            }
            if let Some(margin) = known {
                // No move is worth more than the position.
                after.bounds.upper = after.bounds.upper.min(margin);
            }
            let mut bounds = after.bounds.flipped();
            done = self.narrow(child, -guesses.margin(after.mv), &mut bounds);
            after.bounds = bounds.flipped();
            guesses.add(after.mv, after.bounds.lower);
        }
        let most =
            |bound: fn(&MoveBounds) -> i32| moves.iter().map(|(after, _)| bound(after)).max();
        let lower = most(|after| after.bounds.lower).expect("a live position has a move");
        let upper = most(|after| after.bounds.upper).expect("a live position has a move");
        match done {
            Ok(()) => {
                let moves = moves.iter();
                let margins = moves.map(|(after, _)| (after.mv, after.bounds.lower));
                Ok(Solution {
                    margin: lower,
                    moves: margins.collect(),
                    nodes: self.nodes() - before,
                })
            }
            Err(halt) => Err(Box::new(Unsolved {
                halt,
                bounds: Bounds { lower, upper },
                moves: moves.into_iter().map(|(after, _)| after).collect(),
            })),
        }
    }
}
