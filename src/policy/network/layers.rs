//! Layers whose weights are shared over the symmetries of the board, spread out to plain matrices.
//!
//! A hidden layer holds its channels once per symmetry: unit `(c, g)` sees the position as symmetry
//! `g` shows it (a group convolution, after Cohen and Welling 2016, arXiv:1602.07576). The tables
//! are those of [`SymmetryGroup`](super::group::SymmetryGroup).

use ndarray::{
    Array, Array1, Array2, Array3, Array4, ArrayRef1, ArrayRef2, ArrayRef3, Axis, Dimension,
    ShapeArg,
};

use super::group::SymmetryTable;
use super::product::Matrix;

/// A matrix and a bias.
#[derive(Debug)]
pub(super) struct Layer {
    matrix: Matrix,
    bias: Array1<f32>,
}

impl Layer {
    /// From lists that symmetries permute by `table` to a hidden layer.
    ///
    /// `weights` are `(channels out, lists, length of a list)`.
    pub(super) fn shared(
        weights: &ArrayRef3<f32>,
        bias: &ArrayRef1<f32>,
        table: &SymmetryTable,
    ) -> Self {
        let (channels, lists, size) = weights.dim();
        let order = table.nrows();
        let spread = Array4::from_shape_fn((lists, size, channels, order), |(list, i, c, g)| {
            weights[[c, list, table[[g, i]]]]
        });
        let bias = Array2::from_shape_fn((channels, order), |(c, _)| bias[c]);
        Self {
            matrix: Matrix::new(&reshaped(spread, (lists * size, channels * order))),
            bias: reshaped(bias, channels * order),
        }
    }

    /// From a hidden layer to a list that symmetries permute by `table`.
    ///
    /// `weights` are `(channels, length of the list)`.
    pub(super) fn readout(
        weights: &ArrayRef2<f32>,
        bias: &ArrayRef1<f32>,
        table: &SymmetryTable,
    ) -> Self {
        let (channels, size) = weights.dim();
        let order = table.nrows();
        let spread = Array3::from_shape_fn((channels, order, size), |(c, g, i)| {
            weights[[c, table[[g, i]]]]
        });
        let mean = table.mapv(|from| bias[from]).mean_axis(Axis(0));
        Self {
            matrix: Matrix::new(&reshaped(spread, (channels * order, size))),
            bias: mean.expect("the identity is a symmetry"),
        }
    }

    /// The output of the layer for each row of `inputs`.
    pub(super) fn apply(&self, inputs: &Array2<f32>) -> Array2<f32> {
        self.apply_beside(inputs, Array2::zeros((inputs.nrows(), self.bias.len())))
    }

    /// The rows of `skipped` and what the layer makes of the rows of `inputs`.
    pub(super) fn apply_beside(
        &self,
        inputs: &Array2<f32>,
        mut skipped: Array2<f32>,
    ) -> Array2<f32> {
        skipped += &self.bias;
        self.matrix.add_product(inputs, &mut skipped);
        skipped
    }
}

/// Sets negative numbers to 0; NaN stays.
pub(super) fn rectify(mut numbers: Array2<f32>) -> Array2<f32> {
    numbers.mapv_inplace(|number| if number < 0.0 { 0.0 } else { number });
    numbers
}

/// The same numbers in the same order.
fn reshaped<D: Dimension, S: ShapeArg>(numbers: Array<f32, D>, shape: S) -> Array<f32, S::Dim> {
    let reshaped = numbers.into_shape_with_order(shape);
    reshaped.expect("as many numbers as before")
}
