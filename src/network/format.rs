//! The file of a network.
//!
//! ```text
//! the header of `crate::file_header`, with the letters "MIJNNETW"
//! length of the variant's text, u32 | that text | length of the architecture's name, u32 | that name
//! inputs, u32 | the sizes of the architecture, u32 each | the numbers of `NetworkWeights`, f32
//! ```
//!
//! All numbers are little-endian. The text of the variant is UTF-8: a line with the name of the
//! opening rule, a blank and the copies, and then the board, top row first, `#` a cell and `.` a
//! gap. `inputs` is the length of an extended observation; it follows from the variant, and is there
//! so that files of other features are refused. The sizes of "symmetric" are channels and blocks,
//! those of "cells" units, blocks and heads.

use super::features::TacticalFeatures;
use super::{Architecture, NetworkError, NetworkWeights};
use crate::file_header::FileKind;
use crate::game::{Board, Variant, shortened};

pub(super) const KIND: FileKind = FileKind {
    name: "network",
    letters: "MIJNNETW",
    version: 2,
};

/// The file with these weights.
pub(super) fn write(weights: &NetworkWeights) -> Vec<u8> {
    let variant = &weights.variant;
    let mut body = Vec::new();
    for text in [&write_variant(variant)[..], weights.architecture.name()] {
        body.extend((text.len() as u32).to_le_bytes());
        body.extend(text.as_bytes());
    }
    let mut sizes = vec![TacticalFeatures::size(variant)];
    match weights.architecture {
        Architecture::Symmetric { channels, blocks } => sizes.extend([channels, blocks]),
        Architecture::Cells {
            units,
            blocks,
            heads,
        } => sizes.extend([units, blocks, heads]),
    }
    body.extend(
        sizes
            .into_iter()
            .flat_map(|size| (size as u32).to_le_bytes()),
    );
    body.extend(
        weights
            .numbers
            .iter()
            .flat_map(|number| number.to_le_bytes()),
    );
    KIND.seal(&body)
}

/// The weights in a file.
pub(super) fn read(file: &[u8]) -> Result<NetworkWeights, NetworkError> {
    let body = KIND.open(file)?;
    let mut fields = Fields { body, at: 0 };
    let variant = read_variant(fields.text()?)?;
    let name = fields.text()?;
    let (inputs, expected) = (fields.number()?, TacticalFeatures::size(&variant));
    if inputs != expected {
        return Err(NetworkError::Inputs {
            found: inputs,
            expected,
        });
    }
    let architecture = fields.architecture(name)?;
    let (numbers, rest) = body[fields.at..].as_chunks::<4>();
    if !rest.is_empty() {
        let at = body.len() - rest.len();
        return Err(NetworkError::Content { at });
    }
    let numbers = numbers.iter().copied().map(f32::from_le_bytes).collect();
    NetworkWeights::new(variant, architecture, numbers)
}

fn write_variant(variant: &Variant) -> String {
    let (opening, copies) = (variant.opening().name(), variant.copies());
    format!("{opening} {copies}\n{}", variant.board().to_text())
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
    let variant = opening
        .and_then(|opening| Variant::new(board, opening, copies))
        .map_err(|error| wrong(error.to_string()))?;
    let written = write_variant(&variant);
    if text == written {
        Ok(variant)
    } else {
        Err(wrong(format!("{text:?} has to be written as {written:?}")))
    }
}

/// Reads what comes before the numbers.
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

    /// As many bytes as the number before them says.
    fn text(&mut self) -> Result<&'a [u8], NetworkError> {
        let length = self.number()?;
        self.bytes(length)
    }

    /// The sizes of the architecture of this name.
    fn architecture(&mut self, name: &[u8]) -> Result<Architecture, NetworkError> {
        match name {
            b"symmetric" => Ok(Architecture::Symmetric {
                channels: self.number()?,
                blocks: self.number()?,
            }),
            b"cells" => Ok(Architecture::Cells {
                units: self.number()?,
                blocks: self.number()?,
                heads: self.number()?,
            }),
            _ => Err(NetworkError::Architecture {
                found: shortened(&String::from_utf8_lossy(name)),
            }),
        }
    }

    fn number(&mut self) -> Result<usize, NetworkError> {
        let bytes = self.bytes(4)?.try_into().expect("4 bytes");
        Ok(u32::from_le_bytes(bytes) as usize)
    }
}
