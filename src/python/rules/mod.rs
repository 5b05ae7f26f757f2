//! Boards, variants, positions and records as Python objects.

pub(crate) mod batch;
pub(crate) mod board;
pub(crate) mod canvas;
pub(crate) mod position;
pub(crate) mod records;
pub(crate) mod rows;
pub(crate) mod variant;
pub(crate) mod variant_argument;
pub(crate) mod variant_parts;
mod words;
