//! The nodes and edges of a tree, in memory that grows without being moved.

pub(crate) mod edges;
pub(crate) mod store;

/// Named in the error if memory does not suffice.
pub(crate) const TREES: &str = "the trees of a search";
