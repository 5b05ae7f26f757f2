//! Layers whose weights are shared over the symmetries of the board, as blocks.
//!
//! A hidden layer holds its channels once per symmetry: unit `(c, g)` sees the position as symmetry
//! `g` shows it (a group convolution, after Cohen and Welling 2016, arXiv:1602.07576). Here it is
//! stored as its Fourier transform on the group: a list of channels for each slot of
//! [`Irreps`](super::irreps::Irreps), padded with zeros to whole vectors.

use ndarray::{ArrayRef1, ArrayRef2, ArrayRef3};

use super::group::SymmetryGroup;
use super::irreps::{Irrep, Irreps};
use crate::encode::Layout;
use crate::game::{Piece, Variant};
use crate::network::features::{HANDS, LISTS, TacticalFeatures};
use crate::network::layer::{Entries, Layer};
use crate::simd::{LANES, WORDS};

/// The group of a board and the other constants that layers are made from.
pub(super) struct Shape<'a> {
    pub(super) variant: &'a Variant,
    pub(super) group: &'a SymmetryGroup,
    pub(super) irreps: &'a Irreps,
    pub(super) channels: usize,
}

impl Shape<'_> {
    /// Channels in whole vectors.
    pub(super) fn padded(&self) -> usize {
        self.channels.next_multiple_of(WORDS)
    }

    /// The largest integer that a hidden unit is rounded to: in the slots, the sums fit 16 bits.
    pub(super) fn levels(&self) -> f32 {
        let levels = i16::MAX / self.group.order() as i16;
        f32::from(levels)
    }

    /// From extended observations to a hidden layer; `weights` are `(channels, features)`.
    pub(super) fn inputs(&self, weights: &ArrayRef2<f32>, bias: &ArrayRef1<f32>) -> Layer {
        let Self {
            variant,
            group,
            irreps,
            ..
        } = *self;
        let padded = self.padded();
        let basis = irreps.adapted(&group.cells);
        let blocks = irreps.list.iter().zip(&basis).map(|(&irrep, basis)| {
            let lists = &basis[0];
            let largest = TacticalFeatures::bound(variant);
            let bound =
                |list: &Vec<f64>| largest * list.iter().filter(|&&x| x != 0.0).count() as f64;
            let mut bounds: Vec<f64> = lists.iter().flat_map(|list| [bound(list); WORDS]).collect();
            if irrep.start == 0 {
                bounds.extend([f64::from(variant.copies()); WORDS]);
            }
            let mut entries = Entries::new(irrep.rows, bounds, irrep.size * padded);
            for channel in 0..self.channels {
                for feature in 0..LISTS {
                    let start = TacticalFeatures::start(variant, feature);
                    let unit = TacticalFeatures::unit(variant, feature);
                    let weight = |cell| f64::from(weights[[channel, start + cell]]) / unit;
                    let block = irreps.block(irrep, &group.cells, lists, weight);
                    for (list, row) in block.into_iter().enumerate() {
                        for (j, weight) in row.into_iter().enumerate() {
                            entries.set(list * WORDS + feature, j * padded + channel, weight);
                        }
                    }
                }
                if irrep.start == 0 {
                    for hand in 0..HANDS {
                        let start = Layout::FLAT_SETS * variant.board().num_cells();
                        let weight = f64::from(weights[[channel, start + hand]]);
                        let input = lists.len() * WORDS + hand;
                        entries.set(input, channel, weight / f64::from(variant.copies()));
                    }
                }
            }
            entries
        });
        Layer::new(blocks, &self.hidden_bias(bias))
    }

    /// From a hidden layer to the next; `weights` are `(channels, channels, symmetries)`.
    pub(super) fn hidden(&self, weights: &ArrayRef3<f32>, bias: &ArrayRef1<f32>) -> Layer {
        let irreps = self.irreps;
        let table = self.group.elements();
        let basis = irreps.regular();
        let padded = self.padded();
        let blocks = irreps.list.iter().zip(&basis).map(|(&irrep, lists)| {
            let mut entries = Entries::new(irrep.rows, self.bounds(irrep), irrep.size * padded);
            for channel in 0..self.channels {
                for from in 0..self.channels {
                    let weight = |g| f64::from(weights[[channel, from, g]]);
                    let block = irreps.block(irrep, &table, lists, weight);
                    for (list, row) in block.into_iter().enumerate() {
                        for (j, weight) in row.into_iter().enumerate() {
                            entries.set(list * padded + from, j * padded + channel, weight);
                        }
                    }
                }
            }
            entries
        });
        Layer::new(blocks, &self.hidden_bias(bias))
    }

    /// From a hidden layer to the heads, see [`Heads`](super::heads::Heads); `weights` are `(channels, outputs)`.
    pub(super) fn heads(&self, weights: &ArrayRef2<f32>) -> Layer {
        let irreps = self.irreps;
        let cells = self.variant.board().num_cells();
        let basis = irreps.adapted(&self.group.cells);
        let padded = self.padded();
        let pieces = Piece::ALL.len();
        let blocks = irreps.list.iter().zip(&basis).map(|(&irrep, basis)| {
            let lists = &basis[0];
            let fixed = if irrep.start == 0 {
                weights.ncols() - pieces * cells
            } else {
                0
            };
            let outputs = (lists.len() * pieces + fixed).next_multiple_of(LANES);
            let mut entries = Entries::new(irrep.rows, self.bounds(irrep), outputs);
            for channel in 0..self.channels {
                for piece in 0..pieces {
                    let weight = |cell| f64::from(weights[[channel, piece * cells + cell]]);
                    let block = irreps.block(irrep, &self.group.cells, lists, weight);
                    for (list, row) in block.into_iter().enumerate() {
                        for (j, weight) in row.into_iter().enumerate() {
                            entries.set(j * padded + channel, list * pieces + piece, weight);
                        }
                    }
                }
                for output in 0..fixed {
                    let weight = f64::from(weights[[channel, pieces * cells + output]]);
                    entries.set(channel, lists.len() * pieces + output, weight);
                }
            }
            entries
        });
        let blocks: Vec<Entries> = blocks.collect();
        let outputs: usize = blocks.iter().map(Entries::num_outputs).sum();
        Layer::new(blocks, &vec![0.0; outputs])
    }

    /// Upper bounds of the rounded inputs of a block, those beyond the channels included.
    fn bounds(&self, irrep: Irrep) -> Vec<f64> {
        let slots = irrep.start..irrep.start + irrep.size;
        let bounds = slots.map(|slot| self.irreps.bound(slot) * f64::from(self.levels()));
        bounds
            .flat_map(|bound| {
                (0..self.padded())
                    .map(move |channel| if channel < self.channels { bound } else { 0.0 })
            })
            .collect()
    }

    /// A bias of all units of a channel goes to the trivial slot.
    fn hidden_bias(&self, bias: &ArrayRef1<f32>) -> Vec<f32> {
        let mut all = vec![0.0; self.group.order() * self.padded()];
        for (all, &bias) in all.iter_mut().zip(bias) {
            *all = bias;
        }
        all
    }
}
