//! Rotations and reflections of a board.

use std::collections::HashMap;

use super::{Cell, CellSet};

/// A permutation of the cells of a board that keeps its shape.
///
/// Rows, columns, diagonals and touching survive rotations and reflections, and so does every rule:
/// a game mapped by a symmetry is a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry(Vec<Cell>);

impl Symmetry {
    /// All symmetries of these cells (column and row by cell number), each once, identity first.
    pub(super) fn of_cells(cells: &[(u8, u8)]) -> Vec<Self> {
        let right = cells.iter().map(|cell| cell.0).max().unwrap_or(0);
        let top = cells.iter().map(|cell| cell.1).max().unwrap_or(0);
        let numbers: HashMap<(u8, u8), Cell> = cells
            .iter()
            .enumerate()
            .map(|(i, &cell)| (cell, Cell::new(i)))
            .collect();
        let mut found: Vec<Self> = Vec::new();
        for transpose in [false, true] {
            for (flip_x, flip_y) in [(false, false), (true, false), (false, true), (true, true)] {
                let image = |&(x, y): &(u8, u8)| {
                    let x = if flip_x { right - x } else { x };
                    let y = if flip_y { top - y } else { y };
                    numbers
                        .get(&if transpose { (y, x) } else { (x, y) })
                        .copied()
                };
                let Some(map) = cells.iter().map(image).collect::<Option<Vec<Cell>>>() else {
                    continue;
                };
                // On a board of one row, say, turning it over changes nothing.
                if !found.iter().any(|other| other.0 == map) {
                    found.push(Self(map));
                }
            }
        }
        found
    }

    /// Where this cell goes.
    #[must_use]
    pub fn cell(&self, cell: Cell) -> Cell {
        self.0[cell.index()]
    }

    /// Where these cells go.
    #[must_use]
    pub fn cells(&self, cells: CellSet) -> CellSet {
        cells.into_iter().map(|cell| self.cell(cell)).collect()
    }
}
