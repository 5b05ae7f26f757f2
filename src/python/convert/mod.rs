//! Arguments and results between Python and Rust.

pub(crate) mod actions;
pub(crate) mod arrays;
pub(crate) mod integers;
pub(crate) mod lists;
pub(crate) mod observations;
pub(crate) mod shared_memory;
