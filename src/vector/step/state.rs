//! The state of a game in a batch, in several forms with the same meaning.

use std::sync::Arc;

use crate::encode::{VariantSet, action_of, move_of, num_actions, pass_action, write_mask};
use crate::game::{Position, Variant};
use crate::memory::OutOfMemory;
use crate::simd::Simd;
use crate::vector::buffers::Observations;

/// The state of a game as a batch steps it. Actions are numbered as its [`VariantSet`] has them.
pub(crate) trait GameState: Copy + Send + Sync {
    /// Tables that are computed once for a set of variants.
    type Rules: std::fmt::Debug + Send + Sync;

    /// Equal only for states whose observations and futures are equal.
    type Key: Copy + Eq + std::fmt::Debug + std::hash::Hash + Send + Sync;

    fn rules(variants: &Arc<VariantSet>) -> Result<Self::Rules, OutOfMemory>;

    /// The state of a position of the variant of this index.
    fn from_position(rules: &Self::Rules, variant: usize, position: &Position) -> Self;

    fn position(&self, rules: &Self::Rules) -> Position;

    /// The index of the variant of the game.
    fn variant(&self) -> usize;

    /// The game in the words of a [`crate::encode::State`], where this form can read them by itself.
    fn from_words(_: &Self::Rules, _: &[u64]) -> Option<Self> {
        None
    }

    /// The first state of a game of the variant of this index.
    fn start(rules: &Self::Rules, variant: usize) -> Self;

    /// 0 if Light is to move, 1 if Dark is.
    fn to_play(&self) -> usize;

    fn is_over(&self, rules: &Self::Rules) -> bool;

    /// Whether a pass is the only legal action.
    fn must_pass(&self, rules: &Self::Rules) -> bool;

    /// Whether the action is legal; the answer is arbitrary for an action that does not exist.
    fn is_legal(&self, rules: &Self::Rules, action: usize) -> bool;

    /// The state after an action, which must be legal.
    fn play(&self, rules: &Self::Rules, action: usize) -> Self;

    /// Plays an action, which must be legal, and returns whether the game goes on. A state that is
    /// `held` may do so for any action, and become any other state: it is about to be replaced.
    fn advance(&mut self, rules: &Self::Rules, action: usize, held: bool) -> bool;

    /// How many actions are legal.
    fn count_legal(&self, rules: &Self::Rules) -> usize;

    /// The legal action of this rank, in ascending order; it must exist.
    fn nth_legal(&self, rules: &Self::Rules, rank: usize) -> usize;

    /// Writes the numbers of the legal actions, given one for every action, one after the other, and
    /// returns how many there are. What follows them, up to eight more, may be overwritten.
    fn pick_legal<V: Simd>(
        &self,
        simd: V,
        rules: &Self::Rules,
        numbers: &[f32],
        out: &mut [f32],
    ) -> usize;

    /// How many cells are empty.
    fn count_empty(&self, rules: &Self::Rules) -> usize;

    /// The points of Light and Dark.
    fn score(&self, rules: &Self::Rules) -> [u16; 2];

    /// A key that differs for positions that look different to the side to move.
    fn key(&self) -> Self::Key;

    /// Writes the observations of states into the rows from `first` on.
    fn write_observations<'a, V: Simd>(
        simd: V,
        rules: &Self::Rules,
        states: impl Iterator<Item = &'a Self>,
        observations: &mut Observations<'_>,
        first: usize,
    ) where
        Self: 'a;

    /// Writes the legal actions of states, one row after the other; with `true` beside it, which
    /// says that the game is over, the pass.
    fn write_masks<'a, V: Simd>(
        simd: V,
        rules: &Self::Rules,
        states: impl Iterator<Item = (&'a Self, bool)>,
        masks: &mut [i8],
    ) where
        Self: 'a;
}

/// Any board: the position itself, of the first variant.
impl GameState for Position {
    type Rules = Arc<Variant>;

    type Key = Self;

    fn rules(variants: &Arc<VariantSet>) -> Result<Self::Rules, OutOfMemory> {
        Ok(variants.get(0).clone())
    }

    fn from_position(_: &Self::Rules, _: usize, position: &Position) -> Self {
        *position
    }

    fn position(&self, _: &Self::Rules) -> Position {
        *self
    }

    fn variant(&self) -> usize {
        0
    }

    fn start(variant: &Self::Rules, _: usize) -> Self {
        Position::new(variant)
    }

    fn to_play(&self) -> usize {
        self.side_to_move().index()
    }

    fn is_over(&self, variant: &Self::Rules) -> bool {
        Position::is_over(self, variant)
    }

    fn must_pass(&self, variant: &Self::Rules) -> bool {
        Position::must_pass(self, variant)
    }

    fn is_legal(&self, variant: &Self::Rules, action: usize) -> bool {
        move_of(variant, action).is_some_and(|mv| Position::is_legal(self, variant, mv))
    }

    fn play(&self, variant: &Self::Rules, action: usize) -> Self {
        let mv = move_of(variant, action).expect("the action has been checked");
        self.play_unchecked(variant, mv)
    }

    fn advance(&mut self, variant: &Self::Rules, action: usize, held: bool) -> bool {
        if held {
            return false;
        }
        *self = GameState::play(self, variant, action);
        !Position::is_over(self, variant)
    }

    fn count_legal(&self, variant: &Self::Rules) -> usize {
        self.count_legal_moves(variant)
    }

    fn nth_legal(&self, variant: &Self::Rules, rank: usize) -> usize {
        if self.allowed().is_empty() {
            return pass_action(variant);
        }
        let cells = self.allowed().len();
        let piece = self.placeable(variant).nth(rank / cells);
        let cell = self.allowed().into_iter().nth(rank % cells);
        let (piece, cell) = piece.zip(cell).expect("the rank is below the count");
        action_of(variant, crate::game::Move::Place { piece, cell })
    }

    fn pick_legal<V: Simd>(
        &self,
        _: V,
        variant: &Self::Rules,
        numbers: &[f32],
        out: &mut [f32],
    ) -> usize {
        let count = GameState::count_legal(self, variant);
        for (rank, number) in out[..count].iter_mut().enumerate() {
            *number = numbers[self.nth_legal(variant, rank)];
        }
        count
    }

    fn count_empty(&self, variant: &Self::Rules) -> usize {
        variant.board().num_cells() - self.occupied().len()
    }

    fn score(&self, variant: &Self::Rules) -> [u16; 2] {
        Position::score(self, variant)
    }

    fn key(&self) -> Self {
        *self
    }

    fn write_observations<'a, V: Simd>(
        _: V,
        variant: &Self::Rules,
        states: impl Iterator<Item = &'a Self>,
        observations: &mut Observations<'_>,
        first: usize,
    ) {
        for (row, state) in (first..).zip(states) {
            observations.write(variant, row, state);
        }
    }

    fn write_masks<'a, V: Simd>(
        _: V,
        variant: &Self::Rules,
        states: impl Iterator<Item = (&'a Self, bool)>,
        masks: &mut [i8],
    ) {
        for (mask, (state, over)) in masks.chunks_exact_mut(num_actions(variant)).zip(states) {
            if over {
                // A softmax over a row of zeros is not a number.
                mask.fill(0);
                mask[pass_action(variant)] = 1;
            } else {
                write_mask(variant, state, mask);
            }
        }
    }
}
