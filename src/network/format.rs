//! The file of a network.
//!
//! ```text
//! the header of `crate::file_header`, with the letters "MIJNNETW"
//! length of the scope's text, u32 | that text | length of the form's name, u32 | "cells"
//! inputs, u32 | units, u32 | blocks, u32 | heads, u32 | the numbers of `NetworkWeights`, f32 or f16
//! ```
//!
//! All numbers are little-endian. The text of the scope is UTF-8. In versions 2 and 4 it is a variant: a
//! line with the name of the opening rule, a blank and the copies, and then the board, top row first,
//! `#` a cell and `.` a gap. In versions 3 and 5 it is a canvas: rows, columns and copies, with blanks
//! between. From version 4 on the numbers have 16 bits.
//! `inputs` is the length of an extended observation, of a board that fills the canvas; it follows
//! from the scope, and is there so that files of other features are refused.

use super::features::TacticalFeatures;
use super::half::{from_half, to_half};
use super::weights::Precision;
use super::{Architecture, NetworkError, NetworkWeights, Scope};
use crate::file_header::FileKind;
use crate::memory::with_room;
use crate::names::shortened;

pub(super) const KIND: FileKind = FileKind {
    name: "network",
    letters: "MIJNNETW",
    version: HALF_ON_CANVAS,
    oldest: OF_VARIANT,
};

/// The version of networks for one board.
const OF_VARIANT: u32 = 2;
/// The version of networks for all boards that fit a canvas.
const ON_CANVAS: u32 = 3;
/// The same with numbers of 16 bits.
const HALF_OF_VARIANT: u32 = 4;
const HALF_ON_CANVAS: u32 = 5;

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
    let numbers = weights.numbers.iter();
    body.reserve_exact(numbers.len() * weights.precision.bytes());
    match weights.precision {
        Precision::Single => body.extend(numbers.flat_map(|number| number.to_le_bytes())),
        Precision::Half => body.extend(numbers.flat_map(|&number| to_half(number).to_le_bytes())),
    }
    let version = match (scope, weights.precision) {
        (Scope::Variant(_), Precision::Single) => OF_VARIANT,
        (Scope::Variant(_), Precision::Half) => HALF_OF_VARIANT,
        (Scope::Canvas { .. }, Precision::Single) => ON_CANVAS,
        (Scope::Canvas { .. }, Precision::Half) => HALF_ON_CANVAS,
    };
    FileKind { version, ..KIND }.seal(&body)
}

/// The weights in a file.
pub(super) fn read(file: &[u8]) -> Result<NetworkWeights, NetworkError> {
    let (version, body) = KIND.open(file)?;
    let mut fields = Fields { body, at: 0 };
    let on_canvas = matches!(version, ON_CANVAS | HALF_ON_CANVAS);
    let scope = Scope::from_text(fields.text()?, on_canvas)?;
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
    if version < HALF_OF_VARIANT {
        let numbers = numbers(body, fields.at, f32::from_le_bytes)?;
        NetworkWeights::new(scope, architecture, numbers)
    } else {
        let of_bytes = |bytes| from_half(u16::from_le_bytes(bytes));
        let numbers = numbers(body, fields.at, of_bytes)?;
        NetworkWeights::new(scope, architecture, numbers)?.half()
    }
}

/// The numbers from a byte on, of `N` bytes each.
fn numbers<const N: usize>(
    body: &[u8],
    at: usize,
    of_bytes: impl Fn([u8; N]) -> f32,
) -> Result<Vec<f32>, NetworkError> {
    let (all, rest) = body[at..].as_chunks::<N>();
    if !rest.is_empty() {
        let at = body.len() - rest.len();
        return Err(NetworkError::Content { at });
    }
    let mut numbers = with_room("the weights", all.len())?;
    numbers.extend(all.iter().copied().map(of_bytes));
    Ok(numbers)
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
