//! Many positions, on several threads that share one table.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Solution, Solver, Unsolved};
use crate::game::Position;
use crate::search::Limits;

impl Solver {
    /// The solutions of many positions, in their order, found by `threads` threads.
    ///
    /// The limits hold for each thread by itself.
    ///
    /// # Errors
    ///
    /// The number of the first position found unsolved, and what is known of it.
    ///
    /// # Panics
    ///
    /// If `threads` is 0.
    pub fn solve_batch(
        &self,
        positions: &[Position],
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<Solution>, (usize, Box<Unsolved>)> {
        assert!(num_threads > 0);
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let work = || {
            let mut worker = self.worker(limits);
            let mut solved = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(position) = positions.get(number) else {
                    break;
                };
                match worker.solve(position) {
                    Ok(solution) => solved.push((number, solution)),
                    Err(unsolved) => {
                        // Leaves nothing for the other threads to take.
                        next.store(positions.len(), Ordering::Relaxed);
                        let mut failed = failed.lock().expect("no holder panics");
                        failed.get_or_insert((number, unsolved));
                        break;
                    }
                }
            }
            self.retire(&worker);
            solved
        };
        let mut solved = thread::scope(|scope| {
            let helpers: Vec<_> = (1..num_threads.min(positions.len()))
                .map(|_| scope.spawn(work))
                .collect();
            let mut solved = work();
            for helper in helpers {
                match helper.join() {
                    Ok(more) => solved.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            solved
        });
        if let Some(failure) = failed.into_inner().expect("no holder panics") {
            return Err(failure);
        }
        solved.sort_unstable_by_key(|&(number, _)| number);
        Ok(solved.into_iter().map(|(_, solution)| solution).collect())
    }
}
