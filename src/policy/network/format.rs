//! The file of a network.
//!
//! ```text
//! "MIJNNETW" | version, u32 | bytes that follow the header, u64 | FNV-1a of them, u64
//! length of the variant's text, u32 | that text | inputs, u32 | channels, u32 | blocks, u32
//! the numbers of `SharedWeights`, f32
//! ```
//!
//! All numbers are little-endian. The text of the variant is UTF-8: a line with the name of the
//! opening rule, a blank and the copies, and then the board, top row first, `#` a cell and `.` a
//! gap. `inputs` is the length of an extended observation; it follows from the variant, and is there
//! so that files of other features are refused.

use super::features::TacticalFeatures;
use super::{NetworkError, SharedWeights};
use crate::checksum::fnv1a;
use crate::game::{Board, Variant};

pub(super) const VERSION: u32 = 1;
pub(super) const MAGIC: &[u8; 8] = b"MIJNNETW";
const HEADER: usize = 8 + 4 + 8 + 8;

/// The file with these weights.
pub(super) fn write(weights: &SharedWeights) -> Vec<u8> {
    let variant = &weights.variant;
    let text = format!(
        "{} {}\n{}",
        variant.opening().name(),
        variant.copies(),
        variant.board().to_text()
    );
    let mut body = Vec::new();
    body.extend((text.len() as u32).to_le_bytes());
    body.extend(text.as_bytes());
    for number in [
        TacticalFeatures::size(variant),
        weights.channels,
        weights.blocks,
    ] {
        body.extend((number as u32).to_le_bytes());
    }
    body.extend(
        weights
            .numbers
            .iter()
            .flat_map(|number| number.to_le_bytes()),
    );
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((body.len() as u64).to_le_bytes());
    file.extend(fnv1a(&body).to_le_bytes());
    file.extend(body);
    file
}

/// The weights in a file.
pub(super) fn read(file: &[u8]) -> Result<SharedWeights, NetworkError> {
    let body = check(file)?;
    let mut fields = Fields { body, at: 0 };
    let length = fields.number()?;
    let text = fields.bytes(length)?;
    let variant = read_variant(text)?;
    let (inputs, expected) = (fields.number()?, TacticalFeatures::size(&variant));
    if inputs != expected {
        return Err(NetworkError::Inputs {
            found: inputs,
            expected,
        });
    }
    let (channels, blocks) = (fields.number()?, fields.number()?);
    let (numbers, rest) = body[fields.at..].as_chunks::<4>();
    if !rest.is_empty() {
        let at = body.len() - rest.len();
        return Err(NetworkError::Content { at });
    }
    let numbers = numbers.iter().copied().map(f32::from_le_bytes).collect();
    SharedWeights::new(variant, channels, blocks, numbers)
}

/// The bytes that follow the header, found to be whole.
fn check(file: &[u8]) -> Result<&[u8], NetworkError> {
    if !file.starts_with(MAGIC) {
        return Err(NetworkError::Foreign);
    }
    let truncated = |expected: u64| NetworkError::Length {
        found: file.len(),
        expected,
    };
    let Some((header, body)) = file.split_at_checked(HEADER) else {
        return Err(truncated(HEADER as u64));
    };
    let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("8 bytes"));
    let found = u32::from_le_bytes(header[8..12].try_into().expect("4 bytes"));
    if found != VERSION {
        return Err(NetworkError::Version { found });
    }
    if body.len() as u64 != long(12) {
        return Err(truncated(long(12).saturating_add(HEADER as u64)));
    }
    if fnv1a(body) != long(20) {
        return Err(NetworkError::Checksum);
    }
    Ok(body)
}

fn read_variant(text: &[u8]) -> Result<Variant, NetworkError> {
    let wrong = |reason: String| NetworkError::Variant { reason };
    let text = std::str::from_utf8(text).map_err(|error| wrong(error.to_string()))?;
    let (rules, board) = text.split_once('\n').unwrap_or((text, ""));
    let (opening, copies) = rules.split_once(' ').unwrap_or((rules, ""));
    let copies = copies
        .parse()
        .map_err(|_| wrong(format!("{copies:?} is no number of copies")))?;
    let board = Board::from_text(board).map_err(|error| wrong(error.to_string()))?;
    let opening = opening.parse();
    opening
        .and_then(|opening| Variant::new(board, opening, copies))
        .map_err(|error| wrong(error.to_string()))
}

/// Reads the fields before the numbers.
struct Fields<'a> {
    body: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8], NetworkError> {
        let rest = &self.body[self.at..];
        let bytes = rest.get(..length);
        let bytes = bytes.ok_or(NetworkError::Content { at: self.at })?;
        self.at += length;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<usize, NetworkError> {
        let bytes = self.bytes(4)?.try_into().expect("4 bytes");
        Ok(u32::from_le_bytes(bytes) as usize)
    }
}
