//! A game on any board of up to 64 cells, which knows its variant.

use std::sync::Arc;

use super::lookup::{NTH_BIT, divide, nth_bit};
use super::state::GameState;
use super::wide_tables::{Effect, WideTables, held};
use crate::encode::words::{LAST_CELL, LAST_NONE, LAST_PASS, encode};
use crate::encode::{VariantSet, cell_sets, hand_counts};
use crate::game::{Cell, CellSet, Hand, Move, Player, Position, Variant};
use crate::memory::OutOfMemory;
use crate::simd::{Simd, Vector};
use crate::vector::buffers::Observations;

/// A game of any variant of a set, from the side to move.
///
/// The allowed cells are empty once the game is over. So an empty set means that a pass is the only
/// action to show, whether it is forced or the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WideGame {
    /// The stones of odd type index. Apart from `high`, as the compiler would else put both together
    /// into a vector, which takes longer than the two operations.
    low: u64,
    pub(super) own: u64,
    pub(super) opposing: u64,
    pub(super) allowed: u64,
    /// The pieces of each type in the own hand, a byte each from the lowest, then in the opposing one.
    pub(super) hands: u64,
    /// The stones of type index 2 and 3.
    high: u64,
    variant: u16,
    ply: u8,
    /// The cell of the last turn, or one of the numbers below.
    last: u8,
    /// The types that may be placed, one bit each.
    pub(super) placeable: u8,
    over: bool,
}

/// The last turns that are not cells.
const LAST_PASSED: u8 = Effect::PASSED;
const LAST_START: u8 = LAST_PASSED + 1;

/// What the side to move sees, and the variant: the stones, the allowed cells and the hands.
pub(crate) type WideKey = ([u64; 4], u16);

impl WideGame {
    pub(super) fn of(index: usize, variant: &Variant, position: &Position) -> Self {
        let over = position.is_over(variant);
        let [own, opposing, allowed] = cell_sets(position, over).map(CellSet::bits);
        let [low, high] = position.types().map(CellSet::bits);
        let placeable = position.placeable(variant);
        Self {
            own,
            opposing,
            allowed,
            hands: u64::from_le_bytes(hand_counts(position)),
            low,
            high,
            variant: index as u16,
            ply: position.ply() as u8,
            last: match position.last_move() {
                None => LAST_START,
                Some(Move::Pass) => LAST_PASSED,
                Some(Move::Place { cell, .. }) => cell.index() as u8,
            },
            placeable: placeable.fold(0, |types, piece| types | 1 << piece.index()),
            over,
        }
    }

    /// The state after a legal action; for any other number, an arbitrary state.
    #[inline(always)]
    fn after(self, tables: &WideTables, action: usize) -> Self {
        let effect = tables.effect(self.variant(), action);
        let own = self.own | effect.stone;
        // The sides change their places.
        let hands = self.hands.wrapping_sub(effect.piece).rotate_left(32);
        let allowed = effect.reach & !(own | self.opposing);
        // The opening rule does not matter any more: there is a stone now, or its player has passed.
        let placeable = held(hands as u32);
        let second_pass = allowed | effect.stone == 0; // a pass that leaves no cell either
        // No branch, as ends are hard to predict.
        let over = u64::from(placeable == 0) | u64::from(second_pass);
        let of_type = |bit: u8| effect.stone & u64::from(effect.kind >> bit & 1).wrapping_neg();
        Self {
            own: self.opposing,
            opposing: own,
            allowed: allowed & over.wrapping_sub(1),
            hands,
            low: self.low | of_type(0),
            high: self.high | of_type(1),
            variant: self.variant,
            ply: self.ply.wrapping_add(1),
            last: effect.last,
            placeable,
            over: over != 0,
        }
    }
}

impl GameState for WideGame {
    const IS_MIXABLE: bool = true;

    type Rules = WideTables;

    type Key = WideKey;

    fn rules(variants: &Arc<VariantSet>) -> Result<WideTables, OutOfMemory> {
        WideTables::new(variants)
    }

    fn from_position(tables: &WideTables, variant: usize, position: &Position) -> Self {
        Self::of(variant, tables.variants.get(variant), position)
    }

    fn position(&self, tables: &WideTables) -> Position {
        let variant = tables.variants.get(self.variant());
        let hand = |bits: u64| Hand::from_counts((bits as u32).to_le_bytes());
        let mut stones = [self.own, self.opposing].map(CellSet::from_bits);
        let mut hands = [hand(self.hands), hand(self.hands >> 32)];
        if self.to_play() == Player::Dark.index() {
            stones.reverse();
            hands.reverse();
        }
        let types = [self.low, self.high].map(CellSet::from_bits);
        let last = match self.last {
            LAST_START => None,
            LAST_PASSED => Some(Move::Pass),
            cell => Some(Move::placed(types, Cell::new(usize::from(cell)))),
        };
        Position::from_words(variant, stones, types, hands, self.ply, last)
    }

    #[inline(always)]
    fn write_words(&self, illegal: bool, words: &mut [u64]) {
        let mut sets = [self.own, self.opposing, self.low, self.high];
        if self.to_play() == Player::Dark.index() {
            sets.swap(0, 1);
        }
        let last = match self.last {
            LAST_START => LAST_NONE,
            LAST_PASSED => LAST_PASS,
            cell => LAST_CELL + u64::from(cell),
        };
        encode(sets, u64::from(self.ply), last, illegal, words);
    }

    #[inline(always)]
    fn variant(&self) -> usize {
        usize::from(self.variant)
    }

