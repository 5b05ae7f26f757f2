//! Arguments and results between Python and Rust.

pub(crate) mod actions;
pub(crate) mod arrays;
pub(crate) mod integers;
pub(crate) mod lists;
pub(crate) mod observations;
pub(crate) mod shared_memory;
pub(crate) mod text;

use pyo3::prelude::*;

/// The most characters of a value that an error message shows.
const SHOWN: usize = 60;

/// How an error message shows a value: its `repr`, cut when it is long.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    let Ok(text) = value.repr() else {
        return format!("<{}>", value.get_type());
    };
    let text = text.to_string_lossy();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into_owned(),
    }
}
