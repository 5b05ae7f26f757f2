//! Files that users name: which they may be, and what errors say of them.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Fails unless a regular file is there. To open a pipe may wait for ever, a folder cannot be mapped, and a
/// device must not be replaced by a file.
///
/// # Errors
///
/// `NotFound` where nothing is there.
pub(crate) fn check_regular(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(
        ErrorKind::InvalidInput,
        "not a regular file",
    ))
}

/// As [`check_regular`], but there may also be nothing.
pub(crate) fn check_free_or_regular(path: &Path) -> io::Result<()> {
    match check_regular(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        checked => checked,
    }
}

/// An error that says which file it is about.
pub(crate) fn named(path: &Path, error: &io::Error) -> io::Error {
    let (path, reason) = (path.display(), reason(error));
    io::Error::new(error.kind(), format!("{path}: {reason}"))
}

/// What the system says, without its number for it.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let reason = text.rsplit_once(" (os error");
    reason
        .map_or(text.as_str(), |(reason, _)| reason)
        .to_owned()
}
