//! Work outside the GIL; long work is stopped by Ctrl-C, or from another thread by a [`PyStop`].

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

thread_local! {
    /// Set from another thread to stop the work that this thread waits for.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Stops work of the core in another thread.
///
/// That thread works in the context ``with stop:``. Once another one has called `set`, long work of
/// the core there ends soon, as on Ctrl-C: with `KeyboardInterrupt`.
#[pyclass(name = "Stop", module = "mijnlieff._mijnlieff", frozen)]
#[derive(Default)]
pub(crate) struct PyStop(Arc<AtomicBool>);

#[pymethods]
impl PyStop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stop the work in the context, also what begins later.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn __enter__(&self) {
        STOP.set(Some(Arc::clone(&self.0)));
    }

    #[allow(clippy::unused_self)] // Python calls it on an object
    #[pyo3(signature = (*_raised: "object"))]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) {
        STOP.set(None);
    }
}

/// Fails after Ctrl-C, and when another thread has stopped the work of this one.
fn check_signals(py: Python<'_>) -> PyResult<()> {
    let is_set = |stop: &Arc<AtomicBool>| stop.load(Ordering::Relaxed);
    if STOP.with_borrow(|stop| stop.as_ref().is_some_and(is_set)) {
        return Err(PyKeyboardInterrupt::new_err("stopped"));
    }
    py.check_signals()
}

/// Time between two checks for signals. Ctrl-C should act within 0.2 s, so this leaves time to stop.
const POLL: Duration = Duration::from_millis(50);

/// Positions or games from which on the GIL is released, so that other Python threads can run.
const DETACH_FROM: usize = 256;

/// Runs short `work` on this many `games` in place, without the GIL if there are enough of them.
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
pub(crate) fn run_unless_quick<T: Send>(
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

/// Runs `work` on this many `games`: as [`without_gil`] up to `few`, where nothing stops it, and as
/// [`run_interruptible`] from there on.
pub(crate) fn run_by_size<T: Send>(
    py: Python<'_>,
    games: usize,
    few: usize,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    if games <= few {
        Ok(without_gil(py, games, || work(&AtomicBool::new(false))))
    } else {
        run_interruptible(py, work)
    }
}

/// Runs `work` on another thread, without the GIL, and returns its result.
///
/// Only Python's main thread receives signals, and it must hold the GIL for that. So it waits here and
/// checks for signals every 50 ms, and once more at the end. On Ctrl-C the flag that `work` was given
/// becomes true. `work` should then return soon; its result is dropped, and the error is
/// `KeyboardInterrupt`. It may have come when all was done, so a caller undoes what `work` has
/// changed, or documents what then holds.
///
/// If the system refuses to start a thread, `work` runs in place, and Ctrl-C acts when it is done.
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
    let (mut work, mut result) = (Some(work), None);
    run_once(py, stop, &mut || {
        let work = work.take().expect("it runs once");
        result = Some(work());
    })?;
    Ok(result.expect("the work has ended"))
}

/// As [`run_until`] for work of any type, so that its thread and channel are compiled once: each type
/// would take 20 kB.
fn run_once(py: Python<'_>, stop: &AtomicBool, work: &mut (dyn FnMut() + Send)) -> PyResult<()> {
    // The new thread takes the work out of here; if it could not start, this thread does.
    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let look_at_signals = |py: Python<'_>| -> PyResult<()> {
        check_signals(py).inspect_err(|_| stop.store(true, Ordering::Relaxed))
    };
    py.detach(|| -> PyResult<()> {
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                if let Some(work) = take() {
                    work();
                    // The receiver is gone only when this scope unwinds.
                    let _ = sender.send(());
                }
            });
            let Ok(worker) = started else {
                let work = take().expect("only a thread that was started takes the work");
                work();
                return Ok(());
            };
            loop {
                match receiver.recv_timeout(POLL) {
                    Ok(()) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => Python::attach(look_at_signals)?,
                    Err(RecvTimeoutError::Disconnected) => match worker.join() {
                        Err(panic) => std::panic::resume_unwind(panic),
                        Ok(()) => unreachable!("a worker that ends well has said so"),
                    },
                }
            }
        })
    })?;
    // Python would raise for a signal of the last 50 ms right after the call, whose result is then
    // lost. Raised here, it lets the caller undo the call.
    look_at_signals(py)
}
