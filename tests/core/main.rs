//! Tests of the core through its public interface, one module per subject.

mod perft;
mod policies;
mod records;
mod search;
