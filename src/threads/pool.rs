//! Threads that survive a `fork` and are quick to start on the next job.
//!
//! `rayon` would do, with a pool for each process: it takes 5 us longer to hand over a job, which is an
//! eighth of a step of 4,096 games (`docs/performance.md`).

#![allow(
    unsafe_code,
    reason = "the work lent to the threads does not live as long as they do"
)]

use std::any::Any;
use std::fmt;
use std::iter;
use std::mem::{self, ManuallyDrop};
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use super::is_granted;

/// Games below which another thread costs more than it saves.
const GAMES_PER_THREAD: usize = 1024;

/// How long a thread watches for the next job before it sleeps.
///
/// The system takes as long as a step of a thousand games to wake a sleeping thread, so between two
/// steps in close succession none should sleep; and a learner should not lose a core to watching.
const WATCH: Duration = Duration::from_micros(100);

/// Threads that are started when they are first needed, and again in a forked child.
///
/// A child process inherits the memory of its parent but not the threads, so a job given to
/// inherited threads would wait for ever; a library's global pool has the same problem. The
/// inherited pool is leaked, because dropping it would wait for its threads as well.
#[derive(Debug)]
pub(crate) struct Pool {
    num_threads: usize,
    team: Option<(u32, ManuallyDrop<Team>)>,
}

impl Pool {
    /// A pool of this many threads; one thread means the caller's own.
    pub(crate) fn new(num_threads: usize) -> Self {
        Self {
            num_threads: num_threads.max(1),
            team: None,
        }
    }

    /// How many blocks to cut this many games into.
    pub(crate) fn blocks(&self, games: usize) -> usize {
        self.num_threads.min(games / GAMES_PER_THREAD).max(1)
    }

    /// Runs one job on each item, and returns the results in the same order.
    ///
    /// The first item runs on the caller's thread. Every other item usually runs on the same thread
    /// of the pool as before, whose cache may still hold its data. Items for which the system
    /// refuses a thread run on the caller's thread.
    ///
    /// # Panics
    ///
    /// If a job panics, if there are no items, or more items than threads.
    pub(crate) fn run<T: Send, R: Send>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        job: impl Fn(T) -> R + Sync,
    ) -> impl Iterator<Item = R> {
        let mut items = items.into_iter();
        let first = items.next().expect("there is something to do");
        // Nothing is allocated for a single item, which may be the step of a single game.
        let others: Vec<_> = items.map(|it| Mutex::new((Some(it), None))).collect();
        assert!(others.len() < self.num_threads);
        let run_other = |place: &Mutex<(Option<T>, Option<R>)>| {
            // No other thread locks the place meanwhile.
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            let item = place.0.take().expect("every item runs once");
            place.1 = Some(job(item));
        };
        let first = if others.is_empty() {
            job(first)
        } else {
            let run_other = |index: usize| run_other(&others[index]);
            let team = self.team(others.len());
            team.run(others.len(), &run_other, || job(first))
        };
        let others = others.into_iter().map(|place| {
            let (_, result) = place.into_inner().unwrap_or_else(PoisonError::into_inner);
            result.expect("every item has run")
        });
        iter::once(first).chain(others)
    }

    /// The threads of this process; those that are missing for this many jobs are started.
    fn team(&mut self, jobs: usize) -> &mut Team {
        let id = process::id();
        let known = self.team.take().filter(|&(owner, _)| owner == id);
        let none = || (id, ManuallyDrop::new(Team::new(self.num_threads - 1)));
        let team = &mut self.team.insert(known.unwrap_or_else(none)).1;
        team.grow(jobs);
        team
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some((owner, team)) = self.team.take()
            && owner == process::id()
        {
            drop(ManuallyDrop::into_inner(team));
        }
    }
}

/// Work for every index. Its real lifetime is shorter: [`Team::run`] returns only after the last use.
type Work = &'static (dyn Fn(usize) + Sync);

/// The job of a thread.
struct Job {
    work: Work,
    index: usize,
    /// The thread that waits for it.
    caller: Thread,
}

/// The values of [`Mailbox::state`].
const NOTHING: u8 = 0;
const WORK: u8 = 1;
const QUIT: u8 = 2;

