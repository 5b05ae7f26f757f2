//! Tactical features in a basis that is adapted to the symmetries of the board.

use ndarray::ArrayRef2;

use super::group::SymmetryGroup;
use super::irreps::Irreps;
use crate::game::Variant;
use crate::network::features::{Lists, TacticalFeatures};
use crate::simd::{Kernel, Simd, WORDS, Words};

/// The features of positions, in the basis.
#[derive(Debug)]
pub(super) struct AdaptedFeatures {
    features: TacticalFeatures,
    /// By list of the basis, the cells whose features are added and those that are subtracted.
    basis: Vec<[Vec<u8>; 2]>,
    /// After this many lists of the basis come the hands.
    before_hands: usize,
}

impl AdaptedFeatures {
    pub(super) fn new(variant: &Variant, group: &SymmetryGroup, irreps: &Irreps) -> Self {
        let basis = irreps.adapted(&group.cells);
        let before_hands = basis[0][0].len();
        let basis = basis.iter().flatten().flatten().map(|list| signed(list));
        Self {
            features: TacticalFeatures::new(variant),
            basis: basis.collect(),
            before_hands,
        }
    }

    /// The features of one observation, in the basis.
    #[inline(always)]
    fn write<V: Simd>(&self, simd: V, observation: &[f32], cells: &mut [Lists], out: &mut [Lists]) {
        self.features.write_cells(observation, cells);
        let (before, after) = out.split_at_mut(self.before_hands);
        let (hands, after) = after.split_first_mut().expect("room for the hands");
        let lists = before.iter_mut().chain(after);
        for ([plus, minus], out) in self.basis.iter().zip(lists) {
            let mut sum = simd.load_words(&[0; WORDS]);
            for &cell in plus {
                sum = sum.add(simd.load_words(&cells[usize::from(cell)]));
            }
            for &cell in minus {
                sum = sum.sub(simd.load_words(&cells[usize::from(cell)]));
            }
            sum.store(out);
        }
        self.features.write_hands(observation, hands);
    }
}

/// The features of each observation: [`Lists`] for each list of the basis of cells, those of the
/// trivial representation being followed by the hands.
pub(super) struct WriteFeatures<'a> {
    pub(super) features: &'a AdaptedFeatures,
    pub(super) observations: &'a ArrayRef2<f32>,
}

impl Kernel for WriteFeatures<'_> {
    type Result = Vec<Lists>;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> Vec<Lists> {
        let length = self.features.features.num_cells() + 1;
        let mut cells = vec![[0; WORDS]; length];
        let mut lists = vec![[0; WORDS]; self.observations.nrows() * length];
        let observations = self.observations.outer_iter();
        for (observation, lists) in observations.zip(lists.chunks_exact_mut(length)) {
            let observation = observation.as_standard_layout();
            let observation = observation.as_slice().expect("C order");
            self.features.write(simd, observation, &mut cells, lists);
        }
        lists
    }
}

/// The cells at which a list of the basis is 1, and those at which it is -1.
pub(super) fn signed(list: &[f64]) -> [Vec<u8>; 2] {
    [1.0, -1.0].map(|sign| {
        let cells = (0..).zip(list).filter(|&(_, &entry)| entry * sign > 0.5);
        cells.map(|(cell, _)| cell).collect()
    })
}
