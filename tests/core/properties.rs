//! What holds for every set of cells and for the texts of every game, from arbitrary bytes; the rest is
//! checked by the bodies of the fuzz targets.

use std::collections::BTreeSet;

use mijnlieff::game::{
    Board, Cell, CellSet, Move, Opening, Position, Variant, format_position, format_record,
    parse_move, parse_position, parse_record,
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
}
