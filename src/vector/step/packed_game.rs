//! A game on 16 cells, packed in two machine words.

use std::array;
use std::sync::Arc;

use super::lookup::{FLOATS, HANDS, HELD, KEPT, NTH_BIT, SPREAD, divide};
use super::state::GameState;
use crate::encode::{Feature, Layout, VariantSet, exchange_packed, move_of, pack, pass_over};
use crate::game::{Cell, CellSet, Hand, Move, Player, Position, Variant};
use crate::memory::OutOfMemory;
use crate::simd::{Simd, Vector};
use crate::vector::buffers::Observations;

/// A game on a board of 16 cells with at most 3 copies.
///
/// ```text
/// view   the packed observation (see `encode::pack`): own stones, opposing stones, allowed cells,
///        own hand, opposing hand, from the side to move
/// rest   bit  0..16  stones of odd type index      bit 32..40  number of plies so far
///        bit 16..32  stones of type index 2 and 3  bit 40..45  last turn: cell, 16 pass, 17 start
///                                                  bit 48..52  types that may be placed
///                                                  bit 63      whether the game is over
/// ```
///
/// The allowed cells are empty once the game is over. So an empty set means that a pass is the only
/// action to show, whether it is forced or the game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedGame {
    pub(super) view: u64,
    pub(super) rest: u64,
}

pub(super) const CELLS: usize = 16;
const PASS: usize = PackedGame::PASS;
const NUM_ACTIONS: usize = PASS + 1;
const EFFECTS: usize = NUM_ACTIONS.next_power_of_two();
const FLAT: usize = Layout::flat_len(CELLS);
const PLANES: usize = Layout::planes_len(CELLS);

pub(super) const LAST_PASSED: u64 = 16;
pub(super) const LAST_START: u64 = 17;
const ONE_PLY: u64 = 1 << 32;
pub(super) const PLY_SHIFT: u32 = 32;
pub(super) const LAST_SHIFT: u32 = 40;
pub(super) const LAST_MASK: u64 = 31 << LAST_SHIFT;
pub(super) const PLACEABLE_SHIFT: u32 = 48;
pub(super) const OVER_SHIFT: u32 = 63;
const OVER: u64 = 1 << OVER_SHIFT;

/// The effect of an action on a state.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))] // finds its place by a shift, and never in two cache lines
pub(super) struct Effect {
    /// Added to `view`: the stone joins the own stones, and its piece leaves the own hand.
    change: u64,
    /// The cells that the opponent may be pointed to.
    pub(super) reach: u64,
    /// Added to `rest`: one turn, its cell, and the type of the stone.
    marks: u64,
}

/// Tables that are computed once for a variant.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(super) variant: Arc<Variant>,
    pub(super) start: PackedGame,
    /// Also for numbers that are not actions, so that every index is in range.
    pub(super) effects: [Effect; EFFECTS],
    /// The numbers of a hand, by its byte in `view`.
    hand_floats: Box<[[f32; 4]; 256]>,
}

impl PackedGame {
    /// The index of the pass, the last action.
    pub(super) const PASS: usize = pass_over(CELLS);

    fn of(variant: &Variant, position: &Position) -> Self {
        let [low, high] = position.types().map(CellSet::bits);
        let mut rest = low | high << 16 | (position.ply() as u64) << 32;
        let last = match position.last_move() {
            None => LAST_START,
            Some(Move::Pass) => LAST_PASSED,
            Some(Move::Place { cell, .. }) => cell.index() as u64,
        };
        rest |= last << LAST_SHIFT;
        for piece in position.placeable(variant) {
            rest |= 1 << (PLACEABLE_SHIFT + piece.index() as u32);
        }
        if position.is_over(variant) {
            rest |= OVER;
        }
        Self {
            view: pack(variant, position),
            rest,
        }
    }

    #[inline(always)]
    fn allowed(self) -> u64 {
        self.view >> 32 & 0xffff
    }

    /// The types that the side to move may place, bit `i` for type `i`.
    #[inline(always)]
    fn placeable(self) -> u8 {
        (self.rest >> PLACEABLE_SHIFT & 15) as u8
    }

    /// The bytes of the view: two for each set of cells, one for each hand.
    #[inline(always)]
    fn bytes(self) -> [u8; 8] {
        self.view.to_le_bytes()
    }

