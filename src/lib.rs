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
//! Dependencies point one way: [`game`] and [`random`] know nothing of the rest; [`encode`] and
//! [`search`] import the rules, [`policy`] imports search, and [`vector`] imports all of them.

pub mod encode;
pub mod game;
mod lanes;
pub mod policy;
pub mod random;
mod sealed;
pub mod search;
pub mod vector;
mod wide;

#[cfg(feature = "python")]
mod python;
