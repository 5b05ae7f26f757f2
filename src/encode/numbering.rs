//! The numbers of a variant's actions and observations: over its own cells or over a canvas.

use std::fmt::Display;

use thiserror::Error;

use super::action::pass_over;
use super::observation::{exchange, number_in, write_flat, write_planes};
use super::{Canvas, Feature, Layout, PackError};
use crate::game::{Cell, Move, Piece, Position, Variant};

/// How the actions and observations of a variant are numbered: over its own cells or over a [`Canvas`].
#[derive(Clone, Copy, Debug)]
pub struct Numbering<'a> {
    variant: &'a Variant,
    canvas: Option<Canvas>,
}

/// A layout that observations do not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// On a canvas.
    #[error("observations on a canvas are \"planes\", not {:?}", .found.name())]
    OnCanvas {
        /// The layout.
        found: Layout,
    },
    /// In [`Layout::Packed`].
    #[error(transparent)]
    Packed(#[from] PackError),
}

impl<'a> Numbering<'a> {
    /// The numbers over a canvas, which the board fits (see [`Canvas::check`]), or else its own ones.
    #[must_use]
    pub fn new(variant: &'a Variant, canvas: Option<Canvas>) -> Self {
        Self { variant, canvas }
    }

    /// The numbers over the cells of the board.
    #[must_use]
    pub fn own(variant: &'a Variant) -> Self {
        Self::new(variant, None)
    }

    /// The variant.
    #[must_use]
    pub fn variant(self) -> &'a Variant {
        self.variant
    }

    /// The canvas, if there is one.
    #[must_use]
    pub fn canvas(self) -> Option<Canvas> {
        self.canvas
    }

    /// The cells that actions are numbered over: those of the canvas, or of the board.
    fn area(self) -> usize {
        match self.canvas {
            Some(canvas) => canvas.area(),
            None => self.variant.board().num_cells(),
        }
    }

    /// The number of a cell of the board among those.
    pub(crate) fn slot(self, cell: Cell) -> usize {
        match self.canvas {
            Some(canvas) => number_in(self.variant.board(), canvas.width(), cell),
            None => cell.index(),
        }
    }

    /// The cell of the board with this number, if there is one.
    fn cell(self, slot: usize) -> Option<Cell> {
        match self.canvas {
            Some(canvas) => {
                let (x, y) = (slot % canvas.width(), slot / canvas.width());
                self.variant.board().cell_at(x, y)
            }
            None => Some(Cell::new(slot)),
        }
    }

    /// The rectangle of each plane of an observation in [`Layout::Planes`].
    pub(crate) fn rectangle(self) -> Canvas {
        let of_board = || Canvas::of(self.variant.board());
        self.canvas.unwrap_or_else(of_board)
    }

    /// The number of actions.
    #[must_use]
    pub fn num_actions(self) -> usize {
        self.pass_action() + 1
    }

    /// The index of the pass, the last action.
    #[must_use]
    pub fn pass_action(self) -> usize {
        pass_over(self.area())
    }

    /// The action of a move.
    #[must_use]
    pub fn action_of(self, mv: Move) -> usize {
        match mv {
            Move::Pass => self.pass_action(),
            Move::Place { piece, cell } => piece.index() * self.area() + self.slot(cell),
        }
    }

    /// The move of an action; none when the action does not exist on the board.
    #[must_use]
    pub fn move_of(self, action: usize) -> Option<Move> {
        match Piece::ALL.get(action / self.area()) {
            Some(&piece) => {
                let cell = self.cell(action % self.area())?;
                Some(Move::Place { piece, cell })
            }
            None => (action == self.pass_action()).then_some(Move::Pass),
        }
    }

    /// The text of an error about a number that no action has.
    pub(crate) fn no_action(self, number: impl Display) -> String {
        let pass = self.pass_action();
        format!("action {number} does not exist, actions are 0 to {pass} (pass)")
    }

    /// Writes 1 for every legal action of a position, and 0 for the others; all 0 when the game is over.
    ///
    /// # Panics
    ///
    /// If `mask` does not have [`Numbering::num_actions`] entries.
    pub fn write_mask(self, position: &Position, mask: &mut [i8]) {
        let (area, pass) = (self.area(), self.pass_action());
        assert_eq!(mask.len(), pass + 1);
        mask.fill(0);
        if position.is_over(self.variant) {
            return;
        }
        mask[pass] = i8::from(position.must_pass(self.variant));
        for piece in position.placeable(self.variant) {
            let row = &mut mask[piece.index() * area..][..area];
            for cell in position.allowed() {
                row[self.slot(cell)] = 1;
            }
        }
    }

    /// Fails when positions cannot be laid out like this.
    ///
    /// # Errors
    ///
    /// On a canvas, for any layout but [`Layout::Planes`]. Without one, for [`Layout::Packed`] as
    /// [`PackError::check`].
    pub fn check(self, layout: Layout) -> Result<(), LayoutError> {
        match (self.canvas, layout) {
            (_, Layout::Planes) | (None, Layout::Flat) => Ok(()),
            (None, Layout::Packed) => Ok(PackError::check(self.variant)?),
            (Some(_), found) => Err(LayoutError::OnCanvas { found }),
        }
    }

    /// The shape of one observation; empty for the single number of [`Layout::Packed`].
    #[must_use]
    pub fn observation_shape(self, layout: Layout) -> Vec<usize> {
        match layout {
            Layout::Planes => self.rectangle().observation_shape().to_vec(),
            Layout::Flat => vec![Layout::flat_len(self.area())],
            Layout::Packed => vec![],
        }
    }

    /// The numbers in one observation.
    #[must_use]
    pub fn observation_len(self, layout: Layout) -> usize {
        match layout {
            Layout::Planes => self.rectangle().observation_len(),
            Layout::Flat => Layout::flat_len(self.area()),
            Layout::Packed => 1,
        }
    }

    /// Writes the observation of a position.
    ///
    /// # Panics
    ///
    /// As [`super::observe`], and on a canvas for any layout but [`Layout::Planes`].
    pub fn observe<T: Feature>(self, position: &Position, layout: Layout, out: &mut [T]) {
        assert!(self.canvas.is_none() || layout == Layout::Planes);
        assert_eq!(out.len(), self.observation_len(layout));
        match layout {
            Layout::Planes => write_planes(self.variant, position, self.rectangle(), out),
            Layout::Flat => write_flat(self.variant, position, out),
            Layout::Packed => panic!("a packed observation is one u64"),
        }
    }

    /// Turns an observation into that of the other player, as [`super::exchange_sides`] does.
    ///
    /// # Panics
    ///
    /// As [`super::exchange_sides`].
    pub fn exchange_sides<T: Feature>(self, layout: Layout, row: &mut [T]) {
        assert_eq!(row.len(), self.observation_len(layout));
        match layout {
            Layout::Planes => {
                let area = self.rectangle().area();
                exchange(area, Piece::ALL.len() * area, row);
            }
            Layout::Flat => exchange(self.area(), Piece::ALL.len(), row),
            Layout::Packed => panic!("a packed observation is one u64"),
        }
    }
}
