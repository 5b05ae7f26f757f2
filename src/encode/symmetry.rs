//! The symmetries of a board as tables of indices.

use ndarray::Array2;

use super::{action_of, move_of, num_actions};
use crate::game::{Board, Cell, Move, Variant};

/// Where each cell goes under each symmetry, `(symmetries, num_cells)`; row 0 is the identity.
#[must_use]
pub fn cell_symmetries(board: &Board) -> Array2<usize> {
    let symmetries = board.symmetries();
    Array2::from_shape_fn((symmetries.len(), board.num_cells()), |(g, cell)| {
        symmetries[g].cell(Cell::new(cell)).index()
    })
}

/// Where each action goes under each symmetry, `(symmetries, num_actions)`; row 0 is the identity.
#[must_use]
pub fn action_symmetries(variant: &Variant) -> Array2<usize> {
    let cells = cell_symmetries(variant.board());
    Array2::from_shape_fn(
        (cells.nrows(), num_actions(variant)),
        |(g, action)| match move_of(variant, action) {
            Some(Move::Place { piece, cell }) => {
                let cell = Cell::new(cells[[g, cell.index()]]);
                action_of(variant, Move::Place { piece, cell })
            }
            _ => action,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_start_with_the_identity_and_permute() {
        let variant = Variant::default();
        let (cells, actions) = (
            cell_symmetries(variant.board()),
            action_symmetries(&variant),
        );
        assert_eq!((cells.dim(), actions.dim()), ((8, 16), (8, 65)));
        for table in [cells, actions] {
            assert!(table.row(0).iter().copied().eq(0..table.ncols()));
            for row in table.outer_iter() {
                let mut sorted = row.to_vec();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..table.ncols()));
            }
        }
    }

    #[test]
    fn an_action_goes_where_its_cell_goes() {
        let variant = Variant::default();
        let (cells, actions) = (
            cell_symmetries(variant.board()),
            action_symmetries(&variant),
        );
        for ((g, cell), &image) in cells.indexed_iter() {
            for piece in 0..4 {
                assert_eq!(actions[[g, 16 * piece + cell]], 16 * piece + image);
            }
            assert_eq!(actions[[g, 64]], 64);
        }
    }
}
