//! The search of one tree.

#![forbid(unsafe_code)]

pub(crate) mod evaluation;
pub(crate) mod exact;
pub(crate) mod halving;
pub(crate) mod known;
pub(crate) mod rule;
pub(crate) mod tree;
