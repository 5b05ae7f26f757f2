//! The file of a network.
//!
//! ```text
//! the header of `crate::file_header`, with the letters "MIJNNETW"
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
use crate::file_header::FileKind;
use crate::game::{Board, Variant};

pub(super) const KIND: FileKind = FileKind {
    name: "network",
    letters: "MIJNNETW",
    version: 1,
};

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
    KIND.seal(&body)
}

/// The weights in a file.
pub(super) fn read(file: &[u8]) -> Result<SharedWeights, NetworkError> {
    let body = KIND.open(file)?;
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

fn read_variant(text: &[u8]) -> Result<Variant, NetworkError> {
    let wrong = |reason: String| NetworkError::Variant { reason };
    let text = std::str::from_utf8(text).map_err(|error| wrong(error.to_string()))?;
    let (rules, board) = text.split_once('\n').unwrap_or((text, ""));
    let (opening, copies) = rules.split_once(' ').unwrap_or((rules, ""));
    let copies = copies
        .parse()
        .map_err(|_| wrong(format!("copies must be an integer, not {copies:?}")))?;
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
