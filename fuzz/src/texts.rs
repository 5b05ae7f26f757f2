//! Texts of positions and of games: read as they were written, or refused with the right place.

use mijnlieff::game::{
    Move, ParseError, Player, Position, PositionTextError, RecordError, Variant, format_move,
    format_position, format_record, parse_move, parse_position, parse_record,
};

use super::games::check_hands;
use super::input::{Input, LaidStones};

const POSITION_TOKENS: [&str; 24] = [
    " ", "-", "pass", "a1", "b2", "d4", "0", "1", "2", "8", "64", "129", "..", "..../", "/", "_",
    "S", "D", "P", "L", "s", "d", "pl", "é",
];
const RECORD_TOKENS: [&str; 24] = [
    " ", ", ", "; ", ",", ";", "#", "1. ", "2. ", "3.", ".", "a1+", "a2x", "b1<>", "c2><", "d4+",
    "h8x", "pass", "(passa)", "a", "1", "+", "><", "\n", "é",
];

fn check_place(text: &str, error: &ParseError) {
    let rest: String = text.chars().skip(error.at).collect();
    // A long text is cut after 60 characters.
    let found = match error.found.char_indices().nth(60) {
        Some((end, _)) => {
            assert_eq!(&error.found[end..], "...", "{text:?}: {error:?}");
            &error.found[..end]
        }
        None => &error.found,
    };
    assert!(rest.starts_with(found), "{text:?}: {error:?}");
    assert!(!error.expected.is_empty());
}

/// Checks properties that every position of a game has.
fn check_possible(variant: &Variant, position: &Position) {
    let ply = position.ply();
    assert!(ply <= variant.max_game_length());
    check_hands(variant, position);
    let turns = [ply.div_ceil(2), ply / 2];
    for player in Player::ALL {
        assert!(position.stones(player).len() <= turns[player.index()]);
    }
    let mover = position.side_to_move().opponent();
    match position.last_move() {
        None => assert_eq!(ply, 0),
        Some(Move::Place { piece, cell }) => {
            assert_eq!(position.stone_at(cell), Some((mover, piece)));
        }
        Some(Move::Pass) => assert!(position.stones(mover).len() < turns[mover.index()]),
    }
    let opened = (position.stones(Player::Light) & variant.opening_cells())
        .into_iter()
        .filter_map(|cell| position.stone_at(cell))
        .any(|(_, piece)| variant.opening().admits(piece));
    assert!(opened || ply == 0);
}

fn laid_text(variant: &Variant, LaidStones { stones, last, ply }: &LaidStones) -> String {
    let board = variant.board();
    let character = |x, y| match board.cell_at(x, y).map(|cell| stones[cell.index()]) {
        None => '_',
        Some(None) => '.',
        Some(Some((Player::Light, piece))) => ['S', 'D', 'P', 'L'][piece.index()],
        Some(Some((Player::Dark, piece))) => ['s', 'd', 'p', 'l'][piece.index()],
    };
    let mut text = String::new();
    for y in (0..board.height()).rev() {
        text.extend((0..board.width()).map(|x| character(x, y)));
        text.push(if y == 0 { ' ' } else { '/' });
    }
    text += &match *last {
        None => "-".to_owned(),
        Some(Move::Pass) => "pass".to_owned(),
        Some(Move::Place { cell, .. }) => board.cell_name(cell),
    };
    format!("{text} {ply}")
}

/// The text of a position of a game, which must be read as it was written, after some changes.
fn edited_position(input: &mut Input<'_>, variant: &Variant) -> String {
    let (_, position) = input.game(variant);
    let text = format_position(variant, &position);
    let read = parse_position(variant, &text).expect("the text was written for a position");
    assert_eq!(read, position);
    assert_eq!(read.last_move(), position.last_move());
    assert_eq!(format_position(variant, &read), text);
    input.edited(&text, &POSITION_TOKENS)
}

/// The text of a position is read as it was written. Any other text is refused, with the place or
/// the reasons, or it is that of a position from which a game can go on to its end.
pub fn position_text(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = input.listed_variant();
    let text = match input.below(4) {
        0 => input.text(&POSITION_TOKENS),
        1 => {
            let laid = input.laid_stones(&variant);
            laid_text(&variant, &laid)
        }
        _ => edited_position(&mut input, &variant),
    };
    let mut position = match parse_position(&variant, &text) {
        Ok(position) => position,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            match error {
                PositionTextError::Parse(error) => check_place(&text, &error),
                PositionTextError::Impossible(error) => assert!(!error.reasons.is_empty()),
                error => panic!("unknown error {error:?}"),
            }
            return;
        }
    };
    check_possible(&variant, &position);
    let written = format_position(&variant, &position);
    assert_eq!(parse_position(&variant, &written), Ok(position));
    while let Some(mv) = input.legal_move(&variant, &position) {
        position = position.play_unchecked(&variant, mv);
    }
    assert!(position.is_over(&variant));
    check_hands(&variant, &position);
}

fn check_refused(variant: &Variant, text: &str, error: &RecordError) {
    assert!(!error.to_string().is_empty());
    match error {
        RecordError::Parse(error) => check_place(text, error),
        RecordError::Play {
            number,
            text: move_text,
            before,
            error,
        } => {
            assert_eq!(before.ply() + 1, *number);
            let mv = parse_move(variant.board(), move_text).unwrap();
            assert_eq!(before.check(variant, mv), Err(error.clone()));
        }
        error => panic!("unknown error {error:?}"),
    }
}

/// The record of a game is read as it was written. Any other text is refused, with the place or the
/// illegal move, or it is the record of a legal game.
pub fn record_text(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = input.listed_variant();
    let text = if input.below(4) == 0 {
        input.text(&RECORD_TOKENS)
    } else {
        let (moves, _) = input.game(&variant);
        let text = format_record(&variant, &moves).expect("the moves are legal");
        assert_eq!(parse_record(&variant, &text), Ok(moves));
        input.edited(&text, &RECORD_TOKENS)
    };
    match parse_record(&variant, &text) {
        Ok(moves) => {
            let written = format_record(&variant, &moves).expect("the moves have been played");
            assert!(written.ends_with('#') || !text.contains('#'), "{text:?}");
            assert_eq!(parse_record(&variant, &written), Ok(moves));
        }
        Err(error) => check_refused(&variant, &text, &error),
    }
    match parse_move(variant.board(), &text) {
        Ok(Move::Pass) => assert!(["pass", "(passa)"].contains(&text.as_str())),
        Ok(mv) => assert_eq!(format_move(variant.board(), mv), text),
        Err(error) => check_place(&text, &error),
    }
}
