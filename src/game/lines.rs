//! Lines of stones, counted for all cells of a board at once.
//!
//! Cells are numbered without gaps, so on most boards the neighbors of all cells in one direction lie
//! a few constant distances away. A set of cells moves by one step in as many shifts as there are such
//! distances: one on a rectangle, a few on an irregular board. Points come from such steps without a
//! look at any single stone.

use super::{Cell, CellSet};

/// The cells that have a neighbor, in one direction, whose number is larger by `distance`.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    from: u64,
    distance: u32,
}

/// The steps in one direction.
#[derive(Clone, Debug, Default)]
struct Steps {
    /// The step of most cells; on a rectangle of all.
    main: Step,
    others: Vec<Step>,
}

/// The steps between neighbors of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// For rows, columns and both diagonals, each in the direction in which numbers rise.
    directions: [Steps; 4],
}

impl Lines {
    /// The directions in which cell numbers rise.
    pub(super) const RISING: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

    /// The lines of a board: `neighbor` is the next cell in a direction, if there is one.
    pub(super) fn new(
        num_cells: usize,
        neighbor: impl Fn(Cell, (i32, i32)) -> Option<Cell>,
    ) -> Self {
        let steps = |direction| {
            let mut steps: Vec<Step> = Vec::new();
            for cell in CellSet::first(num_cells) {
                let Some(next) = neighbor(cell, direction) else {
                    continue;
                };
                let distance = (next.index() - cell.index()) as u32;
                let from = 1 << cell.index();
                match steps.iter_mut().find(|step| step.distance == distance) {
                    Some(step) => step.from |= from,
                    None => steps.push(Step { from, distance }),
                }
            }
            steps.sort_by_key(|step| std::cmp::Reverse(step.from.count_ones()));
            let mut steps = steps.into_iter();
            Steps {
                main: steps.next().unwrap_or_default(),
                others: steps.collect(),
            }
        };
        Self {
            directions: Self::RISING.map(steps),
        }
    }

    /// The number of triples of consecutive cells that these stones cover.
    #[inline]
    pub(super) fn points(&self, stones: CellSet) -> u16 {
        let stones = stones.bits();
        let triples = self.directions.iter().map(|steps| {
            let pairs = stones & after(steps, stones);
            (stones & after(steps, pairs)).count_ones()
        });
        triples.sum::<u32>() as u16
    }

    /// The points that one more stone would add to those of these stones.
    #[inline]
    pub(super) fn gains(&self, stones: CellSet) -> Gains {
        let stones = stones.bits();
        let mut digits = [0; 4];
        for steps in &self.directions {
            // A stone is the last, the middle or the first of a triple.
            let [before, after] = neighbors(steps, [stones; 2]);
            let [last, first] = neighbors(steps, [stones & before, stones & after]);
            let middle = before & after;
            let ones = last ^ middle ^ first;
            let twos = last & middle | first & (last ^ middle);
            // Adds both digits, in every cell.
            let [a, b, c, d] = digits;
            let carry = a & ones;
            let fours = b & twos | carry & (b ^ twos);
            digits = [a ^ ones, b ^ twos ^ carry, c ^ fours, d | c & fours];
        }
        Gains {
            digits: digits.map(CellSet::from_bits),
        }
    }
}

/// The cells after these.
#[inline(always)]
fn after(steps: &Steps, cells: u64) -> u64 {
    let moved = |step: &Step| (cells & step.from) << step.distance;
    let others = steps.others.iter();
    others.fold(moved(&steps.main), |all, step| all | moved(step))
}

/// The cells after the first set, and those before the second.
#[inline(always)]
fn neighbors(steps: &Steps, [rising, falling]: [u64; 2]) -> [u64; 2] {
    let moved = |step: &Step| {
        let rising = (rising & step.from) << step.distance;
        [rising, falling >> step.distance & step.from]
    };
    let [mut after, mut before] = moved(&steps.main);
    for step in &steps.others {
        let [rising, falling] = moved(step);
        after |= rising;
        before |= falling;
    }
    [after, before]
}

/// The points that one more stone of a player would add, by cell.
///
/// Only the cells that were asked about have a meaning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gains {
    /// The cells whose number has this binary digit, lowest first. A cell belongs to at most three
    /// triples in each of four directions, so four digits are enough.
    digits: [CellSet; 4],
}

impl Gains {
    /// Adds a cell with the points of a stone on it.
    #[inline(always)]
    pub(super) fn add(&mut self, cell: Cell, points: u8) {
        for (place, set) in self.digits.iter_mut().enumerate() {
            let digit = u64::from(points) >> place & 1;
            *set = *set | CellSet::from_bits(digit << cell.index());
        }
    }

    /// The points of a stone on this cell.
    #[must_use]
    #[inline]
    pub fn at(&self, cell: Cell) -> u16 {
        let digits = self.digits.iter().enumerate();
        digits
            .map(|(place, set)| u16::from(set.contains(cell)) << place)
            .sum()
    }

    /// The points of the best stone on one of these cells; 0 if there are none.
    #[must_use]
    #[inline]
    pub fn most_in(&self, mut cells: CellSet) -> u16 {
        let mut most = 0;
        for (place, &set) in self.digits.iter().enumerate().rev() {
            let with = cells & set;
            if !with.is_empty() {
                cells = with;
                most |= 1 << place;
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::super::Board;
    use super::*;

    #[test]
    fn gains_are_the_points_of_one_more_stone() {
        for text in [
            "####\n####\n####\n####",
            "##..\n####\n.###",
            "#####\n#####\n#####\n#####",
            "##.##\n##.##\n.###.\n..#..",
            "##..##..##\n######..##\n..##..####\n..########\n##......##",
            &"########\n".repeat(8),
            &"#".repeat(64),
        ] {
            let board = Board::from_text(text).unwrap();
            for seed in 0..2000_u64 {
                let bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
                let stones = CellSet::from_bits(bits) & board.all();
                let covered = board.triples().iter().filter(|&&t| stones.is_superset(t));
                assert_eq!(usize::from(board.points(stones)), covered.count());
                let gains = board.gains(stones, board.all() - stones);
                let mut most = 0;
                for cell in board.all() - stones {
                    let gain = board.points(stones.with(cell)) - board.points(stones);
                    assert_eq!(gains.at(cell), gain);
                    most = most.max(gain);
                }
                assert_eq!(gains.most_in(board.all() - stones), most);
            }
        }
        assert_eq!(Gains::default().most_in(CellSet::EMPTY), 0);
    }
}
