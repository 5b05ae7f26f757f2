//! How many positions searches visit. A change of what only guides a search leaves its results as
//! they are; here it shows.
//!
//! The numbers are what the searches take. Where one takes fewer, lower its number.

use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::random::SplitMix64;
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Depth, Limits, best_moves};

use super::solver::random_move;

/// Positions of random games with so many empty cells, in which a stone can be placed.
fn positions(variant: &Variant, empty: usize, count: usize) -> Vec<Position> {
    let mut rng = SplitMix64::new(11);
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::new(variant);
        while variant.board().num_cells() - position.occupied().len() > empty {
            position = random_move(variant, &position, &mut rng);
        }
        if !position.must_pass(variant) && !position.is_over(variant) {
            found.push(position);
        }
    }
    found
}

#[test]
fn a_search_of_some_plies_takes_no_more_nodes_than_it_did() {
    let variant = Variant::default();
    let positions = positions(&variant, 9, 10);
    for (plies, nodes) in [
        (4, [25, 40, 15, 42, 21, 33, 110, 33, 64, 52]),
        (6, [275, 495, 148, 869, 170, 218, 975, 183, 407, 303]),
    ] {
        let depth = Depth::new(plies).unwrap();
        for (position, most) in positions.iter().zip(nodes) {
            let limits = Limits {
                max_nodes: Some(most),
                ..Limits::default()
            };
            let found = best_moves(&variant, position, depth, limits);
            assert!(found.is_ok(), "depth {plies}, {position:?}");
        }
    }
}

#[test]
fn a_solution_takes_no_more_nodes_than_it_did() {
    for (copies, empty, most) in [(2, 10, 137_120), (4, 9, 144_999)] {
        let variant = Variant::new(Board::default(), Opening::Anywhere, copies).unwrap();
        let solver = Solver::with_table(&variant, 1 << 16).unwrap();
        let nodes: u64 = positions(&variant, empty, 10)
            .iter()
            .map(|position| solver.solve(position, Limits::default()).unwrap().nodes)
            .sum();
        assert!(nodes <= most, "{copies} copies: {nodes} nodes");
    }
}
