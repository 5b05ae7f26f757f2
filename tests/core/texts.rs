//! Boards, variants and positions as text.

use mijnlieff::game::{
    Board, BoardError, Cell, Opening, Piece, Player, PositionReason, PositionTextError, Variant,
    VariantTextError, parse_position,
};

#[test]
fn the_ways_to_write_a_board() {
    let standard = "####\n####\n####\n####";
    for (text, rows) in [
        ("standard", standard),
        (" standard\n", standard),
        ("####/####/####/####", standard),
        ("/\n ## / #. \n/", "##\n#."),
        ("blocks:0,0;2,2", "..##\n..##\n##..\n##.."),
        ("blocks: 0, 0 ;2,0;", "####\n####"),
        ("blocks:-3,7", "##\n##"),
    ] {
        assert_eq!(Board::from_text(text).unwrap().to_text(), rows, "{text:?}");
    }
}

#[test]
fn boards_with_different_cells_differ() {
    let [one, same, other] = ["##/#.", "#.##", "##/##"].map(|text| Board::from_text(text).unwrap());
    assert_ne!(one, same);
    assert_ne!(one, other);
    assert_eq!(one, Board::from_text("##\n#.").unwrap());
}

#[test]
fn what_is_wrong_with_the_text_of_a_board() {
    let corner = |found: &str| BoardError::NotACorner {
        found: found.to_owned(),
    };
    for (text, error) in [
        ("", BoardError::CellCount { found: 0 }),
        ("..", BoardError::CellCount { found: 0 }),
        (
            "####\n####\n###\n##",
            BoardError::RaggedRow {
                row: 3,
                expected: 4,
                found: 3,
            },
        ),
        (
            "##/#?/?#",
            BoardError::UnknownCharacter {
                row: 2,
                character: '?',
            },
        ),
        ("blocks:", BoardError::NoBlocks),
        ("blocks:0", corner("0")),
        ("blocks:0,0;1;2", corner("1")),
        ("blocks:0,x", corner("0,x")),
        (
            "blocks:0,0;1,1",
            BoardError::OverlappingBlocks {
                first: (0, 0),
                second: (1, 1),
            },
        ),
    ] {
        assert_eq!(Board::from_text(text), Err(error), "{text:?}");
    }
    let row = |cells: usize| Board::from_text(&"#".repeat(cells));
    assert_eq!(row(64).unwrap().num_cells(), 64);
    assert_eq!(row(65), Err(BoardError::CellCount { found: 65 }));
    assert_eq!(row(5_000), Err(BoardError::CellCount { found: 5_000 }));
}

#[test]
fn the_parts_of_the_text_of_a_variant() {
    use Opening::{Anywhere, Corner, Outside};
    let standard = |opening, copies| Variant::new(Board::default(), opening, copies).unwrap();
    let square = |opening, copies| {
        let board = Board::from_text("###/###/###").unwrap();
        Variant::new(board, opening, copies).unwrap()
    };
    for (text, expected, written) in [
        ("standard", standard(Outside, 2), "standard"),
        ("corner", standard(Corner, 2), "standard corner"),
        ("3", standard(Outside, 3), "standard 3"),
        (
            " anywhere  1 ",
            standard(Anywhere, 1),
            "standard anywhere 1",
        ),
        ("standard corner 2", standard(Corner, 2), "standard corner"),
        ("### / ### / ### 4", square(Outside, 4), "###/###/### 4"),
        (
            "###/###/### corner",
            square(Corner, 2),
            "###/###/### corner",
        ),
    ] {
        let variant: Variant = text.parse().unwrap();
        assert_eq!(variant, expected, "{text:?}");
        assert_eq!(variant.to_string(), written);
        assert_eq!(written.parse(), Ok(variant));
    }
    let word = |text: &str| match text.parse::<Variant>() {
        Err(VariantTextError::Word { word, .. }) => word,
        other => panic!("{text:?}: {other:?}"),
    };
    assert_eq!(word(""), "");
    assert_eq!(word("corners"), "corners");
    assert_eq!(word("2 corner"), "2");
    assert_eq!(word("standard corner x"), "x");
    assert!(matches!(
        "## 0".parse::<Variant>(),
        Err(VariantTextError::Variant { .. })
    ));
    assert!(matches!(
        "##/# 2".parse::<Variant>(),
        Err(VariantTextError::Board { .. })
    ));
}

