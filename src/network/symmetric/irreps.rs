//! Irreducible representations of a board's symmetry group, and bases adapted to them.
//!
//! In such a basis a layer that respects the symmetries is block-diagonal (Schur's lemma): on the
//! square, a hidden layer takes 12 products for each pair of channels instead of 64. See Serre,
//! *Linear Representations of Finite Groups*, sections 2.6 and 2.7, and Cohen and Welling 2017,
//! arXiv:1612.08498. `python/mijnlieff/train/network/irreps.py` does the same for the trainer.
//!
//! Symmetries of boards are symmetries of a square, so their groups have 1, 2, 4 or 8 elements, and
//! a Fourier transform takes additions and subtractions only.

use super::group::SymmetryTable;

/// Sums and differences of two slots: `(a, b)` becomes `(a + b, a - b)`.
type Step = (usize, usize);

/// The groups that boards have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The identity alone.
    Trivial,
    /// A mirroring, or a half turn.
    Two,
    /// Two mirrorings and the half turn.
    Klein,
    /// Four rotations.
    Cyclic,
    /// All of the square.
    Square,
}

const TWO: [Step; 1] = [(0, 1)];
const KLEIN: [Step; 4] = [(0, 1), (2, 3), (0, 2), (1, 3)];
const CYCLIC: [Step; 3] = [(0, 2), (1, 3), (0, 1)];
const SQUARE: [Step; 10] = [
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
    (0, 1),
    (2, 3),
    (0, 2),
    (1, 3),
    (4, 7),
    (6, 5),
];

impl Kind {
    /// Runs work that is compiled for the transform of each group.
    #[inline(always)]
    pub(super) fn run<W: WithTransform>(self, work: W) -> W::Result {
        match self {
            Self::Trivial => work.run(Transform::<1, 0>([])),
            Self::Two => work.run(Transform::<2, 1>(TWO)),
            Self::Klein => work.run(Transform::<4, 4>(KLEIN)),
            Self::Cyclic => work.run(Transform::<4, 3>(CYCLIC)),
            Self::Square => work.run(Transform::<8, 10>(SQUARE)),
        }
    }
}

/// Work with a group whose size and transform are known when it is compiled.
pub(super) trait WithTransform {
    type Result;

    fn run<const ORDER: usize, const STEPS: usize>(
        self,
        transform: Transform<ORDER, STEPS>,
    ) -> Self::Result;
}

/// The Fourier transform of functions on a group.
#[derive(Clone, Copy)]
pub(super) struct Transform<const ORDER: usize, const STEPS: usize>([Step; STEPS]);

/// The elements that transforms work on.
pub(super) trait Term: Copy {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
}

impl Term for f64 {
    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn minus(self, other: Self) -> Self {
        self - other
    }
}

impl<const ORDER: usize, const STEPS: usize> Transform<ORDER, STEPS> {
    /// From a number for each symmetry, in the order that [`Irreps::of`] finds, to slots.
    #[inline(always)]
    pub(super) fn forward<T: Term>(self, slots: &mut [T; ORDER]) {
        for step in 0..STEPS {
            let (a, b) = self.0[step];
            (slots[a], slots[b]) = (slots[a].plus(slots[b]), slots[a].minus(slots[b]));
        }
    }

    /// The transposed transform, which is the inverse one up to the factors of [`Irreps::norm`].
    #[inline(always)]
    pub(super) fn backward<T: Term>(self, slots: &mut [T; ORDER]) {
        for step in 0..STEPS {
            let (a, b) = self.0[STEPS - 1 - step];
            (slots[a], slots[b]) = (slots[a].plus(slots[b]), slots[a].minus(slots[b]));
        }
    }
}

/// An irreducible representation over the real numbers.
///
/// The group of four rotations has a pair of complex ones, which are one of dimension 2 over the
/// real numbers. Its second row follows from the first, so it counts as one row of two slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Irrep {
    /// Its first slot; slot `start + row * size + column` follows.
    pub(super) start: usize,
    pub(super) rows: usize,
    pub(super) size: usize,
}

/// The representations of a group.
#[derive(Debug)]
pub(super) struct Irreps {
    pub(super) kind: Kind,
    /// The trivial one is the first.
    pub(super) list: Vec<Irrep>,
    /// By slot, the function on the group that it is the product with, by number of the symmetry.
    functions: Vec<Vec<f64>>,
}

