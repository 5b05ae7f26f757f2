//! Layers whose weights are shared over the symmetries of the board, spread out to plain matrices.
//!
//! A hidden layer holds its channels once per symmetry: unit `(c, g)` sees the position as symmetry
//! `g` shows it (a group convolution, after Cohen and Welling 2016, arXiv:1602.07576). The tables
//! are those of [`SymmetryGroup`](super::group::SymmetryGroup).

use super::group::SymmetryTable;
use super::product::Matrix;

/// A matrix and a bias.
#[derive(Debug)]
pub(super) struct Layer {
    matrix: Matrix,
    bias: Vec<f32>,
}

impl Layer {
    /// From `inputs` lists that symmetries permute by `table` to a hidden layer.
    ///
    /// `weights` are `(channels out, inputs, length of a list)`.
    pub(super) fn shared(
        weights: &[f32],
        bias: &[f32],
        inputs: usize,
        table: &SymmetryTable,
    ) -> Self {
        let (order, size) = (table.len(), table[0].len());
        let units = bias.len() * order;
        let matrix = Matrix::new(inputs * size, units, |row, unit| {
            let from = table[unit % order][row % size];
            weights[(unit / order * inputs + row / size) * size + from]
        });
        let bias = (0..units).map(|unit| bias[unit / order]).collect();
        Self { matrix, bias }
    }

    /// From a hidden layer to a list that symmetries permute by `table`.
    ///
    /// `weights` are `(channels, length of the list)`.
    pub(super) fn readout(weights: &[f32], bias: &[f32], table: &SymmetryTable) -> Self {
        let (order, size) = (table.len(), table[0].len());
        let units = weights.len() / size * order;
        let matrix = Matrix::new(units, size, |unit, column| {
            weights[unit / order * size + table[unit % order][column]]
        });
        let mean = |column: usize| {
            let sum: f32 = table.iter().map(|row| bias[row[column]]).sum();
            sum / order as f32
        };
        let bias = (0..size).map(mean).collect();
        Self { matrix, bias }
    }

    /// What the layer makes of each row of `inputs`.
    pub(super) fn apply(&self, inputs: &[f32]) -> Vec<f32> {
        let rows = inputs.len() / self.matrix.inputs();
        self.add_to(self.bias.repeat(rows), inputs)
    }

    /// The rows of `skipped` and what the layer makes of the rows of `inputs`.
    pub(super) fn apply_beside(&self, inputs: &[f32], mut skipped: Vec<f32>) -> Vec<f32> {
        for row in skipped.chunks_exact_mut(self.bias.len()) {
            for (number, bias) in row.iter_mut().zip(&self.bias) {
                *number += bias;
            }
        }
        self.add_to(skipped, inputs)
    }

    fn add_to(&self, mut outputs: Vec<f32>, inputs: &[f32]) -> Vec<f32> {
        self.matrix.add_product(inputs, &mut outputs);
        outputs
    }
}

/// Sets negative numbers to 0; what is no number stays so.
pub(super) fn rectify(mut numbers: Vec<f32>) -> Vec<f32> {
    for number in &mut numbers {
        if *number < 0.0 {
            *number = 0.0;
        }
    }
    numbers
}