    #[inline(always)]
    fn start(tables: &WideTables, variant: usize) -> Self {
        let opening = tables.opening(variant);
        Self {
            own: 0,
            opposing: 0,
            allowed: opening.cells,
            hands: u64::from_le_bytes([opening.copies; 8]),
            low: 0,
            high: 0,
            variant: variant as u16,
            ply: 0,
            last: LAST_START,
            placeable: opening.types,
            over: false,
        }
    }

    #[inline(always)]
    fn to_play(&self) -> usize {
        usize::from(self.ply & 1)
    }

    #[inline(always)]
    fn is_over(&self, _: &WideTables) -> bool {
        self.over
    }

    #[inline(always)]
    fn must_pass(&self, _: &WideTables) -> bool {
        self.allowed == 0 && !self.over
    }

    #[inline(always)]
    fn is_legal(&self, tables: &WideTables, action: usize) -> bool {
        // Branch-free, because it is hard to predict which actions are passes.
        let effect = tables.effect(self.variant(), action);
        let cell = u64::from(self.allowed & effect.stone != 0);
        let placement = cell & u64::from(self.placeable >> effect.kind);
        // The pass is alone legal if no cell is allowed, unless the game is over.
        let closed = self.allowed | u64::from(self.over);
        let passes = u64::from(effect.kind == Effect::PASS) & u64::from(closed == 0);
        placement & 1 | passes != 0
    }

    #[inline(always)]
    fn play(&self, tables: &WideTables, action: usize) -> Self {
        debug_assert!(self.is_legal(tables, action));
        self.after(tables, action)
    }

    #[inline(always)]
    fn advance(&mut self, tables: &WideTables, action: usize, held: bool) -> bool {
        // A game that is held also plays some action, which is discarded: a branch would take longer.
        debug_assert!(held || self.is_legal(tables, action));
        *self = self.after(tables, action);
        !self.over
    }

    #[inline(always)]
    fn count_legal(&self, _: &WideTables) -> usize {
        let placements = self.placeable.count_ones() * self.allowed.count_ones();
        placements.max(u32::from(!self.over)) as usize
    }

    #[inline(always)]
    fn nth_legal(&self, tables: &WideTables, rank: usize) -> usize {
        if self.allowed == 0 {
            return tables.pass;
        }
        let (piece, rank) = divide(rank, self.allowed.count_ones() as usize);
        let piece = NTH_BIT[usize::from(self.placeable)][piece & 7];
        let cell = nth_bit(self.allowed, rank);
        tables.placement(self.variant(), usize::from(piece), cell)
    }

    #[inline(always)]
    fn pick_legal<V: Simd>(
        &self,
        simd: V,
        tables: &WideTables,
        numbers: &[f32],
        out: &mut [f32],
    ) -> usize {
        if self.allowed == 0 {
            out[0] = numbers[tables.pass];
            return 1;
        }
        let slots = &tables.actions;
        let mut count = 0;
        for (piece, numbers) in numbers.chunks_exact(slots.area).enumerate() {
            if self.placeable >> piece & 1 == 0 {
                continue;
            }
            let mut written = 0;
            for (word, &start) in slots.starts.iter().enumerate() {
                let bits = slots.of(simd, self.variant(), word, self.allowed);
                // The last word repeats slots of the one before it.
                let bits = bits & (u64::MAX << (written - start));
                written = slots.area.min(start + 64);
                let numbers = &numbers[start..written];
                count += pick(simd, bits, numbers, &mut out[count..]);
            }
        }
        count
    }

    #[inline(always)]
    fn count_empty(&self, tables: &WideTables) -> usize {
        let board = tables.variants.get(self.variant()).board();
        board.num_cells() - (self.own | self.opposing).count_ones() as usize
    }

    fn score(&self, tables: &WideTables) -> [u16; 2] {
        let board = tables.variants.get(self.variant()).board();
        let stones = [self.own, self.opposing].map(CellSet::from_bits);
        let mut points = match tables.variants.only() {
            Some(_) => stones.map(|stones| board.points(stones)),
            // The tables of many boards would take all of the cache, if not of the memory.
            None => stones.map(|stones| board.count_points(stones)),
        };
        if self.to_play() == Player::Dark.index() {
            points.reverse();
        }
        points
    }

    #[inline(always)]
    fn key(&self) -> WideKey {
        let sets = [self.own, self.opposing, self.allowed, self.hands];
        (sets, self.variant)
    }

    #[inline(always)]
    fn write_observations<'a, V: Simd>(
        simd: V,
        tables: &WideTables,
        states: impl Iterator<Item = &'a Self>,
        observations: &mut Observations<'_>,
        first: usize,
    ) {
        tables.write_observations(simd, states, observations, first);
    }

    #[inline(always)]
    fn write_masks<'a, V: Simd>(
        simd: V,
        tables: &WideTables,
        states: impl Iterator<Item = (&'a Self, bool)>,
        masks: &mut [i8],
    ) {
        tables.write_masks(simd, states, masks);
    }
}

/// Writes the numbers at the places of the bits, one after the other, and returns how many there are.
#[inline(always)]
fn pick<V: Simd>(simd: V, mut bits: u64, numbers: &[f32], out: &mut [f32]) -> usize {
    let mut count = 0;
    let (eights, rest) = numbers.as_chunks();
    for numbers in eights {
        // Always eight, as the number of cells is hard to predict for a processor.
        let byte = bits as u8;
        let picked = simd.load(numbers).pick(NTH_BIT[usize::from(byte)]);
        let (out, _) = out[count..]
            .split_first_chunk_mut()
            .expect("room for eight more");
        picked.store(out);
        count += byte.count_ones() as usize;
        bits >>= 8;
    }
    for (place, &number) in rest.iter().enumerate() {
        // Written also where it is not wanted, and overwritten then.
        out[count] = number;
        count += (bits >> place & 1) as usize;
    }
    count
}
