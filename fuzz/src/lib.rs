//! What must hold for every input, one function for each fuzz target.
//!
//! Each takes arbitrary bytes, makes something of them, and panics when the core gets it wrong.
//! The targets in `fuzz_targets` hand them what libFuzzer finds, `tests/core/fuzz.rs` what proptest
//! makes up.

mod boards;
mod files;
mod games;
mod input;
mod packed;
mod states;
mod texts;

pub use boards::{board_blocks, board_text};
pub use files::{book_file, network_file};
pub use games::{legal_moves, pieces_and_points, symmetric_games};
pub use packed::packed_word;
pub use states::state_words;
pub use texts::{position_text, record_text};
