//! Work outside the GIL; long work is stopped by Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// How often signals are looked at. Ctrl-C shall act within 0.2 s, so this leaves time to stop.
const POLL: Duration = Duration::from_millis(50);

/// Positions or games from which on the GIL is released, so that other Python threads can run.
const DETACH_FROM: usize = 256;

/// Runs short `work` on so many `games` in place, without the GIL where that pays.
pub(crate) fn without_gil<T: Send>(
    py: Python<'_>,
    games: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if games < DETACH_FROM {
        work()
    } else {
        py.detach(work)
    }
}

/// Runs `work` without the GIL: in place when it is quick, else as [`run_interruptible`].
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    is_quick: bool,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    if is_quick {
        Ok(py.detach(|| work(&AtomicBool::new(false))))
    } else {
        run_interruptible(py, work)
    }
}

/// Runs `work` on another thread, without the GIL, and returns its result.
///
/// Only Python's main thread learns of signals, and it must hold the GIL for that. So it waits here
/// and looks for signals every 50 ms. On Ctrl-C the flag that `work` was given becomes true; `work` should
/// return soon after, its result is dropped, and the error is `KeyboardInterrupt`.
///
/// Starting a thread takes some 20 us: calls that are always shorter should run in place.
pub(crate) fn run_interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    run_until(py, &stop, || work(&stop))
}

/// As [`run_interruptible`], with a flag that `work` already knows; it stays set after Ctrl-C.
pub(crate) fn run_until<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let worker = scope.spawn(move || {
                // The receiver is gone only when this scope unwinds, and the result is not needed then.
                let _ = sender.send(work());
            });
            loop {
                match receiver.recv_timeout(POLL) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {
                        // Clippy's shorter form fails to type-check for want of a lifetime.
                        #[allow(clippy::redundant_closure_for_method_calls)]
                        let signals = Python::attach(|py| py.check_signals());
                        if let Err(error) = signals {
                            stop.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => match worker.join() {
                        Err(panic) => std::panic::resume_unwind(panic),
                        Ok(()) => unreachable!("a worker that ends well has sent its result"),
                    },
                }
            }
        })
    })
}