    /// The state after a legal action; for any other number, an arbitrary state.
    #[inline(always)]
    fn after(self, tables: &Tables, action: usize) -> Self {
        let effect = &tables.effects[action % EFFECTS];
        let placed = self.view.wrapping_add(effect.change);
        // The sides change their places.
        let view = exchange_packed(placed);
        let allowed = effect.reach & !(view | view >> 16);
        // The opening rule does not matter any more: there is a stone now, or its player has passed.
        let held = u64::from(HELD[usize::from((view >> 48) as u8)]);
        let second_pass = allowed | effect.change == 0; // a pass that leaves no cell either
        // No branch, as ends are hard to predict.
        let over = u64::from(held == 0) | u64::from(second_pass);
        let allowed = allowed & over.wrapping_sub(1);
        let kept = self.rest & ((1 << LAST_SHIFT) - 1);
        Self {
            view: view | allowed << 32,
            rest: (kept + effect.marks) | held << PLACEABLE_SHIFT | over << OVER_SHIFT,
        }
    }

    #[inline(always)]
    fn write_flat_floats(self, tables: &Tables, row: &mut [f32; FLAT]) {
        let bytes = self.bytes();
        let (cells, hands) = row.split_at_mut(Layout::FLAT_SETS * CELLS);
        for (part, byte) in cells.chunks_exact_mut(8).zip(bytes) {
            part.copy_from_slice(&FLOATS[usize::from(byte)]);
        }
        for (part, byte) in hands.chunks_exact_mut(4).zip([bytes[6], bytes[7]]) {
            part.copy_from_slice(&tables.hand_floats[usize::from(byte)]);
        }
    }

    #[inline(always)]
    fn write_flat_bytes(self, row: &mut [u8; FLAT]) {
        let bytes = self.bytes();
        let (cells, hands) = row.split_at_mut(Layout::FLAT_SETS * CELLS);
        for (part, byte) in cells.chunks_exact_mut(8).zip(bytes) {
            part.copy_from_slice(&SPREAD[usize::from(byte)].to_le_bytes());
        }
        for (part, byte) in hands.chunks_exact_mut(4).zip([bytes[6], bytes[7]]) {
            part.copy_from_slice(&HANDS[usize::from(byte)]);
        }
    }

    fn write_planes<T: Feature>(
        self,
        row: &mut [T; PLANES],
        spread: impl Fn(u8) -> [T; 8],
        hand: impl Fn(u8) -> [T; 4],
    ) {
        let bytes = self.bytes();
        let (sets, hands) = row.split_at_mut(Layout::PLANE_SETS * CELLS);
        for (part, byte) in sets.chunks_exact_mut(8).zip(bytes) {
            part.copy_from_slice(&spread(byte));
        }
        sets[3 * CELLS..].fill(T::ONE);
        let counts = [hand(bytes[6]), hand(bytes[7])];
        for (plane, &count) in hands.chunks_exact_mut(CELLS).zip(counts.as_flattened()) {
            plane.fill(count);
        }
    }
}

impl GameState for PackedGame {
    const IS_MIXABLE: bool = false;

    type Rules = Tables;

    type Key = u64;

    fn rules(variants: &Arc<VariantSet>) -> Result<Tables, OutOfMemory> {
        let variant = variants.get(0);
        let board = variant.board();
        let mut effects = [Effect::default(); EFFECTS];
        for (action, effect) in effects[..NUM_ACTIONS].iter_mut().enumerate() {
            *effect = match move_of(variant, action) {
                Some(Move::Place { piece, cell }) => {
                    let (index, cell_index) = (piece.index() as u64, cell.index());
                    Effect {
                        change: (1_u64 << cell_index).wrapping_sub(1 << (48 + 2 * index)),
                        reach: board.reach(piece, cell).bits(),
                        marks: ((index & 1) << cell_index)
                            | ((index >> 1) << (16 + cell_index))
                            | (cell_index as u64) << LAST_SHIFT
                            | ONE_PLY,
                    }
                }
                _ => Effect {
                    change: 0,
                    reach: board.all().bits(),
                    marks: LAST_PASSED << LAST_SHIFT | ONE_PLY,
                },
            };
        }
        let share = |count| f32::hand(count, variant.copies());
        Ok(Tables {
            start: Self::of(variant, &Position::new(variant)),
            effects,
            hand_floats: Box::new(array::from_fn(|byte| HANDS[byte].map(share))),
            variant: variant.clone(),
        })
    }

