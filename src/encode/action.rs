//! Moves as action indices.

use crate::game::{Cell, Move, Piece, Position, Variant};

/// The number of actions, legal or not: one per piece type and cell, and the pass.
#[must_use]
pub fn num_actions(variant: &Variant) -> usize {
    pass_action(variant) + 1
}

/// The index of the pass, the last action.
#[must_use]
pub fn pass_action(variant: &Variant) -> usize {
    pass_over(variant.board().num_cells())
}

/// The index of the pass where a placement is on one of so many cells.
#[must_use]
pub(crate) const fn pass_over(num_cells: usize) -> usize {
    Piece::ALL.len() * num_cells
}

/// The action index of a move on a cell of the board, or of a pass.
#[must_use]
pub fn action_of(variant: &Variant, mv: Move) -> usize {
    match mv {
        Move::Pass => pass_action(variant),
        Move::Place { piece, cell } => piece.index() * variant.board().num_cells() + cell.index(),
    }
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
    let cells = variant.board().num_cells();
    match Piece::ALL.get(action / cells) {
        Some(&piece) => Some(Move::Place {
            piece,
            cell: Cell::new(action % cells),
        }),
        None => (action == pass_action(variant)).then_some(Move::Pass),
    }
}

/// Writes 1 for every legal action and 0 for the others; all 0 when the game is over.
///
/// # Panics
///
/// If `mask` does not have [`num_actions`] entries.
pub fn write_mask(variant: &Variant, position: &Position, mask: &mut [i8]) {
    write_mask_over(
        variant.board().num_cells(),
        Cell::index,
        variant,
        position,
        mask,
    );
}

/// As [`write_mask`], where `number` of `num_cells` numbers is that of a cell.
pub(super) fn write_mask_over(
    num_cells: usize,
    number: impl Fn(Cell) -> usize,
    variant: &Variant,
    position: &Position,
    mask: &mut [i8],
) {
    let pass = pass_over(num_cells);
    assert_eq!(mask.len(), pass + 1);
    mask.fill(0);
    if position.is_over(variant) {
        return;
    }
    mask[pass] = i8::from(position.must_pass(variant));
    for piece in position.placeable(variant) {
        let row = &mut mask[piece.index() * num_cells..][..num_cells];
        for cell in position.allowed() {
            row[number(cell)] = 1;
        }
    }
}
