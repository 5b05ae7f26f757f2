//! The caller's memory that a batch writes into.

use crate::encode::{self, Layout, Numbering, VariantSet};
use crate::game::Position;

/// Memory for one observation of each game, in a layout and a number type.
#[derive(Debug)]
pub enum Observations<'a> {
    /// [`Layout::Planes`] or [`Layout::Flat`], one row after the other.
    Float32(Layout, &'a mut [f32]),
    /// The same with hands as counts.
    Uint8(Layout, &'a mut [u8]),
    /// [`Layout::Packed`].
    Packed(&'a mut [u64]),
}

impl Observations<'_> {
    /// The memory of the first `rows` games and that of the others.
    pub(crate) fn split_at(self, variants: &VariantSet, rows: usize) -> (Self, Self) {
        match self {
            Self::Float32(layout, all) => {
                let (head, tail) = all.split_at_mut(rows * variants.observation_len(layout));
                (Self::Float32(layout, head), Self::Float32(layout, tail))
            }
            Self::Uint8(layout, all) => {
                let (head, tail) = all.split_at_mut(rows * variants.observation_len(layout));
                (Self::Uint8(layout, head), Self::Uint8(layout, tail))
            }
            Self::Packed(all) => {
                let (head, tail) = all.split_at_mut(rows);
                (Self::Packed(head), Self::Packed(tail))
            }
        }
    }

    /// Writes the observation of one game.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn write(&mut self, numbering: Numbering<'_>, row: usize, position: &Position) {
        match self {
            Self::Float32(layout, all) => {
                let row = row_mut(all, row, numbering.observation_len(*layout));
                numbering.observe(position, *layout, row);
            }
            Self::Uint8(layout, all) => {
                let row = row_mut(all, row, numbering.observation_len(*layout));
                numbering.observe(position, *layout, row);
            }
            Self::Packed(all) => all[row] = encode::pack(numbering.variant(), position),
        }
    }

    /// Turns the observation of one game into that of the other player, see
    /// [`encode::exchange_sides`].
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn exchange_sides(&mut self, numbering: Numbering<'_>, row: usize) {
        match self {
            Self::Float32(layout, all) => {
                let row = row_mut(all, row, numbering.observation_len(*layout));
                numbering.exchange_sides(*layout, row);
            }
            Self::Uint8(layout, all) => {
                let row = row_mut(all, row, numbering.observation_len(*layout));
                numbering.exchange_sides(*layout, row);
            }
            Self::Packed(all) => all[row] = encode::exchange_packed(all[row]),
        }
    }

    /// The layout of every row.
    pub(crate) fn layout(&self) -> Layout {
        match self {
            Self::Float32(layout, _) | Self::Uint8(layout, _) => *layout,
            Self::Packed(_) => Layout::Packed,
        }
    }

    /// Cuts the memory into parts of so many rows; the last may have fewer.
    pub(crate) fn split(self, variants: &VariantSet, rows: usize) -> Vec<Self> {
        match self {
            Self::Float32(layout, all) => {
                let parts = all.chunks_mut(rows * variants.observation_len(layout));
                parts.map(|part| Self::Float32(layout, part)).collect()
            }
            Self::Uint8(layout, all) => {
                let parts = all.chunks_mut(rows * variants.observation_len(layout));
                parts.map(|part| Self::Uint8(layout, part)).collect()
            }
            Self::Packed(all) => all.chunks_mut(rows).map(Self::Packed).collect(),
        }
    }

    pub(crate) fn rows(&self, variants: &VariantSet) -> usize {
        match self {
            Self::Float32(layout, all) => all.len() / variants.observation_len(*layout),
            Self::Uint8(layout, all) => all.len() / variants.observation_len(*layout),
            Self::Packed(all) => all.len(),
        }
    }
}

fn row_mut<T>(all: &mut [T], row: usize, length: usize) -> &mut [T] {
    &mut all[row * length..][..length]
}

/// Memory for the observation, the mask and the player to move of every game.
#[derive(Debug)]
pub struct View<'a> {
    /// The observations, from the side to move.
    pub observations: Observations<'a>,
    /// 1 for every legal action, `num_actions` for each game; never a row of zeros.
    pub action_mask: &'a mut [i8],
    /// Who is to move, 0 for Light and 1 for Dark.
    pub to_play: &'a mut [i8],
}

impl View<'_> {
    pub(crate) fn split_at(self, variants: &VariantSet, rows: usize) -> (Self, Self) {
        let observations = self.observations.split_at(variants, rows);
        let masks = self.action_mask.split_at_mut(rows * variants.num_actions());
        let to_play = self.to_play.split_at_mut(rows);
        (
            Self {
                observations: observations.0,
                action_mask: masks.0,
                to_play: to_play.0,
            },
            Self {
                observations: observations.1,
                action_mask: masks.1,
                to_play: to_play.1,
            },
        )
    }

    pub(crate) fn assert_rows(&self, variants: &VariantSet, rows: usize) {
        assert_eq!(self.observations.rows(variants), rows);
        assert_eq!(self.action_mask.len(), rows * variants.num_actions());
        assert_eq!(self.to_play.len(), rows);
    }
}

/// Memory for everything that a step returns.
#[derive(Debug)]
pub struct Buffers<'a> {
    /// The observation, mask and player to move after the step.
    pub view: View<'a>,
    /// The reward of the step, for the player who acted.
    pub rewards: &'a mut [f32],
    /// Whether the step ended the game.
    pub terminations: &'a mut [bool],
}

impl Buffers<'_> {
    pub(crate) fn split_at(self, variants: &VariantSet, rows: usize) -> (Self, Self) {
        let view = self.view.split_at(variants, rows);
        let rewards = self.rewards.split_at_mut(rows);
        let terminations = self.terminations.split_at_mut(rows);
        (
            Self {
                view: view.0,
                rewards: rewards.0,
                terminations: terminations.0,
            },
            Self {
                view: view.1,
                rewards: rewards.1,
                terminations: terminations.1,
            },
        )
    }

    pub(crate) fn assert_rows(&self, variants: &VariantSet, rows: usize) {
        self.view.assert_rows(variants, rows);
        assert_eq!(self.rewards.len(), rows);
        assert_eq!(self.terminations.len(), rows);
    }
}
