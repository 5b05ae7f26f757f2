//! What holds for every game, checked on playouts from arbitrary bytes.

use std::collections::BTreeSet;

use mijnlieff::encode::{
    Layout, PackError, action_of, move_of, num_actions, observe, pack, write_mask,
};
use mijnlieff::game::{
    Board, Cell, CellSet, Move, Opening, PlayError, Player, Position, Variant, format_position,
    format_record, parse_move, parse_position, parse_record,
};
use proptest::prelude::*;

/// Boards of any shape within 9 x 9, at least one cell.
fn boards() -> impl Strategy<Value = Board> {
    prop::collection::vec((0..9, 0..9), 1..40).prop_map(|cells| Board::from_cells(cells).unwrap())
}

fn variants() -> impl Strategy<Value = Variant> {
    let boards = prop_oneof![Just(Board::default()), boards()];
    (boards, 0..4_usize, 1..5_i64).prop_map(|(board, opening, copies)| {
        Variant::new(board, Opening::ALL[opening], copies).unwrap()
    })
}

/// The positions of a game in which byte `i` picks the move of ply `i`, and the moves.
fn playout(variant: &Variant, bytes: &[u8]) -> (Vec<Position>, Vec<Move>) {
    let (mut positions, mut moves) = (vec![Position::new(variant)], Vec::new());
    for &byte in bytes {
        let position = positions[positions.len() - 1];
        let legal = position.legal_moves(variant);
        let Some(&mv) = legal.get(usize::from(byte) % legal.len().max(1)) else {
            break;
        };
        moves.push(mv);
        positions.push(position.play(variant, mv).unwrap());
    }
    (positions, moves)
}

