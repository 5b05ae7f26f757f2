//! Plain minimax, the definition that the fast searches are tested against.

use crate::game::{Move, Player, Position, Variant};

/// The value of a position for the side to move, `depth` plies deep and without any pruning.
///
/// At depth 0, or when the game is over, that is the margin. The values go up the tree as margins
/// of Light, and whether to take the most or the least is read off the side to move.
#[must_use]
pub fn minimax(variant: &Variant, position: &Position, depth: u32) -> i32 {
    position.side_to_move().sign() * value_for_light(variant, position, depth)
}

/// The value as [`minimax`] gives it, and every move that reaches it, by ascending action index.
///
/// There is no move when the game is over; `depth` is at least 1.
#[must_use]
pub fn minimax_moves(variant: &Variant, position: &Position, depth: u32) -> (i32, Vec<Move>) {
    let value = value_for_light(variant, position, depth);
    let reaches = |&mv: &Move| {
        let next = position.play_unchecked(variant, mv);
        value_for_light(variant, &next, depth - 1) == value
    };
    let moves = position.legal_moves(variant).into_iter().filter(reaches);
    (position.side_to_move().sign() * value, moves.collect())
}

fn value_for_light(variant: &Variant, position: &Position, depth: u32) -> i32 {
    if depth == 0 || position.is_over(variant) {
        return position.margin(variant);
    }
    let values = position
        .legal_moves(variant)
        .into_iter()
        .map(|mv| value_for_light(variant, &position.play_unchecked(variant, mv), depth - 1));
    let value = match position.side_to_move() {
        Player::Light => values.max(),
        Player::Dark => values.min(),
    };
    value.expect("a game that is not over has a legal move")
}