/// Where a thread finds its jobs; a cache line for itself, as two threads watch it.
#[derive(Default)]
#[repr(align(128))]
struct Mailbox {
    state: AtomicU8,
    job: Mutex<Option<Job>>,
    /// The payload of the last job's panic, if it panicked.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Mailbox {
    fn is(&self, state: u8) -> bool {
        self.state.load(Ordering::Acquire) == state
    }

    fn lock(&self) -> MutexGuard<'_, Option<Job>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a job into the empty mailbox.
    ///
    /// The state changes under the lock. A thread that still looks for the last job, which was
    /// taken back, may find this one at once: it must not report it done before it is announced.
    fn hand_over(&self, job: Job) {
        let mut place = self.lock();
        *place = Some(job);
        self.state.store(WORK, Ordering::Release);
    }

    fn take_job(&self) -> Option<Job> {
        self.lock().take()
    }

    /// Runs jobs until the mailbox says to quit.
    fn serve(&self, watch: Duration) {
        loop {
            wait(watch, || !self.is(NOTHING));
            if self.is(QUIT) {
                return;
            }
            // The caller takes back a job that has not begun.
            let Some(Job {
                work,
                index,
                caller,
            }) = self.take_job()
            else {
                continue;
            };
            let done = panic::catch_unwind(AssertUnwindSafe(|| work(index)));
            if let (Err(panic), Ok(mut place)) = (done, self.panic.lock()) {
                *place = Some(panic);
            }
            // From here on the caller may return, and the work it lent is gone.
            self.state.store(NOTHING, Ordering::Release);
            caller.unpark();
        }
    }
}

/// Waits until a condition holds: watches it for a while, then sleeps until unparked.
fn wait(watch: Duration, ready: impl Fn() -> bool) {
    /// Checks of the condition between two looks at the clock. At each look the thread yields the
    /// processor: on a busy machine the thread that it waits for may need this one.
    const LOOKS: usize = 64;
    if !watch.is_zero() {
        let start = Instant::now();
        while start.elapsed() < watch {
            for _ in 0..LOOKS {
                if ready() {
                    return;
                }
            }
            thread::yield_now();
        }
    }
    while !ready() {
        thread::park();
    }
}

/// Threads and their mailboxes; fewer than were asked for if the system refused some.
struct Team {
    workers: Vec<(Arc<Mailbox>, JoinHandle<()>)>,
    watch: Duration,
    /// Whether the system has refused a thread.
    refused: bool,
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Team of {}", self.workers.len())
    }
}

impl Team {
    /// A team without threads that may get as many as this.
    fn new(most: usize) -> Self {
        // A thread that watches on a processor that another thread needs delays the very work it
        // waits for.
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let watch = if most < processors {
            WATCH
        } else {
            Duration::ZERO
        };
        Self {
            workers: Vec::new(),
            watch,
            refused: false,
        }
    }

    /// Starts the threads that are missing, as many of them as the system grants.
    fn grow(&mut self, workers: usize) {
        if self.refused {
            return;
        }
        let watch = self.watch;
        for i in self.workers.len()..workers {
            let mailbox = Arc::<Mailbox>::default();
            let served = Arc::clone(&mailbox);
            let thread = is_granted().then(|| {
                thread::Builder::new()
                    .name(format!("mijnlieff-{i}"))
                    .spawn(move || served.serve(watch))
            });
            let Some(Ok(thread)) = thread else {
                self.refused = true;
                return;
            };
            self.workers.push((mailbox, thread));
        }
    }

