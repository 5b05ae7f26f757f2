//! The exception classes that native code raises.
//!
//! They live in `mijnlieff/errors.py`: under the stable ABI, Rust cannot subclass built-in exceptions
//! before Python 3.12.

use pyo3::prelude::*;
use pyo3::{PyTypeInfo, import_exception};

/// Declares the classes, and a function that imports them all.
macro_rules! exceptions {
    ($($($part:ident).+, $name:ident;)*) => {
        $(import_exception!($($part).+, $name);)*

        /// Imports the classes. PyO3 would do so when the first error of each is raised, and end the
        /// process where Python cannot import: near its recursion limit and while it shuts down.
        pub(crate) fn import(py: Python<'_>) -> PyResult<()> {
            $(
                py.import([$(stringify!($part)),+].join("."))?;
                $name::type_object(py);
            )*
            Ok(())
        }
    };
}

exceptions! {
    mijnlieff.errors, BoardError;
    mijnlieff.errors, BookError;
    mijnlieff.errors, CheckpointError;
    mijnlieff.errors, GameOverError;
    mijnlieff.errors, IllegalMoveError;
    mijnlieff.errors, ParseError;
    mijnlieff.errors, PolicyError;
    mijnlieff.errors, PositionError;
    mijnlieff.errors, SearchLimitError;
    mijnlieff.errors, TablebaseError;
    mijnlieff.errors, VariantError;
    gymnasium.error, ResetNeeded;
}
