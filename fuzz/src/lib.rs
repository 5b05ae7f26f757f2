//! Properties that must hold for every input, one function for each fuzz target.
//!
//! Each function turns arbitrary bytes into an input of the core, and panics if the result is wrong.
//! The targets in `fuzz_targets` call them with inputs from libFuzzer, `tests/core/fuzz.rs` with
//! inputs from proptest.

mod boards;
pub(crate) mod files;
pub(crate) mod games;
mod input;
mod packed;
mod states;
pub(crate) mod tables;
mod texts;

pub use boards::{board_blocks, board_text};
pub use files::{book_file, network_file};
pub use games::{legal_moves, pieces_and_points, symmetric_games};
pub use packed::packed_word;
pub use states::state_words;
pub use tables::tablebase_file;
pub use texts::{position_text, record_text};
