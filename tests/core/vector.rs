//! Batches: a batch is that many single games, whatever the threads.

#![allow(clippy::float_cmp)] // rewards and features are small whole numbers and quotients of them

use std::sync::Arc;

use mijnlieff::encode::{Layout, num_actions, pack};
use mijnlieff::game::{PlayError, Player, Variant};
use mijnlieff::policy::Policy;
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::vector::{
    Autoreset, Config, IllegalAction, Observations, Opponent, Reward, Seeds, StepError, View,
    batch_env, wide_batch_env,
};

use super::batch::Batch;
use super::boards::compare;

pub(super) fn variants() -> [Arc<Variant>; 6] {
    [
        "standard",
        "standard anywhere 5",
        "########/######## corner_straight 3",
        "blocks:0,0;2,2;4,4 corner 3",
        "##../..## corner_straight 1",
        "####/####/####/####/#### outside 2",
    ]
    .map(|text| Arc::new(text.parse().unwrap()))
}

fn configs() -> Vec<Config> {
    let mut configs = Vec::new();
    for variant in variants() {
        for opponent in [
            Opponent::SelfPlay,
            Opponent::Policy(Policy::Random),
            Opponent::Policy(Policy::Greedy),
        ] {
            for autoreset in [Autoreset::SameStep, Autoreset::NextStep] {
                for auto_pass in [false, true] {
                    configs.push(Config {
                        opponent: opponent.clone(),
                        autoreset,
                        auto_pass,
                        reward: Reward::Margin,
                        ..Config::new(variant.clone())
                    });
                }
            }
        }
    }
    configs
}

#[test]
fn a_batch_is_single_games_side_by_side_whatever_the_threads() {
    for config in configs() {
        // Enough games for three threads; the single ones are picked from each thread's share.
        let games = 3200;
        let mut batches =
            [1, 3].map(|threads| Batch::started(&config, Layout::Flat, games, threads, 40));
        let picked = [0, 1, 1600, games - 1];
        let mut singles =
            picked.map(|game| Batch::started(&config, Layout::Flat, 1, 1, 40 + game as u64));
        for _ in 0..25 {
            let [actions, again] = [batches[0].sample(), batches[1].sample()];
            assert_eq!(actions, again);
            let [one, three] = batches
                .each_mut()
                .map(|batch| batch.step(&actions, false).unwrap());
            assert_eq!(one, three);
            assert!(one.is_sorted_by_key(|ending| ending.game));
            assert_eq!(batches[0].floats, batches[1].floats);
            assert_eq!(batches[0].masks, batches[1].masks);
            assert_eq!(batches[0].rewards, batches[1].rewards);
            for (&game, single) in picked.iter().zip(&mut singles) {
                assert_eq!(single.sample(), [actions[game]]);
                single.step(&actions[game..=game], false).unwrap();
                assert_eq!(single.row(0), batches[1].row(game));
            }
        }
    }
}

#[test]
fn the_fast_form_does_what_the_general_one_does() {
    for config in configs() {
        for illegal_action in [IllegalAction::Raise, IllegalAction::Lose] {
            let config = Config {
                illegal_action,
                ..config.clone()
            };
            let variant = config.variants.get(0).clone();
            let mut fast = Batch::started(&config, Layout::Flat, 60, 1, 5);
            let mut general = Batch::of(wide_batch_env(config, 60, 1).unwrap(), Layout::Flat);
            general.env.reset(Seeds::From(5), None).unwrap();
            let mut wrong = SplitMix64::new(1);
            for _ in 0..60 {
                let mut actions = fast.sample();
                assert_eq!(general.sample(), actions);
                if illegal_action == IllegalAction::Lose {
                    let game = wrong.below(60) as usize;
                    actions[game] = wrong.below(num_actions(&variant) as u64) as i64;
                }
                assert_eq!(fast.step(&actions, false), general.step(&actions, false));
                fast.assert_wrote_the_same(&general);
                fast.assert_has_the_same_games(&general);
                fast.env.restore(true, &general.env.save().unwrap());
            }
        }
    }
}

/// Games that are over take any number for an action, packed and wide alike, in whole and half tiles.
#[test]
fn games_that_start_take_any_action() {
    const WILD: [i64; 8] = [-1, i64::MIN, i64::MAX, 65, 127, 128, 1 << 40, 3];
    for (games, autoreset) in [1, 63, 64, 65, 130]
        .into_iter()
        .flat_map(|games| [(games, Autoreset::NextStep), (games, Autoreset::SameStep)])
    {
        let config = Config {
            autoreset,
            ..Config::new(Arc::new(Variant::default()))
        };
        let mut fast = Batch::new(&config, Layout::Flat, games, 1);
        let mut general = Batch::of(wide_batch_env(config, games, 1).unwrap(), Layout::Flat);
        // The others wait for their first reset, which the first step does.
        let first: Vec<bool> = (0..games).map(|game| game % 3 == 1).collect();
        for batch in [&mut fast, &mut general] {
            batch.env.seed(Seeds::From(5));
            batch.env.reset(Seeds::Keep, Some(&first)).unwrap();
        }
        let mut started = 0;
        for step in 0..60 {
            let mut actions = fast.sample();
            assert_eq!(general.sample(), actions);
            let saved = fast.env.save().unwrap();
            for (game, (action, saved)) in actions.iter_mut().zip(&saved).enumerate() {
                if saved.over {
                    *action = WILD[(game + step) % WILD.len()];
                    started += 1;
                }
            }
            assert_eq!(fast.step(&actions, false), general.step(&actions, false));
            fast.assert_wrote_the_same(&general);
            fast.assert_has_the_same_games(&general);
        }
        assert!(started >= games - first.iter().filter(|&&reset| reset).count());
    }
}

