//! Layers of integers in the tiles of processors that have them.

use std::cell::Cell;

use bytemuck::Zeroable;

use super::{Integers, write};
use crate::network::layer::Apply;
use crate::simd::{
    TILE_ROWS, TILE_WORDS, TileKernel, TileSimd, TileSums, WORDS, WideSimd, WordTile,
};

/// Tiles of rows that are multiplied by the same columns while these are in the nearest cache.
const GROUP: usize = 4;

thread_local! {
    /// The inputs of a group, kept from layer to layer: new memory would take as long as a small layer.
    static INPUTS: Cell<Vec<WordTile>> = const { Cell::new(Vec::new()) };
}

/// The weights `weight(input, output)` as columns: by vector of outputs, and by tile of inputs.
pub(super) fn tiles(
    inputs: usize,
    outputs: usize,
    weight: impl Fn(usize, usize) -> i16,
) -> Vec<WordTile> {
    let mut tiles = Vec::with_capacity(outputs.div_ceil(WORDS) * inputs.div_ceil(TILE_WORDS));
    for vector in (0..outputs).step_by(WORDS) {
        for first in (0..inputs).step_by(TILE_WORDS) {
            tiles.push(WordTile::of_columns(|place, column| {
                let input = first + place;
                if input < inputs {
                    weight(input, vector + column)
                } else {
                    0
                }
            }));
        }
    }
    tiles
}

impl<const ADD: bool> TileKernel for Apply<'_, Integers, ADD> {
    #[inline(always)]
    fn run<T: TileSimd>(mut self, tiles: &mut T) {
        let (weights, count, vectors) = (self.weights, self.factors.len(), self.bias.len());
        let depth = (2 * weights.pairs).div_ceil(TILE_WORDS);
        let mut kept = INPUTS.take();
        if kept.len() < GROUP * depth {
            kept.resize(GROUP * depth, WordTile::zeroed());
        }
        let rows = &mut kept[..GROUP * depth];
        let (mut sums, mut multiplied) = (TileSums::zeroed(), None);
        for first in (0..count).step_by(GROUP * TILE_ROWS) {
            self.write_inputs(tiles, first, rows);
            for vector in 0..vectors {
                let columns = &weights.tiles[vector * depth..][..depth];
                let of_group = (first..count).step_by(TILE_ROWS);
                for (row, rows) in of_group.zip(rows.chunks_exact(depth)) {
                    tiles.multiply(rows, columns, &mut sums);
                    if let Some((row, vector)) = multiplied.replace((row, vector)) {
                        self.write_outputs(tiles, row, vector, &sums);
                    }
                }
            }
        }
        if let Some((row, vector)) = multiplied {
            tiles.last(&mut sums);
            self.write_outputs(tiles, row, vector, &sums);
        }
        INPUTS.set(kept);
    }
}

impl<const ADD: bool> Apply<'_, Integers, ADD> {
    /// Writes the inputs of a group of rows from this one on. Behind the last row, others stay.
    #[inline(always)]
    fn write_inputs<T: TileSimd>(&self, tiles: &T, first: usize, rows: &mut [WordTile]) {
        let (width, depth) = (2 * self.weights.pairs, rows.len() / GROUP);
        let words = self.inputs[first * self.weights.pairs..].as_flattened();
        let of_tiles = words.chunks(TILE_ROWS * width);
        for (words, rows) in of_tiles.zip(rows.chunks_exact_mut(depth)) {
            for (tile, start) in rows.iter_mut().zip((0..width).step_by(TILE_WORDS)) {
                let end = width.min(start + TILE_WORDS);
                for (row, words) in words.chunks_exact(width).enumerate() {
                    tiles.write_row(tile, row, &words[start..end]);
                }
            }
        }
    }

    /// Writes a vector of outputs for the rows of a tile.
    #[inline(always)]
    fn write_outputs<T: TileSimd>(
        &mut self,
        tiles: &T,
        first: usize,
        vector: usize,
        sums: &TileSums,
    ) {
        let (wide, vectors) = (tiles.wide(), self.bias.len());
        let scales = wide.load(&self.weights.scales[vector]);
        let bias = wide.load(&self.bias[vector]);
        let outputs = self.outputs[first * vectors..].chunks_exact_mut(vectors);
        let rows = self.factors[first..].iter().zip(outputs).take(TILE_ROWS);
        for (row, (&factor, outputs)) in rows.enumerate() {
            let sums = tiles.join(sums, row);
            write::<_, ADD>(wide, sums, scales, factor, bias, &mut outputs[vector]);
        }
    }
}
