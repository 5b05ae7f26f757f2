//! Built-in players and their matches.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::game::{Board, Move, Opening, Position, Variant};
use mijnlieff::policy::{Epsilon, Match, Perfect, Policy, draw_opening, opening};
use mijnlieff::random::SplitMix64;
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Depth, Halt, Limits, minimax_moves};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

fn minimax_policy(plies: i64) -> Policy {
    Policy::Minimax(Depth::new(plies).unwrap())
}

fn play(variant: &Variant, policy: &Policy, seed: u64) -> Vec<Move> {
    let mut rng = SplitMix64::new(seed);
    let mut position = Position::new(variant);
    let mut moves = Vec::new();
    while !position.is_over(variant) {
        let mv = policy.choose(variant, &position, &mut rng);
        position = position.play(variant, mv).unwrap();
        moves.push(mv);
    }
    moves
}

#[test]
fn the_seed_decides_the_game() {
    let variant = Variant::default();
    for policy in [Policy::Random, Policy::Greedy, minimax_policy(3)] {
        assert_eq!(play(&variant, &policy, 7), play(&variant, &policy, 7));
        assert_ne!(play(&variant, &policy, 7), play(&variant, &policy, 8));
    }
}

/// Chi-square of the choices against equal chances; its mean is the number of moves less one.
fn chi_square(counts: &[u32]) -> f64 {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let terms = counts
        .iter()
        .map(|&count| (f64::from(count) - expected).powi(2) / expected);
    terms.sum()
}

/// Checks that a policy plays all of these moves and no other, each equally likely.
fn assert_even(
    policy: &Policy,
    variant: &Variant,
    position: &Position,
    moves: &[Move],
    draws: usize,
    rng: &mut SplitMix64,
) {
    let mut counts = vec![0_u32; moves.len()];
    for _ in 0..draws * moves.len() {
        let mv = policy.choose(variant, position, rng);
        let index = moves.iter().position(|&best| best == mv);
        counts[index.expect("only best moves are chosen")] += 1;
    }
    // Five standard deviations above the mean, and room for the skew at few moves.
    let freedom = (moves.len() - 1) as f64;
    let bound = freedom + 5.0 * (2.0 * freedom).sqrt() + 10.0;
    assert!(
        chi_square(&counts) < bound,
        "{policy:?} at {position:?}: {counts:?}"
    );
}

#[test]
fn every_best_move_is_equally_likely() {
    let variant = Variant::default();
    let mut rng = SplitMix64::new(4);
    let mut position = Position::new(&variant);
    for _ in 0..12 {
        for (policy, plies) in [
            (Policy::Random, 0),
            (Policy::Greedy, 1),
            (minimax_policy(2), 2),
        ] {
            let moves = match plies {
                0 => position.legal_moves(&variant),
                _ => minimax_moves(&variant, &position, plies).1,
            };
            assert_even(&policy, &variant, &position, &moves, 200, &mut rng);
        }
        position = position
            .play(
                &variant,
                Policy::Random.choose(&variant, &position, &mut rng),
            )
            .unwrap();
        if position.is_over(&variant) {
            position = Position::new(&variant);
        }
    }
}

#[test]
fn players_and_openings_take_any_generator() {
    let variant = Variant::default();
    let players = [Policy::Random, Policy::Greedy, minimax_policy(2)];
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(1);
    let openings: HashSet<Position> = (0..20)
        .map(|_| draw_opening(&variant, 4, &mut generator).unwrap())
        .collect();
    assert!(openings.len() > 15);
    for (player, start) in players.iter().zip(&openings) {
        let mut same: [Box<dyn Rng>; 2] =
            [(); 2].map(|()| Box::new(generator.clone()) as Box<dyn Rng>);
        let mut position = *start;
        while !position.is_over(&variant) {
            let chosen = [0, 1].map(|i| player.choose(&variant, &position, &mut same[i]));
            assert_eq!(chosen[0], chosen[1]);
            position = position.play(&variant, chosen[0]).unwrap();
        }
    }
    let mut stream = SplitMix64::stream(9, 0);
    assert_eq!(
        draw_opening(&variant, 4, &mut stream),
        opening(&variant, 4, 9)
    );
}