/// All actions of all games give the same verdict and the same next position, packed and wide.
#[test]
fn both_forms_agree_on_every_action() {
    for variant in variants() {
        let config = Config::new(variant.clone());
        let mut fast = batch_env(config.clone(), Layout::Flat, 1, 1).unwrap();
        let mut general = wide_batch_env(config.clone(), 1, 1).unwrap();
        let mut path = wide_batch_env(config, 1, 1).unwrap();
        path.reset(Seeds::From(11), None).unwrap();
        for _ in 0..60 {
            let position = path.position(0);
            for action in -1..=num_actions(&variant) as i64 {
                let tried = [&mut fast, &mut general].map(|env| {
                    env.set_positions(&[(0, position)], None);
                    let tried = env.start_step(&[action]);
                    (tried, env.position(0), env.endings().to_vec())
                });
                assert_eq!(tried[0], tried[1]);
            }
            let mut drawn = [0];
            path.sample_actions(&mut drawn);
            path.start_step(&drawn).unwrap();
        }
    }
}

#[test]
fn every_step_is_that_of_games_that_are_played_plainly() {
    let mut rng = SplitMix64::new(7);
    for config in configs() {
        assert!(compare(&config, Layout::Flat, 40, 40, &mut rng) > 0);
    }
}

#[test]
fn one_bad_action_moves_no_game() {
    let variant = variants()[0].clone();
    let config = Config::new(variant);
    let mut batch = Batch::started(&config, Layout::Flat, 2500, 3, 0);
    for (bad, game) in [(64, 0), (65, 2499), (-1, 1700), (i64::MIN, 3), (5, 900)] {
        let before = batch.env.save().unwrap();
        let mut actions = batch.sample();
        let sampled = batch.env.save().unwrap();
        assert_ne!(before, sampled);
        actions[game] = bad;
        match batch.step(&actions, false).unwrap_err() {
            StepError::Play {
                game: found,
                action,
                error: PlayError::Illegal { .. },
                ..
            }
            | StepError::UnknownAction {
                game: found,
                action,
                ..
            } => assert_eq!((found, action), (game, bad)),
            error => panic!("{error}"),
        }
        assert_eq!(batch.env.save().unwrap(), sampled);
    }
    assert_eq!(
        batch.step(&[0], false),
        Err(StepError::Length {
            expected: 2500,
            found: 1
        })
    );
    let mut asleep = batch_env(config, Layout::Flat, 1, 1).unwrap();
    assert_eq!(asleep.start_step(&[0]), Err(StepError::NotReset));
}

#[test]
fn losing_by_an_illegal_action() {
    let config = Config {
        illegal_action: IllegalAction::Lose,
        autoreset: Autoreset::Disabled,
        ..Config::new(variants()[0].clone())
    };
    let mut batch = Batch::started(&config, Layout::Flat, 2, 1, 0);
    let endings = batch.step(&[0, 64], false).unwrap();
    assert_eq!(endings.len(), 1);
    assert!(endings[0].illegal);
    assert_eq!(
        (endings[0].game, endings[0].winner),
        (1, Some(Player::Dark))
    );
    assert_eq!(batch.rewards, [0.0, -1.0]);
    assert!(matches!(
        batch.step(&[20, 0], false),
        Err(StepError::Play {
            game: 1,
            error: PlayError::GameOver,
            ..
        })
    ));
    batch.env.reset(Seeds::Keep, Some(&[false, true])).unwrap();
    assert!(!batch.env.save().unwrap()[1].over);
}

#[test]
fn packed_rows_hold_the_same_positions() {
    let small = Arc::new("####/####/#### outside 2".parse().unwrap());
    for variant in [variants()[0].clone(), small] {
        let mut env = batch_env(Config::new(variant.clone()), Layout::Packed, 30, 1).unwrap();
        env.reset(Seeds::From(3), None).unwrap();
        let mut drawn = vec![0; 30];
        for _ in 0..5 {
            env.sample_actions(&mut drawn);
            env.start_step(&drawn).unwrap();
        }
        let mut mask = vec![0; 30 * num_actions(&variant)];
        let (mut words, mut to_play) = (vec![0; 30], vec![0; 30]);
        env.observe(&mut View {
            observations: Observations::Packed(&mut words),
            action_mask: &mut mask,
            to_play: &mut to_play,
        });
        let packed: Vec<u64> = (0..30)
            .map(|game| pack(&variant, &env.position(game)))
            .collect();
        assert_eq!(words, packed);
        assert!(!words.contains(&0));
    }
}
