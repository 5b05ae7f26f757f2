//! A position as a text that a person can read in a terminal.

use super::{Cell, Piece, Player, Position, Variant, format_move};

/// The board with coordinates, then a line for each player: hand, points, and who is to move; then
/// the last move, or the result of a game that is over.
///
/// Stones are `L` or `D` and their sign, `*` marks a cell that is allowed to the side to move, `.`
/// another empty cell; a missing cell is blank.
#[must_use]
pub fn draw_position(variant: &Variant, position: &Position) -> String {
    let board = variant.board();
    let over = position.is_over(variant);
    let margin = board.height().to_string().len();
    let column = |x: usize| {
        let cell = board
            .cells()
            .iter()
            .position(|&(column, _)| usize::from(column) == x);
        let name = cell.map(|cell| board.cell_name(Cell::new(cell)));
        name.unwrap_or_default()
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned()
    };
    let symbol = |x: usize, y: usize| {
        let Some(cell) = board.cell_at(x, y) else {
            return String::new();
        };
        match position.stone_at(cell) {
            Some((Player::Light, piece)) => format!("L{}", piece.sign()),
            Some((Player::Dark, piece)) => format!("D{}", piece.sign()),
            None if !over && position.allowed().contains(cell) => "*".to_owned(),
            None => ".".to_owned(),
        }
    };
    let row = |head: &str, entries: Vec<String>| {
        let padded: Vec<String> = entries.iter().map(|entry| format!("{entry:<3}")).collect();
        format!("{head:>margin$}  {}", padded.join("  "))
            .trim_end()
            .to_owned()
    };
    let mut lines: Vec<String> = (0..board.height())
        .rev()
        .map(|y| {
            row(
                &(y + 1).to_string(),
                (0..board.width()).map(|x| symbol(x, y)).collect(),
            )
        })
        .collect();
    lines.push(row("", (0..board.width()).map(column).collect()));
    lines.push(String::new());
    let score = position.score(variant);
    for player in Player::ALL {
        let hand = position.hand(player);
        let pieces: Vec<String> = Piece::ALL
            .iter()
            .map(|&piece| format!("{} {}", piece.sign(), hand.count(piece)))
            .collect();
        let name = format!("{player:?}");
        let mark = if !over && player == position.side_to_move() {
            "   to move"
        } else {
            ""
        };
        let points = score[player.index()];
        let unit = if points == 1 { "point" } else { "points" };
        lines.push(format!(
            "{name:<5}  {}   {points} {unit}{mark}",
            pieces.join("  ")
        ));
    }
    if over {
        let result = match position.margin(variant) {
            0 => "a draw".to_owned(),
            1.. => format!("Light wins {}-{}", score[0], score[1]),
            _ => format!("Dark wins {}-{}", score[1], score[0]),
        };
        lines.push(format!("Game over: {result}"));
    } else if let Some(mv) = position.last_move() {
        lines.push(format!("Last move: {}", format_move(board, mv)));
    }
    lines.join("\n")
}