fn perfect_policy(solver: &Arc<Solver>, epsilon: f64) -> Policy {
    let epsilon = Epsilon::new(epsilon).unwrap();
    Policy::Perfect(Perfect::new(vec![Arc::clone(solver)], epsilon))
}

#[test]
fn perfect_play_chooses_among_all_best_moves_and_errs_as_often_as_asked() {
    let variant = Variant::default();
    let solver = Arc::new(Solver::new(&variant));
    let (sure, erring) = (perfect_policy(&solver, 0.0), perfect_policy(&solver, 0.5));
    let mut rng = SplitMix64::new(5);
    let (mut wrong, mut expected) = (0_u32, 0.0);
    for seed in 0..40 {
        let position = opening(&variant, 9, seed).unwrap();
        let solution = solver.solve(&position, Limits::default()).unwrap();
        let best: Vec<Move> = solution.best_moves().collect();
        assert_even(&sure, &variant, &position, &best, 100, &mut rng);
        for _ in 0..100 {
            let mv = erring.choose(&variant, &position, &mut rng);
            wrong += u32::from(!best.contains(&mv));
        }
        expected += 50.0 * (1.0 - best.len() as f64 / solution.moves.len() as f64);
    }
    // Some 1,200 errors of 4,000 choices: the standard deviation is below 30.
    assert!(
        (f64::from(wrong) - expected).abs() < 150.0,
        "{wrong} {expected}"
    );
}

#[test]
fn no_player_beats_perfect_play() {
    let variant = Variant::default();
    let solver = Arc::new(Solver::new(&variant));
    let openings: Vec<Position> = (0..30)
        .map(|number| opening(&variant, 7, number).unwrap())
        .collect();
    let against = |other: Policy| Match {
        variant: &variant,
        policies: [perfect_policy(&solver, 0.0), other],
        policy_seeds: [0, 1],
        seed: 0,
    };
    let play = |other, threads| {
        against(other)
            .play(&openings, 0, threads, Limits::default())
            .unwrap()
    };
    for (opening, pair) in openings.iter().zip(play(perfect_policy(&solver, 0.0), 2)) {
        let margin = solver.margin(opening, Limits::default()).unwrap();
        let light = opening.side_to_move().sign() * margin;
        assert_eq!((pair.as_light, pair.as_dark), (light, -light));
    }
    for (opening, pair) in openings.iter().zip(play(minimax_policy(2), 2)) {
        let margin = solver.margin(opening, Limits::default()).unwrap();
        let light = opening.side_to_move().sign() * margin;
        assert!(pair.as_light >= light && pair.as_dark >= -light);
    }
    assert_eq!(play(minimax_policy(2), 1), play(minimax_policy(2), 3));
    let stop = AtomicBool::new(true);
    let halted = against(Policy::Random).play(&openings, 0, 2, Limits::stopped_by(&stop));
    assert_eq!(halted, Err(Halt::Stopped));
}

#[test]
fn a_share_of_errors_is_from_0_to_1() {
    for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let error = Epsilon::new(share).unwrap_err();
        assert!(error.to_string().ends_with(&format!("not {share}")));
    }
    assert_eq!(Epsilon::new(-0.0), Ok(Epsilon::ZERO));
    assert!(Epsilon::new(-0.0).unwrap().share().is_sign_positive());
}

#[test]
fn openings_leave_a_game_to_play() {
    let variant = Variant::default();
    for seed in 0..200 {
        let position = opening(&variant, 12, seed).unwrap();
        assert!(!position.is_over(&variant) && position.ply() == 12);
    }
    let tiny = Variant::new(Board::from_text("#").unwrap(), Opening::Anywhere, 1).unwrap();
    assert!(opening(&tiny, 1, 0).is_ok());
    for plies in [2, 3, usize::MAX] {
        let error = opening(&tiny, plies, 0).unwrap_err();
        assert_eq!(error.plies, plies);
    }
}
