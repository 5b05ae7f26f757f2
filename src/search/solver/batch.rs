//! Many positions, on several threads that share one table.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{SOLUTIONS, Solution, Solver, Unsolved, static_bounds};
use crate::game::Position;
use crate::memory::{OutOfMemory, make_room, with_room};
use crate::search::Limits;

impl Solver {
    /// The solutions of many positions, in their order, found by `threads` threads.
    ///
    /// The limits hold for each thread by itself.
    ///
    /// # Errors
    ///
    /// The number of the first position found unsolved, and what is known of it; also when memory
    /// does not suffice.
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
        let unsolved = |number: usize, error: OutOfMemory| {
            let unsolved = Unsolved {
                halt: error.into(),
                bounds: static_bounds(&self.variant, &positions[number]),
                moves: Vec::new(),
            };
            (number, Box::new(unsolved))
        };
        let all = with_room(SOLUTIONS, positions.len());
        let mut all: Vec<(usize, Solution)> = all.map_err(|error| unsolved(0, error))?;
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
                let solution = worker
                    .solve(position)
                    .map_err(|unsolved| (number, unsolved));
                let room = make_room(&mut solved, SOLUTIONS, 1);
                match room.map_err(|error| unsolved(number, error)).and(solution) {
                    Ok(solution) => solved.push((number, solution)),
                    Err(failure) => {
                        // Leaves nothing for the other threads to take.
                        next.store(positions.len(), Ordering::Relaxed);
                        let mut failed = failed.lock().expect("no holder panics");
                        failed.get_or_insert(failure);
                        break;
                    }
                }
            }
            self.retire(&worker);
            solved
        };
        thread::scope(|scope| {
            let helpers: Vec<_> = (1..num_threads.min(positions.len()))
                .map(|_| scope.spawn(work))
                .collect();
            all.extend(work());
            for helper in helpers {
                match helper.join() {
                    Ok(more) => all.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        if let Some(failure) = failed.into_inner().expect("no holder panics") {
            return Err(failure);
        }
        all.sort_unstable_by_key(|&(number, _)| number);
        Ok(all.into_iter().map(|(_, solution)| solution).collect())
    }
}