    fn from_position(tables: &Tables, _: usize, position: &Position) -> Self {
        Self::of(&tables.variant, position)
    }

    fn position(&self, tables: &Tables) -> Position {
        let set = |shift: u32| CellSet::from_bits(self.view >> shift & 0xffff);
        let types = |shift: u32| CellSet::from_bits(self.rest >> shift & 0xffff);
        let hand = |byte: u8| Hand::from_counts(HANDS[usize::from(byte)]);
        let bytes = self.bytes();
        let (mut stones, mut hands) = ([set(0), set(16)], [hand(bytes[6]), hand(bytes[7])]);
        if self.to_play() == Player::Dark.index() {
            stones.reverse();
            hands.reverse();
        }
        let types = [types(0), types(16)];
        let last = match (self.rest & LAST_MASK) >> LAST_SHIFT {
            LAST_START => None,
            LAST_PASSED => Some(Move::Pass),
            cell => Some(Move::placed(types, Cell::new(cell as usize))),
        };
        let ply = (self.rest >> 32) as u8;
        Position::from_words(&tables.variant, stones, types, hands, ply, last)
    }

    #[inline(always)]
    fn from_words(tables: &Tables, words: &[u64]) -> Option<Self> {
        match words {
            &[word] => Self::read(tables, word),
            _ => None,
        }
    }

    #[inline(always)]
    fn write_words(&self, illegal: bool, words: &mut [u64]) {
        words[0] = self.word(illegal);
    }

    #[inline(always)]
    fn variant(&self) -> usize {
        0
    }

    #[inline(always)]
    fn start(tables: &Tables, _: usize) -> Self {
        tables.start
    }

    #[inline(always)]
    fn to_play(&self) -> usize {
        (self.rest >> 32 & 1) as usize
    }

    #[inline(always)]
    fn is_over(&self, _: &Tables) -> bool {
        self.rest & OVER != 0
    }

    #[inline(always)]
    fn must_pass(&self, _: &Tables) -> bool {
        self.allowed() == 0 && self.rest & OVER == 0
    }

    #[inline(always)]
    fn is_legal(&self, _: &Tables, action: usize) -> bool {
        // Branch-free, because it is hard to predict which actions are passes.
        let cell = self.allowed() >> (action % CELLS);
        let piece = u64::from(self.placeable()) >> (action / CELLS % 8);
        // The pass is alone legal if no cell is allowed, unless the game is over.
        let passes = u64::from(action == PASS) & u64::from(self.allowed() | self.rest & OVER == 0);
        cell & piece & 1 | passes != 0
    }

    #[inline(always)]
    fn play(&self, tables: &Tables, action: usize) -> Self {
        debug_assert!(self.is_legal(tables, action));
        self.after(tables, action)
    }

    #[inline(always)]
    fn advance(&mut self, tables: &Tables, action: usize, held: bool) -> bool {
        // A game that is held also plays some action, which is discarded: a branch would take longer.
        debug_assert!(held || self.is_legal(tables, action));
        *self = self.after(tables, action);
        self.rest & OVER == 0
    }

    #[inline(always)]
    fn count_legal(&self, tables: &Tables) -> usize {
        let pieces = self.placeable().count_ones();
        let placements = pieces * self.allowed().count_ones();
        placements.max(u32::from(!self.is_over(tables))) as usize
    }

    #[inline(always)]
    fn nth_legal(&self, _: &Tables, rank: usize) -> usize {
        let allowed = self.allowed();
        if allowed == 0 {
            return PASS;
        }
        let (piece, rank) = divide(rank, allowed.count_ones() as usize);
        let piece = NTH_BIT[usize::from(self.placeable())][piece & 7];
        let (low, high) = (allowed & 0xff, allowed >> 8);
        let in_low = low.count_ones() as usize;
        // Branches would be mispredicted half of the time.
        let (byte, rank, first) = if rank < in_low {
            (low, rank, 0)
        } else {
            (high, rank - in_low, 8)
        };
        let cell = first + NTH_BIT[byte as usize][rank & 7];
        usize::from(piece) * CELLS + usize::from(cell)
    }

