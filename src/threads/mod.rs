//! Work spread over threads: [`map_in_order`] starts threads for one call that takes long, a [`Pool`]
//! keeps them for many short ones. 0 threads count as 1 everywhere.

mod map;
mod pool;

pub(crate) use map::map_in_order;
pub(crate) use pool::Pool;

/// Whether a thread may be asked for. Tests take the place of the system and refuse some.
fn is_granted() -> bool {
    #[cfg(test)]
    if tests::GRANTED.replace(tests::GRANTED.get().saturating_sub(1)) == 0 {
        return false;
    }
    true
}

#[cfg(test)]
pub(crate) use tests::with_threads_granted;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    thread_local! {
        pub(super) static GRANTED: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Runs `work` as on a system that lets this thread start only this many others.
    pub(crate) fn with_threads_granted<R>(count: usize, work: impl FnOnce() -> R) -> R {
        GRANTED.set(count);
        let result = work();
        GRANTED.set(usize::MAX);
        result
    }
}
