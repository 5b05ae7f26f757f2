//! The symmetries of a board as a group of permutations, in tables.

use ndarray::{Array2, ArrayRef1, Axis, concatenate};

use crate::encode::cell_symmetries;
use crate::game::{Board, Piece};

/// Where a list of numbers comes from when the board is turned, a row for each symmetry.
///
/// Row `g` undoes symmetry `g`: entry `[g, i]` is where symmetry `g` moves to `i` from.
pub(super) type SymmetryTable = Array2<usize>;

/// The tables for the inputs and outputs of a network.
///
/// The symmetries are numbered by where they move the cells, as lists in ascending order; so the
/// identity is number 0.
#[derive(Debug)]
pub(super) struct SymmetryGroup {
    /// Where symmetry `g` moves each cell.
    images: Array2<usize>,
    /// For one number per cell.
    pub(super) cells: SymmetryTable,
}

impl SymmetryGroup {
    pub(super) fn of(board: &Board) -> Self {
        let images = cell_symmetries(board);
        let mut numbers: Vec<usize> = (0..images.nrows()).collect();
        numbers.sort_unstable_by_key(|&symmetry| images.row(symmetry).to_vec());
        let images = images.select(Axis(0), &numbers);
        let mut cells = images.clone();
        for ((symmetry, from), &to) in images.indexed_iter() {
            cells[[symmetry, to]] = from;
        }
        Self { images, cells }
    }

    /// How many symmetries there are, the identity included.
    pub(super) fn order(&self) -> usize {
        self.images.nrows()
    }

    /// For one number per symmetry: `[g, h]` numbers `g⁻¹ h`.
    pub(super) fn elements(&self) -> SymmetryTable {
        let number = |undo: &ArrayRef1<usize>, image: &ArrayRef1<usize>| {
            let product = image.mapv(|cell| undo[cell]);
            let found = self.images.outer_iter().position(|image| image == product);
            found.expect("a group is closed")
        };
        Array2::from_shape_fn((self.order(), self.order()), |(g, h)| {
            number(&self.cells.row(g), &self.images.row(h))
        })
    }

    /// For one number per placement, and `fixed` more, which no symmetry moves.
    pub(super) fn placements(&self, fixed: usize) -> SymmetryTable {
        self.repeated(Piece::ALL.len(), fixed)
    }

    /// For `parts` lists of one number per cell, and `fixed` numbers that no symmetry moves.
    fn repeated(&self, parts: usize, fixed: usize) -> SymmetryTable {
        let unmoved = Array2::from_shape_fn((self.order(), fixed), |(_, i)| i);
        let mut tables = vec![&self.cells; parts];
        tables.push(&unmoved);
        join(&tables)
    }
}

/// For one list after the other.
pub(super) fn join(tables: &[&SymmetryTable]) -> SymmetryTable {
    let mut start = 0;
    let mut shifted = Vec::with_capacity(tables.len());
    for &table in tables {
        shifted.push(table + start);
        start += table.ncols();
    }
    let parts: Vec<_> = shifted.iter().map(|table| table.view()).collect();
    concatenate(Axis(1), &parts).expect("every table has a row for each symmetry")
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_square_has_its_eight_symmetries_with_the_identity_first() {
        let group = SymmetryGroup::of(&Board::default());
        assert_eq!(group.order(), 8);
        assert!(group.cells.row(0).iter().copied().eq(0..16));
        let elements = group.elements();
        for g in 0..8 {
            assert_eq!((elements[[0, g]], elements[[g, g]]), (g, 0));
        }
    }

    #[test]
    fn tables_of_products_are_products_of_tables() {
        for text in [
            "####\n####",
            "####\n####\n####\n####",
            "##.\n###\n.##",
            "###\n#..",
        ] {
            let group = SymmetryGroup::of(&Board::from_text(text).unwrap());
            for ((g, h), &product) in group.elements().indexed_iter() {
                let undo = group.cells.row(g);
                let moved = group.images.row(h).mapv(|cell| undo[cell]);
                assert_eq!(moved, group.images.row(product));
            }
        }
    }

    #[test]
    fn joined_tables_move_each_list_by_itself() {
        let (one, two) = (array![[0, 1], [1, 0]], array![[0], [0]]);
        let joined = join(&[&one, &two, &one]);
        assert_eq!(joined, array![[0, 1, 2, 3, 4], [1, 0, 2, 4, 3]]);
    }
}
