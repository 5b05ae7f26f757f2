//! Tactical features of one move, as small integers, and their change to an adapted basis.
//!
//! `python/mijnlieff/train/network/features.py` makes the same features for the trainer.

use ndarray::ArrayRef2;

use super::group::SymmetryGroup;
use super::irreps::Irreps;
use crate::encode::Layout;
use crate::game::{Cell, CellSet, Piece, Variant};
use crate::simd::{Kernel, Simd, WORDS, Words};

/// Features of each cell; the last place is unused.
pub(super) const LISTS: usize = 15;
/// Numbers of both hands.
pub(super) const HANDS: usize = 8;

/// A feature of one cell, or the sum of a list's, in each place of a list.
pub(super) type Lists = [i16; WORDS];

/// Where a cell's features start in [`Lists`]: the lines by stones on them, and for each piece how
/// many cells it would leave the opponent, and whether that is none.
const LINES: usize = 3;
const CHOICES: usize = LINES + 4;
const NONE: usize = CHOICES + Piece::ALL.len();

/// Extends flat observations.
///
/// Added per cell: the lines of three through it on which only the own side has two stones, those
/// on which only the own side has one, and the same for the opponent (all 0 where a stone lies).
/// Added per placement: the share of the board's cells that it would leave the opponent to choose
/// from, and whether that is none. Here, hands and shares are whole numbers of pieces and cells.
#[derive(Debug)]
pub(super) struct TacticalFeatures {
    num_cells: usize,
    copies: f32,
    lines: Vec<CellSet>,
    /// By cell and piece, what a placement points to.
    reach: Vec<[CellSet; Piece::ALL.len()]>,
    /// By list of the basis, the cells whose features are added and those that are subtracted.
    basis: Vec<[Vec<u8>; 2]>,
    /// After this many lists of the basis come the hands.
    before_hands: usize,
}

impl TacticalFeatures {
    pub(super) fn new(variant: &Variant, group: &SymmetryGroup, irreps: &Irreps) -> Self {
        let board = variant.board();
        let cells = board.num_cells();
        let reach = (0..cells)
            .map(|cell| Piece::ALL.map(|piece| board.reach(piece, Cell::new(cell))))
            .collect();
        let basis = irreps.adapted(&group.cells);
        let before_hands = basis[0][0].len();
        let basis = basis.iter().flatten().flatten().map(|list| signed(list));
        Self {
            num_cells: cells,
            copies: f32::from(variant.copies()),
            lines: board.triples().to_vec(),
            reach,
            basis: basis.collect(),
            before_hands,
        }
    }

    /// How many numbers there are in an extended observation.
    pub(super) fn size(variant: &Variant) -> usize {
        Layout::Flat.len(variant) + (4 + 2 * Piece::ALL.len()) * variant.board().num_cells()
    }

    /// Where the weights of a list of cells start in an extended observation.
    pub(super) fn start(variant: &Variant, list: usize) -> usize {
        let hands = if list < LINES { 0 } else { HANDS };
        list * variant.board().num_cells() + hands
    }

    /// How often a feature's number in an extended observation goes into the number here.
    pub(super) fn unit(variant: &Variant, list: usize) -> f64 {
        if (CHOICES..NONE).contains(&list) {
            variant.board().num_cells() as f64
        } else {
            1.0
        }
    }

    /// An upper bound of all features of cells.
    pub(super) fn bound(variant: &Variant) -> f64 {
        // A cell is on three lines in each of four directions at most.
        variant.board().num_cells().max(12) as f64
    }

    /// The features of one observation, in the basis.
    #[inline(always)]
    fn write<V: Simd>(&self, simd: V, observation: &[f32], cells: &mut [Lists], out: &mut [Lists]) {
        self.write_cells(observation, cells);
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
        *hands = [0; WORDS];
        for (hand, &share) in hands.iter_mut().zip(&observation[3 * self.num_cells..]) {
            *hand = i16::from((share * self.copies + 0.5) as u8);
        }
    }

    #[inline(always)]
    fn write_cells(&self, observation: &[f32], cells: &mut [Lists]) {
        let n = self.num_cells;
        let set = |plane: usize| {
            let numbers = observation[plane * n..][..n].iter().rev();
            CellSet::from_bits(numbers.fold(0, |bits, &x| bits << 1 | u64::from(x > 0.0)))
        };
        let [own, opposing, allowed] = [set(0), set(1), set(2)];
        let empty = CellSet::first(n) - (own | opposing);
        for (number, (cell, reach)) in cells.iter_mut().zip(&self.reach).enumerate() {
            *cell = [0; WORDS];
            for (plane, set) in [own, opposing, allowed].into_iter().enumerate() {
                cell[plane] = i16::from(set.contains(Cell::new(number)));
            }
            for (piece, &reach) in reach.iter().enumerate() {
                let choices = (reach & empty).len();
                cell[CHOICES + piece] = choices as i16;
                cell[NONE + piece] = i16::from(choices == 0);
            }
        }
        for &line in &self.lines {
            let list = match ((own & line).len(), (opposing & line).len()) {
                (2, 0) => LINES,
                (1, 0) => LINES + 1,
                (0, 2) => LINES + 2,
                (0, 1) => LINES + 3,
                _ => continue,
            };
            for cell in line & empty {
                cells[cell.index()][list] += 1;
            }
        }
    }
}

/// The features of each observation: [`Lists`] for each list of the basis of cells, those of the
/// trivial representation being followed by the hands.
pub(super) struct WriteFeatures<'a> {
    pub(super) features: &'a TacticalFeatures,
    pub(super) observations: &'a ArrayRef2<f32>,
}

impl Kernel for WriteFeatures<'_> {
    type Result = Vec<Lists>;

    #[inline(always)]
    fn run<V: Simd>(self, simd: V) -> Vec<Lists> {
        let length = self.features.num_cells + 1;
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
