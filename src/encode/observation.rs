//! Positions as arrays, from the point of view of the side to move.

use thiserror::Error;

use super::{Canvas, Numbering};
use crate::game::{Board, Cell, CellSet, Piece, Position, Variant};
use crate::names::named;

named! {
    /// How a position is laid out as numbers.
    #[derive(Hash)]
    Layout as "observation layout" {
        /// `(12, height, width)`, row 0 at the bottom of the board: own stones, opposing stones,
        /// cells allowed now, cells that exist, then one constant plane for each type in the own
        /// hand and for each in the opposing hand.
        Planes = "planes",
        /// `(3 * num_cells + 8,)`: own stones, opposing stones, allowed cells, own hand, opposing
        /// hand.
        Flat = "flat",
        /// One `u64`, see [`pack`]; boards of at most 16 cells with at most 3 copies.
        Packed = "packed",
    }
}

impl Layout {
    /// The planes of [`Layout::Planes`].
    pub const NUM_PLANES: usize = Self::PLANE_SETS + Self::NUM_HANDS;

    /// The sets of cells in [`Layout::Flat`].
    pub(crate) const FLAT_SETS: usize = 3;

    /// The sets of cells in [`Layout::Planes`].
    pub(crate) const PLANE_SETS: usize = 4;

    /// The counts of pieces: of each type in the own hand, then in the opposing one.
    pub(crate) const NUM_HANDS: usize = 2 * Piece::ALL.len();

    /// The numbers in [`Layout::Flat`] on a board of so many cells.
    #[must_use]
    pub const fn flat_len(num_cells: usize) -> usize {
        Self::FLAT_SETS * num_cells + Self::NUM_HANDS
    }

    /// The numbers in [`Layout::Planes`] of so many cells each.
    #[must_use]
    pub const fn planes_len(area: usize) -> usize {
        Self::NUM_PLANES * area
    }

    /// The shape of one observation; empty for the single number of [`Layout::Packed`].
    #[must_use]
    pub fn shape(self, variant: &Variant) -> Vec<usize> {
        Numbering::own(variant).observation_shape(self)
    }

    /// The numbers in one observation.
    #[must_use]
    pub fn len(self, variant: &Variant) -> usize {
        Numbering::own(variant).observation_len(self)
    }
}

/// A number type of observations; it says how a count of pieces in a hand is written.
pub trait Feature: Copy + Default + Send + Sync + 'static {
    /// The number for a cell that is in a set.
    const ONE: Self;

    /// The number for `count` pieces of a type of which a player starts with `copies`.
    fn hand(count: u8, copies: u8) -> Self;
}

impl Feature for f32 {
    const ONE: Self = 1.0;

    /// The share that is left, 0 to 1.
    fn hand(count: u8, copies: u8) -> Self {
        Self::from(count) / Self::from(copies)
    }
}

impl Feature for u8 {
    const ONE: Self = 1;

    /// The count.
    fn hand(count: u8, _copies: u8) -> Self {
        count
    }
}

/// Writes an observation in [`Layout::Planes`] or [`Layout::Flat`].
///
/// # Panics
///
/// If `out` does not have [`Layout::len`] entries, or for [`Layout::Packed`], see [`pack`].
pub fn observe<T: Feature>(variant: &Variant, position: &Position, layout: Layout, out: &mut [T]) {
    Numbering::own(variant).observe(position, layout, out);
}

/// Own stones, opposing stones and the cells where a placement is legal now.
pub(crate) fn cell_sets(position: &Position, is_over: bool) -> [CellSet; 3] {
    let player = position.side_to_move();
    // A finished game has no legal placement, whatever the last piece points to.
    let allowed = if is_over {
        CellSet::EMPTY
    } else {
        position.allowed()
    };
    [
        position.stones(player),
        position.stones(player.opponent()),
        allowed,
    ]
}

/// Own hand, then the opposing hand.
pub(crate) fn hand_counts(position: &Position) -> [u8; Layout::NUM_HANDS] {
    let player = position.side_to_move();
    let hands = [player, player.opponent()].map(|player| position.hand(player).counts());
    let mut counts = [0; Layout::NUM_HANDS];
    counts.copy_from_slice(hands.as_flattened());
    counts
}

/// Writes [`Layout::Flat`].
pub(super) fn write_flat<T: Feature>(variant: &Variant, position: &Position, out: &mut [T]) {
    let cells = variant.board().num_cells();
    for (set, part) in cell_sets(position, position.is_over(variant))
        .into_iter()
        .zip(out.chunks_exact_mut(cells))
    {
        for (i, value) in part.iter_mut().enumerate() {
            *value = if set.bits() >> i & 1 == 1 {
                T::ONE
            } else {
                T::default()
            };
        }
    }
    let hands = &mut out[Layout::FLAT_SETS * cells..];
    for (value, count) in hands.iter_mut().zip(hand_counts(position)) {
        *value = T::hand(count, variant.copies());
    }
}

