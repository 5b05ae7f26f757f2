//! Positions stored in few bytes.

use crate::encode::{action_of, move_of};
use crate::game::{CellSet, Hand, Player, Position, Variant, count_types};

/// The parent of a position that no move led to.
const NO_ACTION: u8 = u8::MAX;

/// A position of a board of up to 16 cells, and how it was reached first.
///
/// Its layer knows the number of plies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    stones: [u16; 2],
    types: [u16; 2],
    /// The position before, by its place in the layer before; [`Node::NO_PARENT`] for a start.
    pub(super) parent: u32,
    /// The last action, or none at the first position of a game.
    pub(super) action: u8,
}

impl Node {
    pub(super) const NO_PARENT: u32 = u32::MAX;

    pub(super) fn new(variant: &Variant, position: &Position, parent: u32) -> Self {
        let action = position
            .last_move()
            .map_or(NO_ACTION, |mv| action_of(variant, mv) as u8);
        Self {
            stones: Player::ALL.map(|player| position.stones(player).bits() as u16),
            types: position.types().map(|set| set.bits() as u16),
            parent,
            action,
        }
    }

    /// Records how the position was reached. The types of its stones remain those of the first game
    /// that led here; the rules do not depend on them.
    pub(super) fn reach_by(&mut self, parent: usize, action: u8) {
        self.parent = parent as u32;
        self.action = action;
    }

    pub(super) fn position(&self, variant: &Variant, ply: usize) -> Position {
        let sets = |words: [u16; 2]| words.map(|word| CellSet::from_bits(u64::from(word)));
        let last = move_of(variant, usize::from(self.action));
        let (stones, types) = (sets(self.stones), sets(self.types));
        let hands = stones.map(|own| {
            let used = count_types(own, types);
            Hand::from_counts(used.map(|used| variant.copies() - used as u8))
        });
        Position::from_words(variant, stones, types, hands, ply as u8, last)
    }
}

/// A number that tells apart positions of one layer in which the game is not over.
///
/// Keys are equal when the [`Position`]s are: the types of the stones do not matter.
pub(super) fn key(position: &Position) -> u128 {
    let mut key = u128::from(position.allowed().bits());
    for player in Player::ALL {
        key = key << 16 | u128::from(position.stones(player).bits());
        // With up to 127 copies of a type, seven bits each.
        for count in position.hand(player).counts() {
            key = key << 7 | u128::from(count);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Opening};
    use crate::policy::opening;

    #[test]
    fn nodes_are_the_positions_they_were_made_from() {
        for copies in [1, 2, 5, 127] {
            let variant = Variant::new(Board::default(), Opening::Anywhere, copies).unwrap();
            for seed in 0..200 {
                let plies = seed as usize % 8;
                let Ok(position) = opening(&variant, plies, seed) else {
                    continue;
                };
                let node = Node::new(&variant, &position, 7);
                let back = node.position(&variant, position.ply());
                assert_eq!(back, position);
                assert_eq!(back.last_move(), position.last_move());
                for cell in position.occupied() {
                    assert_eq!(back.stone_at(cell), position.stone_at(cell));
                }
                assert_eq!(key(&back), key(&position));
            }
        }
    }
}