    /// Does the work of every index below `count`, each on a thread, while this one does `mine`.
    /// Jobs that no thread has begun by then are done here.
    ///
    /// It takes `&mut self` because a mailbox has room for one job.
    fn run<R>(
        &mut self,
        count: usize,
        work: &(dyn Fn(usize) + Sync),
        mine: impl FnOnce() -> R,
    ) -> R {
        let asked = &self.workers[..count.min(self.workers.len())];
        // May panic, so it comes before any thread has a job.
        let caller = thread::current();
        // SAFETY: only the lifetime changes. The threads use the work until they report `NOTHING`,
        // and from the first job that is handed over until all have reported, nothing here panics
        // but `mine` and the work, whose panics are caught and go on only after that.
        let work: Work = unsafe { mem::transmute::<&(dyn Fn(usize) + Sync), Work>(work) };
        for (index, (mailbox, thread)) in asked.iter().enumerate() {
            let job = Job {
                work,
                index,
                caller: caller.clone(),
            };
            mailbox.hand_over(job);
            thread.thread().unpark();
        }
        let mine = panic::catch_unwind(AssertUnwindSafe(|| {
            let mine = mine();
            (asked.len()..count).for_each(work);
            // On a busy machine a thread may not have got a processor yet: this one has.
            for (mailbox, _) in asked {
                if let Some(job) = mailbox.take_job() {
                    mailbox.state.store(NOTHING, Ordering::Release);
                    work(job.index);
                }
            }
            mine
        }));
        for (mailbox, _) in asked {
            wait(self.watch, || mailbox.is(NOTHING));
        }
        let panics = asked.iter().map(|(mailbox, _)| &mailbox.panic);
        let theirs: Vec<_> = panics
            .filter_map(|panic| panic.lock().map_or(None, |mut panic| panic.take()))
            .collect();
        match (mine, theirs.into_iter().next()) {
            (Ok(mine), None) => mine,
            (Err(panic), _) | (_, Some(panic)) => panic::resume_unwind(panic),
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for (mailbox, thread) in &self.workers {
            mailbox.state.store(QUIT, Ordering::Release);
            thread.thread().unpark();
        }
        for (_, thread) in self.workers.drain(..) {
            // It cannot have panicked: jobs are caught.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::with_threads_granted;

    #[test]
    fn every_item_runs_once_and_results_keep_their_order() {
        let mut pool = Pool::new(3);
        for round in 0..if cfg!(miri) { 20 } else { 200_u32 } {
            let square = |item| (item * item, thread::current().id());
            let names: Vec<_> = pool.run(round..round + 3, square).collect();
            let squares = [round * round, (round + 1).pow(2), (round + 2).pow(2)];
            assert_eq!(names.iter().map(|it| it.0).collect::<Vec<_>>(), squares);
            assert_eq!(names[0].1, thread::current().id());
            if round % 50 == 0 {
                thread::sleep(2 * WATCH); // the others sleep now
            }
        }
        assert!(pool.run([1, 2], |item| item + 1).eq([2, 3]));
    }

    #[test]
    fn threads_are_started_when_they_are_needed() {
        let mut pool = Pool::new(1000);
        for (items, threads) in [(1, 0), (3, 2), (2, 2), (5, 4)] {
            assert!(pool.run(0..items, |item| item).eq(0..items));
            assert_eq!(pool.team(0).workers.len(), threads);
        }
    }

    #[test]
    fn a_panic_of_any_share_reaches_the_caller_and_the_pool_goes_on() {
        let mut pool = Pool::new(2);
        for bad in 0..2 {
            let run = AssertUnwindSafe(|| pool.run([0, 1], |item| assert_ne!(item, bad)).count());
            assert!(panic::catch_unwind(run).is_err());
            assert!(pool.run([5, 6], |item| item).eq([5, 6]));
        }
    }

    #[test]
    fn a_job_found_before_it_is_announced_is_reported_done() {
        let mailbox = Mailbox::default();
        let work: Work = &|_| ();
        let caller = thread::current();
        let patience = Duration::from_secs(60);
        let reported = thread::scope(|scope| {
            let server = scope.spawn(|| mailbox.serve(patience));
            let end = Instant::now() + Duration::from_secs(1);
            let mut rounds = (0..100_000).take_while(|_| Instant::now() < end);
            let reported = rounds.all(|index| {
                // As if the last job had just been taken back: the thread looks for it.
                mailbox.state.store(WORK, Ordering::Release);
                server.thread().unpark();
                thread::yield_now();
                mailbox.hand_over(Job {
                    work,
                    index,
                    caller: caller.clone(),
                });
                let start = Instant::now();
                while !mailbox.is(NOTHING) && start.elapsed() < patience {
                    thread::yield_now();
                }
                mailbox.is(NOTHING)
            });
            mailbox.state.store(QUIT, Ordering::Release);
            server.thread().unpark();
            reported
        });
        assert!(reported);
    }

    #[test]
    fn everything_is_done_with_the_threads_there_are() {
        for granted in 0..3 {
            let mut pool = Pool::new(4);
            with_threads_granted(granted, || {
                for round in 0..3 {
                    let double = |item| 2 * item;
                    let doubled = pool.run([round, 5, 6, 7], double);
                    assert!(doubled.eq([2 * round, 10, 12, 14]));
                }
            });
            assert_eq!(pool.team(0).workers.len(), granted);
        }
    }
}
