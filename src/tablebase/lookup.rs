//! Margins from the rows of a table.

use std::slice;

use super::layout::{State, best};
use super::{Damaged, Tablebase};
use crate::game::{Move, Piece, Position, Variant};
use crate::simd::fetch;

/// Positions whose rows are asked for before the first of them is read.
const AHEAD: usize = 16;

/// Where a margin is found.
#[derive(Clone, Copy, Debug)]
enum Probe {
    /// It is known from the stones.
    Known(i8),
    Row {
        stones: u8,
        /// Whether the row is the opponent's.
        is_theirs: bool,
        /// The values to choose from.
        places: u16,
        start: usize,
    },
}

impl Probe {
    fn negated(self) -> Self {
        match self {
            Self::Known(margin) => Self::Known(-margin),
            Self::Row {
                stones,
                is_theirs,
                places,
                start,
            } => Self::Row {
                stones,
                is_theirs: !is_theirs,
                places,
                start,
            },
        }
    }
}

impl Tablebase {
    /// The margin of a position, for the side to move.
    ///
    /// # Errors
    ///
    /// When a part of the table is damaged.
    ///
    /// # Panics
    ///
    /// If the table does not serve the variant.
    pub fn margin(&self, variant: &Variant, position: &Position) -> Result<i32, Damaged> {
        let mut margin = 0;
        self.margins(
            variant,
            slice::from_ref(position),
            slice::from_mut(&mut margin),
        )?;
        Ok(margin)
    }

    /// Writes the margins of many positions, for the side to move of each.
    ///
    /// # Errors
    ///
    /// When a part of the table is damaged.
    ///
    /// # Panics
    ///
    /// If the table does not serve the variant, or there are fewer places than positions.
    pub fn margins(
        &self,
        variant: &Variant,
        positions: &[Position],
        margins: &mut [i32],
    ) -> Result<(), Damaged> {
        assert!(self.serves(variant), "a table of another game");
        assert!(margins.len() >= positions.len());
        let mut probes = Vec::with_capacity(AHEAD);
        let groups = positions.chunks(AHEAD).zip(margins.chunks_mut(AHEAD));
        for (positions, margins) in groups {
            for position in positions {
                probes.push(self.probe(variant, position)?);
            }
            for (probe, margin) in probes.drain(..).zip(margins) {
                *margin = self.read(probe)?;
            }
        }
        Ok(())
    }

    /// Tells the margin and the margins of all legal moves, for the side to move, of each position.
    ///
    /// The moves are in the order of [`Position::legal_moves`].
    ///
    /// # Errors
    ///
    /// When a part of the table is damaged.
    ///
    /// # Panics
    ///
    /// If the table does not serve the variant.
    pub fn solve_each(
        &self,
        variant: &Variant,
        positions: &[Position],
        mut put: impl FnMut(i32, &[(Move, i32)]),
    ) -> Result<(), Damaged> {
        assert!(self.serves(variant), "a table of another game");
        let (mut probes, mut margins) = (Vec::new(), Vec::new());
        let mut ends = Vec::with_capacity(AHEAD);
        for positions in positions.chunks(AHEAD) {
            for position in positions {
                self.probe_moves(variant, position, &mut probes);
                ends.push(probes.len());
            }
            let mut next = probes.drain(..);
            let mut before = 0;
            for (position, end) in positions.iter().zip(ends.drain(..)) {
                margins.clear();
                for (mv, probe) in next.by_ref().take(end - before) {
                    margins.push((mv, self.read(probe)?));
                }
                before = end;
                let margin = margins.iter().map(|&(_, margin)| margin).max();
                let margin = margin.unwrap_or_else(|| points_of(variant, position));
                put(margin, &margins);
            }
        }
        Ok(())
    }

    #[inline]
    fn read(&self, probe: Probe) -> Result<i32, Damaged> {
        match probe {
            Probe::Known(margin) => Ok(margin.into()),
            Probe::Row {
                stones,
                is_theirs,
                places,
                start,
            } => {
                let margin = i32::from(best(self.row(stones.into(), start)?, places));
                Ok(if is_theirs { -margin } else { margin })
            }
        }
    }

    /// Where the margin of a position is found.
    fn probe(&self, variant: &Variant, position: &Position) -> Result<Probe, Damaged> {
        if position.is_over(variant) {
            return Ok(Probe::Known(points_of(variant, position) as i8));
        }
        if position.ply() == 0 && !variant.opening().admits(Piece::Diagonal) {
            // The rows do not know that only a Straight may open.
            let mut moves = Vec::new();
            self.probe_moves(variant, position, &mut moves);
            let margins = moves.into_iter().map(|(_, probe)| self.read(probe));
            let margins = margins.collect::<Result<Vec<_>, _>>()?;
            let best = margins.into_iter().max().expect("a first move");
            return Ok(Probe::Known(best as i8));
        }
        Ok(self.probe_state(State::new(position)))
    }

    /// Where the margin after each legal move is found, for the player who makes it.
    fn probe_moves(&self, variant: &Variant, position: &Position, probes: &mut Vec<(Move, Probe)>) {
        if position.is_over(variant) {
            return;
        }
        let state = State::new(position);
        if state.allowed == 0 {
            probes.push((Move::Pass, self.probe_state(state)));
            return;
        }
        for piece in position.placeable(variant) {
            for cell in position.allowed() {
                let probe = self.probe_move(state, piece.index(), cell.index());
                probes.push((Move::Place { piece, cell }, probe));
            }
        }
    }

    fn probe_move(&self, state: State, piece: usize, cell: usize) -> Probe {
        let geometry = &self.layout.geometry;
        let own = state.own | 1 << cell;
        if state.opp_hand() == 0 {
            return Probe::Known((geometry.points(own) - geometry.points(state.opp)) as i8);
        }
        let allowed = geometry.reach[piece * 16 + cell] & geometry.all & !(own | state.opp);
        let after = state.turned(own, allowed, state.hands_without(piece));
        self.probe_state(after).negated()
    }

    /// Where the margin of a position that is not over is found; its rows are asked for.
    fn probe_state(&self, state: State) -> Probe {
        let geometry = &self.layout.geometry;
        let State {
            own, opp, allowed, ..
        } = state;
        let empty = geometry.all & !(own | opp);
        if state.opp_hand() == 0 || empty == 0 {
            // The last turn, which may be a pass.
            let gain = geometry.best_gain(own, allowed);
            let margin = geometry.points(own) + gain - geometry.points(opp);
            return Probe::Known(margin as i8);
        }
        if allowed == 0 {
            return self
                .row_of(opp, own, state.opp_hand(), state.own_hand(), empty)
                .negated();
        }
        self.row_of(own, opp, state.own_hand(), state.opp_hand(), allowed)
    }

    fn row_of(&self, own: u16, opp: u16, own_hand: u32, opp_hand: u32, cells: u16) -> Probe {
        let block = self.layout.block(own, opp);
        let start = self.layout.row(&block, own_hand, opp_hand);
        fetch(&self.map[self.levels[block.stones].start + start]);
        Probe::Row {
            stones: block.stones as u8,
            is_theirs: false,
            places: self.layout.places(&block, cells),
            start,
        }
    }
}

/// The points of the side to move less those of the opponent.
fn points_of(variant: &Variant, position: &Position) -> i32 {
    position.margin_of(variant, position.side_to_move())
}