impl Irreps {
    /// Those of a group whose table holds `g⁻¹ h`.
    pub(super) fn of(table: &SymmetryTable) -> Self {
        let order = table.nrows();
        let product = |g: usize, h: usize| table[[table[[g, 0]], h]];
        let powers = |g: usize| -> Vec<usize> {
            let mut found = vec![0];
            while let Some(&last) = found.last()
                && product(last, g) != 0
            {
                found.push(product(last, g));
            }
            found
        };
        let turns = (0..order).map(powers).rev().max_by_key(Vec::len);
        let turns = turns.expect("a group has an element");
        let mirror = (0..order).find(|g| !turns.contains(g));
        let one = |start| Irrep {
            start,
            rows: 1,
            size: 1,
        };
        let mut list: Vec<Irrep> = (0..order.min(4)).map(one).collect();
        let (kind, elements) = match (&turns[..], mirror) {
            (&[e], _) => (Kind::Trivial, vec![e]),
            (&[e, a], None) => (Kind::Two, vec![e, a]),
            (&[e, a], Some(b)) => (Kind::Klein, vec![e, a, b, product(a, b)]),
            (_, None) => {
                list.truncate(2);
                list.push(Irrep {
                    start: 2,
                    rows: 1,
                    size: 2,
                });
                (Kind::Cyclic, turns.clone())
            }
            (_, Some(s)) => {
                list.push(Irrep {
                    start: 4,
                    rows: 2,
                    size: 2,
                });
                // The identity, the turn r, r s and s, and the four after a half turn.
                let half = [0, turns[1], product(turns[1], s), s];
                let other = half.map(|g| product(g, turns[2]));
                (Kind::Square, [half, other].concat())
            }
        };
        let mut functions = vec![vec![0.0; order]; order];
        for (place, &element) in elements.iter().enumerate() {
            for (function, slot) in functions.iter_mut().zip(kind.run(OfUnit(place))) {
                function[element] = slot;
            }
        }
        Self {
            kind,
            list,
            functions,
        }
    }

    /// The sum of the squares of a slot's function.
    pub(super) fn norm(&self, slot: usize) -> f64 {
        self.functions[slot].iter().map(|value| value * value).sum()
    }

    /// An upper bound of a slot for functions with values from 0 to 1.
    pub(super) fn bound(&self, slot: usize) -> f64 {
        let sum = |sign: f64| -> f64 {
            let values = self.functions[slot].iter();
            values.map(|value| (value * sign).max(0.0)).sum()
        };
        sum(1.0).max(sum(-1.0))
    }

    /// A basis, adapted to the symmetries, of the lists that symmetries permute by `table`.
    ///
    /// For each representation, and each of its rows, orthogonal lists of -1, 0 and 1. Symmetries
    /// turn those with the same place in all rows into each other.
    pub(super) fn adapted(&self, table: &SymmetryTable) -> Vec<Vec<Vec<Vec<f64>>>> {
        let size = table.ncols();
        // All symmetries of a list, each times its value of a slot's function.
        let moved = |slot: usize, list: &[f64]| -> Vec<f64> {
            let mut sum = vec![0.0; size];
            for (row, value) in table.outer_iter().zip(&self.functions[slot]) {
                for (sum, &from) in sum.iter_mut().zip(&row) {
                    *sum += value * list[from];
                }
            }
            let largest = sum
                .iter()
                .fold(0.0, |most: f64, number| most.max(number.abs()));
            if largest > 0.0 {
                for number in &mut sum {
                    *number /= largest;
                }
            }
            sum
        };
        let basis = |irrep: &Irrep| {
            let mut first: Vec<Vec<f64>> = Vec::new();
            for entry in 0..size {
                let mut list = vec![0.0; size];
                list[entry] = 1.0;
                let list = moved(irrep.start, &list);
                // Two of these are orthogonal or parallel.
                if dot(&list, &list) > 0.0 && first.iter().all(|other| dot(&list, other) == 0.0) {
                    first.push(list);
                }
            }
            let row = |row: usize| {
                if row == 0 {
                    return first.clone();
                }
                let slot = irrep.start + row * irrep.size;
                first.iter().map(|list| moved(slot, list)).collect()
            };
            (0..irrep.rows).map(row).collect()
        };
        self.list.iter().map(basis).collect()
    }

    /// The first row of each representation's slots, as an adapted basis of hidden units.
    pub(super) fn regular(&self) -> Vec<Vec<Vec<f64>>> {
        let row = |irrep: &Irrep| self.functions[irrep.start..][..irrep.size].to_vec();
        self.list.iter().map(row).collect()
    }

    /// The block of a layer between the hidden units of one channel and one list.
    ///
    /// `lists` are the first row of the adapted basis; `weights` gives each entry of the list its
    /// weight. Entry `[a][j]` is for list `a` and slot `j` of the representation, with the factors
    /// that make the transposed transforms inverse ones on both sides.
    pub(super) fn block(
        &self,
        irrep: Irrep,
        table: &SymmetryTable,
        lists: &[Vec<f64>],
        weights: impl Fn(usize) -> f64,
    ) -> Vec<Vec<f64>> {
        let block = |list: &Vec<f64>| {
            let mut row = vec![0.0; irrep.size];
            for (g, from) in table.outer_iter().enumerate() {
                let seen: f64 = list
                    .iter()
                    .zip(&from)
                    .filter(|&(&entry, _)| entry != 0.0)
                    .map(|(entry, &from)| entry * weights(from))
                    .sum();
                for (j, sum) in row.iter_mut().enumerate() {
                    *sum += seen * self.functions[irrep.start + j][g];
                }
            }
            for (j, sum) in row.iter_mut().enumerate() {
                *sum /= dot(list, list) * self.norm(irrep.start + j);
            }
            row
        };
        lists.iter().map(block).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The transform of the function that is 1 for the symmetry in this place and 0 for others.
struct OfUnit(usize);

impl WithTransform for OfUnit {
    type Result = Vec<f64>;

    fn run<const ORDER: usize, const STEPS: usize>(
        self,
        transform: Transform<ORDER, STEPS>,
    ) -> Vec<f64> {
        let mut slots = [0.0; ORDER];
        slots[self.0] = 1.0;
        transform.forward(&mut slots);
        slots.to_vec()
    }
}
