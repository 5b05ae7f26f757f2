//! Products of small matrices whose left side is half empty.
//!
//! Inputs of a layer are features, most of which are 0, or rectified sums, about half of which are.
//! A general product cannot leave them out, and has to rearrange the matrix for each call, which for
//! a single position takes longer than the product itself. Here sums are made in the same order
//! whatever else is in a batch, and rounded the same way on every processor.

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
    /// The matrix `(inputs, outputs)` with these entries by row and column.
    pub(super) fn new(inputs: usize, outputs: usize, entry: impl Fn(usize, usize) -> f32) -> Self {
        let starts = (0..outputs).step_by(STRIP);
        let strips = starts.flat_map(|start| {
            let entry = &entry;
            (0..inputs).map(move |row| {
                Strip(std::array::from_fn(|i| match start + i {
                    column if column < outputs => entry(row, column),
                    _ => 0.0,
                }))
            })
        });
        Self {
            inputs,
            outputs,
            strips: strips.collect(),
        }
    }

    /// How many rows there are.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// Adds the product of `inputs`, rows one after the other, and this matrix to `outputs`.
    pub(super) fn add_product(&self, inputs: &[f32], outputs: &mut [f32]) {
        assert_eq!(inputs.len() / self.inputs, outputs.len() / self.outputs);
        dispatch(AddProduct {
            matrix: self,
            inputs,
            outputs,
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
            let left: Vec<f32> = (0..rows * inputs).map(number).collect();
            let entry = |row: usize, column: usize| number(5 * row + 11 * column + 1);
            let matrix = Matrix::new(inputs, outputs, entry);
            let mut product: Vec<f32> = (0..rows * outputs).map(|i| i as f32).collect();
            matrix.add_product(&left, &mut product);
            for (i, &found) in product.iter().enumerate() {
                let (row, column) = (i / outputs, i % outputs);
                let terms = (0..inputs).map(|k| left[row * inputs + k] * entry(k, column));
                let expected = i as f32 + terms.sum::<f32>();
                assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
            }
        }
    }
}
