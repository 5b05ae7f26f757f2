//! The file of a network.
//!
//! ```text
//! the header of `crate::file_header`, with the letters "MIJNNETW"
//! length of the scope's text, u32 | that text | length of the form's name, u32 | "cells"
//! inputs, u32 | units, u32 | blocks, u32 | heads, u32 | the numbers of `NetworkWeights`, f32
//! ```
//!
//! All numbers are little-endian. The text of the scope is UTF-8. In version 2 it is a variant: a line
//! with the name of the opening rule, a blank and the copies, and then the board, top row first, `#` a
//! cell and `.` a gap. In version 3 it is a canvas: rows, columns and copies, with blanks between.
//! `inputs` is the length of an extended observation, of a board that fills the canvas; it follows
//! from the scope, and is there so that files of other features are refused.

use super::features::TacticalFeatures;
use super::{Architecture, NetworkError, NetworkWeights, Scope};
use crate::file_header::FileKind;
use crate::game::shortened;
use crate::memory::with_room;

pub(super) const KIND: FileKind = FileKind {
    name: "network",
    letters: "MIJNNETW",
    version: ON_CANVAS,
    oldest: OF_VARIANT,
};

/// The version of networks for one board.
const OF_VARIANT: u32 = 2;
/// The version of networks for all boards that fit a canvas.
const ON_CANVAS: u32 = 3;

/// The file with these weights.
pub(super) fn write(weights: &NetworkWeights) -> Vec<u8> {
    let scope = &weights.scope;
    let mut body = Vec::new();
    for text in [&scope.to_text()[..], Architecture::NAME] {
        body.extend((text.len() as u32).to_le_bytes());
        body.extend(text.as_bytes());
    }
    let Architecture {
        units,
        blocks,
        heads,
    } = weights.architecture;
    let inputs = TacticalFeatures::size(scope.num_cells());
    for size in [inputs, units, blocks, heads] {
        body.extend((size as u32).to_le_bytes());
    }
    body.reserve_exact(size_of_val(&weights.numbers[..]));
    body.extend(
        weights
            .numbers
            .iter()
            .flat_map(|number| number.to_le_bytes()),
    );
    let version = match scope {
        Scope::Variant(_) => OF_VARIANT,
        Scope::Canvas { .. } => ON_CANVAS,
    };
    FileKind { version, ..KIND }.seal(&body)
}

/// The weights in a file.
pub(super) fn read(file: &[u8]) -> Result<NetworkWeights, NetworkError> {
    let (version, body) = KIND.open(file)?;
    let mut fields = Fields { body, at: 0 };
    let scope = Scope::from_text(fields.text()?, version == ON_CANVAS)?;
    let name = fields.text()?;
    if name != Architecture::NAME.as_bytes() {
        return Err(NetworkError::Architecture {
            found: shortened(&String::from_utf8_lossy(name)),
        });
    }
    let expected = TacticalFeatures::size(scope.num_cells());
    let inputs = fields.number()?;
    if inputs != expected {
        return Err(NetworkError::Inputs {
            found: inputs,
            expected,
        });
    }
    let architecture = Architecture {
        units: fields.number()?,
        blocks: fields.number()?,
        heads: fields.number()?,
    };
    let (numbers, rest) = body[fields.at..].as_chunks::<4>();
    if !rest.is_empty() {
        let at = body.len() - rest.len();
        return Err(NetworkError::Content { at });
    }
    let mut weights = with_room("the weights", numbers.len())?;
    weights.extend(numbers.iter().copied().map(f32::from_le_bytes));
    NetworkWeights::new(scope, architecture, weights)
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

    fn number(&mut self) -> Result<usize, NetworkError> {
        let bytes = self.bytes(4)?.try_into().expect("4 bytes");
        Ok(u32::from_le_bytes(bytes) as usize)
    }
}
