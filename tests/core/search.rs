//! Alpha-beta against plain minimax, over boards, openings and copies of all kinds.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::best_response::{BestResponseConfig, BestResponseError, BestResponseSearch};
use mijnlieff::game::{Board, Move, Opening, Player, Position, Variant};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Depth, Halt, Limits, MoveSet, best_moves, minimax, minimax_moves};

use super::solver::random_game;

/// Boards on which points are looked up, boards on which they are counted, gaps, corner joints.
const BOARDS: [&str; 8] = [
    "####\n####\n####\n####",
    "##..\n##..\n..##\n..##",
    "##.##\n##.##\n.###.\n..#..",
    "####",
    "#",
    "####.\n#####\n#####\n#####",
    "##..##\n######\n######\n##..##",
    "########\n########\n########\n########\n########\n########\n########\n########",
];

fn random_variant(rng: &mut SplitMix64) -> Variant {
    let board = Board::from_text(BOARDS[rng.below(BOARDS.len() as u64) as usize]).unwrap();
    let opening = Opening::ALL[rng.below(4) as usize];
    Variant::new(board, opening, 1 + rng.below(3) as i64).unwrap()
}

/// A position of a random game that is not over; every ply of the game equally likely.
fn random_position(variant: &Variant, rng: &mut SplitMix64) -> Position {
    let game = random_game(variant, rng);
    game[rng.below(game.len() as u64 - 1) as usize]
}

fn check(variant: &Variant, position: &Position, plies: u32) {
    let depth = Depth::new(i64::from(plies)).unwrap();
    let best = best_moves(variant, position, depth, Limits::default()).unwrap();
    let (margin, moves) = minimax_moves(variant, position, plies);
    assert_eq!(best.margin, margin, "depth {plies}, {position:?}");
    assert_eq!(
        best.moves.iter().collect::<Vec<Move>>(),
        moves,
        "depth {plies}, {position:?}"
    );
}

#[test]
fn alpha_beta_is_minimax() {
    let mut rng = SplitMix64::new(1);
    for _ in 0..150 {
        let variant = random_variant(&mut rng);
        for _ in 0..20 {
            let position = random_position(&variant, &mut rng);
            for plies in 1..=4 {
                // Full-width trees of the large boards would take minutes.
                if position.count_legal_moves(&variant).pow(plies) <= 10_000 {
                    check(&variant, &position, plies);
                }
            }
        }
    }
}

/// On large boards only late positions have trees that plain minimax can search.
#[test]
fn alpha_beta_is_minimax_at_the_end_of_games_on_large_boards() {
    let mut rng = SplitMix64::new(4);
    let mut checked = 0;
    while checked < 60 {
        let corners = rng.below(2) == 0;
        let board = Board::random(5 + rng.below(12) as usize, corners, &mut rng);
        // Enough pieces to fill the board, or nearly.
        let copies = (board.num_cells() / 8) as i64 + rng.below(3) as i64;
        let opening = Opening::ALL[rng.below(4) as usize];
        let Ok(variant) = Variant::new(board, opening, copies) else {
            continue;
        };
        let position = random_position(&variant, &mut rng);
        for plies in 3..=5 {
            let moves = position.count_legal_moves(&variant);
            if position.ply() > 8 && moves > 1 && moves.pow(plies) <= 1000 {
                check(&variant, &position, plies);
                checked += 1;
            }
        }
    }
}

#[test]
fn endings_are_searched_to_the_end_by_any_greater_depth() {
    let mut rng = SplitMix64::new(2);
    let variant = Variant::default();
    let mut endings = 0;
    while endings < 100 {
        let position = random_position(&variant, &mut rng);
        if position.ply() < 13 {
            continue;
        }
        let longest = 2 * variant.max_game_length() as u32;
        let exact = minimax(&variant, &position, longest);
        for plies in [9, 20, 64] {
            let depth = Depth::new(plies).unwrap();
            let best = best_moves(&variant, &position, depth, Limits::default()).unwrap();
            assert_eq!(best.margin, exact, "depth {plies}, {position:?}");
        }
        endings += 1;
    }
}

#[test]
fn a_forced_pass_costs_a_ply_and_changes_the_side() {
    let mut rng = SplitMix64::new(3);
    let variant = Variant::default();
    let mut passes = 0;
    while passes < 50 {
        let position = random_position(&variant, &mut rng);
        if !position.must_pass(&variant) {
            continue;
        }
        passes += 1;
        let next = position.play(&variant, Move::Pass).unwrap();
        let depth = Depth::new(3).unwrap();
        let best = best_moves(&variant, &position, depth, Limits::default()).unwrap();
        assert_eq!(best.moves, MoveSet::PASS);
        assert_eq!(best.margin, -minimax(&variant, &next, 2));
    }
}

#[test]
fn limits_end_a_search() {
    let variant = Variant::default();
    let start = Position::new(&variant);
    let depth = Depth::new(5).unwrap();
    let stop = AtomicBool::new(true);
    let stopped = best_moves(&variant, &start, depth, Limits::stopped_by(&stop));
    assert_eq!(stopped, Err(Halt::Stopped));
    let max_nodes = 100;
    let limits = Limits {
        max_nodes: Some(max_nodes),
        ..Limits::default()
    };
    let limited = best_moves(&variant, &start, depth, limits);
    assert_eq!(limited, Err(Halt::NodeLimit { max_nodes }));
}

#[test]
fn a_best_response_search_stops() {
    let variant: Variant = "###/### outside 1".parse().unwrap();
    let (start, solver) = (Position::new(&variant), Arc::new(Solver::new(&variant)));
    let new = |seat| {
        let config = BestResponseConfig::new(seat);
        BestResponseSearch::new(&variant, &[start], Arc::clone(&solver), config).unwrap()
    };
    let stopped = BestResponseError::Halted(Halt::Stopped);
    let stop = AtomicBool::new(true);
    let limits = Limits::stopped_by(&stop);
    let mut search = new(Player::Dark);
    assert_eq!(search.ask(10, 1, limits).unwrap_err(), stopped);
    let mut search = new(Player::Light);
    assert_eq!(search.ask(10, 1, Limits::default()).unwrap().len(), 1);
    assert_eq!(search.answer([[0]], limits).unwrap_err(), stopped);
}

#[test]
fn depths_out_of_range_are_refused() {
    for plies in [0, -1, 65, i64::MAX] {
        let error = Depth::new(plies).unwrap_err();
        assert_eq!(error.found, plies);
        assert!(error.to_string().ends_with(&format!("not {plies}")));
    }
}
