//! The numbers of a variant's actions and observations: over its own cells or over a canvas.

use std::fmt::Display;

use thiserror::Error;

use super::{Canvas, Feature, Layout, PackError};
use crate::game::{Move, Position, Variant};

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

    /// The number of actions.
    #[must_use]
    pub fn num_actions(self) -> usize {
        self.pass_action() + 1
    }

    /// The index of the pass, the last action.
    #[must_use]
    pub fn pass_action(self) -> usize {
        match self.canvas {
            Some(canvas) => canvas.pass_action(),
            None => super::pass_action(self.variant),
        }
    }

    /// The action of a move.
    #[must_use]
    pub fn action_of(self, mv: Move) -> usize {
        match self.canvas {
            Some(canvas) => canvas.action_of(self.variant, mv),
            None => super::action_of(self.variant, mv),
        }
    }

    /// The move of an action; none when the action does not exist on the board.
    #[must_use]
    pub fn move_of(self, action: usize) -> Option<Move> {
        match self.canvas {
            Some(canvas) => canvas.move_of(self.variant, action),
            None => super::move_of(self.variant, action),
        }
    }

    /// The text of an error about a number that no action has.
    pub(crate) fn no_action(self, number: impl Display) -> String {
        let pass = self.pass_action();
        format!("action {number} does not exist, actions are 0 to {pass} (pass)")
    }

    /// Fails when positions cannot be laid out like this.
    ///
    /// # Errors
    ///
    /// On a canvas, for any layout but [`Layout::Planes`]. Without one see [`Layout::check`].
    pub fn check(self, layout: Layout) -> Result<(), LayoutError> {
        match self.canvas {
            Some(_) if layout != Layout::Planes => Err(LayoutError::OnCanvas { found: layout }),
            Some(_) => Ok(()),
            None => Ok(layout.check(self.variant)?),
        }
    }

    /// The shape of one observation.
    #[must_use]
    pub fn observation_shape(self, layout: Layout) -> Vec<usize> {
        match self.canvas {
            Some(canvas) => canvas.observation_shape().to_vec(),
            None => layout.shape(self.variant),
        }
    }

    /// The numbers in one observation.
    #[must_use]
    pub fn observation_len(self, layout: Layout) -> usize {
        match self.canvas {
            Some(canvas) => canvas.observation_len(),
            None => layout.len(self.variant),
        }
    }

    /// Writes the observation of a position.
    ///
    /// # Panics
    ///
    /// As [`super::observe`].
    pub fn observe<T: Feature>(self, position: &Position, layout: Layout, out: &mut [T]) {
        match self.canvas {
            Some(canvas) => canvas.observe(self.variant, position, out),
            None => super::observe(self.variant, position, layout, out),
        }
    }

    /// Turns an observation into that of the other player, as [`super::exchange_sides`] does.
    ///
    /// # Panics
    ///
    /// As [`super::exchange_sides`].
    pub fn exchange_sides<T: Feature>(self, layout: Layout, row: &mut [T]) {
        match self.canvas {
            Some(canvas) => canvas.exchange_sides(row),
            None => super::exchange_sides(self.variant, layout, row),
        }
    }

    /// Writes 1 for every legal action of a position, and 0 for the others; all 0 when the game is over.
    ///
    /// # Panics
    ///
    /// If `mask` does not have [`Numbering::num_actions`] entries.
    pub fn write_mask(self, position: &Position, mask: &mut [i8]) {
        match self.canvas {
            Some(canvas) => canvas.write_mask(self.variant, position, mask),
            None => super::write_mask(self.variant, position, mask),
        }
    }
}
