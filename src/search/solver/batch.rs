//! Many positions, on several threads that share one table.

use super::{Solution, Solver, Unsolved, Worker};
use crate::game::Position;
use crate::search::Limits;
use crate::threads::map_in_order;

/// A worker whose history is kept for later searches.
struct BatchWorker<'a> {
    solver: &'a Solver,
    worker: Worker<'a>,
}

impl Drop for BatchWorker<'_> {
    fn drop(&mut self) {
        self.solver.retire(&self.worker);
    }
}

impl Solver {
    /// The solutions of many positions, in their order, found by `num_threads` threads.
    ///
    /// The limits hold for each thread by itself.
    ///
    /// # Errors
    ///
    /// The number of the first position found unsolved, and what is known of it.
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
        assert!(num_threads > 0, "num_threads must be at least 1");
        let hire = || BatchWorker {
            solver: self,
            worker: self.worker(limits),
        };
        let solve = |hired: &mut BatchWorker<'_>, (number, position)| {
            let solution = hired.worker.solve(position);
            solution.map_err(|unsolved| (number, unsolved))
        };
        map_in_order(positions.iter().enumerate(), num_threads, hire, solve)
    }
}