    #[inline(always)]
    fn pick_legal<V: Simd>(&self, simd: V, _: &Tables, numbers: &[f32], out: &mut [f32]) -> usize {
        let numbers: &[f32; NUM_ACTIONS] = numbers.try_into().expect("one for every action");
        let allowed = self.allowed();
        if allowed == 0 {
            out[0] = numbers[PASS];
            return 1;
        }
        let pieces = self.placeable();
        let bytes = [allowed as u8, (allowed >> 8) as u8];
        let mut count = 0;
        for (piece, numbers) in numbers[..PASS].chunks_exact(CELLS).enumerate() {
            if pieces >> piece & 1 == 0 {
                continue;
            }
            for (numbers, byte) in numbers.as_chunks().0.iter().zip(bytes) {
                // Always eight, as the number of cells is hard to predict for a processor.
                let picked = simd.load(numbers).pick(NTH_BIT[usize::from(byte)]);
                let (out, _) = out[count..]
                    .split_first_chunk_mut()
                    .expect("room for eight more");
                picked.store(out);
                count += byte.count_ones() as usize;
            }
        }
        count
    }

    #[inline(always)]
    fn count_empty(&self, _: &Tables) -> usize {
        CELLS - (self.view as u32).count_ones() as usize
    }

    fn score(&self, tables: &Tables) -> [u16; 2] {
        let points = |shift: u32| {
            let stones = CellSet::from_bits(self.view >> shift & 0xffff);
            tables.variant.board().points(stones)
        };
        if self.to_play() == Player::Light.index() {
            [points(0), points(16)]
        } else {
            [points(16), points(0)]
        }
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        self.view
    }

    #[inline(always)]
    fn write_observations<'a, V: Simd>(
        _: V,
        tables: &Tables,
        states: impl Iterator<Item = &'a Self>,
        observations: &mut Observations<'_>,
        first: usize,
    ) {
        // The layout is matched once for all rows, so that every loop is simple.
        match observations {
            Observations::Float32(Layout::Flat, all) => {
                for (row, state) in rows(all, first).zip(states) {
                    state.write_flat_floats(tables, row);
                }
            }
            Observations::Uint8(Layout::Flat, all) => {
                for (row, state) in rows(all, first).zip(states) {
                    state.write_flat_bytes(row);
                }
            }
            Observations::Float32(_, all) => {
                for (row, state) in rows(all, first).zip(states) {
                    let spread = |byte| FLOATS[usize::from(byte)];
                    let hand = |byte| tables.hand_floats[usize::from(byte)];
                    state.write_planes(row, spread, hand);
                }
            }
            Observations::Uint8(_, all) => {
                for (row, state) in rows(all, first).zip(states) {
                    let spread = |byte| SPREAD[usize::from(byte)].to_le_bytes();
                    let hand = |byte| HANDS[usize::from(byte)];
                    state.write_planes(row, spread, hand);
                }
            }
            Observations::Packed(all) => {
                for (row, state) in all[first..].iter_mut().zip(states) {
                    *row = state.view;
                }
            }
        }
    }

    #[inline(always)]
    fn write_masks<'a, V: Simd>(
        simd: V,
        _: &Tables,
        states: impl Iterator<Item = (&'a Self, bool)>,
        masks: &mut [i8],
    ) {
        for (mask, (state, over)) in rows::<i8, NUM_ACTIONS>(masks, 0).zip(states) {
            let allowed = if over { 0 } else { state.allowed() };
            let cells = [allowed & 0xff, allowed >> 8].map(|byte| SPREAD[byte as usize]);
            let kept = &KEPT[usize::from(state.placeable())];
            let (placements, pass) = mask.split_first_chunk_mut().expect("a row of the mask");
            simd.write_kept(cells, kept, placements);
            pass[0] = i8::from(allowed == 0);
        }
    }
}

/// The rows from `first` on.
#[inline(always)]
fn rows<T, const LENGTH: usize>(
    all: &mut [T],
    first: usize,
) -> impl Iterator<Item = &mut [T; LENGTH]> {
    all[first * LENGTH..].as_chunks_mut().0.iter_mut()
}
