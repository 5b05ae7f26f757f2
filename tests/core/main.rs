//! Tests of the core through its public interface, one module per subject.

mod golden;
mod perft;
mod policies;
mod records;
mod search;
