//! Tactical features of one move, computed from an observation before the network sees it.
//!
//! `python/mijnlieff/train/network/features.py` is the same for the trainer, number for number.

use ndarray::{ArrayRef1, ArrayViewMut1, ArrayViewMut2, Axis};

use super::group::{SymmetryGroup, SymmetryTable, join};
use crate::encode::Layout;
use crate::game::{Cell, CellSet, Piece, Variant};

/// Extends flat observations.
///
/// Added per cell: the lines of three through it on which only the own side has two stones, those
/// on which only the own side has one, and the same for the opponent (all 0 where a stone lies).
/// Added per placement: the share of the board's cells that it would leave the opponent to choose
/// from, and whether that is none.
#[derive(Debug)]
pub(super) struct TacticalFeatures {
    num_cells: usize,
    observation: usize,
    lines: Vec<CellSet>,
    /// By placement, what it points to.
    reach: Vec<CellSet>,
}

impl TacticalFeatures {
    pub(super) fn new(variant: &Variant) -> Self {
        let board = variant.board();
        let cells = board.num_cells();
        let reach = Piece::ALL
            .into_iter()
            .flat_map(|piece| (0..cells).map(move |cell| board.reach(piece, Cell::new(cell))))
            .collect();
        Self {
            num_cells: cells,
            observation: Layout::Flat.len(variant),
            lines: board.triples().to_vec(),
            reach,
        }
    }

    /// How many numbers there are in an extended observation.
    pub(super) fn size(variant: &Variant) -> usize {
        Layout::Flat.len(variant) + (4 + 2 * Piece::ALL.len()) * variant.board().num_cells()
    }

    /// Where an extended observation comes from in each symmetry.
    pub(super) fn table(variant: &Variant, group: &SymmetryGroup) -> SymmetryTable {
        let (cells, placements) = (&group.cells, &group.placements(0));
        let observations = group.observations(variant);
        join(&[
            &observations,
            cells,
            cells,
            cells,
            cells,
            placements,
            placements,
        ])
    }

    /// Extends one observation.
    pub(super) fn write(&self, observation: &ArrayRef1<f32>, out: ArrayViewMut1<'_, f32>) {
        let (n, placements) = (self.num_cells, self.reach.len());
        let (mut given, added) = out.split_at(Axis(0), self.observation);
        given.assign(observation);
        let set = |start: usize| -> CellSet {
            let has_stone = |&cell: &usize| observation[start + cell] > 0.0;
            (0..n).filter(has_stone).map(Cell::new).collect()
        };
        let stones = [set(0), set(n)];
        let empty = CellSet::first(n) - (stones[0] | stones[1]);
        let (by_cell, by_placement) = added.split_at(Axis(0), 4 * n);
        let mut by_cell = as_rows(by_cell, (4, n));
        let mut by_placement = as_rows(by_placement, (2, placements));
        by_cell.fill(0.0);
        for &line in &self.lines {
            let counts = stones.map(|stones| (stones & line).len());
            let row = match counts {
                [2, 0] => 0,
                [1, 0] => 1,
                [0, 2] => 2,
                [0, 1] => 3,
                _ => continue,
            };
            for cell in line & empty {
                by_cell[[row, cell.index()]] += 1.0;
            }
        }
        for (placement, &reach) in self.reach.iter().enumerate() {
            let choices = (reach & empty).len();
            by_placement[[0, placement]] = choices as f32 / n as f32;
            by_placement[[1, placement]] = f32::from(u8::from(choices == 0));
        }
    }
}

fn as_rows(numbers: ArrayViewMut1<'_, f32>, shape: (usize, usize)) -> ArrayViewMut2<'_, f32> {
    let rows = numbers.into_shape_with_order(shape);
    rows.expect("as many numbers as the shape has")
}
