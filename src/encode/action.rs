//! Moves as action indices.

use super::Numbering;
use crate::game::{Move, Piece, Position, Variant};

/// The number of actions, legal or not: one per piece type and cell, and the pass.
#[must_use]
pub fn num_actions(variant: &Variant) -> usize {
    Numbering::own(variant).num_actions()
}

/// The index of the pass, the last action.
#[must_use]
pub fn pass_action(variant: &Variant) -> usize {
    Numbering::own(variant).pass_action()
}

/// The index of the pass where a placement is on one of so many cells.
#[must_use]
pub(crate) const fn pass_over(num_cells: usize) -> usize {
    Piece::ALL.len() * num_cells
}

/// The action index of a move on a cell of the board, or of a pass.
#[must_use]
pub fn action_of(variant: &Variant, mv: Move) -> usize {
    Numbering::own(variant).action_of(mv)
}

/// The move with this action index; none when the index is out of range.
///
/// ```
/// use mijnlieff::encode::{action_of, move_of};
/// use mijnlieff::game::{Move, Variant};
/// let variant = Variant::default();
/// assert_eq!(move_of(&variant, 64), Some(Move::Pass));
/// assert_eq!(move_of(&variant, 65), None);
/// assert!((0..65).all(|action| action_of(&variant, move_of(&variant, action).unwrap()) == action));
/// ```
#[must_use]
pub fn move_of(variant: &Variant, action: usize) -> Option<Move> {
    Numbering::own(variant).move_of(action)
}

/// Writes 1 for every legal action and 0 for the others; all 0 when the game is over.
///
/// # Panics
///
/// If `mask` does not have [`num_actions`] entries.
pub fn write_mask(variant: &Variant, position: &Position, mask: &mut [i8]) {
    Numbering::own(variant).write_mask(position, mask);
}
