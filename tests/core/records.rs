//! Game records, move and position texts.

use mijnlieff::game::{
    Board, Move, Opening, ParseError, Player, Position, PositionTextError, RecordError, Variant,
    format_position, format_record, parse_move, parse_position, parse_record,
};

const EXAMPLE: &str = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+; \
                       6. d4x, pass; 7. b4x, pass; 8. b3<>, b1<> #";

fn play(variant: &Variant, moves: &[Move]) -> Position {
    moves.iter().fold(Position::new(variant), |position, &mv| {
        position.play(variant, mv).unwrap()
    })
}

/// The numbers and the text are those of the slow reference in Python.
#[test]
fn the_example_game_ends_4_to_1() {
    let variant = Variant::default();
    let moves = parse_record(&variant, EXAMPLE).unwrap();
    assert_eq!(format_record(&variant, &moves).unwrap(), EXAMPLE);
    let mut position = Position::new(&variant);
    let (mut legal, mut points) = (Vec::new(), Vec::new());
    for &mv in &moves {
        legal.push(position.legal_moves(&variant).len());
        points.push(position.score(&variant)[0]);
        position = position.play(&variant, mv).unwrap();
    }
    assert_eq!(
        legal,
        [48, 24, 20, 16, 30, 20, 12, 12, 3, 8, 6, 1, 10, 1, 4, 6]
    );
    assert_eq!(points, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4]);
    let end = "pD.D/lPPs/SLsL/Spd. b1 16";
    assert_eq!(format_position(&variant, &position), end);
    assert_eq!(parse_position(&variant, end), Ok(position));
    let hands = Player::ALL.map(|player| position.hand(player).counts());
    assert_eq!(hands, [[0; 4], [0, 1, 0, 1]]);
    assert!(position.is_over(&variant) && position.legal_moves(&variant).is_empty());
    assert_eq!(position.score(&variant), [4, 1]);
    assert_eq!(position.margin(&variant), 3);
}

#[test]
fn a_game_that_a_pass_ended_differs_from_one_with_a_pass_to_come() {
    let board = Board::from_text("###").unwrap();
    let variant = Variant::new(board, Opening::Anywhere, 2).unwrap();
    let [before, after] = ["1. c1+, b1+; 2. a1x", "1. a1x, pass; 2. c1+, b1+; 3. pass"]
        .map(|record| play(&variant, &parse_record(&variant, record).unwrap()));
    assert!(before.must_pass(&variant) && after.is_over(&variant));
    assert_eq!(before.side_to_move(), after.side_to_move());
    assert_eq!(before.occupied(), after.occupied());
    assert_ne!(before, after);
}

#[test]
fn records_may_stop_after_a_move_but_not_in_a_turn() {
    let variant = Variant::default();
    for (text, len) in [
        ("", 0),
        ("1. a1+", 1),
        ("1. a1+, a3><;", 2),
        ("a1+,a3><;a2+", 3),
    ] {
        assert_eq!(parse_record(&variant, text).unwrap().len(), len, "{text}");
    }
    let failures = [
        (
            "1. a1+, a3><; 2.",
            "expected a cell of the board (a1 to d4) and a sign, or 'pass'",
        ),
        ("1. a1+,", "expected a move after ','"),
        (
            "1. a1+, a3>",
            "expected a sign (+, x, <> or ><), found \">\" (character 10)",
        ),
        (
            "1. a1+; a3><",
            "expected ',' and the reply, found \";\" (character 6)",
        ),
        (
            "2. a1+",
            "expected the turn number 1., found \"2.\" (character 0)",
        ),
        (
            "1. a1+ #",
            "expected a further move, since the game is not over at #",
        ),
        ("1. e1+", "expected a cell of the board"),
        (
            "1. b2+",
            "move 1 (b2+): illegal Straight on cell 5: the opening rule",
        ),
    ];
    for (text, message) in failures {
        let error = parse_record(&variant, text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    let more = format!("{EXAMPLE} 9. a1+");
    assert!(matches!(
        parse_record(&variant, &more),
        Err(RecordError::Parse(_))
    ));
}

#[test]
fn columns_go_on_after_z_and_x_is_a_column_too() {
    let board = Board::from_text(&"#".repeat(64)).unwrap();
    for (name, index) in [("x1x", 23), ("z1+", 25), ("aa1<>", 26), ("bl1><", 63)] {
        let Ok(Move::Place { cell, .. }) = parse_move(&board, name) else {
            panic!("{name}")
        };
        assert_eq!(cell.index(), index);
    }
    let found = parse_move(&board, "a1-").unwrap_err();
    let expected = "a sign (+, x, <> or ><)".to_owned();
    assert_eq!(
        found,
        ParseError {
            at: 2,
            found: "-".to_owned(),
            expected
        }
    );
    for text in ["", "+", "a", "1", "é1+", "a1é"] {
        assert!(parse_move(&board, text).is_err(), "{text}");
    }
}

#[test]
fn errors_name_their_place_whatever_the_blanks() {
    let variant = Variant::default();
    for (text, place) in [
        (" ..../..../..../.... q 0", (21, "q")),
        ("..../..../..../....  é 0", (21, "é")),
        ("..../..../..../.... -\t\tx", (23, "x")),
        ("  ..../..../.?../.... - 0", (13, "?")),
        ("\n.... - 0", (1, "....")),
    ] {
        let Err(PositionTextError::Parse(error)) = parse_position(&variant, text) else {
            panic!("{text:?} is not a position")
        };
        assert_eq!((error.at, error.found.as_str()), place, "{text:?}");
    }
    for (text, place) in [
        ("1. a1+ #  a3><", (10, "a3><")),
        ("1. a1+,  ", (9, "")),
        ("1  a1+", (3, "a1+")),
    ] {
        let Err(RecordError::Parse(error)) = parse_record(&variant, text) else {
            panic!("{text:?} is not a record")
        };
        assert_eq!((error.at, error.found.as_str()), place, "{text:?}");
    }
}
