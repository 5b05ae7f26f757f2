//! Work spread over threads.

mod pool;

pub(crate) use pool::Pool;
