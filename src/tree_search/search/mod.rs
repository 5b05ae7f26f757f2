//! The search of one tree.

pub(crate) mod evaluation;
pub(crate) mod exact;
pub(crate) mod halving;
pub(crate) mod rule;
pub(crate) mod tree;
