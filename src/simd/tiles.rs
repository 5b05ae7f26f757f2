//! Products of words in tiles, for processors with instructions that multiply matrices.
//!
//! The instructions multiply bytes. A word is 256 times its high byte, which has a sign, plus its low byte,
//! which has none, so a product of words is four products of bytes. That is still up to four times as fast
//! as with AVX-512 VNNI, and sums of 32 bits are exact, so they are the same.

#![forbid(unsafe_code)]

use bytemuck::{Pod, Zeroable};

use super::{WORDS, WideSimd};

/// Rows of a tile, and the sums in a row.
pub(crate) const TILE_ROWS: usize = WORDS;

/// Bytes in a row of a tile, one of each word.
pub(crate) const TILE_WORDS: usize = 64;

/// The bytes of a tile.
type Bytes = [[u8; TILE_WORDS]; TILE_ROWS];

/// Words in two tiles, one for each of their bytes.
#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C, align(64))]
pub(crate) struct WordTile {
    pub(super) high: Bytes,
    pub(super) low: Bytes,
}

/// The sums of products of bytes: of two high ones, of a high and a low one, of two low ones.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod)]
#[repr(C, align(64))]
pub(crate) struct TileSums(pub(super) [[[i32; WORDS]; TILE_ROWS]; 3]);

impl WordTile {
    /// The columns `word(place, column)`. A row of bytes has four places of every column.
    pub(crate) fn of_columns(word: impl Fn(usize, usize) -> i16) -> Self {
        let mut tile = Self::zeroed();
        for row in 0..TILE_ROWS {
            for byte in 0..TILE_WORDS {
                let [low, high] = word(4 * row + byte % 4, byte / 4).to_le_bytes();
                tile.high[row][byte] = high;
                tile.low[row][byte] = low;
            }
        }
        tile
    }
}

/// Work in tiles. It must not start other work in tiles.
pub(crate) trait TileKernel {
    fn run<T: TileSimd>(self, tiles: &mut T);
}

/// Instructions for tiles, and for wide vectors beside them.
pub(crate) trait TileSimd {
    type Wide: WideSimd;

    fn wide(&self) -> Self::Wide;
    /// Writes a row of words, and zeros behind the last one.
    fn write_row(&self, tile: &mut WordTile, row: usize, words: &[i16]);
    /// Multiplies rows by columns, in as many tiles of both, and writes the sums of the call before, so
    /// that nothing waits for the products of this one.
    fn multiply(&mut self, rows: &[WordTile], columns: &[WordTile], previous: &mut TileSums);
    /// Writes the sums of the last call.
    fn last(&mut self, sums: &mut TileSums);
    /// The sums of products of words in a row. Sums that do not fit wrap.
    fn join(&self, sums: &TileSums, row: usize) -> <Self::Wide as WideSimd>::Sums;
}

#[cfg(test)]
mod tests {
    use super::super::{LANES, WideLanes, WideVector, dispatch_tiles};
    use super::super::{Processor, on};
    use super::*;
    use crate::random::{Draw, SplitMix64};

    /// Three tiles of words by row.
    type Words = Vec<[[i16; TILE_WORDS]; TILE_ROWS]>;

    /// Any words, many of them the largest and the least, in that many bits.
    fn words(rng: &mut SplitMix64, bits: u32) -> Words {
        let mut word = || match rng.below(6) {
            0 => i16::MIN,
            1 => i16::MAX,
            _ => rng.below(1 << 16) as u16 as i16,
        };
        let mut row = || std::array::from_fn(|_| word() >> (i16::BITS - bits));
        (0..3).map(|_| std::array::from_fn(|_| row())).collect()
    }

    /// Multiplies words several times, of the first tile alone, of the first two and of all.
    struct Multiply<'a> {
        rows: &'a Words,
        columns: &'a Words,
        /// Words that a row has.
        given: usize,
        found: &'a mut Vec<u32>,
    }

    impl TileKernel for Multiply<'_> {
        fn run<T: TileSimd>(self, tiles: &mut T) {
            let columns = self.columns.iter();
            let columns =
                columns.map(|words| WordTile::of_columns(|place, column| words[column][place]));
            let columns: Vec<_> = columns.collect();
            let mut rows = vec![WordTile::zeroed(); self.rows.len()];
            for (tile, words) in rows.iter_mut().zip(self.rows) {
                for (row, words) in words.iter().enumerate() {
                    tiles.write_row(tile, row, &words[..self.given]);
                }
            }
            let mut sums = TileSums::zeroed();
            for depth in 1..=rows.len() + 1 {
                if depth <= rows.len() {
                    tiles.multiply(&rows[..depth], &columns[..depth], &mut sums);
                } else {
                    tiles.last(&mut sums);
                }
                for row in 0..TILE_ROWS {
                    let mut numbers = WideLanes::zeroed();
                    let joined = tiles.join(&sums, row);
                    tiles.wide().to_numbers(joined).store(&mut numbers);
                    // The sums of no call are arbitrary.
                    if depth > 1 {
                        let [low, high]: [[f32; LANES]; 2] = bytemuck::cast(numbers);
                        self.found
                            .extend(low.iter().chain(&high).map(|sum| sum.to_bits()));
                    }
                }
            }
        }
    }

    #[test]
    fn tiles_sum_the_products_of_words() {
        let mut rng = SplitMix64::new(5);
        // With 9 bits no sum is rounded to an f32; with 16 bits sums wrap.
        for (given, bits) in [(64, 9), (64, 16), (48, 9), (16, 16), (1, 12)] {
            let [rows, columns] = [(); 2].map(|()| words(&mut rng, bits));
            let mut expected = Vec::new();
            for depth in 1..=3 {
                for row in 0..TILE_ROWS {
                    for column in 0..WORDS {
                        let tiles = rows[..depth].iter().zip(&columns);
                        let products = tiles.flat_map(|(rows, columns)| {
                            let words = rows[row][..given].iter().zip(&columns[column]);
                            words.map(|(&a, &b)| i32::from(a).wrapping_mul(i32::from(b)))
                        });
                        let sum = products.fold(0, i32::wrapping_add);
                        expected.push((sum as f32).to_bits());
                    }
                }
            }
            for processor in [Processor::Tiles, Processor::Newest] {
                let mut found = Vec::new();
                let left = on(processor, || {
                    let (rows, columns) = (&rows, &columns);
                    dispatch_tiles(Multiply {
                        rows,
                        columns,
                        given,
                        found: &mut found,
                    })
                    .is_some()
                });
                assert!(left && processor == Processor::Newest || found == expected);
            }
        }
    }
}
