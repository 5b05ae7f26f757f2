//! Many positions, on several threads that share one table.

use super::{Known, Solution, Solver, Unsolved, Worker};
use crate::game::Position;
use crate::memory::{OutOfMemory, zeroed};
use crate::search::{Halt, Limits};
use crate::threads::map_in_order;

/// Named in the error if memory does not suffice.
const SOLUTIONS: &str = "the solutions of positions";

/// Positions that a thread looks up before it looks at the limits.
const LOOKED_UP_AT_ONCE: usize = 1024;

impl Solver {
    /// Finds the solutions of many positions with `num_threads` threads. Each goes to the place for its
    /// position and is not kept.
    ///
    /// The limits hold for each thread by itself.
    ///
    /// # Errors
    ///
    /// The number of the first position found unsolved, and its bounds; also when memory does not
    /// suffice. Some places have their solutions.
    ///
    /// # Panics
    ///
    /// If there are fewer places than positions.
    pub fn solve_each<T: Send>(
        &self,
        positions: &[Position],
        mut places: impl ExactSizeIterator<Item = T> + Send,
        num_threads: usize,
        limits: Limits<'_>,
        put: impl Fn(T, Solution) + Sync,
    ) -> Result<(), (usize, Box<Unsolved>)> {
        assert!(places.len() >= positions.len());
        let at_once = self.at_once();
        let chunks = positions.chunks(at_once).enumerate();
        let chunks = chunks.map(|(number, positions)| {
            let places = places.by_ref().take(positions.len());
            (number * at_once, positions, places.collect::<Vec<T>>())
        });
        let hire = || self.worker(limits);
        let solve = |worker: &mut Worker<'_>,
                     (first, positions, places): (usize, &[Position], Vec<T>)| {
            let mut places = places.into_iter();
            let solved = worker.solve_each(positions, |solution| {
                put(places.next().expect("a place for each position"), solution);
            });
            solved.map_err(|(number, unsolved)| Failure::Unsolved(first + number, unsolved))
        };
        match map_in_order(chunks, num_threads, hire, solve) {
            Ok(_) => Ok(()),
            Err(Failure::Unsolved(number, unsolved)) => Err((number, unsolved)),
            Err(Failure::OutOfMemory(error)) => {
                let unsolved = Unsolved::unsearched(&self.variant, &positions[0], error.into());
                Err((0, Box::new(unsolved)))
            }
        }
    }

    /// The margins of many positions, in their order; see [`Solver::margin`].
    ///
    /// # Errors
    ///
    /// When a limit is reached, which holds for each thread by itself, or memory does not suffice.
    pub fn margins(
        &self,
        positions: &[Position],
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<i32>, Halt> {
        self.narrow_each(positions, None, num_threads, limits)
    }

    /// Whether the margins of many positions are at least this, which is cheaper than the margins: with 1,
    /// whether the side to move wins.
    ///
    /// # Errors
    ///
    /// See [`Solver::margins`].
    pub fn are_at_least(
        &self,
        positions: &[Position],
        margin: i32,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<bool>, Halt> {
        let lower = self.narrow_each(positions, Some(margin), num_threads, limits)?;
        Ok(lower.into_iter().map(|lower| lower >= margin).collect())
    }

    /// What [`Worker::narrow_each`] writes for many positions.
    fn narrow_each(
        &self,
        positions: &[Position],
        least: Option<i32>,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<i32>, Halt> {
        let mut lower = zeroed(SOLUTIONS, positions.len())?;
        let at_once = self.at_once();
        let chunks = positions.chunks(at_once).zip(lower.chunks_mut(at_once));
        let hire = || self.worker(limits);
        map_in_order(chunks, num_threads, hire, |worker, (positions, lower)| {
            worker.narrow_each(positions, least, lower)
        })?;
        Ok(lower)
    }

    /// Positions that a thread takes at a time: a table is asked for many.
    fn at_once(&self) -> usize {
        match self.known {
            Some(Known::Tablebase(_)) => LOOKED_UP_AT_ONCE,
            _ => 1,
        }
    }
}

/// Why a batch ends early.
enum Failure {
    OutOfMemory(OutOfMemory),
    Unsolved(usize, Box<Unsolved>),
}

impl From<OutOfMemory> for Failure {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

#[cfg(test)]
mod tests {
    use super::super::moves::History;
    use super::*;
    use crate::game::Variant;
    use crate::policy::opening;

    #[test]
    fn later_searches_know_which_moves_cut_off_before() {
        let variant = Variant::default();
        let solver = Solver::with_table(&variant, 1 << 16).unwrap();
        assert_eq!(solver.history.load(), History::NONE);
        let position = opening(&variant, 7, 1).unwrap();
        let places = [()].into_iter();
        let found = solver.solve_each(&[position], places, 1, Limits::default(), |(), _| ());
        found.unwrap();
        assert_ne!(solver.history.load(), History::NONE);
    }
}
