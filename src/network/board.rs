//! A network on one board, ready to evaluate its positions.

use std::sync::Arc;

use ndarray::{Array2, ArrayRef2, ArrayView2, Axis};

use super::NUM_VALUES;
use super::cells::{self, BoardLayers, CellLayers};
use crate::elementary::tanhf;
use crate::encode::{Layout, num_actions};
use crate::game::Variant;
use crate::memory::{OutOfMemory, zeroed_rows};
use crate::search::{Halt, Limits};
use crate::threads::map_in_order;

/// Positions that a thread evaluates at once: their hidden layers stay in the cache.
const CHUNK: usize = 32;

/// A network on one board; [`super::Network::on`] makes it.
pub struct BoardNetwork {
    observation_len: usize,
    num_actions: usize,
    layers: Arc<CellLayers>,
    board: BoardLayers,
}

/// The outputs of a network for positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// `(positions, num_actions)`; illegal actions are not ruled out.
    pub logits: Array2<f32>,
    /// `(positions, 2)`, for the side to move: expected outcome, -1 to 1, and expected final margin
    /// in units of [`super::Network::MARGIN_UNIT`] points.
    pub values: Array2<f32>,
}

impl Evaluations {
    /// Zeros for this many positions.
    ///
    /// # Errors
    ///
    /// When there is not enough memory.
    pub fn zeros(positions: usize, num_actions: usize) -> Result<Self, OutOfMemory> {
        const EVALUATIONS: &str = "the network's outputs";
        Ok(Self {
            logits: zeroed_rows(EVALUATIONS, positions, num_actions)?,
            values: zeroed_rows(EVALUATIONS, positions, NUM_VALUES)?,
        })
    }
}

impl BoardNetwork {
    pub(super) fn new(variant: &Variant, layers: Arc<CellLayers>) -> Self {
        Self {
            observation_len: Layout::Flat.len(variant),
            num_actions: num_actions(variant),
            board: layers.on(variant),
            layers,
        }
    }

    /// Evaluates positions, given as observations in [`Layout::Flat`], one in each row.
    ///
    /// What is found for a position depends neither on the others nor on `num_threads` nor on the
    /// processor. Entries of planes that are above 0 count as 1, and shares of hands are rounded to
    /// whole pieces.
    ///
    /// # Errors
    ///
    /// When the stop flag is set, which is looked at between every 32 positions, or there is not
    /// enough memory for the hidden layers or the results.
    ///
    /// # Panics
    ///
    /// If a row is not as long as an observation of the board.
    pub fn evaluate(
        &self,
        observations: &ArrayRef2<f32>,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt> {
        assert_eq!(observations.ncols(), self.observation_len);
        let count = observations.nrows();
        let mut found = Evaluations::zeros(count, self.num_actions)?;
        let inputs = observations.axis_chunks_iter(Axis(0), CHUNK);
        let outputs = found
            .logits
            .axis_chunks_iter_mut(Axis(0), CHUNK)
            .zip(found.values.axis_chunks_iter_mut(Axis(0), CHUNK));
        let evaluate =
            |kept: &mut Option<_>, (observations, (logits, values)): (ArrayView2<'_, f32>, _)| {
                if limits.is_stopped() {
                    return Err(Halt::Stopped);
                }
                let (layers, board) = (&self.layers, &self.board);
                cells::forward(kept, layers, board, &observations, logits, values)?;
                Ok(())
            };
        map_in_order(inputs.zip(outputs), num_threads, || None, evaluate)?;
        found.values.column_mut(0).mapv_inplace(tanhf);
        Ok(found)
    }
}

impl std::fmt::Debug for BoardNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoardNetwork")
            .field("observation_len", &self.observation_len)
            .field("num_actions", &self.num_actions)
            .finish_non_exhaustive()
    }
}
