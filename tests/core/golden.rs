//! The golden game: every position of the example game as the slow reference in Python printed it.

use mijnlieff::game::{
    Player, Position, Variant, format_move, format_position, format_record, parse_move,
    parse_position, parse_record,
};

const GOLDEN: &str = include_str!("../data/example_game.txt");

/// The lines of one position, as the head of the file describes them.
fn describe(variant: &Variant, position: &Position) -> Vec<String> {
    let board = variant.board();
    let to_play = match (position.is_over(variant), position.side_to_move()) {
        (true, _) => "over",
        (false, Player::Light) => "light",
        (false, Player::Dark) => "dark",
    };
    let mut lines = vec![format!("to_play {to_play}")];
    for y in (0..board.height()).rev() {
        let mut row = vec!["row".to_owned(), (y + 1).to_string()];
        for x in 0..board.width() {
            let cell = board.cell_at(x, y).expect("the standard board is full");
            row.push(match position.stone_at(cell) {
                None => ".".to_owned(),
                Some((Player::Light, piece)) => format!("L{}", piece.sign()),
                Some((Player::Dark, piece)) => format!("D{}", piece.sign()),
            });
        }
        lines.push(row.join(" "));
    }
    for (word, player) in [("light", Player::Light), ("dark", Player::Dark)] {
        let counts = position
            .hand(player)
            .counts()
            .map(|count| count.to_string());
        lines.push(format!("{word} {}", counts.join(" ")));
    }
    let mut legal = vec!["legal".to_owned()];
    let moves = position.legal_moves(variant);
    legal.extend(moves.into_iter().map(|mv| format_move(board, mv)));
    lines.push(legal.join(" "));
    let [light, dark] = position.score(variant);
    lines.push(format!("score {light} {dark}"));
    lines
}

#[test]
fn every_position_of_the_golden_game_is_the_same_here() {
    let variant = Variant::default();
    let lines: Vec<&str> = GOLDEN
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let record = lines[0]
        .strip_prefix("record ")
        .expect("the record is first");

    let mut position = Position::new(&variant);
    let mut moves = Vec::new();
    for block in lines[1..].chunk_by(|_, next| !next.starts_with("ply ")) {
        let mut expected = vec![format!("ply {}", moves.len())];
        if let Some(name) = block[1].strip_prefix("played ") {
            let mv = parse_move(variant.board(), name).unwrap();
            position = position.play(&variant, mv).unwrap();
            moves.push(mv);
            expected = vec![format!("ply {}", moves.len()), format!("played {name}")];
        }
        expected.extend(describe(&variant, &position));
        assert_eq!(block, expected);
        let text = format_position(&variant, &position);
        let read = parse_position(&variant, &text).unwrap();
        assert_eq!(read, position, "{text}");
        assert_eq!(format_position(&variant, &read), text);
    }
    assert_eq!(parse_record(&variant, record).unwrap(), moves);
    assert_eq!(format_record(&variant, &moves).unwrap(), record);
    assert!(position.is_over(&variant));
    assert_eq!(position.margin(&variant), 3);
}