/// Writes [`Layout::Planes`] in a rectangle in whose lower left corner the board lies.
pub(super) fn write_planes<T: Feature>(
    variant: &Variant,
    position: &Position,
    rectangle: Canvas,
    out: &mut [T],
) {
    let (board, area) = (variant.board(), rectangle.area());
    let [own, opposing, allowed] = cell_sets(position, position.is_over(variant));
    let sets: [_; Layout::PLANE_SETS] = [own, opposing, allowed, board.all()];
    let (stones, hands) = out.split_at_mut(sets.len() * area);
    stones.fill(T::default());
    for (set, plane) in sets.into_iter().zip(stones.chunks_exact_mut(area)) {
        for cell in set {
            plane[number_in(board, rectangle.width(), cell)] = T::ONE;
        }
    }
    for (plane, count) in hands.chunks_exact_mut(area).zip(hand_counts(position)) {
        plane.fill(T::hand(count, variant.copies()));
    }
}

/// The number of a cell in a rectangle of this width in whose lower left corner the board lies.
pub(super) fn number_in(board: &Board, width: usize, cell: Cell) -> usize {
    let (x, y) = board.cells()[cell.index()];
    usize::from(y) * width + usize::from(x)
}

/// Turns an observation in [`Layout::Planes`] or [`Layout::Flat`] into that of the other player.
///
/// Own and opposing stones change places, and so do the hands. No cell is allowed: it is not the
/// other player's turn.
///
/// # Panics
///
/// If `row` does not have [`Layout::len`] entries, or for [`Layout::Packed`], see
/// [`exchange_packed`].
pub fn exchange_sides<T: Feature>(variant: &Variant, layout: Layout, row: &mut [T]) {
    Numbering::own(variant).exchange_sides(layout, row);
}

/// As [`exchange_sides`], with the numbers of a set of cells and of a hand; the hands come last.
pub(super) fn exchange<T: Feature>(set: usize, hand: usize, row: &mut [T]) {
    let (sets, hands) = row.split_at_mut(row.len() - 2 * hand);
    let (own, others) = sets.split_at_mut(set);
    own.swap_with_slice(&mut others[..set]);
    others[set..2 * set].fill(T::default());
    let (own, opposing) = hands.split_at_mut(hand);
    own.swap_with_slice(opposing);
}

/// Turns an observation in [`Layout::Packed`] into that of the other player, as [`exchange_sides`].
#[must_use]
#[inline(always)]
pub fn exchange_packed(word: u64) -> u64 {
    let stones = (word as u32).rotate_left(16);
    let hands = ((word >> 48) as u16).rotate_left(8);
    u64::from(stones) | u64::from(hands) << 48
}

/// A variant whose positions do not fit into one `u64`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "packed observations need at most 16 cells and 3 copies, this variant has {num_cells} cells and \
     {copies} copies"
)]
pub struct PackError {
    num_cells: usize,
    copies: u8,
}

impl PackError {
    /// Fails when positions of this variant do not fit into one `u64`.
    ///
    /// # Errors
    ///
    /// When the board has more than 16 cells or a type has more than 3 copies.
    pub fn check(variant: &Variant) -> Result<(), Self> {
        let (num_cells, copies) = (variant.board().num_cells(), variant.copies());
        if num_cells <= 16 && copies <= 3 {
            Ok(())
        } else {
            Err(Self { num_cells, copies })
        }
    }
}

/// An observation in [`Layout::Packed`].
///
/// ```text
/// bit   0..16   own stones, bit i for cell i
/// bit  16..32   opposing stones
/// bit  32..48   cells allowed now
/// bit  48..56   own hand, two bits for the count of each type, Straight lowest
/// bit  56..64   opposing hand, in the same way
/// ```
///
/// The result is meaningless for variants that [`PackError::check`] refuses.
#[must_use]
pub fn pack(variant: &Variant, position: &Position) -> u64 {
    let sets = cell_sets(position, position.is_over(variant)).map(CellSet::bits);
    pack_parts(sets, hand_counts(position))
}

/// An observation in [`Layout::Packed`] of own stones, opposing stones and allowed cells, and of the
/// counts of both hands.
#[inline(always)]
pub(crate) fn pack_parts(
    [own, opposing, allowed]: [u64; 3],
    hands: [u8; Layout::NUM_HANDS],
) -> u64 {
    let hands = hands.into_iter().enumerate();
    let hands = hands.fold(0, |bits, (i, count)| bits | u64::from(count) << (2 * i));
    own | opposing << 16 | allowed << 32 | hands << 48
}
