//! Cell sets of a small board as 16-bit words, and the tables that the search reads.

use crate::game::{Board, Cell, Piece, Symmetry};

/// How many sets of 16 cells there are.
const SETS: usize = 1 << 16;

/// The tables that the search reads, computed once from the geometry of a board.
#[derive(Debug)]
pub(super) struct Geometry {
    /// All cells.
    pub(super) all: u16,
    /// Cells that a piece points to, by code: `piece * 16 + cell`.
    pub(super) reach: [u16; 64],
    /// Points of a player whose stones lie on a set.
    points: Box<[u8; SETS]>,
    /// Cells that would score for a player whose stones lie on a set (the stones included).
    threats: Box<[u16; SETS]>,
    /// Where the low and the high byte of a set go under each symmetry.
    images: Vec<[[u16; 256]; 2]>,
    /// Which symmetries map a set to the least of its images, a bit each.
    to_least: Box<[u8; SETS]>,
    /// The bits that are set in each byte.
    ones: [u8; 256],
}

fn boxed<T: Copy + std::fmt::Debug>(value: T) -> Box<[T; SETS]> {
    vec![value; SETS]
        .into_boxed_slice()
        .try_into()
        .expect("the length is SETS")
}

impl Geometry {
    /// The tables of a board.
    ///
    /// # Panics
    ///
    /// If it has more than 16 cells.
    pub(super) fn new(board: &Board) -> Self {
        assert!(board.num_cells() <= 16);
        let mut reach = [0; 64];
        for piece in Piece::ALL {
            for cell in board.all() {
                reach[piece.index() * 16 + cell.index()] = board.reach(piece, cell).bits() as u16;
            }
        }
        let triples: Vec<u16> = board.triples().iter().map(|t| t.bits() as u16).collect();
        let (mut points, mut threats) = (boxed(0_u8), boxed(0_u16));
        for &triple in &triples {
            let mut rest = triple;
            while rest != 0 {
                let cell = rest & rest.wrapping_neg();
                rest ^= cell;
                let pair = triple ^ cell;
                for_supersets(pair, |set| threats[set] |= cell);
            }
            for_supersets(triple, |set| points[set] += 1);
        }
        let image = |symmetry: &Symmetry| {
            [0, 8].map(|low| {
                std::array::from_fn(|byte| {
                    (0..8)
                        .filter(|bit| byte >> bit & 1 == 1 && low + bit < board.num_cells())
                        .map(|bit| 1_u16 << symmetry.cell(Cell::new(low + bit)).index())
                        .sum()
                })
            })
        };
        let images: Vec<_> = board.symmetries().iter().map(image).collect();
        let mut to_least = boxed(0_u8);
        for (set, symmetries) in to_least.iter_mut().enumerate() {
            let mut least = u16::MAX;
            for (number, image) in images.iter().enumerate() {
                let mapped = map(image, set as u16);
                if mapped < least {
                    (least, *symmetries) = (mapped, 0);
                }
                if mapped == least {
                    *symmetries |= 1 << number;
                }
            }
        }
        Self {
            all: board.all().bits() as u16,
            reach,
            points,
            threats,
            images,
            to_least,
            ones: std::array::from_fn(|byte| byte.count_ones() as u8),
        }
    }

    /// The image that stands for all symmetric ones of a position, given by two planes: the least,
    /// as pairs are ordered.
    #[inline]
    pub(super) fn canonical(&self, (a, b): (u16, u16)) -> (u16, u16) {
        // Few sets are symmetric themselves, so one symmetry is nearly always all to try.
        let mut symmetries = self.to_least[usize::from(a)];
        let mut least = (u16::MAX, u16::MAX);
        while symmetries != 0 {
            let image = &self.images[symmetries.trailing_zeros() as usize];
            symmetries &= symmetries - 1;
            least = least.min((map(image, a), map(image, b)));
        }
        debug_assert_eq!(least.0.count_ones(), a.count_ones());
        least
    }

    /// How many cells a set has; cheaper than the instructions that every processor knows.
    #[inline]
    pub(super) fn count(&self, set: u16) -> i32 {
        let ones = |byte: u8| i32::from(self.ones[usize::from(byte)]);
        ones(set as u8) + ones((set >> 8) as u8)
    }

    /// The points of a player whose stones lie on these cells.
    #[inline]
    pub(super) fn points(&self, stones: u16) -> i32 {
        i32::from(self.points[usize::from(stones)])
    }

    /// The cells that would score for a player whose stones lie on these.
    #[inline]
    pub(super) fn threats(&self, stones: u16) -> u16 {
        self.threats[usize::from(stones)]
    }

    /// The most points a player can gain by one more stone on one of `cells`, all of them empty.
    #[inline]
    pub(super) fn best_gain(&self, stones: u16, cells: u16) -> i32 {
        let mut scoring = self.threats(stones) & cells;
        if scoring == 0 {
            return 0;
        }
        let mut best = 0;
        while scoring != 0 {
            let cell = scoring & scoring.wrapping_neg();
            scoring ^= cell;
            best = best.max(self.points(stones | cell));
        }
        best - self.points(stones)
    }
}

#[inline]
fn map(image: &[[u16; 256]; 2], set: u16) -> u16 {
    image[0][usize::from(set as u8)] | image[1][usize::from(set >> 8)]
}

fn for_supersets(set: u16, mut visit: impl FnMut(usize)) {
    let rest = !set;
    let mut extra = rest;
    loop {
        visit(usize::from(set | extra));
        if extra == 0 {
            return;
        }
        extra = (extra - 1) & rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::CellSet;

    #[test]
    fn tables_match_the_board() {
        for board in [
            Board::default(),
            Board::from_text(".####\n#.###\n##.##").unwrap(),
        ] {
            let geometry = Geometry::new(&board);
            let points = |set: u16| {
                let stones = CellSet::from_bits(u64::from(set));
                let covered = |triple: &&CellSet| stones.is_superset(**triple);
                board.triples().iter().filter(covered).count() as i32
            };
            for set in (0..=geometry.all).step_by(7) {
                assert_eq!(geometry.points(set), points(set));
                let threats = (0..board.num_cells())
                    .map(|cell| 1 << cell)
                    .filter(|cell| set & cell == 0 && points(set | cell) > points(set));
                let empty = geometry.all & !set;
                assert_eq!(geometry.threats(set) & empty, threats.sum::<u16>());
                let gains = (0..board.num_cells()).map(|cell| points(set | empty & 1 << cell));
                let best = gains.max().unwrap_or(0) - points(set);
                assert_eq!(geometry.best_gain(set, empty), best);
            }
        }
    }

    #[test]
    fn symmetric_positions_share_a_canonical_one() {
        let board = Board::default();
        let geometry = Geometry::new(&board);
        for (a, b) in [(0x1234, 0xfedc), (0x8001, 0), (0xffff, 0x0f00)] {
            for symmetry in board.symmetries() {
                let map =
                    |set: u16| symmetry.cells(CellSet::from_bits(u64::from(set))).bits() as u16;
                assert_eq!(
                    geometry.canonical((map(a), map(b))),
                    geometry.canonical((a, b))
                );
            }
        }
    }
}
