//! Cell sets of a small board as 16-bit words, and the tables that the search reads.

use crate::game::{Board, Cell, Piece, Symmetry};
use crate::memory::{OutOfMemory, filled, zeroed};

/// How many sets of 16 cells there are.
const SETS: usize = 1 << 16;

/// Named in the error if memory does not suffice.
const TABLES: &str = "the tables of the solver";

/// Cells that a piece points to, by code: `piece * 16 + cell`.
pub(crate) type Reach = [u16; 64];

/// The tables that the search reads, computed once from the geometry of a board.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// All cells.
    pub(crate) all: u16,
    /// Cells that a piece points to.
    pub(crate) reach: Reach,
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

impl Geometry {
    /// The memory of the tables, but for less than a hundredth.
    pub(crate) const BYTES: usize = 4 * SETS;

    /// The tables of a board.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    ///
    /// # Panics
    ///
    /// If it has more than 16 cells.
    pub(crate) fn new(board: &Board) -> Result<Self, OutOfMemory> {
        assert!(board.num_cells() <= 16);
        let mut reach = [0; 64];
        for piece in Piece::ALL {
            for cell in board.all() {
                reach[piece.index() * 16 + cell.index()] = board.reach(piece, cell).bits() as u16;
            }
        }
        let triples: Vec<u16> = board.triples().iter().map(|t| t.bits() as u16).collect();
        let mut geometry = Self::without_symmetry(board.all().bits() as u16, reach, &triples)?;
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
        geometry.images = board.symmetries().iter().map(image).collect();
        for (set, symmetries) in geometry.to_least.iter_mut().enumerate() {
            let mut least = u16::MAX;
            for (number, image) in geometry.images.iter().enumerate() {
                let mapped = map(image, set as u16);
                if mapped < least {
                    (least, *symmetries) = (mapped, 0);
                }
                if mapped == least {
                    *symmetries |= 1 << number;
                }
            }
        }
        Ok(geometry)
    }

    /// The tables of cells that reach others, and of sets that score a point each.
    ///
    /// No two positions count as symmetric.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    pub(crate) fn without_symmetry(
        all: u16,
        reach: Reach,
        triples: &[u16],
    ) -> Result<Self, OutOfMemory> {
        let mut points: Box<[u8; SETS]> = array(zeroed(TABLES, SETS)?);
        let mut threats: Box<[u16; SETS]> = array(zeroed(TABLES, SETS)?);
        for &triple in triples {
            let mut rest = triple;
            while rest != 0 {
                let cell = rest & rest.wrapping_neg();
                rest ^= cell;
                let pair = triple ^ cell;
                for_supersets(pair, all, |set| threats[set] |= cell);
            }
            for_supersets(triple, all, |set| points[set] += 1);
        }
        let itself =
            std::array::from_fn(|low| std::array::from_fn(|byte| (byte << (8 * low)) as u16));
        Ok(Self {
            all,
            reach,
            points,
            threats,
            images: vec![itself],
            to_least: array(filled(TABLES, SETS, 1)?),
            ones: std::array::from_fn(|byte| byte.count_ones() as u8),
        })
    }

    /// The image that stands for all symmetric ones of a position, given by two planes: the least,
    /// as pairs are ordered.
    #[inline]
    pub(crate) fn canonical(&self, (a, b): (u16, u16)) -> (u16, u16) {
        // Few sets are symmetric themselves, so one symmetry is nearly always all to try.
        let mut symmetries = self.to_least[usize::from(a)];
        let mut least = (u16::MAX, u16::MAX);
        while symmetries != 0 {
            let symmetry = symmetries.trailing_zeros();
            symmetries &= symmetries - 1;
            least = least.min((self.image(symmetry, a), self.image(symmetry, b)));
        }
        debug_assert_eq!(least.0.count_ones(), a.count_ones());
        least
    }

    /// The number of a symmetry that maps a set to the least of its images.
    #[inline]
    pub(crate) fn to_least(&self, set: u16) -> u32 {
        self.to_least[usize::from(set)].trailing_zeros()
    }

    /// How many images a pair of sets has, if it is the least of those under the symmetries that keep another
    /// set, the least of its images.
    pub(crate) fn images_of_least(&self, kept: u16, pair: (u16, u16)) -> Option<u64> {
        let symmetries = self.to_least[usize::from(kept)];
        let mut same = 0;
        for number in (0..8).filter(|number| symmetries >> number & 1 == 1) {
            let image = (self.image(number, pair.0), self.image(number, pair.1));
            if image < pair {
                return None;
            }
            same += u64::from(image == pair);
        }
        Some(self.images.len() as u64 / same)
    }

    /// The image of a set under the symmetry of this number.
    #[inline]
    pub(crate) fn image(&self, symmetry: u32, set: u16) -> u16 {
        map(&self.images[symmetry as usize], set)
    }

    /// How many cells a set has; cheaper than the instructions that every processor knows.
    #[inline]
    pub(crate) fn count(&self, set: u16) -> i32 {
        let ones = |byte: u8| i32::from(self.ones[usize::from(byte)]);
        ones(set as u8) + ones((set >> 8) as u8)
    }

    /// The points of a player whose stones lie on these cells.
    #[inline]
    pub(crate) fn points(&self, stones: u16) -> i32 {
        i32::from(self.points[usize::from(stones)])
    }

    /// The cells that would score for a player whose stones lie on these.
    #[inline]
    pub(crate) fn threats(&self, stones: u16) -> u16 {
        self.threats[usize::from(stones)]
    }

    /// The most points a player can gain by one more stone on one of `cells`, all of them empty.
    #[inline]
    pub(crate) fn best_gain(&self, stones: u16, cells: u16) -> i32 {
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

/// The values for all sets, in place.
#[expect(
    clippy::unnecessary_box_returns,
    reason = "they are too many for the stack"
)]
fn array<T: std::fmt::Debug>(values: Vec<T>) -> Box<[T; SETS]> {
    let values = values.into_boxed_slice();
    values.try_into().expect("the length is SETS")
}

fn for_supersets(set: u16, all: u16, mut visit: impl FnMut(usize)) {
    let rest = all & !set;
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
            let geometry = Geometry::new(&board).unwrap();
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
        let geometry = Geometry::new(&board).unwrap();
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
