//! The header (magic, version, length, checksum) of the crate's binary files.
//!
//! ```text
//! 8 letters | version, u32 | bytes that follow the header, u64 | FNV-1a of them, u64 | the content
//! ```
//!
//! Numbers are little-endian.

#![forbid(unsafe_code)]

use thiserror::Error;

/// The bytes before the content.
pub(crate) const HEADER: usize = 8 + 4 + 8 + 8;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKind {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The letters that it starts with.
    pub(crate) letters: &'static str,
    /// The version of the format that this crate writes.
    pub(crate) version: u32,
    /// The oldest version that it reads.
    pub(crate) oldest: u32,
}

/// A file, split at its header and at the length that the header gives.
struct Parts<'a> {
    version: u32,
    /// The checksum that the header gives.
    sum: u64,
    content: &'a [u8],
    /// The bytes after the content.
    rest: &'a [u8],
}

/// Why a file was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FileError {
    /// It does not start with the letters of its kind.
    #[error("the file is not a {}: it does not start with {}", .kind.name, .kind.letters)]
    Foreign {
        /// The kind of file expected.
        kind: FileKind,
    },
    /// It was written in another version of the format.
    #[error(
        "the {} has format version {found}, this package reads {}",
        .kind.name, .kind.versions()
    )]
    Version {
        /// The kind of file.
        kind: FileKind,
        /// The version found.
        found: u32,
    },
    /// It is shorter or longer than its header says.
    #[error(
        "the {} is truncated or has been added to: it has {found} bytes and should have {expected}",
        .kind.name
    )]
    Length {
        /// The kind of file.
        kind: FileKind,
        /// The bytes found.
        found: usize,
        /// The bytes that should be there.
        expected: u64,
    },
    /// The checksum does not fit the content.
    #[error("the {} is damaged: its checksum does not match", .kind.name)]
    Checksum {
        /// The kind of file.
        kind: FileKind,
    },
}

impl FileKind {
    /// The versions that are read, in words.
    fn versions(self) -> String {
        if self.oldest == self.version {
            format!("version {}", self.version)
        } else {
            format!("versions {} to {}", self.oldest, self.version)
        }
    }

    /// The file with this content.
    pub(crate) fn seal(self, content: &[u8]) -> Vec<u8> {
        let mut file = Vec::with_capacity(HEADER + content.len());
        file.extend(self.letters.as_bytes());
        file.extend(self.version.to_le_bytes());
        file.extend((content.len() as u64).to_le_bytes());
        file.extend(fnv1a(content).to_le_bytes());
        file.extend(content);
        file
    }

    /// The version and the content of a file, found to be whole.
    pub(crate) fn open(self, file: &[u8]) -> Result<(u32, &[u8]), FileError> {
        let parts = self.split(file)?;
        if !parts.rest.is_empty() {
            return Err(self.wrong_length(file, parts.content.len() as u64));
        }
        self.check(&parts)?;
        Ok((parts.version, parts.content))
    }

    /// As [`FileKind::open`], of a file that goes on after this content; the rest comes last.
    pub(crate) fn open_start(self, file: &[u8]) -> Result<(u32, &[u8], &[u8]), FileError> {
        let parts = self.split(file)?;
        self.check(&parts)?;
        Ok((parts.version, parts.content, parts.rest))
    }

    fn split(self, file: &[u8]) -> Result<Parts<'_>, FileError> {
        if !file.starts_with(self.letters.as_bytes()) {
            return Err(FileError::Foreign { kind: self });
        }
        let Some((header, rest)) = file.split_at_checked(HEADER) else {
            return Err(self.wrong_length(file, 0));
        };
        let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("8 bytes"));
        let found = u32::from_le_bytes(header[8..12].try_into().expect("4 bytes"));
        if !(self.oldest..=self.version).contains(&found) {
            return Err(FileError::Version { kind: self, found });
        }
        let length = usize::try_from(long(12)).unwrap_or(usize::MAX);
        let Some((content, rest)) = rest.split_at_checked(length) else {
            return Err(self.wrong_length(file, long(12)));
        };
        Ok(Parts {
            version: found,
            sum: long(20),
            content,
            rest,
        })
    }

    fn check(self, parts: &Parts) -> Result<(), FileError> {
        if fnv1a(parts.content) == parts.sum {
            Ok(())
        } else {
            Err(FileError::Checksum { kind: self })
        }
    }

    fn wrong_length(self, file: &[u8], content: u64) -> FileError {
        FileError::Length {
            kind: self,
            found: file.len(),
            expected: content.saturating_add(HEADER as u64),
        }
    }
}

/// A checksum of much data: as FNV-1a, but of eight bytes at a time. Any change of one of these words
/// changes it.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]);
    words.fold(0xCBF2_9CE4_8422_2325, |hash, &word| {
        let mixed = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 32
    })
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo). Any change of a single byte changes it.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: FileKind = FileKind {
        name: "test",
        letters: "MIJNTEST",
        version: 3,
        oldest: 3,
    };

    #[test]
    fn the_published_values() {
        assert_eq!(fnv1a(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn what_is_sealed_opens_and_nothing_else_does() {
        for content in [&b""[..], b"stones"] {
            assert_eq!(KIND.open(&KIND.seal(content)), Ok((3, content)));
        }
        let file = KIND.seal(b"stones");
        for length in 0..file.len() {
            let expected = if length < HEADER { HEADER } else { file.len() } as u64;
            let broken = match length {
                0..8 => FileError::Foreign { kind: KIND },
                found => FileError::Length {
                    kind: KIND,
                    found,
                    expected,
                },
            };
            assert_eq!(KIND.open(&file[..length]), Err(broken));
        }
        let longer = FileError::Length {
            kind: KIND,
            found: file.len() + 1,
            expected: file.len() as u64,
        };
        assert_eq!(KIND.open(&[&file[..], &[0]].concat()), Err(longer));
        for (at, bit) in (0..file.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            let broken = KIND.open(&damaged).unwrap_err();
            let kind = KIND;
            match at {
                0..8 => assert_eq!(broken, FileError::Foreign { kind }),
                8..12 => {
                    let found = u32::from_le_bytes(damaged[8..12].try_into().unwrap());
                    assert_eq!(broken, FileError::Version { kind, found });
                }
                12..20 => assert!(matches!(broken, FileError::Length { found: 34, .. })),
                _ => assert_eq!(broken, FileError::Checksum { kind }),
            }
        }
    }
}
