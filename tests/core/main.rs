//! Tests of the core through its public interface, one module per subject.

#![allow(clippy::disallowed_methods, reason = "tests compare within bounds")]

mod batch;
mod boards;
mod errors;
mod functional;
mod fuzz;
mod imports;
mod network;
mod network_files;
mod perft;
mod plain;
mod policies;
mod properties;
mod records;
mod search;
mod search_sizes;
mod self_play;
mod solver;
mod solver_large;
mod stored_bits;
mod tablebase;
mod texts;
mod tree_search;
mod tree_search_kept;
mod tree_search_results;
mod tree_search_solved;
mod vector;
mod vector_outside;
mod vector_stop;
