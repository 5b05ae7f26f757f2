//! The observations and masks of the games on any boards.

use std::array;

use super::lookup::{FLOATS, SPREAD};
use super::state::GameState;
use super::wide_game::WideGame;
use super::wide_tables::WideTables;
use crate::encode::{Feature, Layout, pack_parts, pass_over};
use crate::simd::Simd;
use crate::vector::buffers::Observations;

/// Runs a block with the constant number of groups of eight that 1 to 64 slots take, so that the
/// compiler unrolls its loops. The sizes of many boards are constants there too, which saves checks.
macro_rules! with_eights {
    ($area:ident, $eights:ident => $block:block) => {
        with_eights!($area, $eights => $block, 16 20 24 32 64; 1 2 3 4 5 6 7)
    };
    ($area:ident, $eights:ident => $block:block, $($size:literal)*; $($count:literal)*) => {
        match ($area, $area.div_ceil(8)) {
            $(($size, _) => {
                const $eights: usize = usize::div_ceil($size, 8);
                let $area: usize = $size;
                $block
            })*
            $((_, $count) => {
                const $eights: usize = $count;
                $block
            })*
            _ => {
                const $eights: usize = 8;
                $block
            }
        }
    };
}

/// A number type of rows that are written eight numbers at a time.
trait Scalar: Feature {
    /// The bits of a byte as numbers, the lowest first.
    fn spread(byte: u8) -> [Self; 8];

    /// The numbers for two hands, whose counts are bytes.
    fn hands(hands: u64, copies: u8) -> [Self; 8];
}

impl Scalar for f32 {
    #[inline(always)]
    fn spread(byte: u8) -> [Self; 8] {
        FLOATS[usize::from(byte)]
    }

    #[inline(always)]
    fn hands(hands: u64, copies: u8) -> [Self; 8] {
        hands.to_le_bytes().map(|count| Self::hand(count, copies))
    }
}

