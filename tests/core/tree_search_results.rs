//! What tree searches find: values, visits, and the actions drawn from them.

#![allow(clippy::float_cmp)] // values of finished games, and numbers that are the same to the bit

use std::sync::Arc;

use mijnlieff::encode::move_of;
use mijnlieff::game::{Move, Player, Position, Variant};
use mijnlieff::policy::opening;
use mijnlieff::search::Limits;
use mijnlieff::tree_search::{Root, TreeConfig};

use super::tree_search::{CONFIG, GUMBEL, TREES, positions, restart, run, search, searched};

#[test]
fn noise_is_in_proportion_to_the_temperature() {
    let variant = Arc::new(Variant::default());
    let noise = |temperature| {
        let config = TreeConfig {
            num_simulations: 4,
            temperature,
            ..CONFIG
        };
        searched(&variant, &positions(&variant, 3), config, None)
            .results(Limits::default())
            .unwrap()
            .root_noise
            .to_owned()
    };
    let whole = noise(1.0);
    assert!(whole.iter().any(|&it| it > 0.5) && whole.iter().any(|&it| it < -0.5));
    assert_eq!(noise(0.25), &whole * 0.25);
    assert!(noise(0.0).iter().all(|&it| it == 0.0));
}

/// Late positions of random games, the last of them forced to pass.
fn endings(variant: &Variant) -> Vec<Position> {
    let late = |seed| opening(variant, 13, seed).unwrap();
    let passes = (0..).map(late).filter(|it| it.must_pass(variant));
    let others = (0..).map(late).filter(|it| !it.must_pass(variant));
    others
        .take(TREES / 2)
        .chain(passes.take(TREES / 2))
        .collect()
}

#[test]
fn a_root_that_has_to_pass_has_the_mean_value_of_its_simulations() {
    let variant = Arc::new(Variant::default());
    let roots = endings(&variant);
    let puct = Root::Puct {
        c_puct: 1.5,
        dirichlet_share: 0.0,
        dirichlet_alpha: 0.3,
    };
    for (num_simulations, root) in [(1, GUMBEL), (2, GUMBEL), (5, GUMBEL), (1, puct), (5, puct)] {
        let config = TreeConfig {
            num_simulations,
            root,
            ..CONFIG
        };
        let search = searched(&variant, &roots, config, None);
        let results = search.results(Limits::default()).unwrap();
        for (tree, root) in roots.iter().enumerate() {
            if root.must_pass(&variant) {
                let nodes = search.nodes(tree, Limits::default()).unwrap();
                let value = results.root_values[tree];
                assert!((value - nodes[1].value).abs() < 1e-6, "{nodes:?}");
            }
        }
    }
}

#[test]
fn games_that_are_over_have_the_value_of_their_result() {
    let variant = Arc::new(Variant::default());
    let mut search = search(&variant, GUMBEL);
    let roots = endings(&variant);
    restart(&mut *search, &roots, Limits::default()).unwrap();
    run(&variant, &mut *search);
    let mut ends = 0;
    for (tree, root) in roots.iter().enumerate() {
        for node in search.nodes(tree, Limits::default()).unwrap() {
            let mut position = *root;
            let mut mover = position.side_to_move();
            for &action in &node.actions {
                mover = position.side_to_move();
                position = position.play_unchecked(&variant, move_of(&variant, action).unwrap());
                while !position.is_over(&variant) && position.must_pass(&variant) {
                    position = position.play_unchecked(&variant, Move::Pass);
                }
            }
            assert_eq!(
                node.exact,
                position.is_over(&variant) && !node.actions.is_empty()
            );
            if node.exact {
                let won = position.margin_of(&variant, mover).signum();
                assert!((node.value - won as f32).abs() < 1e-6, "{position:?}");
                ends += 1;
            }
        }
    }
    assert!(ends > 20, "{ends} ends are not enough");
    let results = search.results(Limits::default()).unwrap();
    assert!(results.root_values.iter().all(|value| value.abs() <= 1.0));
}

#[test]
fn actions_are_drawn_by_visits() {
    const DRAWS: usize = 2_000;
    let variant = Arc::new(Variant::default());
    let root = positions(&variant, 3)[0];
    for temperature in [0.0, 0.5, 1.0] {
        let config = TreeConfig {
            num_simulations: 40,
            root: Root::Puct {
                c_puct: 1.5,
                dirichlet_share: 0.0,
                dirichlet_alpha: 1.0,
            },
            temperature,
            ..CONFIG
        };
        let roots = vec![root; DRAWS];
        let search = searched(&variant, &roots, config, None);
        let results = search.results(Limits::default()).unwrap();
        let visits: Vec<f64> = results
            .visit_counts
            .row(0)
            .iter()
            .map(|&it| f64::from(it))
            .collect();
        let mut drawn = vec![0.0; visits.len()];
        for &action in &results.actions {
            drawn[action as usize] += 1.0 / DRAWS as f64;
        }
        let most = visits.iter().copied().fold(0.0, f64::max);
        let weight = |visits: f64| match temperature {
            0.0 => f64::from(u8::from(visits == most)),
            _ => (visits / most).powf(1.0 / f64::from(temperature)),
        };
        let sum: f64 = visits.iter().map(|&it| weight(it)).sum();
        for (drawn, &visits) in drawn.iter().zip(&visits) {
            if temperature == 0.0 {
                assert!(
                    *drawn == 0.0 || visits == most,
                    "{drawn} of {visits} visits"
                );
            } else {
                let expected = weight(visits) / sum;
                assert!((drawn - expected).abs() < 0.05, "{drawn}, not {expected}");
            }
        }
    }
}

/// Adds a player's results of all ways to play on.
fn add_results(variant: &Variant, position: &Position, player: Player, results: &mut Vec<i32>) {
    if position.is_over(variant) {
        results.push(position.margin_of(variant, player).signum());
        return;
    }
    for mv in position.legal_moves(variant) {
        let after = position.play_unchecked(variant, mv);
        add_results(variant, &after, player, results);
    }
}

#[test]
fn rollouts_give_the_results_of_games_and_even_priors() {
    let variant = Arc::new(Variant::default());
    let mut search = search(&variant, GUMBEL);
    let roots = endings(&variant);
    restart(&mut *search, &roots, Limits::default()).unwrap();
    search.run_with_rollouts(Limits::default()).unwrap();
    let values = search
        .results(Limits::default())
        .unwrap()
        .root_values
        .to_owned();
    let mut decided = 0;
    for (tree, root) in roots.iter().enumerate() {
        let mut results = Vec::new();
        add_results(&variant, root, root.side_to_move(), &mut results);
        let (least, most) = (results.iter().min().unwrap(), results.iter().max().unwrap());
        assert!(values[tree].abs() <= 1.0);
        if least == most {
            assert!((values[tree] - *least as f32).abs() < 1e-6, "{root:?}");
            decided += 1;
        }
        let prior = 1.0 / root.count_legal_moves(&variant) as f32;
        for node in search.nodes(tree, Limits::default()).unwrap() {
            let is_child = node.actions.len() == 1;
            assert!(!is_child || (node.prior - prior).abs() < 1e-6, "{root:?}");
        }
    }
    assert!(decided > 2, "{decided} decided games are not enough");
}
