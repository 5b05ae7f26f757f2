//! The exception classes that native code raises.
//!
//! They live in `mijnlieff/errors.py`: under the stable ABI, Rust cannot subclass built-in exceptions
//! before Python 3.12.

use pyo3::import_exception;

import_exception!(mijnlieff.errors, BoardError);
import_exception!(mijnlieff.errors, BookError);
import_exception!(mijnlieff.errors, CheckpointError);
import_exception!(mijnlieff.errors, GameOverError);
import_exception!(mijnlieff.errors, IllegalMoveError);
import_exception!(mijnlieff.errors, ParseError);
import_exception!(mijnlieff.errors, PolicyError);
import_exception!(mijnlieff.errors, PositionError);
import_exception!(mijnlieff.errors, SearchLimitError);
import_exception!(mijnlieff.errors, TablebaseError);
import_exception!(mijnlieff.errors, VariantError);
import_exception!(gymnasium.error, ResetNeeded);
