//! From the tokens of positions to their logits and values.

use ndarray::ArrayViewMut2;

use super::layers::{CellLayers, HIDDEN};
use super::tokens::Sum;
use crate::game::Piece;
use crate::memory::{OutOfMemory, zeroed};
use crate::network::narrow::OUTPUTS;
use crate::simd::{WideLanes, dispatch_wide};

/// The numbers between tokens and outputs, kept from one call to the next.
pub(super) struct Readout {
    /// By token.
    placed: Vec<[f32; OUTPUTS]>,
    /// By position, as all that follow.
    means: Vec<WideLanes>,
    shares: Vec<f32>,
    hidden: Vec<WideLanes>,
    ones: Vec<f32>,
    rest: Vec<[f32; OUTPUTS]>,
}

impl Readout {
    /// Room for so many positions of so many cells.
    pub(super) fn new(
        layers: &CellLayers,
        positions: usize,
        cells: usize,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            placed: zeroed(HIDDEN, positions * cells)?,
            means: zeroed(HIDDEN, positions * layers.padding.vectors())?,
            shares: vec![1.0 / cells as f32; positions],
            hidden: zeroed(HIDDEN, positions * layers.summary.len())?,
            ones: vec![1.0; positions],
            rest: zeroed(HIDDEN, positions)?,
        })
    }

    /// Writes the logits and values of positions from their tokens, each of which has a factor.
    pub(super) fn write(
        &mut self,
        layers: &CellLayers,
        numbers: &[WideLanes],
        factors: &[f32],
        logits: ArrayViewMut2<'_, f32>,
        values: ArrayViewMut2<'_, f32>,
    ) {
        let count = values.nrows();
        let cells = factors.len() / count;
        let placed = &mut self.placed[..factors.len()];
        layers.placements.apply(numbers, factors, placed);

        let means = &mut self.means[..count * layers.padding.vectors()];
        dispatch_wide(Sum {
            cells,
            width: layers.padding.vectors(),
            tokens: numbers,
            factors,
            sums: means,
        });
        let hidden = &mut self.hidden[..count * layers.summary.len()];
        layers.summary.apply(means, &self.shares[..count], hidden);
        for number in bytemuck::cast_slice_mut::<_, f32>(hidden) {
            // NaN stays.
            if *number < 0.0 {
                *number = 0.0;
            }
        }
        let rest = &mut self.rest[..count];
        layers.outcome.apply(hidden, &self.ones[..count], rest);

        let outputs = placed.chunks_exact(cells).zip(rest);
        let rows = logits
            .into_outer_iter_mut()
            .zip(values.into_outer_iter_mut());
        for ((placed, [pass, outcome, margin, ..]), (mut logits, mut values)) in outputs.zip(rows) {
            let of_pieces = logits.exact_chunks_mut(cells).into_iter();
            for (piece, mut logits) in (0..Piece::ALL.len()).zip(of_pieces) {
                for (logit, of_cell) in logits.iter_mut().zip(placed.iter()) {
                    *logit = of_cell[piece];
                }
            }
            logits[Piece::ALL.len() * cells] = *pass;
            values[0] = *outcome;
            values[1] = *margin;
        }
    }
}