/// The position with every stone and open cell moved by a symmetry.
fn image(variant: &Variant, moves: &[Move], symmetry: usize) -> Position {
    let symmetry = &variant.board().symmetries()[symmetry];
    moves.iter().fold(Position::new(variant), |position, &mv| {
        let mv = match mv {
            Move::Place { piece, cell } => Move::Place {
                piece,
                cell: symmetry.cell(cell),
            },
            Move::Pass => Move::Pass,
        };
        position
            .play(variant, mv)
            .expect("the image of a legal move is legal")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sets_of_cells_are_sets(
        a in prop::collection::vec(0..64_usize, 0..80), b in prop::collection::vec(0..64_usize, 0..80)
    ) {
        let plain = |cells: &[usize]| cells.iter().copied().collect::<BTreeSet<usize>>();
        let set = |cells: &BTreeSet<usize>| cells.iter().map(|&it| Cell::new(it)).collect::<CellSet>();
        let one = a.iter().fold(CellSet::EMPTY, |cells, &it| cells.with(Cell::new(it)));
        let (a, b) = (plain(&a), plain(&b));
        prop_assert_eq!(one, set(&a));
        prop_assert_eq!(one.len(), a.len());
        prop_assert_eq!(one.is_empty(), a.is_empty());
        prop_assert!(one.into_iter().map(Cell::index).eq(a.iter().copied()));
        prop_assert!((0..64).all(|it| one.contains(Cell::new(it)) == a.contains(&it)));
        let other = set(&b);
        prop_assert_eq!(one | other, set(&(&a | &b)));
        prop_assert_eq!(one & other, set(&(&a & &b)));
        prop_assert_eq!(one - other, set(&(&a - &b)));
        prop_assert_eq!(one.is_superset(other), a.is_superset(&b));
        prop_assert!(one.is_superset(one & other));
    }

    #[test]
    fn generator_legality_and_mask_agree(
        variant in variants(), bytes in prop::collection::vec(any::<u8>(), 0..130)
    ) {
        for position in playout(&variant, &bytes).0 {
            let moves = position.legal_moves(&variant);
            let mut mask = vec![0; num_actions(&variant)];
            write_mask(&variant, &position, &mut mask);
            prop_assert_eq!(moves.len(), position.count_legal_moves(&variant));
            prop_assert_eq!(moves.is_empty(), position.is_over(&variant));
            for (action, &legal) in mask.iter().enumerate() {
                let mv = move_of(&variant, action).unwrap();
                prop_assert_eq!(action_of(&variant, mv), action);
                prop_assert_eq!(legal == 1, moves.contains(&mv));
                prop_assert_eq!(legal == 1, position.is_legal(&variant, mv));
                match position.play(&variant, mv) {
                    Ok(next) => prop_assert_eq!(next, position.play_unchecked(&variant, mv)),
                    Err(PlayError::GameOver) => prop_assert!(position.is_over(&variant)),
                    Err(_) => prop_assert!(legal == 0 && !position.is_over(&variant)),
                }
            }
        }
    }

    #[test]
    fn pieces_are_conserved_and_games_end(
        variant in variants(), bytes in prop::collection::vec(any::<u8>(), 200)
    ) {
        let (positions, moves) = playout(&variant, &bytes);
        prop_assert!(positions[positions.len() - 1].is_over(&variant));
        prop_assert!(moves.len() <= variant.max_game_length());
        for (ply, position) in positions.iter().enumerate() {
            prop_assert_eq!(position.ply(), ply);
            prop_assert!((position.stones(Player::Light) & position.stones(Player::Dark)).is_empty());
            prop_assert!((position.allowed() & position.occupied()).is_empty());
            for player in Player::ALL {
                let pieces = position.stones(player).len() + position.hand(player).total();
                prop_assert_eq!(pieces, variant.full_hand().total());
            }
        }
    }

    #[test]
    fn texts_are_read_as_they_were_written(
        variant in variants(), bytes in prop::collection::vec(any::<u8>(), 0..130)
    ) {
        let (positions, moves) = playout(&variant, &bytes);
        let record = format_record(&variant, &moves).unwrap();
        prop_assert_eq!(parse_record(&variant, &record).unwrap(), moves.clone());
        for position in positions {
            let text = format_position(&variant, &position);
            let read = parse_position(&variant, &text).unwrap();
            prop_assert_eq!(read, position);
            prop_assert_eq!(read.last_move(), position.last_move());
            prop_assert_eq!(format_position(&variant, &read), text);
        }
        for mv in moves {
            let text = mijnlieff::game::format_move(variant.board(), mv);
            prop_assert_eq!(parse_move(variant.board(), &text), Ok(mv));
        }
    }

    #[test]
    fn arbitrary_text_is_an_error_not_a_panic(text in "[-a-z0-9 .,;#+x<>/_SDPLsdpl()é]{0,40}") {
        let variant = Variant::default();
        let _ = parse_move(variant.board(), &text);
        let _ = parse_record(&variant, &text);
        let _ = parse_position(&variant, &text);
        let _ = Board::from_text(&text);
    }

    #[test]
    fn symmetric_games_have_symmetric_positions(
        variant in variants(), bytes in prop::collection::vec(any::<u8>(), 0..130)
    ) {
        let (positions, moves) = playout(&variant, &bytes);
        let last = positions[positions.len() - 1];
        for (k, symmetry) in variant.board().symmetries().iter().enumerate() {
            let mirrored = image(&variant, &moves, k);
            prop_assert_eq!(mirrored.score(&variant), last.score(&variant));
            prop_assert_eq!(mirrored.allowed(), symmetry.cells(last.allowed()));
            prop_assert_eq!(mirrored.is_over(&variant), last.is_over(&variant));
        }
    }

    #[test]
    fn packed_and_flat_observations_say_the_same(
        copies in 1..4_i64, bytes in prop::collection::vec(any::<u8>(), 0..40)
    ) {
        let variant = Variant::new(Board::default(), Opening::Anywhere, copies).unwrap();
        prop_assert!(PackError::check(&variant).is_ok());
        for position in playout(&variant, &bytes).0 {
            let mut flat = vec![0_u8; Layout::Flat.len(&variant)];
            observe(&variant, &position, Layout::Flat, &mut flat);
            let word = pack(&variant, &position);
            for (i, &value) in flat.iter().enumerate() {
                let expected = if i < 48 { word >> i & 1 } else { word >> (48 + 2 * (i - 48)) & 3 };
                prop_assert_eq!(u64::from(value), expected);
            }
        }
    }
}
