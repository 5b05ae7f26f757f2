//! Tree searches that solve roots and leaves.

use std::sync::Arc;

use mijnlieff::encode::{action_of, move_of, num_actions};
use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::policy::opening;
use mijnlieff::search::Limits;
use mijnlieff::search::solver::Solver;
use mijnlieff::tree_search::{TreeConfig, TreeSearch};

use super::tree_search::{CONFIG, TREES, restart, run, searched};

/// A search that is done, with an exact solver.
fn solved(variant: &Arc<Variant>, roots: &[Position], config: TreeConfig) -> Box<dyn TreeSearch> {
    let solver = Arc::new(Solver::with_table(variant, 1 << 16).unwrap());
    searched(variant, roots, config, Some(solver))
}

#[test]
fn roots_with_few_empty_cells_are_solved_on_boards_of_all_sizes() {
    for text in ["####\n####\n####\n####", "#####\n#####\n#####\n##.##"] {
        let board = Board::from_text(text).unwrap();
        let variant = Arc::new(Variant::new(board, Opening::Anywhere, 2).unwrap());
        let roots: Vec<Position> = (6..14)
            .map(|plies| opening(&variant, plies, 3).unwrap())
            .collect();
        let config = TreeConfig {
            solve_roots_below: 8,
            ..CONFIG
        };
        let mut search = solved(&variant, &roots, config);
        let results = search.results(Limits::default()).unwrap().clone();
        let has_few = |root: &Position| variant.board().num_cells() - root.occupied().len() <= 8;
        let expected: Vec<bool> = roots.iter().map(has_few).collect();
        assert_eq!(results.solved.to_vec(), expected, "{text}");
        let late: Vec<Position> = roots.into_iter().filter(has_few).collect();
        assert!((1..expected.len()).contains(&late.len()));
        // Also where the search before has visited the position.
        let again = vec![late[0]; expected.len()];
        restart(&mut *search, &again, Limits::default()).unwrap();
        assert_eq!(search.select(Limits::default()), Ok(0));
    }
}

#[test]
fn the_best_actions_of_solved_roots_share_the_target() {
    let variant = Arc::new(Variant::default());
    let roots: Vec<Position> = (0..TREES as u64)
        .map(|seed| opening(&variant, 11, seed).unwrap())
        .filter(|root| !root.is_over(&variant))
        .collect();
    let config = TreeConfig {
        solve_roots_below: 16,
        margin_weight: 0.25,
        ..CONFIG
    };
    let search = solved(&variant, &roots, config);
    let results = search.results(Limits::default()).unwrap();
    let solver = Solver::with_table(&variant, 1 << 16).unwrap();
    let mut shared = 0;
    for (tree, root) in roots.iter().enumerate() {
        let solution = solver.solve(root, Limits::default()).unwrap();
        let best: Vec<usize> = solution
            .best_moves()
            .map(|mv| action_of(&variant, mv))
            .collect();
        let mut expected = vec![0.0; num_actions(&variant)];
        for &action in &best {
            expected[action] = 1.0 / best.len() as f32;
        }
        assert_eq!(results.policy_targets.row(tree).to_vec(), expected);
        assert!(best.contains(&(results.actions[tree] as usize)));
        shared += usize::from(best.len() > 1);
    }
    assert!(shared > 3, "{shared}");
}

#[test]
fn a_position_that_was_solved_as_a_leaf_is_searched_as_a_root() {
    let variant = Arc::new(Variant::default());
    let few = |position: &Position| 16 - position.occupied().len() == 9;
    let roots: Vec<Position> = (0..TREES as u64)
        .map(|seed| opening(&variant, 7, seed).unwrap())
        .filter(few)
        .collect();
    let config = TreeConfig {
        solve_leaves_below: 8,
        ..CONFIG
    };
    let mut search = solved(&variant, &roots, config);
    let actions = search.results(Limits::default()).unwrap().actions.to_vec();
    let after = |(root, action): (&Position, &i64)| {
        let mv = move_of(&variant, *action as usize).unwrap();
        root.play_unchecked(&variant, mv)
    };
    let next: Vec<Position> = roots.iter().zip(&actions).map(after).collect();
    restart(&mut *search, &next, Limits::default()).unwrap();
    run(&variant, &mut *search);
    let results = search.results(Limits::default()).unwrap();
    for (tree, position) in next.iter().enumerate() {
        let visits = results.visit_counts.row(tree).sum();
        assert_eq!(visits, CONFIG.num_simulations as i32, "{position:?}");
    }
    assert!(next.len() > 5);
}
