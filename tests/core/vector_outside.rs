//! Batches whose opponent answers from outside.

use mijnlieff::encode::{Layout, action_of, move_of};
use mijnlieff::game::{Move, Position};
use mijnlieff::policy::Policy;
use mijnlieff::random::SplitMix64;
use mijnlieff::vector::{BatchEnv, Config, Opponent, Seat, Seeds, batch_env};

use super::batch::Batch;
use super::vector::variants;

#[test]
fn an_outside_opponent_plays_as_a_built_in_one() {
    for variant in variants() {
        for seat in [Seat::Light, Seat::Dark] {
            let config = Config {
                opponent: Opponent::Policy(Policy::Greedy),
                seat,
                ..Config::new(variant.clone())
            };
            let mut inside = Batch::started(&config, Layout::Flat, 1, 1, 9);
            let outside = Config {
                opponent: Opponent::Outside,
                ..config
            };
            let mut env = batch_env(outside, Layout::Flat, 1, 1).unwrap();
            let mut stream = SplitMix64::stream(9, 0);
            let mut answer = |env: &mut dyn BatchEnv| {
                while !env.pending().is_empty() {
                    let position = env.position(0);
                    let mv: Move = Policy::Greedy.choose(&variant, &position, &mut stream);
                    let action = action_of(&variant, mv) as i64;
                    env.answer(&[action]).unwrap();
                }
            };
            env.start_reset(Seeds::From(9), None).unwrap();
            answer(&mut *env);
            for _ in 0..40 {
                let actions = inside.sample();
                inside.step(&actions, false).unwrap();
                env.start_step(&actions).unwrap();
                answer(&mut *env);
                assert_eq!(env.position(0), inside.env.position(0));
            }
        }
    }
}

#[test]
fn games_that_restart_in_a_step_wait_for_the_opponent_as_such() {
    const GAMES: usize = 9;
    let variant = variants()[0].clone();
    let start = Position::new(&variant);
    let config = Config {
        opponent: Opponent::Outside,
        seat: Seat::Dark,
        ..Config::new(variant)
    };
    let mut env = batch_env(config, Layout::Flat, GAMES, 1).unwrap();
    let mut actions = [0; GAMES];
    let mut answer_all = |env: &mut dyn BatchEnv| {
        let mut restarted = 0;
        while !env.pending().is_empty() {
            let mut restarts = vec![true; env.pending().len()];
            env.write_restarts(&mut restarts);
            for (&game, &restart) in env.pending().iter().zip(&restarts) {
                // Light opens every game, so only a new one waits with an empty board.
                let is_new = env.position(game) == start;
                assert_eq!(
                    restart,
                    is_new && env.endings().iter().any(|it| it.game as usize == game)
                );
                restarted += usize::from(restart);
            }
            env.sample_actions(&mut actions);
            let answers: Vec<i64> = env.pending().iter().map(|&game| actions[game]).collect();
            env.answer(&answers).unwrap();
        }
        restarted
    };
    env.start_reset(Seeds::From(4), None).unwrap();
    assert_eq!(answer_all(&mut *env), 0);
    let (mut restarted, mut ended) = (0, 0);
    for _ in 0..100 {
        let mut drawn = [0; GAMES];
        env.sample_actions(&mut drawn);
        env.start_step(&drawn).unwrap();
        restarted += answer_all(&mut *env);
        ended += env.endings().len();
    }
    assert!(ended > 50);
    assert_eq!(restarted, ended);
}

#[test]
fn a_game_that_the_opponent_ends_before_the_agent_has_acted_starts_again() {
    const GAMES: usize = 300;
    let variant = variants()[0].clone();
    let config = Config {
        opponent: Opponent::Outside,
        random_plies: 60,
        ..Config::new(variant.clone())
    };
    let mut env = batch_env(config, Layout::Flat, GAMES, 1).unwrap();
    env.start_reset(Seeds::From(5), None).unwrap();
    let mut ended = 0;
    let mut actions = [0; GAMES];
    while !env.pending().is_empty() {
        env.sample_actions(&mut actions);
        let answers: Vec<i64> = env.pending().iter().map(|&game| actions[game]).collect();
        for (&game, &action) in env.pending().iter().zip(&answers) {
            let mv = move_of(&variant, action as usize).unwrap();
            let after = env.position(game).play(&variant, mv).unwrap();
            ended += usize::from(after.is_over(&variant));
        }
        env.answer(&answers).unwrap();
        assert!(env.endings().is_empty());
    }
    assert!(ended > 20, "{ended} games ended");
    let is_over = |game| env.position(game).is_over(&variant);
    assert!(!(0..GAMES).any(is_over));
}

#[test]
fn without_a_step_under_way_there_is_nothing_to_roll_back() {
    let config = Config::new(variants()[0].clone());
    let mut env = batch_env(config, Layout::Flat, 2, 1).unwrap();
    env.roll_back();
    assert!(!env.is_started());
    env.reset(Seeds::From(1), None).unwrap();
    let before = env.save().unwrap();
    env.roll_back();
    assert!(env.is_started());
    assert_eq!(env.save().unwrap(), before);
}
