//! The observations and masks of the games on any boards.

use super::lookup::{FLOATS, SPREAD};
use super::state::GameState;
use super::wide_game::WideGame;
use super::wide_tables::WideTables;
use crate::encode::{Feature, Layout};
use crate::simd::Simd;
use crate::vector::buffers::Observations;

/// A number type of rows that are written eight numbers at a time.
trait Number: Feature {
    /// The bits of a byte as numbers, the lowest first.
    fn spread(byte: u8) -> [Self; 8];

    /// The numbers for two hands, whose counts are bytes.
    fn hands(hands: u64, copies: u8) -> [Self; 8];
}

impl Number for f32 {
    #[inline(always)]
    fn spread(byte: u8) -> [Self; 8] {
        FLOATS[usize::from(byte)]
    }

    #[inline(always)]
    fn hands(hands: u64, copies: u8) -> [Self; 8] {
        hands.to_le_bytes().map(|count| Self::hand(count, copies))
    }
}

impl Number for u8 {
    #[inline(always)]
    fn spread(byte: u8) -> [Self; 8] {
        SPREAD[usize::from(byte)].to_le_bytes()
    }

    #[inline(always)]
    fn hands(hands: u64, _: u8) -> [Self; 8] {
        hands.to_le_bytes()
    }
}

impl WideTables {
    #[inline(always)]
    pub(super) fn write_observations<'a, V: Simd>(
        &self,
        simd: V,
        states: impl Iterator<Item = &'a WideGame>,
        observations: &mut Observations<'_>,
        first: usize,
    ) {
        // The layout is matched once for all rows, so that every loop is simple.
        match observations {
            Observations::Float32(Layout::Flat, all) => {
                for (row, state) in self.rows(all, Layout::Flat, first).zip(states) {
                    self.write_flat(state, row);
                }
            }
            Observations::Uint8(Layout::Flat, all) => {
                for (row, state) in self.rows(all, Layout::Flat, first).zip(states) {
                    self.write_flat(state, row);
                }
            }
            Observations::Float32(_, all) => {
                for (row, state) in self.rows(all, Layout::Planes, first).zip(states) {
                    self.write_planes(simd, state, row);
                }
            }
            Observations::Uint8(_, all) => {
                for (row, state) in self.rows(all, Layout::Planes, first).zip(states) {
                    self.write_planes(simd, state, row);
                }
            }
            Observations::Packed(all) => {
                for (row, state) in all[first..].iter_mut().zip(states) {
                    *row = state.pack();
                }
            }
        }
    }

    /// The rows of observations from `first` on.
    #[inline(always)]
    fn rows<'r, T>(
        &self,
        all: &'r mut [T],
        layout: Layout,
        first: usize,
    ) -> impl Iterator<Item = &'r mut [T]> {
        let length = self.variants.observation_len(layout);
        all[first * length..].chunks_exact_mut(length)
    }

    #[inline(always)]
    fn write_flat<T: Number>(&self, state: &WideGame, row: &mut [T]) {
        // Flat observations are of one variant, whose actions are numbered over its cells.
        let cells = self.actions.area;
        let (sets, hands) = row.split_at_mut(3 * cells);
        let states = [state.own, state.opposing, state.allowed];
        for (set, part) in states.into_iter().zip(sets.chunks_exact_mut(cells)) {
            write_set(set, part);
        }
        hands.copy_from_slice(&T::hands(state.hands, self.opening(0).copies));
    }

    #[inline(always)]
    fn write_planes<T: Number, V: Simd>(&self, simd: V, state: &WideGame, row: &mut [T]) {
        let (slots, variant) = (&self.planes, state.variant());
        let (sets, hands) = row.split_at_mut(4 * slots.area);
        let states = [state.own, state.opposing, state.allowed, u64::MAX];
        for (set, plane) in states.into_iter().zip(sets.chunks_exact_mut(slots.area)) {
            for (word, &start) in slots.starts.iter().enumerate() {
                let end = slots.area.min(start + 64);
                write_set(slots.of(simd, variant, word, set), &mut plane[start..end]);
            }
        }
        let counts = T::hands(state.hands, self.opening(variant).copies);
        for (plane, count) in hands.chunks_exact_mut(slots.area).zip(counts) {
            fill(plane, count);
        }
    }

    #[inline(always)]
    pub(super) fn write_masks<'a, V: Simd>(
        &self,
        simd: V,
        states: impl Iterator<Item = (&'a WideGame, bool)>,
        masks: &mut [i8],
    ) {
        let slots = &self.actions;
        for (mask, (state, over)) in masks.chunks_exact_mut(self.pass + 1).zip(states) {
            let allowed = if over { 0 } else { state.allowed };
            let (pass, placements) = mask.split_last_mut().expect("a mask has the pass");
            *pass = i8::from(allowed == 0);
            for (word, &start) in slots.starts.iter().enumerate() {
                let bits = slots.of(simd, state.variant(), word, allowed);
                let end = slots.area.min(start + 64);
                for (piece, row) in placements.chunks_exact_mut(slots.area).enumerate() {
                    let kept = u64::from(state.placeable >> piece & 1).wrapping_neg();
                    write_mask(bits & kept, &mut row[start..end]);
                }
            }
        }
    }
}

impl WideGame {
    /// The observation in [`Layout::Packed`].
    #[inline(always)]
    fn pack(&self) -> u64 {
        let hands = self.hands.to_le_bytes().into_iter().enumerate();
        let hands = hands.fold(0, |bits, (i, count)| bits | u64::from(count) << (2 * i));
        self.own | self.opposing << 16 | self.allowed << 32 | hands << 48
    }
}

/// Writes a set as numbers, one for each bit of `out`.
#[inline(always)]
fn write_set<T: Number>(set: u64, out: &mut [T]) {
    let length = out.len();
    let (eights, rest) = out.as_chunks_mut();
    for (byte, eight) in set.to_le_bytes().into_iter().zip(&mut *eights) {
        *eight = T::spread(byte);
    }
    if rest.is_empty() {
        return;
    }
    // Eight numbers again, some of them for the second time.
    match out.last_chunk_mut() {
        Some(last) => *last = T::spread((set >> (length - 8)) as u8),
        None => out.copy_from_slice(&T::spread(set as u8)[..length]),
    }
}

#[inline(always)]
fn write_mask(set: u64, out: &mut [i8]) {
    write_set(set, bytemuck::cast_slice_mut::<i8, u8>(out));
}

/// Writes the same number everywhere.
#[inline(always)]
fn fill<T: Number>(out: &mut [T], number: T) {
    out.fill(number);
}
