//! A batch that serves one thread at a time, and one step or reset at a time.

#![forbid(unsafe_code)]

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use super::batch::Batch;

/// A batch, and which step or reset of it is under way.
pub(super) struct SharedBatch {
    batch: Mutex<Batch>,
    /// The call whose step or reset waits for an outside opponent, or 0. Written with the batch locked.
    call: AtomicU64,
}

impl SharedBatch {
    pub(super) fn new(batch: Batch) -> Self {
        Self {
            batch: Mutex::new(batch),
            call: AtomicU64::new(0),
        }
    }

    /// The batch, if no other thread is using it right now.
    pub(super) fn lock(&self) -> PyResult<MutexGuard<'_, Batch>> {
        self.batch.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => in_use(),
            TryLockError::Poisoned(_) => unusable(),
        })
    }

    /// The batch, if also no step or reset waits for an outside opponent.
    pub(super) fn lock_idle(&self) -> PyResult<MutexGuard<'_, Batch>> {
        let inner = self.lock()?;
        if self.call.load(Ordering::Relaxed) == 0 {
            Ok(inner)
        } else {
            Err(in_use())
        }
    }

    /// The batch for the call that is under way, once no other thread reads it: were it refused in the
    /// middle of a step, that could be neither ended nor undone.
    pub(super) fn wait(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Batch>> {
        self.batch.lock_py_attached(py).map_err(|_| unusable())
    }

    /// As [`Self::wait`], if no game waits for an outside opponent's action.
    pub(super) fn wait_answered(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Batch>> {
        let inner = self.wait(py)?;
        if inner.core.pending().is_empty() {
            return Ok(inner);
        }
        let pending = inner.core.pending().len();
        let message = format!("{pending} games still wait for the opponent's action");
        Err(PyRuntimeError::new_err(message))
    }

    /// A step or reset of this call now waits for an outside opponent.
    pub(super) fn begin(&self, call: NonZeroU64) {
        self.call.store(call.get(), Ordering::Relaxed);
    }

    /// No step or reset is under way any more.
    pub(super) fn end(&self) {
        self.call.store(0, Ordering::Relaxed);
    }

    /// Whether what is under way is of this call.
    pub(super) fn is_of(&self, call: NonZeroU64) -> bool {
        self.call.load(Ordering::Relaxed) == call.get()
    }
}

fn unusable() -> PyErr {
    PyRuntimeError::new_err("an internal error has left this environment unusable; make a new one")
}

fn in_use() -> PyErr {
    PyRuntimeError::new_err(
        "another thread is using this environment, or its opponent is in the middle of a step; \
         give each thread its own",
    )
}
