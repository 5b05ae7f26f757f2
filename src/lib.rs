//! Mijnlieff: the rules of the board game, and what learners need around them.
//!
//! Three steps show the whole of it. Ask a variant for its first position, look at what may be
//! played, and play until the game is over:
//!
//! ```
//! use mijnlieff::game::{Position, Variant};
//!
//! let variant = Variant::default(); // 4x4 board, opening on an outside cell, 2 pieces of each type
//! let mut position = Position::new(&variant);
//! assert_eq!(position.legal_moves(&variant).len(), 48); // 12 outside cells x 4 types
//! while let Some(&mv) = position.legal_moves(&variant).first() {
//!     position = position.play(&variant, mv)?;
//! }
//! assert!(position.is_over(&variant));
//! # Ok::<(), mijnlieff::game::PlayError>(())
//! ```
//!
//! Dependencies point one way. [`random`] imports only logarithms, [`game`] only the random streams that
//! draw arrangements of boards. [`encode`] and [`tablebase`] import the rules, [`search`] also
//! tables, [`best_response`], [`policy`] and [`network`] import search, [`vector`] imports policies,
//! [`functional`] and [`tree_search`] import vector, and [`self_play`] imports tree search and networks.
//! [`play`], a game with a person, imports rules, actions and search. Eight private modules help them:
//! `elementary` (logarithms and the like), `simd` (vectors of f32), `threads`, `small_board` (boards of up
//! to 16 cells in 16-bit words), `file_header` (the start of the crate's binary files), `files` (those that
//! users name), `names` (options whose values have names), and `large_pages` (advice about memory).
//! [`memory`] is fallible allocation. `python` binds it all.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests compare within bounds")
)]

pub mod best_response;
mod elementary;
pub mod encode;
mod file_header;
mod files;
pub mod functional;
pub mod game;
mod large_pages;
pub mod memory;
mod names;
pub mod network;
pub mod play;
pub mod policy;
pub mod random;
pub mod search;
pub mod self_play;
mod simd;
mod small_board;
pub mod tablebase;
mod threads;
pub mod tree_search;
pub mod vector;

#[cfg(feature = "python")]
mod python;

pub use file_header::{FileError, FileKind};
pub use names::UnknownName;