impl Scalar for u8 {
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
            Observations::Float32(Layout::Flat, all) => self.write_flat(states, all, first),
            Observations::Uint8(Layout::Flat, all) => self.write_flat(states, all, first),
            Observations::Float32(_, all) => self.write_planes(simd, states, all, first),
            Observations::Uint8(_, all) => self.write_planes(simd, states, all, first),
            Observations::Packed(all) => {
                for (row, state) in all[first..].iter_mut().zip(states) {
                    *row = state.pack();
                }
            }
        }
    }

    /// Flat observations are of one variant, whose actions are numbered over its cells.
    #[inline(always)]
    fn write_flat<'a, T: Scalar>(
        &self,
        states: impl Iterator<Item = &'a WideGame>,
        all: &mut [T],
        first: usize,
    ) {
        let (cells, copies) = (self.actions.area, self.opening(0).copies);
        with_eights!(cells, EIGHTS => {
            for (row, state) in rows(all, Layout::flat_len(cells), first).zip(states) {
                for (number, set) in [state.own, state.opposing, state.allowed].into_iter().enumerate() {
                    // The numbers beyond the cells are overwritten by those that follow.
                    write_eights::<T, EIGHTS>(set, &mut row[number * cells..]);
                }
                let hands = row.last_chunk_mut().expect("a row ends with the hands");
                *hands = T::hands(state.hands, copies);
            }
        });
    }

    #[inline(always)]
    fn write_planes<'a, T: Scalar, V: Simd>(
        &self,
        simd: V,
        states: impl Iterator<Item = &'a WideGame>,
        all: &mut [T],
        first: usize,
    ) {
        let (slots, area) = (&self.planes, self.planes.area);
        if !(8..=64).contains(&area) {
            for (row, state) in rows(all, Layout::planes_len(area), first).zip(states) {
                self.write_odd_planes(simd, state, row);
            }
            return;
        }
        with_eights!(area, EIGHTS => {
            for (row, state) in rows(all, Layout::planes_len(area), first).zip(states) {
                let variant = state.variant();
                let sets = [state.own, state.opposing, state.allowed, u64::MAX];
                // The numbers beyond a plane are overwritten by the next one.
                for (number, set) in sets.into_iter().enumerate() {
                    let set = slots.of(simd, variant, 0, set);
                    write_eights::<T, EIGHTS>(set, &mut row[number * area..]);
                }
                let counts = T::hands(state.hands, self.opening(variant).copies);
                for (number, count) in (Layout::PLANE_SETS..Layout::NUM_PLANES).zip(counts) {
                    // The last plane does not have numbers behind it.
                    let is_last = number == Layout::NUM_PLANES - 1;
                    let whole = if is_last { EIGHTS - 1 } else { EIGHTS };
                    let plane = &mut row[number * area..][..8 * whole];
                    for eight in plane.as_chunks_mut::<8>().0 {
                        *eight = [count; 8];
                    }
                }
                *row.last_chunk_mut().expect("at least eight slots") = [counts[7]; 8];
            }
        });
    }

    /// Writes planes of less than eight slots or more than a word has.
    #[inline(always)]
    fn write_odd_planes<T: Scalar, V: Simd>(&self, simd: V, state: &WideGame, row: &mut [T]) {
        let (slots, variant) = (&self.planes, state.variant());
        let (sets, hands) = row.split_at_mut(Layout::PLANE_SETS * slots.area);
        let states = [state.own, state.opposing, state.allowed, u64::MAX];
        for (set, plane) in states.into_iter().zip(sets.chunks_exact_mut(slots.area)) {
            for (word, &start) in slots.starts.iter().enumerate() {
                let end = slots.area.min(start + 64);
                write_set(slots.of(simd, variant, word, set), &mut plane[start..end]);
            }
        }
        let counts = T::hands(state.hands, self.opening(variant).copies);
        for (plane, count) in hands.chunks_exact_mut(slots.area).zip(counts) {
            plane.fill(count);
        }
    }

    #[inline(always)]
    pub(super) fn write_masks<'a, V: Simd>(
        &self,
        simd: V,
        states: impl Iterator<Item = (&'a WideGame, bool)>,
        masks: &mut [i8],
    ) {
        let (slots, area) = (&self.actions, self.actions.area);
        if !(8..=64).contains(&area) {
            let pass = pass_over(area);
            for (mask, (state, over)) in rows(masks, pass + 1, 0).zip(states) {
                let allowed = if over { 0 } else { state.allowed };
                mask[pass] = i8::from(allowed == 0);
                self.write_odd_mask(simd, state, allowed, &mut mask[..pass]);
            }
            return;
        }
        with_eights!(area, EIGHTS => {
            let pass = pass_over(area);
            for (mask, (state, over)) in rows(masks, pass + 1, 0).zip(states) {
                let allowed = if over { 0 } else { state.allowed };
                let bits = slots.of(simd, state.variant(), 0, allowed);
                let bytes = bits.to_le_bytes();
                let words: [u64; EIGHTS] = array::from_fn(|i| SPREAD[usize::from(bytes[i])]);
                for piece in 0..4 {
                    let kept = kept(state.placeable, piece);
                    // The bytes beyond a type are overwritten by the next one. The last type does not
                    // have enough of them.
                    let whole = if piece < 3 { EIGHTS } else { area / 8 };
                    let row = &mut mask[piece * area..][..8 * whole];
                    for (eight, word) in row.as_chunks_mut().0.iter_mut().zip(words) {
                        *eight = (word & kept).to_le_bytes().map(|byte| byte as i8);
                    }
                    if piece == 3 && !area.is_multiple_of(8) {
                        let last = SPREAD[usize::from((bits >> (area - 8)) as u8)] & kept;
                        let end = mask[pass - 8..pass].first_chunk_mut();
                        *end.expect("eight slots") = last.to_le_bytes().map(|byte| byte as i8);
                    }
                }
                mask[pass] = i8::from(allowed == 0);
            }
        });
    }

    /// Writes the placements of a mask with less than eight slots or more than a word has.
    #[inline(always)]
    fn write_odd_mask<V: Simd>(&self, simd: V, state: &WideGame, allowed: u64, mask: &mut [i8]) {
        let slots = &self.actions;
        for (word, &start) in slots.starts.iter().enumerate() {
            let bits = slots.of(simd, state.variant(), word, allowed);
            let end = slots.area.min(start + 64);
            for (piece, row) in mask.chunks_exact_mut(slots.area).enumerate() {
                let row = bytemuck::cast_slice_mut::<i8, u8>(&mut row[start..end]);
                write_set(bits & kept(state.placeable, piece), row);
            }
        }
    }
}

/// The rows of so many numbers from `first` on.
#[inline(always)]
fn rows<T>(all: &mut [T], length: usize, first: usize) -> impl Iterator<Item = &mut [T]> {
    all[first * length..].chunks_exact_mut(length)
}

/// Writes the lowest bits of a set as numbers, eight at a time.
#[inline(always)]
fn write_eights<T: Scalar, const EIGHTS: usize>(set: u64, out: &mut [T]) {
    let out = &mut out[..8 * EIGHTS];
    for (eight, byte) in out.as_chunks_mut().0.iter_mut().zip(set.to_le_bytes()) {
        *eight = T::spread(byte);
    }
}

/// All bits if the type may be placed, else none.
#[inline(always)]
fn kept(placeable: u8, piece: usize) -> u64 {
    u64::from(placeable >> piece & 1).wrapping_neg()
}

impl WideGame {
    /// The observation in [`Layout::Packed`].
    #[inline(always)]
    fn pack(&self) -> u64 {
        let sets = [self.own, self.opposing, self.allowed];
        pack_parts(sets, self.hands.to_le_bytes())
    }
}

/// Writes a set as numbers, one for each bit of `out`.
#[inline(always)]
fn write_set<T: Scalar>(set: u64, out: &mut [T]) {
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
