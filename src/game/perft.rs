//! Counting action sequences, the usual check of a move generator.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Position, Variant};

/// The number of sequences of exactly `depth` actions from this position.
///
/// A pass counts as an action; a finished game has no continuation.
///
/// ```
/// use mijnlieff::game::{Position, Variant, perft};
/// let variant = Variant::default();
/// assert_eq!(perft(&variant, &Position::new(&variant), 2), 1_152);
/// ```
#[must_use]
pub fn perft(variant: &Variant, position: &Position, depth: u32) -> u64 {
    perft_until(variant, position, depth, &AtomicBool::new(false)).unwrap_or_default()
}

/// As [`perft`], but returns `None` soon after another thread sets `stop`.
#[must_use]
pub fn perft_until(
    variant: &Variant,
    position: &Position,
    depth: u32,
    stop: &AtomicBool,
) -> Option<u64> {
    match depth {
        0 => Some(1),
        // The last ply is counted, not played.
        1 => Some(position.count_legal_moves(variant) as u64),
        _ if stop.load(Ordering::Relaxed) => None,
        _ => position
            .legal_moves(variant)
            .into_iter()
            .map(|mv| {
                perft_until(
                    variant,
                    &position.play_unchecked(variant, mv),
                    depth - 1,
                    stop,
                )
            })
            .sum(),
    }
}
