//! Built-in players and their matches.

use mijnlieff::game::{Board, Move, Opening, Position, Variant};
use mijnlieff::policy::{Match, Policy, opening};
use mijnlieff::random::SplitMix64;
use mijnlieff::search::{Depth, Limits, minimax_moves};

fn minimax_policy(plies: i64) -> Policy {
    Policy::Minimax(Depth::new(plies).unwrap())
}

fn play(variant: &Variant, policy: Policy, seed: u64) -> Vec<Move> {
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
        assert_eq!(play(&variant, policy, 7), play(&variant, policy, 7));
        assert_ne!(play(&variant, policy, 7), play(&variant, policy, 8));
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

#[test]
fn every_best_move_is_equally_likely() {
    let variant = Variant::default();
    let mut rng = SplitMix64::new(4);
    let mut position = Position::new(&variant);
    for ply in 0..12 {
        for (policy, plies) in [
            (Policy::Random, 0),
            (Policy::Greedy, 1),
            (minimax_policy(2), 2),
        ] {
            let moves = match plies {
                0 => position.legal_moves(&variant),
                _ => minimax_moves(&variant, &position, plies).1,
            };
            let mut counts = vec![0_u32; moves.len()];
            for _ in 0..200 * moves.len() {
                let mv = policy.choose(&variant, &position, &mut rng);
                let index = moves.iter().position(|&best| best == mv);
                counts[index.expect("only best moves are chosen")] += 1;
            }
            // Five standard deviations above the mean, and room for the skew at few moves.
            let freedom = (moves.len() - 1) as f64;
            let bound = freedom + 5.0 * (2.0 * freedom).sqrt() + 10.0;
            assert!(
                chi_square(&counts) < bound,
                "{policy:?} at ply {ply}: {counts:?}"
            );
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
fn matches_do_not_depend_on_threads_or_slices() {
    let variant = Variant::default();
    let openings: Vec<Position> = (0..40)
        .map(|number| opening(&variant, 3, number).unwrap())
        .collect();
    let game = Match {
        variant: &variant,
        policies: [minimax_policy(2), Policy::Random],
        policy_seeds: [0, 0],
        seed: 0,
    };
    let all = game.play(&openings, 0, 1, Limits::default()).unwrap();
    assert_eq!(game.play(&openings, 0, 3, Limits::default()).unwrap(), all);
    assert_eq!(
        game.play(&openings[10..20], 10, 8, Limits::default())
            .unwrap(),
        all[10..20]
    );
    let total: i32 = all.iter().map(|pair| pair.as_light + pair.as_dark).sum();
    assert!(
        total > 80,
        "two plies of sight are worth a point a game: {all:?}"
    );
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
