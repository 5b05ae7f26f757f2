//! Tree searches that are stopped go on as if nothing had been.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::encode::{Layout, num_actions};
use mijnlieff::game::{Position, Variant};
use mijnlieff::policy::opening;
use mijnlieff::search::{Halt, Limits};
use mijnlieff::tree_search::{Root, TreeConfig, TreeSearch, UpdateError};

const TREES: usize = 10;

const GUMBEL: Root = Root::Gumbel {
    max_considered: 16,
    c_visit: 50.0,
    c_scale: 0.5,
};

fn positions(variant: &Variant, plies: usize) -> Vec<Position> {
    let seeds = 0..TREES as u64;
    seeds
        .map(|seed| opening(variant, plies, seed).unwrap())
        .collect()
}

fn search(variant: &Arc<Variant>, root: Root) -> TreeSearch {
    let config = TreeConfig {
        num_simulations: 20,
        root,
        temperature: 1.0,
        margin_weight: 0.0,
        solve_roots_below: 0,
        solve_leaves_below: 0,
        seed: 1,
    };
    TreeSearch::new(
        variant,
        &positions(variant, 3),
        config,
        Layout::Flat,
        None,
        1,
    )
    .unwrap()
}

/// An evaluation of every leaf, the same whatever the position.
fn evaluation(variant: &Variant, leaves: usize) -> (Vec<f32>, Vec<f32>) {
    let row = |action| (action % 7) as f32 / 3.0;
    let logits = (0..leaves).flat_map(|_| (0..num_actions(variant)).map(row));
    (logits.collect(), vec![0.25; leaves])
}

fn run(variant: &Variant, search: &mut TreeSearch) {
    loop {
        let leaves = search.select(Limits::default()).unwrap();
        if leaves == 0 {
            return;
        }
        let (logits, values) = evaluation(variant, leaves);
        search.update(&logits, &values).unwrap();
    }
}

/// All that a search has found.
fn found(search: &TreeSearch) -> impl PartialEq + std::fmt::Debug {
    let results = search.results(Limits::default()).unwrap();
    let nodes: Vec<_> = (0..TREES).map(|tree| search.nodes(tree).unwrap()).collect();
    (
        results.actions,
        results.visit_counts,
        results.policy_targets,
        nodes,
    )
}

#[test]
fn a_stopped_search_goes_on() {
    let variant = Arc::new(Variant::default());
    let stop = AtomicBool::new(true);
    let stopped = Limits::stopped_by(&stop);
    let (mut whole, mut search) = (search(&variant, GUMBEL), search(&variant, GUMBEL));
    run(&variant, &mut whole);
    assert_eq!(search.select(stopped), Err(Halt::Stopped));
    while search.select(Limits::default()).unwrap() > 0 {
        let leaves = search.select(Limits::default()).unwrap();
        let (logits, values) = evaluation(&variant, leaves);
        search.take_in(&logits, &values).unwrap();
        assert_eq!(search.advance(stopped), Err(Halt::Stopped));
        // The evaluation is gone, its leaves are not.
        let refused = search.update(&logits, &values);
        assert_eq!(refused, Err(UpdateError::NothingSelected));
        assert_eq!(search.select(Limits::default()), Ok(leaves));
        search.update(&logits, &values).unwrap();
    }
    assert_eq!(search.results(stopped).unwrap_err(), Halt::Stopped);
    assert_eq!(found(&search), found(&whole));

    let next = positions(&variant, 4);
    assert_eq!(search.restart(&next, stopped), Err(Halt::Stopped));
    assert_eq!(found(&search), found(&whole));
    for search in [&mut search, &mut whole] {
        search.restart(&next, Limits::default()).unwrap();
        run(&variant, search);
    }
    assert_eq!(found(&search), found(&whole));
}

#[test]
fn no_weight_of_the_values_is_too_large() {
    let boards = ["####\n####\n####\n####", &"########\n".repeat(8)];
    for board in boards {
        let board = mijnlieff::game::Board::from_text(board).unwrap();
        let opening = mijnlieff::game::Opening::Outside;
        let variant = Arc::new(Variant::new(board, opening, 2).unwrap());
        for (c_visit, c_scale) in [
            (50.0, 1e30),
            (50.0, 1e37),
            (f32::MAX, f32::MAX),
            (f32::MAX, 0.0),
        ] {
            let root = Root::Gumbel {
                max_considered: 16,
                c_visit,
                c_scale,
            };
            let mut search = search(&variant, root);
            let mut sign = 1.0;
            loop {
                let leaves = search.select(Limits::default()).unwrap();
                if leaves == 0 {
                    break;
                }
                let (logits, mut values) = evaluation(&variant, leaves);
                for (number, value) in values.iter_mut().enumerate() {
                    *value = sign * number as f32 / leaves as f32;
                }
                sign = -sign;
                search.update(&logits, &values).unwrap();
            }
            let results = search.results(Limits::default()).unwrap();
            for targets in results.policy_targets.rows() {
                let sum: f32 = targets.iter().sum();
                assert!((sum - 1.0).abs() < 1e-5, "{root:?}: {sum}");
            }
        }
    }
}

#[test]
fn values_that_cannot_be_added_up_are_refused() {
    let variant = Arc::new(Variant::default());
    let mut search = search(&variant, GUMBEL);
    let leaves = search.select(Limits::default()).unwrap();
    let (logits, mut values) = evaluation(&variant, leaves);
    for bad in [1e30, f32::NEG_INFINITY] {
        values[1] = bad;
        let refused = search.update(&logits, &values);
        assert_eq!(refused, Err(UpdateError::Value { row: 1, value: bad }));
    }
    values[1] = -1e19;
    search.update(&logits, &values).unwrap();
}
