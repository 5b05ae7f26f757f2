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
    /// Takes the memory of the first `rows` games; that of the others stays.
    pub(crate) fn take(&mut self, variants: &VariantSet, rows: usize) -> Self {
        match self {
            Self::Float32(layout, all) => {
                let taken = take_first(all, rows * variants.observation_len(*layout));
                Self::Float32(*layout, taken)
            }
            Self::Uint8(layout, all) => {
                let taken = take_first(all, rows * variants.observation_len(*layout));
                Self::Uint8(*layout, taken)
            }
            Self::Packed(all) => Self::Packed(take_first(all, rows)),
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

    pub(crate) fn rows(&self, variants: &VariantSet) -> usize {
        match self {
            Self::Float32(layout, all) => all.len() / variants.observation_len(*layout),
            Self::Uint8(layout, all) => all.len() / variants.observation_len(*layout),
            Self::Packed(all) => all.len(),
        }
    }
}

/// Takes the first items of a slice; the others stay.
#[allow(clippy::mut_mut)] // the slice itself changes
pub(super) fn take_first<'a, T>(all: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    all.split_off_mut(..count)
        .expect("there are at least as many")
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
    fn take(&mut self, variants: &VariantSet, rows: usize) -> Self {
        Self {
            observations: self.observations.take(variants, rows),
            action_mask: take_first(&mut self.action_mask, rows * variants.num_actions()),
            to_play: take_first(&mut self.to_play, rows),
        }
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
    /// Takes the memory of the first `rows` games; that of the others stays.
    pub(crate) fn take(&mut self, variants: &VariantSet, rows: usize) -> Self {
        Self {
            view: self.view.take(variants, rows),
            rewards: take_first(&mut self.rewards, rows),
            terminations: take_first(&mut self.terminations, rows),
        }
    }

    pub(crate) fn assert_rows(&self, variants: &VariantSet, rows: usize) {
        self.view.assert_rows(variants, rows);
        assert_eq!(self.rewards.len(), rows);
        assert_eq!(self.terminations.len(), rows);
    }
}
