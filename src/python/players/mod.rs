//! Players, the solver and matches as Python objects.

pub(crate) mod best_response;
mod loaded;
mod masks;
pub(crate) mod matches;
pub(crate) mod network;
pub(crate) mod policy;
pub(crate) mod solution;
pub(crate) mod solver;
pub(crate) mod solvers;
