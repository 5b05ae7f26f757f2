//! The processor for which tests run code.

#![forbid(unsafe_code)]

use std::cell::Cell;

/// A processor whose code can be run.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Processor {
    /// One with neither AVX2 nor NEON.
    Portable,
    /// One whose only new instructions are tiles.
    Tiles,
    /// This one, as if it had no AVX-512.
    WithoutAvx512,
    /// This one, as if it had no tiles.
    WithoutTiles,
    /// This one.
    Newest,
}

thread_local! {
    /// The processor for which [`super::dispatch`] and [`super::dispatch_wide`] choose code on this thread.
    pub(crate) static PROCESSOR: Cell<Processor> = const { Cell::new(Processor::Newest) };
}

/// The result of `work` on a processor.
pub(crate) fn on<R>(processor: Processor, work: impl FnOnce() -> R) -> R {
    PROCESSOR.set(processor);
    let found = work();
    PROCESSOR.set(Processor::Newest);
    found
}
