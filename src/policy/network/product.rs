//! Products of small matrices whose left side is half empty.
//!
//! Inputs of a layer are features, most of which are 0, or rectified sums, about half of which are.
//! A general product cannot leave them out, and has to rearrange the matrix for each call, which for
//! a single position takes longer than the product itself. Here sums are made in the same order
//! whatever else is in a batch, and rounded the same way on every processor.

use ndarray::{Array2, ArrayRef2, Axis};

use crate::simd::{Kernel, Simd, dispatch};

/// Columns that are summed at once: as many as registers hold, with some left for the factors.
const STRIP: usize = 32;
/// Rows for which a strip is read once.
const ROWS: usize = 16;

/// A row of a strip, in whole lines of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Strip([f32; STRIP]);

/// A matrix, the right side of a product.
#[derive(Debug)]
pub(super) struct Matrix {
    inputs: usize,
    outputs: usize,
    /// Strip by strip of columns, and in it row by row; the last one is filled up with zeros.
    strips: Vec<Strip>,
}

impl Matrix {
    /// Copies the entries, `(inputs, outputs)`.
    pub(super) fn new(entries: &ArrayRef2<f32>) -> Self {
        let (inputs, outputs) = entries.dim();
        let mut strips = Vec::with_capacity(outputs.div_ceil(STRIP) * inputs);
        for columns in entries.axis_chunks_iter(Axis(1), STRIP) {
            for row in columns.outer_iter() {
                let mut strip = Strip([0.0; STRIP]);
                for (number, &entry) in strip.0.iter_mut().zip(row) {
                    *number = entry;
                }
                strips.push(strip);
            }
        }
        Self {
            inputs,
            outputs,
            strips,
        }
    }

    /// Adds the product of `inputs` and this matrix to `outputs`, both in C order.
    pub(super) fn add_product(&self, inputs: &Array2<f32>, outputs: &mut Array2<f32>) {
        assert_eq!(inputs.dim(), (outputs.nrows(), self.inputs));
        assert_eq!(outputs.ncols(), self.outputs);
        dispatch(AddProduct {
            matrix: self,
            inputs: inputs.as_slice().expect("C order"),
            outputs: outputs.as_slice_mut().expect("C order"),
        });
    }
}

struct AddProduct<'a> {
    matrix: &'a Matrix,
    inputs: &'a [f32],
    outputs: &'a mut [f32],
}

impl Kernel for AddProduct<'_> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, _: V) {
        let matrix = self.matrix;
        let mut factors: Vec<(u32, f32)> = Vec::with_capacity(ROWS * matrix.inputs);
        let mut ends = Vec::with_capacity(ROWS);
        let blocks = self.inputs.chunks(ROWS * matrix.inputs);
        for (inputs, outputs) in blocks.zip(self.outputs.chunks_mut(ROWS * matrix.outputs)) {
            factors.clear();
            ends.clear();
            for row in inputs.chunks_exact(matrix.inputs) {
                let numbered = (0..).zip(row.iter().copied());
                factors.extend(numbered.filter(|&(_, input)| input != 0.0));
                ends.push(factors.len());
            }
            let strips = matrix.strips.chunks_exact(matrix.inputs);
            for (number, strip) in strips.enumerate() {
                let mut start = 0;
                let rows = outputs.chunks_exact_mut(matrix.outputs);
                for (&end, row) in ends.iter().zip(rows) {
                    let columns = &mut row[number * STRIP..];
                    let width = columns.len().min(STRIP);
                    let columns = &mut columns[..width];
                    let mut sums = [0.0; STRIP];
                    sums[..width].copy_from_slice(columns);
                    add_rows(&mut sums, &factors[start..end], strip);
                    columns.copy_from_slice(&sums[..width]);
                    start = end;
                }
            }
        }
    }
}

/// Adds rows of a strip, each times its factor.
#[inline(always)]
fn add_rows(sums: &mut [f32; STRIP], factors: &[(u32, f32)], strip: &[Strip]) {
    let (fours, rest) = factors.as_chunks::<4>();
    for &[(i, a), (j, b), (k, c), (l, d)] in fours {
        let (w, x, y, z) = (
            &strip[i as usize].0,
            &strip[j as usize].0,
            &strip[k as usize].0,
            &strip[l as usize].0,
        );
        for column in 0..STRIP {
            sums[column] += (a * w[column] + b * x[column]) + (c * y[column] + d * z[column]);
        }
    }
    for &(i, a) in rest {
        let w = &strip[i as usize].0;
        for column in 0..STRIP {
            sums[column] += a * w[column];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small whole numbers, of which sums are exact; every third is 0.
    fn number(i: usize) -> f32 {
        [0.0, 1.0, -2.0][i % 3] * (i % 7) as f32
    }

    #[test]
    fn the_product_is_that_of_the_definition() {
        for (rows, inputs, outputs) in [(1, 1, 1), (3, 5, 31), (70, 9, 32), (33, 40, 67)] {
            let left = Array2::from_shape_fn((rows, inputs), |(i, k)| number(3 * i + k));
            let right = Array2::from_shape_fn((inputs, outputs), |(k, j)| number(5 * k + 11 * j));
            let start = Array2::from_shape_fn((rows, outputs), |(i, j)| (i + j) as f32);
            let mut product = start.clone();
            Matrix::new(&right).add_product(&left, &mut product);
            assert_eq!(product, start + left.dot(&right));
        }
    }
}
