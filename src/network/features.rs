//! Tactical features of one move, as small integers.
//!
//! `python/mijnlieff/train/network/geometry.py` makes the same features for the trainer.

use crate::encode::Layout;
use crate::game::{Cell, CellSet, Piece, Variant};
use crate::network::Network;
use crate::simd::WORDS;

/// Features of each cell; the last place is unused.
pub(super) const LISTS: usize = 15;
/// Numbers of a whole position: the pieces in both hands, then the allowed cells and the margin so far.
pub(super) const GLOBALS: usize = MARGIN + 1;
const ALLOWED: usize = Layout::NUM_HANDS;
const MARGIN: usize = ALLOWED + 1;

/// A feature of one cell, or the sum of a list's, in each place of a list.
pub(super) type Lists = [i16; WORDS];

/// Where a cell's features start in [`Lists`]: the lines by stones on them, and for each piece how
/// many cells it would leave the opponent, and whether that is none.
const LINES: usize = Layout::FLAT_SETS;
const CHOICES: usize = LINES + 4;
const NONE: usize = CHOICES + Piece::ALL.len();

/// By the own and the opponent's stones on a line of three, where it is counted for its empty cells, and as how
/// much.
const OF_LINES: [[(usize, i16); 4]; 4] = {
    let mut found = [[(LINES, 0); 4]; 4];
    found[2][0] = (LINES, 1);
    found[1][0] = (LINES + 1, 1);
    found[0][2] = (LINES + 2, 1);
    found[0][1] = (LINES + 3, 1);
    found
};

/// Extends flat observations.
///
/// Added per cell: the lines of three through it on which only the own side has two stones, those
/// on which only the own side has one, and the same for the opponent (all 0 where a stone lies).
/// Added per placement: the share of the board's cells that it would leave the opponent to choose
/// from, and whether that is none. Two numbers follow for the whole position: the share of allowed
/// cells, and the margin so far for the side to move. Here, hands and shares are whole numbers of
/// pieces and cells.
#[derive(Debug)]
pub(super) struct TacticalFeatures {
    num_cells: usize,
    copies: f32,
    lines: Vec<(CellSet, [u8; 3])>,
    /// By cell and piece, what a placement points to.
    reach: Vec<[CellSet; Piece::ALL.len()]>,
}

impl TacticalFeatures {
    pub(super) fn new(variant: &Variant) -> Self {
        let board = variant.board();
        let cells = board.num_cells();
        let reach = (0..cells)
            .map(|cell| Piece::ALL.map(|piece| board.reach(piece, Cell::new(cell))))
            .collect();
        Self {
            num_cells: cells,
            copies: f32::from(variant.copies()),
            lines: board
                .triples()
                .iter()
                .map(|&line| (line, on_line(line)))
                .collect(),
            reach,
        }
    }

    /// How many numbers there are in an extended observation of so many cells.
    pub(super) fn size(cells: usize) -> usize {
        LISTS * cells + GLOBALS
    }

    /// How often a feature's number in an extended observation goes into the number here.
    pub(super) fn unit(variant: &Variant, list: usize) -> f64 {
        if (CHOICES..NONE).contains(&list) {
            variant.board().num_cells() as f64
        } else {
            1.0
        }
    }

    /// Upper bounds of the numbers of a whole position, and how often each goes into the number here.
    pub(super) fn globals(variant: &Variant) -> [(f64, f64); GLOBALS] {
        let (copies, cells) = (
            f64::from(variant.copies()),
            variant.board().num_cells() as f64,
        );
        let mut found = [(copies, copies); GLOBALS];
        found[ALLOWED] = (cells, cells);
        // Each line is one point.
        let points = variant.board().triples().len() as f64;
        found[MARGIN] = (points, f64::from(Network::MARGIN_UNIT));
        found
    }

    /// An upper bound of all features of cells.
    pub(super) fn bound(variant: &Variant) -> f64 {
        // A cell is on three lines in each of four directions at most.
        variant.board().num_cells().max(12) as f64
    }

    /// How many cells the board has.
    pub(super) fn num_cells(&self) -> usize {
        self.num_cells
    }

    /// The features of each cell, and the numbers of the whole position, then zeros.
    #[inline(always)]
    pub(super) fn write(&self, observation: &[f32], cells: &mut [Lists], globals: &mut Lists) {
        let n = self.num_cells;
        *globals = [0; WORDS];
        for (hand, &share) in globals
            .iter_mut()
            .zip(&observation[Layout::FLAT_SETS * n..])
        {
            *hand = i16::from((share * self.copies + 0.5) as u8);
        }
        let set = |plane: usize| {
            let numbers = observation[plane * n..][..n].iter().rev();
            CellSet::from_bits(numbers.fold(0, |bits, &x| bits << 1 | u64::from(x > 0.0)))
        };
        let [own, opposing, allowed] = [set(0), set(1), set(2)];
        globals[ALLOWED] = allowed.len() as i16;
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
        let empty = empty.bits();
        for &(line, on_line) in &self.lines {
            let (own, opposing) = ((own & line).len(), (opposing & line).len());
            globals[MARGIN] += i16::from(own == 3) - i16::from(opposing == 3);
            // No branches, which would be guessed wrong too often.
            let (list, counts) = OF_LINES[own & 3][opposing & 3];
            for cell in on_line {
                cells[usize::from(cell)][list] += counts & (empty >> cell) as i16;
            }
        }
    }
}

/// The three cells of a line.
fn on_line(line: CellSet) -> [u8; 3] {
    let mut cells = line.into_iter();
    std::array::from_fn(|_| cells.next().expect("three cells").index() as u8)
}
