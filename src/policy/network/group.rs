//! The symmetries of a board as a group of permutations, in tables.

use crate::encode::Layout;
use crate::game::{Board, Cell, Piece, Variant};

/// Where a list of numbers comes from when the board is turned, a row for each symmetry.
///
/// Row `g` undoes symmetry `g`: entry `[g][i]` is where symmetry `g` moves to `i` from.
pub(super) type SymmetryTable = Vec<Vec<usize>>;

/// The tables of what a network reads and writes.
///
/// The symmetries are numbered by where they move the cells, as lists in ascending order; so the
/// identity is number 0.
#[derive(Debug)]
pub(super) struct SymmetryGroup {
    /// Where symmetry `g` moves each cell.
    images: Vec<Vec<usize>>,
    /// For one number per cell.
    pub(super) cells: SymmetryTable,
}

impl SymmetryGroup {
    pub(super) fn of(board: &Board) -> Self {
        let cells = 0..board.num_cells();
        let mut images: Vec<Vec<usize>> = board
            .symmetries()
            .iter()
            .map(|symmetry| {
                let image = |cell| symmetry.cell(Cell::new(cell)).index();
                cells.clone().map(image).collect()
            })
            .collect();
        images.sort_unstable();
        let cells = images.iter().map(|image| inverse(image)).collect();
        Self { images, cells }
    }

    /// How many symmetries there are, the identity included.
    pub(super) fn order(&self) -> usize {
        self.images.len()
    }

    /// For one number per symmetry: `[g][h]` numbers `g⁻¹ h`.
    pub(super) fn elements(&self) -> SymmetryTable {
        let number = |undo: &[usize], image: &[usize]| {
            let product = image.iter().map(|&cell| undo[cell]);
            let mut numbered = self.images.iter();
            let found = numbered.position(|image| product.clone().eq(image.iter().copied()));
            found.expect("a group is closed")
        };
        let row = |undo: &Vec<usize>| {
            let images = self.images.iter();
            images.map(|image| number(undo, image)).collect()
        };
        self.cells.iter().map(row).collect()
    }

    /// For one number per placement, and `fixed` more, which no symmetry moves.
    pub(super) fn placements(&self, fixed: usize) -> SymmetryTable {
        self.repeated(Piece::ALL.len(), fixed)
    }

    /// For flat observations: three numbers per cell, and the hands.
    pub(super) fn observations(&self, variant: &Variant) -> SymmetryTable {
        let by_cell = 3 * variant.board().num_cells();
        self.repeated(3, Layout::Flat.len(variant) - by_cell)
    }

    /// For `parts` lists of one number per cell, and `fixed` numbers that no symmetry moves.
    fn repeated(&self, parts: usize, fixed: usize) -> SymmetryTable {
        let row = |cells: &Vec<usize>| {
            let num_cells = cells.len();
            let moved = (0..parts).flat_map(|part| cells.iter().map(move |i| part * num_cells + i));
            moved
                .chain(parts * num_cells..parts * num_cells + fixed)
                .collect()
        };
        self.cells.iter().map(row).collect()
    }
}

fn inverse(permutation: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; permutation.len()];
    for (from, &to) in permutation.iter().enumerate() {
        inverse[to] = from;
    }
    inverse
}

/// For one list after the other.
pub(super) fn join(tables: &[&SymmetryTable]) -> SymmetryTable {
    let mut joined = vec![Vec::new(); tables[0].len()];
    for table in tables {
        for (row, part) in joined.iter_mut().zip(*table) {
            let start = row.len();
            row.extend(part.iter().map(|from| start + from));
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_square_has_its_eight_symmetries_with_the_identity_first() {
        let group = SymmetryGroup::of(&Board::default());
        assert_eq!(group.order(), 8);
        assert!(group.cells[0].iter().copied().eq(0..16));
        let elements = group.elements();
        for (g, row) in elements.iter().enumerate() {
            assert_eq!((elements[0][g], row[g]), (g, 0));
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
            for (undo, row) in group.cells.iter().zip(group.elements()) {
                for (image, product) in group.images.iter().zip(row) {
                    let moved: Vec<usize> = image.iter().map(|&cell| undo[cell]).collect();
                    assert_eq!(moved, group.images[product]);
                }
            }
        }
    }

    #[test]
    fn joined_tables_move_each_list_by_itself() {
        let (one, two) = (vec![vec![0, 1], vec![1, 0]], vec![vec![0], vec![0]]);
        assert_eq!(join(&[&one, &two, &one])[1], [1, 0, 2, 4, 3]);
    }
}
