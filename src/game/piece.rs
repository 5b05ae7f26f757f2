//! Players, the four types of pieces, and the pieces in hand.

use super::{Cell, CellSet};

/// One of the two players; Light moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// Moves first; index 0.
    Light,
    /// Moves second; index 1.
    Dark,
}

impl Player {
    /// Light and Dark, in the order of their indices.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// 0 for Light, 1 for Dark.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other player.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Light => Self::Dark,
            Self::Dark => Self::Light,
        }
    }

    /// 1 for Light, -1 for Dark: times a margin of Light's it is the player's, and back.
    #[must_use]
    pub const fn sign(self) -> i32 {
        match self {
            Self::Light => 1,
            Self::Dark => -1,
        }
    }
}

/// A type of piece, which says where the opponent may place next (see [`crate::game`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Same unbroken row or column; index 0, sign `+`.
    Straight,
    /// Same unbroken diagonal; index 1, sign `x`.
    Diagonal,
    /// Not touching; index 2, sign `<>`.
    Pusher,
    /// Touching; index 3, sign `><`.
    Puller,
}

impl Piece {
    /// The four types, in the order of their indices.
    pub const ALL: [Self; 4] = [Self::Straight, Self::Diagonal, Self::Pusher, Self::Puller];

    /// The number of this type, `0..4`.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The type of the stone on a cell, where `types` are the low and the high bit of every stone's type
    /// index.
    pub(crate) fn at(types: [CellSet; 2], cell: Cell) -> Self {
        let [low, high] = types.map(|set| usize::from(set.contains(cell)));
        Self::ALL[low + 2 * high]
    }

    /// The sign of this type in game records.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Straight => "+",
            Self::Diagonal => "x",
            Self::Pusher => "<>",
            Self::Puller => "><",
        }
    }

    /// The English name of this type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Straight => "Straight",
            Self::Diagonal => "Diagonal",
            Self::Pusher => "Pusher",
            Self::Puller => "Puller",
        }
    }
}

/// How many pieces of each type a player still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hand([u8; 4]);

impl Hand {
    /// A hand with `copies` of every type.
    #[must_use]
    pub const fn full(copies: u8) -> Self {
        Self([copies; 4])
    }

    /// A hand with these counts, by piece index.
    #[must_use]
    pub const fn from_counts(counts: [u8; 4]) -> Self {
        Self(counts)
    }

    /// The counts, by piece index.
    #[must_use]
    pub const fn counts(self) -> [u8; 4] {
        self.0
    }

    /// How many of this type are held.
    #[must_use]
    pub const fn count(self, piece: Piece) -> u8 {
        self.0[piece.index()]
    }

    /// Whether nothing is held.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        u32::from_ne_bytes(self.0) == 0
    }

    /// How many pieces are held in all.
    #[must_use]
    pub fn total(self) -> usize {
        self.0.iter().map(|&count| usize::from(count)).sum()
    }

    /// The types of which at least one is held, in the order of their indices.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        Piece::ALL
            .into_iter()
            .filter(move |&piece| self.count(piece) > 0)
    }

    /// Takes one piece of this type out of the hand; there must be one.
    pub(super) fn take(&mut self, piece: Piece) {
        debug_assert!(self.count(piece) > 0);
        self.0[piece.index()] -= 1;
    }
}
