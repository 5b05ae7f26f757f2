//! A parallel map that keeps the order of its items.

#![forbid(unsafe_code)]

use std::panic;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::is_granted;
use crate::memory::{OutOfMemory, with_room};

/// Named in the error if memory does not suffice.
const RESULTS: &str = "the results of a batch";

/// The results of `work` for every item, in the order of the items.
///
/// The caller's thread and up to `num_threads - 1` others take one item after another. Each thread
/// keeps its own value of `init`. If the system refuses to start threads, the others do the work.
///
/// # Errors
///
/// The error of the first item that has one, with any number of threads. After an error no further
/// item is begun. If memory for the results does not suffice, no item is begun at all.
///
/// # Panics
///
/// If `init` or `work` does.
pub(crate) fn map_in_order<T, W, R, E, I>(
    items: I,
    num_threads: usize,
    init: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E>
where
    I: IntoIterator<Item = T, IntoIter: ExactSizeIterator + Send>,
    T: Send,
    R: Send,
    E: From<OutOfMemory> + Send,
{
    let items = items.into_iter();
    let count = items.len();
    let mut results: Vec<Option<Result<R, E>>> = with_room(RESULTS, count)?;
    results.resize_with(count, || None);
    let mut values = with_room(RESULTS, count)?;
    // Items and the places of their results, until none is left or one has failed.
    let queue = Mutex::new(Some(items.zip(&mut results)));
    let take = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || {
        let mut kept = init();
        loop {
            // The lock is held while an item is taken, not while it is worked on.
            let next = take().as_mut().and_then(Iterator::next);
            let Some((item, place)) = next else {
                return;
            };
            let result = work(&mut kept, item);
            if result.is_err() {
                *take() = None;
            }
            *place = Some(result);
        }
    };
    thread::scope(|scope| {
        let mut helpers = Vec::new();
        for _ in 1..num_threads.min(count) {
            let helper = is_granted()
                .then(|| thread::Builder::new().spawn_scoped(scope, run).ok())
                .flatten();
            match helper {
                Some(helper) => helpers.push(helper),
                None => break,
            }
        }
        run();
        for helper in helpers {
            if let Err(panic) = helper.join() {
                panic::resume_unwind(panic);
            }
        }
    });
    drop(queue);
    // Items are begun in their order, so those before the first error have all been worked on.
    for result in results {
        values.push(result.expect("no error came before it")?);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;

    use super::*;
    use crate::threads::with_threads_granted;

    /// An error of the work.
    #[derive(Debug, PartialEq)]
    struct Failure(usize);

    impl From<OutOfMemory> for Failure {
        fn from(error: OutOfMemory) -> Self {
            panic!("{error}")
        }
    }

    fn squares(num_threads: usize) -> Vec<u64> {
        let square = |(): &mut (), item: u64| Ok::<_, Failure>(item * item);
        map_in_order((0..100_u32).map(u64::from), num_threads, || (), square).unwrap()
    }

    #[test]
    fn results_are_those_of_one_thread() {
        let expected: Vec<u64> = (0..100).map(|item| item * item).collect();
        for num_threads in [0, 1, 2, 3, 200] {
            assert_eq!(squares(num_threads), expected);
        }
        let none = map_in_order([0_u8; 0], 4, || (), |(), item| Ok::<_, Failure>(item));
        assert_eq!(none, Ok(Vec::new()));
    }

    #[test]
    fn items_run_side_by_side() {
        let all_are_here = Barrier::new(3);
        let meet = |(): &mut (), ()| {
            all_are_here.wait();
            Ok::<_, Failure>(thread::current().id())
        };
        let ids = map_in_order([(); 3], 3, || (), meet).unwrap();
        assert_eq!(ids.into_iter().collect::<HashSet<_>>().len(), 3);
    }

    #[test]
    fn every_thread_keeps_what_it_was_given() {
        let made = Mutex::new(0);
        let init = || {
            *made.lock().unwrap() += 1;
            0
        };
        let count = |kept: &mut usize, ()| {
            *kept += 1;
            Ok::<_, Failure>(*kept)
        };
        let counts = map_in_order([(); 50], 2, init, count).unwrap();
        let made = made.into_inner().unwrap();
        assert!((1..=2).contains(&made));
        let starts = counts.iter().filter(|&&count| count == 1).count();
        assert!((1..=made).contains(&starts));
        assert!(counts.iter().all(|&count| count <= 50));
    }

    #[test]
    fn the_first_error_wins_and_ends_the_work() {
        for num_threads in [1, 2, 4] {
            let fail = |(): &mut (), item: usize| {
                assert!(item < 10 + num_threads);
                if item < 10 {
                    Ok(item)
                } else {
                    Err(Failure(item))
                }
            };
            let found = map_in_order(0..1000, num_threads, || (), fail);
            assert_eq!(found, Err(Failure(10)));
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        for bad in [0, 1] {
            let work = |(): &mut (), item: usize| {
                assert_ne!(item, bad, "item {bad}");
                Ok::<_, Failure>(())
            };
            let run = panic::AssertUnwindSafe(|| map_in_order(0..2, 2, || (), work));
            let payload = panic::catch_unwind(run).unwrap_err();
            let text = payload.downcast_ref::<String>().unwrap();
            assert!(text.contains(&format!("item {bad}")));
        }
    }

    #[test]
    fn work_goes_on_with_the_threads_there_are() {
        let caller = thread::current().id();
        for granted in 0..3 {
            let ids = with_threads_granted(granted, || {
                let id = |(): &mut (), item| Ok::<_, Failure>((item, thread::current().id()));
                map_in_order(0..50, 4, || (), id).unwrap()
            });
            assert!(ids.iter().map(|it| it.0).eq(0..50));
            let others: HashSet<_> = ids
                .iter()
                .map(|it| it.1)
                .filter(|&it| it != caller)
                .collect();
            assert!(others.len() <= granted);
        }
    }
}
