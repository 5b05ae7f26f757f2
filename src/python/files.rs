//! Files that Python's readers name.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use pyo3::exceptions::PyMemoryError;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use super::exceptions;
use crate::files::{check_free_or_regular, check_regular, reason};

/// The content of a file of at most this many bytes.
///
/// # Errors
///
/// `CheckpointError`, which calls the file by `kind` and its path, or `MemoryError`.
pub(crate) fn read_whole(py: Python<'_>, kind: &str, path: &Path, most: u64) -> PyResult<Vec<u8>> {
    py.detach(|| read(path, most)).map_err(|error| {
        let path = path.display();
        exceptions::CheckpointError::new_err(match error.kind() {
            ErrorKind::NotFound => format!("the {kind} {path} does not exist"),
            ErrorKind::FileTooLarge => {
                format!("the {kind} {path} is too large, at most {most} bytes are allowed")
            }
            ErrorKind::OutOfMemory => {
                return PyMemoryError::new_err(format!("not enough memory for the {kind} {path}"));
            }
            _ => format!("cannot read the {kind} {path}: {}", reason(&error)),
        })
    })
}

fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // A pipe would wait for a writer, and Ctrl-C could not end that. Folders fail when they are read.
    if !path.is_dir() {
        check_regular(path)?;
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut content = Vec::new();
    if length <= most {
        content.try_reserve_exact(length as usize)?;
        // It may grow meanwhile.
        file.take(most + 1).read_to_end(&mut content)?;
    }
    if length.max(content.len() as u64) > most {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(content)
}

/// Write a file so that after a kill at any moment it is the old one or the new one; the same as
/// `mijnlieff._util.files.write_whole`.
///
/// Where the path is a symbolic link, that stays, and the file that it leads to is written.
///
/// # Errors
///
/// `OSError`, also where something else than a regular file is there; the old file is unchanged then.
pub(crate) fn write_whole(py: Python<'_>, path: &Path, content: &[u8]) -> PyResult<()> {
    py.detach(|| replace(path, content)).map_err(|error| {
        let message = format!("cannot write {}: {}", path.display(), reason(&error));
        PyOSError::new_err(message)
    })
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // Fails for links that lead in a circle, so the next loop ends.
    check_free_or_regular(path)?;
    let mut path = path.to_owned();
    while let Ok(target) = fs::read_link(&path) {
        path.set_file_name(target);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(content)?;
        // Otherwise a crash of the system could leave an empty file under the new name.
        file.sync_all()?;
        fs::rename(&part, &path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}
