//! The exact solver on boards of more than 16 cells, against plain minimax and alpha-beta.

use std::sync::atomic::AtomicBool;

use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::random::SplitMix64;
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Depth, Halt, Limits, best_moves};

use super::solver::{check_ending, random_game, random_move, solve};

/// Boards of more than 16 cells: whole, with gaps, long, in pieces, and of 64 cells.
const LARGE_BOARDS: [&str; 6] = [
    "#####\n#####\n#####\n##.##",
    "##..##\n##..##\n######\n######\n##..##\n##..##",
    "#################",
    "###...###\n###...###\n###...###",
    "########\n########\n########\n########",
    "########\n########\n########\n########\n########\n########\n########\n########",
];

/// Random games on large boards, with few and many copies, which end with few cells empty.
fn large_games(mut visit: impl FnMut(&Variant, &[Position])) {
    let mut rng = SplitMix64::new(4);
    for text in LARGE_BOARDS {
        let board = Board::from_text(text).unwrap();
        for opening in Opening::ALL {
            let enough = board.num_cells().div_ceil(8) as i64;
            for copies in [enough, enough + 1, 127] {
                let variant = Variant::new(board.clone(), opening, copies).unwrap();
                for _ in 0..2 {
                    visit(&variant, &random_game(&variant, &mut rng));
                }
            }
        }
    }
}

#[test]
fn endings_of_large_boards_are_those_of_plain_minimax() {
    let mut checked = 0;
    large_games(|variant, game| {
        let solver = Solver::with_table(variant, 1 << 16).unwrap();
        checked += check_ending(&solver, variant, game);
    });
    assert!(checked >= 500, "{checked} endings are not enough");
}

#[test]
fn longer_endings_of_large_boards_agree_with_alpha_beta_and_with_their_children() {
    let mut checked = 0;
    large_games(|variant, game| {
        let empty = |position: &Position| variant.board().num_cells() - position.occupied().len();
        let solver = Solver::new(variant);
        for (cells, is_played_out) in [(7, true), (10, false)] {
            let Some(position) = game.iter().find(|position| empty(position) == cells) else {
                continue; // the hands were empty before
            };
            if position.is_over(variant) {
                continue;
            }
            let found = solve(&solver, position);
            if is_played_out {
                let depth = Depth::new(2 * cells as i64 + 1).unwrap();
                let best = best_moves(variant, position, depth, Limits::default()).unwrap();
                assert_eq!(found.margin, best.margin);
                assert!(found.best_moves().eq(best.moves.iter()));
            }
            for &(mv, margin) in &found.moves {
                let child = position.play(variant, mv).unwrap();
                // Searched by itself, the child is an ending with fewer cells.
                let alone = Solver::new(variant).margin(&child, Limits::default());
                assert_eq!(alone, Ok(-margin));
            }
            checked += 1;
        }
    });
    assert!(checked >= 200, "{checked} endings are not enough");
}

/// With more empty cells than an ending has.
#[test]
fn games_of_few_pieces_on_large_boards_agree_with_alpha_beta() {
    for (text, plies, count) in [
        ("#######\n#######\n#######\n#######", 4, 30),
        ("######\n######\n######", 2, 4), // endings are reached within the search
    ] {
        let board = Board::from_text(text).unwrap();
        let variant = Variant::new(board, Opening::Anywhere, 1).unwrap();
        let mut rng = SplitMix64::new(12);
        let (mut positions, mut nodes) = (0, 0);
        while positions < count {
            let mut position = Position::new(&variant);
            while position.ply() < plies {
                position = random_move(&variant, &position, &mut rng);
            }
            if position.must_pass(&variant) {
                continue;
            }
            let solver = Solver::new(&variant);
            let found = solve(&solver, &position);
            let depth = Depth::new(12).unwrap();
            let best = best_moves(&variant, &position, depth, Limits::default()).unwrap();
            assert_eq!(found.margin, best.margin, "{position:?}");
            assert!(found.best_moves().eq(best.moves.iter()), "{position:?}");
            positions += 1;
            nodes += found.nodes;
        }
        assert!(nodes > 3_000, "{nodes} nodes are not a search");
        assert!(nodes < 1_000_000, "{nodes} nodes");
    }
}

#[test]
fn positions_of_large_boards_are_within_reach_with_few_empty_cells() {
    let mut reached = 0;
    large_games(|variant, game| {
        for position in game {
            let empty = variant.board().num_cells() - position.occupied().len();
            let expected = empty <= 14;
            assert_eq!(Solver::is_within_reach(variant, position), expected);
            reached += usize::from(expected);
        }
    });
    assert!(reached > 1_000);
    let start = Position::new(&Variant::default());
    assert!(Solver::is_within_reach(&Variant::default(), &start));
}

#[test]
fn the_search_of_a_large_board_uses_the_endings_it_reaches() {
    // More empty cells than an ending has, and few moves, as each player can place one piece only.
    let board = Board::from_text("#################").unwrap();
    let variant = Variant::new(board, Opening::Anywhere, 3).unwrap();
    let mut position = Position::new(&variant);
    let mut rng = SplitMix64::new(6);
    while position.occupied().is_empty() || position.count_legal_moves(&variant) > 12 {
        position = random_move(&variant, &position, &mut rng);
    }
    let solver = Solver::new(&variant);
    let limits = Limits {
        max_nodes: Some(50),
        ..Limits::default()
    };
    let unsolved = solver.solve(&position, limits).unwrap_err();
    assert_eq!(unsolved.halt, Halt::NodeLimit { max_nodes: 50 });
    let found = solve(&solver, &position);
    assert!(unsolved.bounds.lower <= found.margin && found.margin <= unsolved.bounds.upper);
    assert!(found.nodes > 50);
    // Solved before, yet nothing is done once it is told to stop.
    let stop = AtomicBool::new(true);
    let unsolved = solver
        .solve(&position, Limits::stopped_by(&stop))
        .unwrap_err();
    assert_eq!(unsolved.halt, Halt::Stopped);
}

#[test]
fn the_last_turn_is_not_solved_once_told_to_stop() {
    let board = Board::from_text("#################").unwrap();
    let variant = Variant::new(board, Opening::Anywhere, 1).unwrap();
    let mut rng = SplitMix64::new(2);
    let game = random_game(&variant, &mut rng);
    let last = game.iter().rfind(|it| !it.is_over(&variant)).unwrap();
    let solver = Solver::new(&variant);
    assert!(!solve(&solver, last).moves.is_empty());
    let stop = AtomicBool::new(true);
    let unsolved = solver.solve(last, Limits::stopped_by(&stop)).unwrap_err();
    assert_eq!(unsolved.halt, Halt::Stopped);
}
