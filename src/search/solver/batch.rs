//! Many positions, on several threads that share one table.

use super::{Solution, Solver, Unsolved, Worker, static_bounds};
use crate::game::Position;
use crate::memory::{OutOfMemory, zeroed};
use crate::search::{Halt, Limits};
use crate::tablebase::Tablebase;
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
        if let Some(tablebase) = self.tablebase() {
            return self.look_each_up(tablebase, positions, places, num_threads, limits, put);
        }
        let hire = || self.worker(limits);
        let solve = |worker: &mut Worker<'_>, (number, (position, place))| {
            let solution = worker.solve(position);
            put(
                place,
                solution.map_err(|unsolved| Failure::Unsolved(number, unsolved))?,
            );
            Ok(())
        };
        let items = positions.iter().zip(places).enumerate();
        match map_in_order(items, num_threads, hire, solve) {
            Ok(_) => Ok(()),
            Err(failure) => Err(self.first_failure(positions, failure)),
        }
    }

    /// As [`Solver::solve_each`], a table asked for many positions at a time.
    fn look_each_up<T: Send>(
        &self,
        tablebase: &Tablebase,
        positions: &[Position],
        mut places: impl ExactSizeIterator<Item = T> + Send,
        num_threads: usize,
        limits: Limits<'_>,
        put: impl Fn(T, Solution) + Sync,
    ) -> Result<(), (usize, Box<Unsolved>)> {
        let chunks = positions.chunks(LOOKED_UP_AT_ONCE).enumerate();
        let chunks = chunks.map(|(number, positions)| {
            let places = places.by_ref().take(positions.len());
            (
                number * LOOKED_UP_AT_ONCE,
                positions,
                places.collect::<Vec<T>>(),
            )
        });
        let hire = || self.worker(limits);
        let look_up =
            |worker: &mut Worker<'_>, (first, positions, places): (usize, &[Position], Vec<T>)| {
                let (mut next, mut places) = (first, places.into_iter());
                let looked_up = worker.check().and_then(|()| {
                    let looked_up =
                        tablebase.solve_each(&self.variant, positions, |margin, moves| {
                            next += 1;
                            let solution = Solution {
                                margin,
                                moves: moves.to_vec(),
                                nodes: 0,
                            };
                            put(places.next().expect("a place for each position"), solution);
                        });
                    looked_up.map_err(Halt::from)
                });
                looked_up.map_err(|halt| {
                    Failure::Unsolved(
                        next,
                        Box::new(self.unsolved(&positions[next - first], halt)),
                    )
                })
            };
        match map_in_order(chunks, num_threads, hire, look_up) {
            Ok(_) => Ok(()),
            Err(failure) => Err(self.first_failure(positions, failure)),
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
        if let Some(tablebase) = self.tablebase() {
            let mut margins = zeroed(SOLUTIONS, positions.len())?;
            let chunks = positions.chunks(LOOKED_UP_AT_ONCE);
            let chunks = chunks.zip(margins.chunks_mut(LOOKED_UP_AT_ONCE));
            let hire = || self.worker(limits);
            map_in_order(chunks, num_threads, hire, |worker, (positions, margins)| {
                worker.check()?;
                Ok::<_, Halt>(tablebase.margins(&self.variant, positions, margins)?)
            })?;
            return Ok(margins);
        }
        self.narrow_each(positions, num_threads, limits, |worker, position| {
            let mut bounds = static_bounds(&self.variant, position);
            worker.narrow(position, 0, &mut bounds)?;
            Ok(bounds.lower)
        })
    }

    /// Whether the margins of many positions are at least this, which is cheaper than the margins: with 1,
    /// whether the side to move wins.
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
        if self.tablebase().is_some() {
            let margins = self.margins(positions, num_threads, limits)?;
            return Ok(margins.into_iter().map(|found| found >= margin).collect());
        }
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
        let hire = || self.worker(limits);
        let work = |worker: &mut Worker<'_>, position: &Position| {
            // Positions that are looked up do not check the flag themselves.
            worker.check()?;
            narrow(worker, position)
        };
        map_in_order(positions.iter(), num_threads, hire, work)
    }

    /// The position found unsolved, and its bounds.
    fn first_failure(&self, positions: &[Position], failure: Failure) -> (usize, Box<Unsolved>) {
        match failure {
            Failure::OutOfMemory(error) => {
                (0, Box::new(self.unsolved(&positions[0], error.into())))
            }
            Failure::Unsolved(number, unsolved) => (number, unsolved),
        }
    }

    /// The bounds before any search.
    fn unsolved(&self, position: &Position, halt: Halt) -> Unsolved {
        Unsolved {
            halt,
            bounds: static_bounds(&self.variant, position),
            moves: Vec::new(),
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
