//! A position of a small board in a few words.

use super::Geometry;
use crate::game::{Hand, Player, Position};

/// The most pieces of a type that a count of four bits tells apart.
///
/// A hand with more is held at this number: with at most 16 empty cells a player cannot run out of it
/// before the last one, where the type no longer matters.
const MOST: u8 = 15;

/// Hands of this many pieces of a type, and fewer, fit into counts of two bits.
pub(crate) const TWO_BIT_HAND: u8 = 3;

/// The bits of a key, with counts of two bits or of four.
pub(crate) fn key_bits(is_two_bit: bool) -> u32 {
    if is_two_bit {
        SmallState::<2>::KEY_BITS
    } else {
        SmallState::<4>::KEY_BITS
    }
}

/// Stones, allowed cells and hands, seen from the side to move.
///
/// `W` is the width of a count in the hands: 2 bits for up to [`TWO_BIT_HAND`] copies, else 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SmallState<const W: u32> {
    pub(crate) own: u16,
    pub(crate) opp: u16,
    pub(crate) allowed: u16,
    /// Counts by piece: own hand from bit 0, the opponent's from bit 16.
    pub(crate) hands: u32,
}

impl<const W: u32> SmallState<W> {
    /// The bits of a key.
    pub(crate) const KEY_BITS: u32 = 32 + 8 * W;
    /// The lowest bit of each count.
    const UNITS: u32 = 1 | 1 << W | 1 << (2 * W) | 1 << (3 * W);

    /// The state of a position on a board of up to 16 cells.
    ///
    /// The opening rule is lost: right for every position but the first of a game.
    pub(crate) fn new(position: &Position) -> Self {
        let own = position.side_to_move();
        let stones = |player: Player| position.stones(player).bits() as u16;
        Self {
            own: stones(own),
            opp: stones(own.opponent()),
            allowed: position.allowed().bits() as u16,
            hands: Self::pack_hands(position),
        }
    }

    /// The hands of both players, the side to move first.
    pub(crate) fn pack_hands(position: &Position) -> u32 {
        let own = position.side_to_move();
        let hand = |player: Player| Self::pack_hand(position.hand(player));
        hand(own) | hand(own.opponent()) << 16
    }

    fn pack_hand(hand: Hand) -> u32 {
        let counts = hand.counts().into_iter().rev();
        counts.fold(0, |packed, count| packed << W | u32::from(count.min(MOST)))
    }

    #[inline]
    pub(crate) fn own_hand(self) -> u32 {
        self.hands & 0xffff
    }

    #[inline]
    pub(crate) fn opp_hand(self) -> u32 {
        self.hands >> 16
    }

    /// Whether the side to move holds a piece of this type.
    #[inline]
    pub(crate) fn holds(self, piece: usize) -> bool {
        self.hands >> (W * piece as u32) & ((1 << W) - 1) != 0
    }

    /// The type of the last piece of the side to move; none when more, or none, are held.
    #[inline]
    pub(crate) fn only_piece(self) -> Option<usize> {
        Self::only(self.own_hand())
    }

    /// As [`SmallState::only_piece`], of the opponent.
    #[inline]
    pub(crate) fn only_piece_of_opponent(self) -> Option<usize> {
        Self::only(self.opp_hand())
    }

    #[inline]
    fn only(hand: u32) -> Option<usize> {
        let single = hand & hand.wrapping_sub(1) == 0 && hand & Self::UNITS != 0;
        single.then(|| (hand.trailing_zeros() / W) as usize)
    }

    /// The hands after the side to move has placed a piece of this type; still its own first.
    #[inline]
    pub(crate) fn hands_without(self, piece: usize) -> u32 {
        self.hands - (1 << (W * piece as u32))
    }

    /// The position after a move, and whether the mover moves again because the opponent has to
    /// pass. The move must neither end the game nor leave only its last turn.
    #[inline]
    pub(crate) fn after(self, geometry: &Geometry, code: usize) -> (Self, bool) {
        let bit = 1_u16 << (code % 16);
        let own = self.own | bit;
        let empty = geometry.all & !(own | self.opp);
        let allowed = geometry.reach[code] & empty;
        let hands = self.hands_without(code / 16);
        if allowed == 0 {
            let again = Self {
                own,
                allowed: empty,
                hands,
                ..self
            };
            (again, true)
        } else {
            (self.turned(own, allowed, hands), false)
        }
    }

    /// The same for the opponent, who moves next, with these stones of the mover, cells allowed now, and
    /// hands, the mover's first.
    #[inline]
    pub(crate) fn turned(self, own: u16, allowed: u16, hands: u32) -> Self {
        Self {
            own: self.opp,
            opp: own,
            allowed,
            hands: hands.rotate_left(16),
        }
    }

    /// Two sets that say the same as own, opposing and allowed cells, which never overlap: the
    /// allowed cells are where both have a bit.
    #[inline]
    pub(crate) fn planes(self) -> (u16, u16) {
        (self.own | self.allowed, self.opp | self.allowed)
    }

    /// A number of [`SmallState::KEY_BITS`] bits that no other state has, from planes and hands.
    #[inline]
    pub(crate) fn pack((a, b): (u16, u16), hands: u32) -> u64 {
        let half = (1_u64 << (4 * W)) - 1;
        let hands = u64::from(hands);
        let hands = (hands & half) | (hands >> 16 & half) << (4 * W);
        u64::from(a) | u64::from(b) << 16 | hands << 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Opening, Variant};

    fn state<const W: u32>(copies: i64) -> SmallState<W> {
        let variant = Variant::new(Board::default(), Opening::Anywhere, copies).unwrap();
        SmallState::new(&Position::new(&variant))
    }

    #[test]
    fn hands_are_counted_by_piece() {
        let mut state = state::<2>(2);
        assert_eq!(state.hands, 0b1010_1010 << 16 | 0b1010_1010);
        for piece in [0, 1, 1, 2, 3, 3] {
            assert!(state.holds(piece) && state.only_piece().is_none());
            state.hands = state.hands_without(piece);
        }
        assert!(!state.holds(1) && !state.holds(3));
        assert_eq!(state.only_piece(), None); // a Straight and a Pusher
        state.hands = state.hands_without(0);
        assert_eq!(state.only_piece(), Some(2));
        state.hands = state.hands_without(2);
        assert_eq!((state.only_piece(), state.own_hand()), (None, 0));
    }

    #[test]
    fn two_copies_of_a_type_are_not_a_last_piece() {
        let mut state = state::<2>(2);
        for piece in [0, 0, 1, 1, 2, 2] {
            state.hands = state.hands_without(piece);
        }
        assert_eq!(state.only_piece(), None);
    }

    #[test]
    fn keys_fill_their_bits() {
        let all = SmallState::<2>::pack((u16::MAX, u16::MAX), 0x00ff_00ff);
        assert_eq!(all, u64::MAX >> (64 - SmallState::<2>::KEY_BITS));
        assert_eq!(
            SmallState::<4>::pack((u16::MAX, u16::MAX), u32::MAX),
            u64::MAX
        );
        assert_eq!(state::<4>(16).hands, u32::MAX);
    }
}
