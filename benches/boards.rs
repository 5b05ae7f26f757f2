//! The boards that are measured beside each other.

use mijnlieff::game::{Board, Opening, Variant};

/// The variant that the first argument which names one names: `fast` is the standard one, `20`, `32`
/// and `64` are boards of as many cells.
///
/// The board of 20 cells has 2 copies of each type, the one of 32 is two boxes (4 copies), and the
/// square of 64 has 8 copies.
pub fn chosen(mut arguments: impl Iterator<Item = String>) -> Variant {
    let chosen = arguments.find_map(|argument| {
        let (board, copies) = match argument.as_str() {
            "fast" => return Some(Variant::default()),
            "20" => (
                Board::from_blocks(&[(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)]),
                2,
            ),
            "32" => (Board::from_text(&"########\n".repeat(4)), 4),
            "64" => (Board::from_text(&"########\n".repeat(8)), 8),
            _ => return None,
        };
        Some(Variant::new(board.unwrap(), Opening::Outside, copies).unwrap())
    });
    chosen.unwrap_or_default()
}
