//! From the last layer's outputs, in the adapted basis, to logits and values.

use ndarray::ArrayRef1;

use super::basis::signed;
use super::group::SymmetryGroup;
use super::irreps::Irreps;
use crate::game::{Piece, Variant};
use crate::network::NUM_VALUES;
use crate::simd::LANES;

const PIECES: usize = Piece::ALL.len();

/// How logits are made from the outputs of the last layer.
#[derive(Debug)]
pub(super) struct Heads {
    num_cells: usize,
    lists: Vec<List>,
    /// Where the outputs begin that no symmetry moves: the pass and the values.
    fixed: usize,
    /// By logit, then by value.
    bias: Vec<f32>,
}

/// A list of the basis of cells.
#[derive(Debug)]
struct List {
    /// Where its outputs begin, one for each piece.
    at: usize,
    plus: Vec<u8>,
    minus: Vec<u8>,
}

impl Heads {
    pub(super) fn new(
        variant: &Variant,
        group: &SymmetryGroup,
        irreps: &Irreps,
        bias: &ArrayRef1<f32>,
    ) -> Self {
        let basis = irreps.adapted(&group.cells);
        let fixed = basis[0][0].len() * PIECES;
        let mut lists = Vec::new();
        let mut start = 0;
        for (number, row) in basis
            .iter()
            .enumerate()
            .flat_map(|(i, rows)| rows.iter().map(move |row| (i, row)))
        {
            for (i, list) in row.iter().enumerate() {
                let [plus, minus] = signed(list);
                lists.push(List {
                    at: start + i * PIECES,
                    plus,
                    minus,
                });
            }
            let more = if number == 0 { 1 + NUM_VALUES } else { 0 };
            start += (row.len() * PIECES + more).next_multiple_of(LANES);
        }
        // Only the mean over outputs that symmetries equate counts.
        let table = group.placements(1 + NUM_VALUES);
        let order = table.nrows() as f64;
        let mean = |output: usize| {
            let biases = table
                .column(output)
                .into_iter()
                .map(|&from| f64::from(bias[from]));
            (biases.sum::<f64>() / order) as f32
        };
        Self {
            num_cells: variant.board().num_cells(),
            lists,
            fixed,
            bias: (0..table.ncols()).map(mean).collect(),
        }
    }

    /// Writes the logits and values of one position. `cells` is overwritten.
    #[inline(always)]
    pub(super) fn write(
        &self,
        outputs: &[f32],
        cells: &mut [[f32; PIECES]],
        logits: &mut [f32],
        values: &mut [f32],
    ) {
        cells.fill([0.0; PIECES]);
        for List { at, plus, minus } in &self.lists {
            let outputs: &[f32; PIECES] = outputs[*at..].first_chunk().expect("one for each piece");
            for &cell in plus {
                for (sum, output) in cells[usize::from(cell)].iter_mut().zip(outputs) {
                    *sum += output;
                }
            }
            for &cell in minus {
                for (sum, output) in cells[usize::from(cell)].iter_mut().zip(outputs) {
                    *sum -= output;
                }
            }
        }
        let (bias, of_fixed) = self.bias.split_at(PIECES * self.num_cells);
        let by_piece = bias.chunks_exact(self.num_cells);
        let written = logits.chunks_exact_mut(self.num_cells);
        for (piece, (bias, logits)) in by_piece.zip(written).enumerate() {
            for ((logit, cell), bias) in logits.iter_mut().zip(&*cells).zip(bias) {
                *logit = cell[piece] + bias;
            }
        }
        let mut fixed = outputs[self.fixed..]
            .iter()
            .zip(of_fixed)
            .map(|(output, bias)| output + bias);
        *logits.last_mut().expect("the pass") = fixed.next().expect("the pass");
        for (value, found) in values.iter_mut().zip(fixed) {
            *value = found;
        }
    }
}
