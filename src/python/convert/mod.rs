//! Arguments and results between Python and Rust.

pub(crate) mod actions;
pub(crate) mod arrays;
pub(crate) mod floats;
pub(crate) mod integers;
pub(crate) mod lists;
pub(crate) mod observations;
pub(crate) mod pickles;
pub(crate) mod shared_memory;
pub(crate) mod shown;
pub(crate) mod text;
pub(crate) mod words;

use pyo3::prelude::*;

use crate::names::shortened;

/// The text of a value in an error message: its `repr`, cut when it is long.
pub(crate) fn short_repr(value: &Bound<'_, PyAny>) -> String {
    let Ok(text) = value.repr() else {
        return format!("<{}>", value.get_type());
    };
    shortened(&text.to_string_lossy())
}