/// A long text is not read to its end.
#[test]
fn more_blocks_than_a_board_can_have_are_refused_before_what_follows() {
    let corners: Vec<String> = (0..17).map(|x| format!("{},0", 2 * x)).collect();
    let text = format!("blocks:{};x", corners.join(";"));
    assert_eq!(
        Board::from_text(&text).unwrap_err(),
        BoardError::CellCount { found: 68 }
    );
    let text = format!("blocks:{};x", corners[..16].join(";"));
    let found = "x".to_owned();
    assert_eq!(
        Board::from_text(&text).unwrap_err(),
        BoardError::NotACorner { found }
    );
}

#[test]
fn the_cells_and_the_largest_margin_of_a_board() {
    let board = Board::from_text("###\n###\n###").unwrap();
    assert_eq!(board.all().into_iter().len(), 9);
    // Four stones make one row of three; all nine cells make eight.
    for (copies, margin) in [(1, 1), (3, 8)] {
        let variant = Variant::new(board.clone(), Opening::Anywhere, copies).unwrap();
        assert_eq!(variant.max_margin(), margin);
    }
}

/// Every reason but too many turns, for which there is a test in `errors`; and a position without any.
#[test]
fn impossible_positions_are_refused_for_every_reason() {
    use PositionReason as Reason;
    let (light, dark) = (Player::Light, Player::Dark);
    let (straight, cell) = (Piece::Straight, Cell::new(0));
    let no_stone = Reason::NoOpeningStone;
    let too_many = |passes, placements, most| Reason::TooManyPasses {
        passes,
        placements,
        most,
    };
    let cases = [
        (
            "..../..../..../.... pass 0",
            vec![Reason::LastTurnBeforeStart],
        ),
        (
            "..../..../..../S... a1 0",
            vec![
                Reason::TooFewTurns {
                    player: light,
                    stones: 1,
                    turns: 0,
                },
                Reason::LastTurnBeforeStart,
            ],
        ),
        (
            "..../..../..../S... - 1",
            vec![Reason::LastTurnMissing { ply: 1 }],
        ),
        (
            "..../..../..../Ss.. pass 2",
            vec![Reason::PassWithoutTurn { player: dark }],
        ),
        // Whoever has placed the last piece has no further turn; the other one may still pass.
        (
            "SSDD/PPLL/ssdd/ppl. pass 17",
            vec![Reason::PassWithoutPieces { player: light }],
        ),
        ("SSDD/PPLL/ssdd/ppl. pass 16", Vec::new()),
        (
            "..../..../..../s... a1 1",
            vec![
                Reason::TooFewTurns {
                    player: dark,
                    stones: 1,
                    turns: 0,
                },
                Reason::LastStoneMissing {
                    player: light,
                    piece: straight,
                    cell,
                },
                no_stone.clone(),
            ],
        ),
        ("..../..../.S../.... b2 1", vec![no_stone]),
        (
            "..../..../..../S... a1 2",
            vec![
                too_many(1, 1, 0),
                Reason::LastStoneMissing {
                    player: dark,
                    piece: straight,
                    cell,
                },
            ],
        ),
        ("..../..../..../S... pass 3", vec![too_many(2, 1, 1)]),
        ("..../..../..../SSs. a1 3", Vec::new()),
        (
            "..../..../.s../SSSs a1 5",
            vec![Reason::TooManyPieces {
                player: light,
                piece: straight,
                found: 3,
                copies: 2,
            }],
        ),
    ];
    for (text, reasons) in cases {
        match parse_position(&Variant::default(), text) {
            Ok(position) => assert!(reasons.is_empty(), "{text}: {position:?}"),
            Err(PositionTextError::Impossible(error)) => {
                assert_eq!(error.reasons, reasons, "{text}");
            }
            Err(error) => panic!("{text}: {error}"),
        }
    }
}

#[test]
fn a_drawing_has_an_underscore_where_there_is_no_cell() {
    let board = Board::from_text("###\n#.#").unwrap();
    let variant = Variant::new(board, Opening::Anywhere, 2).unwrap();
    assert!(parse_position(&variant, ".../._. - 0").is_ok());
    for wrong in ['.', 'S', '#'] {
        let text = format!(".../.{wrong}. - 0");
        match parse_position(&variant, &text) {
            Err(PositionTextError::Parse(error)) => {
                assert_eq!((error.at, error.found), (5, wrong.to_string()));
                assert!(error.expected.contains("no cell"), "{}", error.expected);
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}
