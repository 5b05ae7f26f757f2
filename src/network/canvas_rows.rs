//! Observations on a canvas, cut by board.

use std::collections::HashMap;
use std::sync::Arc;

use ndarray::{Array2, ArrayRef2};

use super::{BoardNetwork, Evaluations, NoBoardError};
use crate::encode::{Canvas, Layout};
use crate::game::{Board, Piece};
use crate::memory::{OutOfMemory, zeroed_rows};
use crate::search::{Halt, Limits};

/// The rows of some observations on a canvas that show the same board, wherever it lies.
#[derive(Debug)]
pub struct CanvasRows {
    canvas: Canvas,
    board: Arc<Board>,
    /// The numbers of the board's cells on the canvas.
    cells: Vec<usize>,
    rows: Vec<usize>,
}

impl CanvasRows {
    /// Cuts observations, each with [`Canvas::observation_len`] numbers, by the cells that exist, in the
    /// order in which the boards appear first.
    ///
    /// # Errors
    ///
    /// When the cells that exist make no board.
    ///
    /// # Panics
    ///
    /// If the rows have another length.
    pub fn cut(canvas: Canvas, observations: &ArrayRef2<f32>) -> Result<Vec<Self>, NoBoardError> {
        assert_eq!(observations.ncols(), canvas.observation_len());
        let mut found: Vec<Self> = Vec::new();
        let mut places = HashMap::new();
        for (row, observation) in observations.outer_iter().enumerate() {
            let cells: Vec<usize> = (0..canvas.area())
                .filter(|cell| observation[Layout::FLAT_SETS * canvas.area() + cell] > 0.0)
                .collect();
            if let Some(&place) = places.get(&cells) {
                let same: &mut Self = &mut found[place];
                same.rows.push(row);
                continue;
            }
            let width = canvas.width();
            let place = |cell: &usize| ((cell % width) as i32, (cell / width) as i32);
            let board = Board::from_cells(cells.iter().map(place));
            let board = board.map_err(|error| NoBoardError { row, error })?;
            places.insert(cells.clone(), found.len());
            found.push(Self {
                canvas,
                board: Arc::new(board),
                cells,
                rows: vec![row],
            });
        }
        Ok(found)
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Writes the evaluations of these rows, by the network on their board, to their places in those of
    /// all observations. Logits are those of the canvas; where the board has no cell they stay.
    ///
    /// # Errors
    ///
    /// As [`BoardNetwork::evaluate`]; nothing has been written.
    ///
    /// # Panics
    ///
    /// If the network's board has another number of cells, or the evaluations have too few places.
    pub fn evaluate(
        &self,
        network: &BoardNetwork,
        observations: &ArrayRef2<f32>,
        num_threads: usize,
        limits: Limits<'_>,
        all: &mut Evaluations,
    ) -> Result<(), Halt> {
        let found = network.evaluate(&self.flat(observations)?, num_threads, limits)?;
        let found = found.logits.outer_iter().zip(found.values.outer_iter());
        for (&row, (logits, values)) in self.rows.iter().zip(found) {
            for (action, &logit) in logits.iter().enumerate() {
                all.logits[[row, self.action(action)]] = logit;
            }
            all.values.row_mut(row).assign(&values);
        }
        Ok(())
    }

    /// The action of the canvas for one of the board.
    fn action(&self, action: usize) -> usize {
        let cells = self.cells.len();
        match self.cells.get(action % cells) {
            Some(cell) if action < Piece::ALL.len() * cells => {
                action / cells * self.canvas.area() + cell
            }
            _ => self.canvas.pass_action(),
        }
    }

    /// The observations of these rows as [`crate::encode::Layout::Flat`] of the board.
    fn flat(&self, observations: &ArrayRef2<f32>) -> Result<Array2<f32>, OutOfMemory> {
        let (area, cells) = (self.canvas.area(), self.cells.len());
        let sets = Layout::FLAT_SETS * cells;
        let mut flat = zeroed_rows("the observations", self.rows.len(), Layout::flat_len(cells))?;
        for ((row, at), written) in flat.indexed_iter_mut() {
            let number = if at < sets {
                at / cells * area + self.cells[at % cells]
            } else {
                // The planes of the hands are constant.
                (Layout::PLANE_SETS + at - sets) * area
            };
            *written = observations[[self.rows[row], number]];
        }
        Ok(flat)
    }
}
