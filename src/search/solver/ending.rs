//! Endings on boards of any size, searched as positions of a small board.
//!
//! The rest of a game depends only on the empty cells: where pieces may go, and which triples each
//! player can still complete. So an ending with few empty cells is a position of a small board with
//! these cells and two more, one for all stones of Light and one for all stones of Dark. A triple
//! with stones of one player includes that player's cell. Triples with stones of both players are
//! left out. Complete triples are left out too, and their points are added to the margin.

use super::moves::History;
use super::search::SolverSearch;
use super::tables::Tables;
use crate::game::{Cell, CellSet, Piece, Player, Position, Variant};
use crate::memory::OutOfMemory;
use crate::search::{Halt, Limits};
use crate::small_board::{Geometry, Reach, SmallState, TWO_BIT_HAND, key_bits};

/// An ending, and all positions that it can lead to.
pub(super) struct Ending {
    /// The stones that its two further cells stand for.
    stones: [CellSet; 2],
    /// The points of these stones.
    points: [i32; 2],
    /// The cells that are empty.
    cells: Vec<Cell>,
    geometry: Geometry,
    tables: Tables,
    is_two_bit: bool,
    history: History,
}

impl Ending {
    /// The most empty cells.
    pub(super) const MAX_EMPTY: usize = 14;

    /// The ending of a position with at most [`Ending::MAX_EMPTY`] empty cells.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    pub(super) fn new(
        variant: &Variant,
        position: &Position,
        table_bytes: usize,
    ) -> Result<Self, OutOfMemory> {
        let board = variant.board();
        let stones = [Player::Light, Player::Dark].map(|player| position.stones(player));
        let empty = board.all() - position.occupied();
        let cells: Vec<Cell> = empty.into_iter().collect();
        assert!(cells.len() <= Self::MAX_EMPTY);
        let small = |set| gather(&cells, set);
        let mut reach: Reach = [0; 64];
        for piece in Piece::ALL {
            for (index, &cell) in cells.iter().enumerate() {
                reach[piece.index() * 16 + index] = small(board.reach(piece, cell) & empty);
            }
        }
        let triples: Vec<u16> = board
            .triples()
            .iter()
            .filter(|&&triple| !(triple & empty).is_empty())
            .filter(|&&triple| stones.iter().any(|&set| (triple & set).is_empty()))
            .map(|&triple| {
                let held = [0, 1].map(|side| !(triple & stones[side]).is_empty());
                small(triple & empty) | further_cells(cells.len(), held)
            })
            .collect();
        let all = small(empty) | further_cells(cells.len(), [true, true]);
        let is_two_bit = fits_two_bits(position);
        // A slot for one in sixteen ways to color the cells and mark some as allowed.
        let useful = 8_usize << (2 * cells.len()) >> 4;
        Ok(Self {
            stones,
            points: stones.map(|set| i32::from(board.points(set))),
            geometry: Geometry::without_symmetry(all, reach, &triples)?,
            cells,
            tables: Tables::new(table_bytes.min(useful), key_bits(is_two_bit))?,
            is_two_bit,
            history: History::NONE,
        })
    }

    /// Whether a position is this ending, one that it may lead to, or one that differs from those
    /// in hands that its tables hold.
    pub(super) fn leads_to(&self, position: &Position) -> bool {
        let holds = |player: Player| {
            position
                .stones(player)
                .is_superset(self.stones[player.index()])
        };
        let cells: CellSet = self.cells.iter().copied().collect();
        let stones = self.stones[0] | self.stones[1];
        holds(Player::Light)
            && holds(Player::Dark)
            && (cells | stones).is_superset(position.occupied())
            // The same cells may have been filled from other hands.
            && (!self.is_two_bit || fits_two_bits(position))
    }

    /// As `SolverSearch::bound`, for a position that it leads to and that is not over, and the
    /// number of positions searched.
    pub(super) fn bound(
        &mut self,
        position: &Position,
        beta: i32,
        limits: Limits<'_>,
    ) -> (Result<i32, Halt>, u64) {
        if self.is_two_bit {
            self.bound_by::<2>(position, beta, limits)
        } else {
            self.bound_by::<4>(position, beta, limits)
        }
    }

    fn bound_by<const W: u32>(
        &mut self,
        position: &Position,
        beta: i32,
        limits: Limits<'_>,
    ) -> (Result<i32, Halt>, u64) {
        let side = position.side_to_move();
        let [own, opp] = [side, side.opponent()].map(Player::index);
        let base = self.points[own] - self.points[opp];
        let state = self.state::<W>(position);
        let mut search = SolverSearch::new(&self.geometry, &self.tables, self.history, limits);
        let value = search
            .check()
            .and_then(|()| search.bound(state, beta - base));
        let nodes = search.nodes();
        self.history = *search.history();
        (value.map(|value| value + base), nodes)
    }

    fn state<const W: u32>(&self, position: &Position) -> SmallState<W> {
        let side = position.side_to_move();
        let set = |player: Player| {
            let mut held = [false; 2];
            held[player.index()] = true;
            gather(&self.cells, position.stones(player)) | further_cells(self.cells.len(), held)
        };
        SmallState {
            own: set(side),
            opp: set(side.opponent()),
            allowed: gather(&self.cells, position.allowed()),
            hands: SmallState::<W>::pack_hands(position),
        }
    }
}

/// Whether no count of pieces in a hand needs more than two bits.
fn fits_two_bits(position: &Position) -> bool {
    let fits = |player| {
        let counts = position.hand(player).counts();
        counts.into_iter().all(|count| count <= TWO_BIT_HAND)
    };
    fits(Player::Light) && fits(Player::Dark)
}

/// The members of a set among a few cells, one bit for each cell.
fn gather(cells: &[Cell], set: CellSet) -> u16 {
    let bits = cells.iter().enumerate();
    bits.map(|(index, &cell)| u16::from(set.contains(cell)) << index)
        .sum()
}

/// The cells after the first `count`, one for the stones of each player.
fn further_cells(count: usize, held: [bool; 2]) -> u16 {
    (u16::from(held[0]) | u16::from(held[1]) << 1) << count
}
