//! A game between a person and a player, with what a front end shows of it.
//!
//! A [`Table`] takes the messages of a page, and [`Table::state`] is all that the page shows. It starts no
//! thread: a front end asks for work ([`Table::next_answer`], [`Table::next_solution`]), does it wherever
//! it likes, and brings the results back. A result that is no longer wanted, such as an answer to a move
//! that was taken back, is dropped.
//!
//! ```
//! use mijnlieff::play::{Line, Opponent, Seat, Table};
//! use mijnlieff::game::{Position, Variant};
//! use std::sync::Arc;
//!
//! let variant = Arc::new(Variant::default());
//! let opponent = Opponent::named("greedy", &variant).unwrap();
//! let line = Line::new(variant.clone(), Position::new(&variant));
//! let mut table = Table::new(line, opponent, Seat::Light, 0);
//! table.handle(r#"{"type": "play", "ply": 0, "action": 0}"#);
//! let question = table.next_answer().unwrap();
//! assert_eq!((question.position.ply(), question.opponent), (1, "greedy"));
//! table.answer(question.version, Ok(question.position.legal_moves(&variant)[0]));
//! assert_eq!(table.line().moves().len(), 2);
//! ```

#![forbid(unsafe_code)]

mod exact;
mod levels;
mod line;
mod message;
mod review;
mod table;
mod view;

pub use levels::{LEVELS, Level, NoPerfectPlay, Opponent, STAND_IN};
pub use line::Line;

pub use table::{Aid, LoadError, Question, Seat, Table, TurnError};
