//! Threads that survive a `fork`.

use std::mem::ManuallyDrop;
use std::process;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Games below which another thread costs more than it saves.
const GAMES_PER_THREAD: usize = 1024;

/// A thread pool that is built when it is first needed, and again in a forked child.
///
/// A child process inherits the memory of its parent but not the threads, so a job given to an
/// inherited pool would wait for ever; rayon's global pool is of no use here for that reason. The
/// inherited pool is leaked, because dropping it would wait for its threads as well.
#[derive(Debug)]
pub(super) struct Pool {
    threads: usize,
    built: Option<(u32, ManuallyDrop<ThreadPool>)>,
}

impl Pool {
    /// A pool of this many threads; one thread means the caller's own.
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            built: None,
        }
    }

    /// How many blocks to cut this many games into.
    pub(super) fn blocks(&self, games: usize) -> usize {
        self.threads.min(games / GAMES_PER_THREAD).max(1)
    }

    /// Runs one job on each item, the first on the caller's thread and the others on the pool's.
    ///
    /// When the system refuses to start threads, all run on the caller's.
    pub(super) fn run<T: Send>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        job: impl Fn(T) + Sync,
    ) {
        let id = process::id();
        if self.built.as_ref().is_none_or(|&(owner, _)| owner != id) {
            self.built = ThreadPoolBuilder::new()
                .num_threads(self.threads - 1)
                .thread_name(|i| format!("mijnlieff-{i}"))
                .build()
                .ok()
                .map(|pool| (id, ManuallyDrop::new(pool)));
        }
        let mut items = items.into_iter();
        let Some((_, pool)) = &self.built else {
            return items.for_each(job);
        };
        pool.in_place_scope(|scope| {
            let first = items.next();
            let job = &job;
            for item in items {
                scope.spawn(move |_| job(item));
            }
            if let Some(item) = first {
                job(item);
            }
        });
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some((owner, pool)) = self.built.take()
            && owner == process::id()
        {
            drop(ManuallyDrop::into_inner(pool));
        }
    }
}
