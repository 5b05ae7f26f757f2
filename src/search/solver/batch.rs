//! Many positions, on several threads that share one table.

use super::{Solution, Solver, Unsolved, Worker, static_bounds};
use crate::game::Position;
use crate::memory::{OutOfMemory, filled};
use crate::search::{Halt, Limits};
use crate::threads::map_in_order;

/// Named in the error if memory does not suffice.
const SOLUTIONS: &str = "the solutions of positions";

/// A worker whose history is kept for later searches.
struct BatchWorker<'a> {
    solver: &'a Solver,
    worker: Worker<'a>,
}

impl Drop for BatchWorker<'_> {
    fn drop(&mut self) {
        self.solver.merge_history(&self.worker);
    }
}

impl Solver {
    /// The solutions of many positions, in their order, found by `num_threads` threads.
    ///
    /// The limits hold for each thread by itself.
    ///
    /// # Errors
    ///
    /// The number of the first position found unsolved, and its bounds; also when memory
    /// does not suffice.
    ///
    /// # Panics
    ///
    /// If `num_threads` is 0.
    pub fn solve_batch(
        &self,
        positions: &[Position],
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<Solution>, (usize, Box<Unsolved>)> {
        let all = filled(SOLUTIONS, positions.len(), None);
        let mut all = all.map_err(|error| self.unsolved(positions, error))?;
        let put = |place: &mut Option<Solution>, solution| *place = Some(solution);
        self.solve_each(positions, all.iter_mut(), num_threads, limits, put)?;
        // The same memory serves again.
        let all = all.into_iter();
        Ok(all
            .map(|solution| solution.expect("all are solved"))
            .collect())
    }

    /// As [`Solver::solve_batch`], where a solution goes to the place for its position and is not
    /// kept.
    ///
    /// # Errors
    ///
    /// See [`Solver::solve_batch`]. Some places have their solutions.
    ///
    /// # Panics
    ///
    /// If `num_threads` is 0, or there are fewer places than positions.
    pub fn solve_each<T: Send>(
        &self,
        positions: &[Position],
        places: impl ExactSizeIterator<Item = T> + Send,
        num_threads: usize,
        limits: Limits<'_>,
        put: impl Fn(T, Solution) + Sync,
    ) -> Result<(), (usize, Box<Unsolved>)> {
        assert!(num_threads > 0, "num_threads must be at least 1");
        assert!(places.len() >= positions.len());
        let hire = || BatchWorker {
            solver: self,
            worker: self.worker(limits),
        };
        let solve = |hired: &mut BatchWorker<'_>, (number, (position, place))| {
            let solution = hired.worker.solve(position);
            put(
                place,
                solution.map_err(|unsolved| Failure::Unsolved(number, unsolved))?,
            );
            Ok(())
        };
        let items = positions.iter().zip(places).enumerate();
        match map_in_order(items, num_threads, hire, solve) {
            Ok(_) => Ok(()),
            Err(Failure::OutOfMemory(error)) => Err(self.unsolved(positions, error)),
            Err(Failure::Unsolved(number, unsolved)) => Err((number, unsolved)),
        }
    }

    /// The margins of many positions, in their order; see [`Solver::margin`].
    ///
    /// # Errors
    ///
    /// When a limit is reached, which holds for each thread by itself, or memory does not suffice.
    ///
    /// # Panics
    ///
    /// If `num_threads` is 0.
    pub fn margins(
        &self,
        positions: &[Position],
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<i32>, Halt> {
        self.narrow_each(positions, num_threads, limits, |worker, position| {
            let mut bounds = static_bounds(&self.variant, position);
            worker.narrow(position, 0, &mut bounds)?;
            Ok(bounds.lower)
        })
    }

    /// Whether the margins of many positions are at least this; see [`Solver::is_at_least`].
    ///
    /// # Errors
    ///
    /// See [`Solver::margins`].
    ///
    /// # Panics
    ///
    /// If `num_threads` is 0.
    pub fn are_at_least(
        &self,
        positions: &[Position],
        margin: i32,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<bool>, Halt> {
        self.narrow_each(positions, num_threads, limits, |worker, position| {
            worker.is_at_least(position, margin)
        })
    }

    fn narrow_each<R: Send>(
        &self,
        positions: &[Position],
        num_threads: usize,
        limits: Limits<'_>,
        narrow: impl Fn(&mut Worker<'_>, &Position) -> Result<R, Halt> + Sync,
    ) -> Result<Vec<R>, Halt> {
        assert!(num_threads > 0, "num_threads must be at least 1");
        let hire = || BatchWorker {
            solver: self,
            worker: self.worker(limits),
        };
        let work = |hired: &mut BatchWorker<'_>, position: &Position| {
            // Positions that are looked up do not check the flag themselves.
            hired.worker.check()?;
            narrow(&mut hired.worker, position)
        };
        map_in_order(positions.iter(), num_threads, hire, work)
    }

    /// The bounds before any search.
    fn unsolved(&self, positions: &[Position], error: OutOfMemory) -> (usize, Box<Unsolved>) {
        let unsolved = Unsolved {
            halt: error.into(),
            bounds: static_bounds(&self.variant, &positions[0]),
            moves: Vec::new(),
        };
        (0, Box::new(unsolved))
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
