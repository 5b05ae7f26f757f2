//! Batches: a batch is that many single games, whatever the threads.

#![allow(clippy::float_cmp)] // rewards and features are small whole numbers and quotients of them

use std::sync::Arc;

use mijnlieff::encode::{Layout, num_actions, observe, pack, write_mask};
use mijnlieff::game::{Board, Opening, PlayError, Player, Position, Variant};
use mijnlieff::policy::Policy;
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::vector::{
    Autoreset, BatchEnv, Buffers, Config, Ending, IllegalAction, Observations, Opponent, Reward,
    Seeds, StepError, View, batch_env, wide_batch_env,
};

/// A batch with the memory that it writes into.
pub(super) struct Bench {
    env: Box<dyn BatchEnv>,
    observations: Vec<f32>,
    mask: Vec<i8>,
    to_play: Vec<i8>,
    rewards: Vec<f32>,
    ended: Vec<bool>,
}

impl Bench {
    pub(super) fn new(config: Config, games: usize, threads: usize, seed: u64) -> Self {
        let variant = config.variants.get(0).clone();
        let mut env = batch_env(config, Layout::Flat, games, threads).unwrap();
        env.reset(Seeds::From(seed), None).unwrap();
        Self {
            env,
            observations: vec![9.0; games * Layout::Flat.len(&variant)],
            mask: vec![9; games * num_actions(&variant)],
            to_play: vec![9; games],
            rewards: vec![9.0; games],
            ended: vec![true; games],
        }
    }

    pub(super) fn step(&mut self, actions: &[i64]) -> Result<Vec<Ending>, StepError> {
        let buffers = Buffers {
            view: View {
                observations: Observations::Float32(Layout::Flat, &mut self.observations),
                action_mask: &mut self.mask,
                to_play: &mut self.to_play,
            },
            rewards: &mut self.rewards,
            terminations: &mut self.ended,
        };
        self.env.step(actions, buffers).map(<[Ending]>::to_vec)
    }

    fn assert_wrote_the_same(&self, other: &Self) {
        assert_eq!(self.observations, other.observations);
        assert_eq!(self.mask, other.mask);
        assert_eq!(self.to_play, other.to_play);
        assert_eq!(self.rewards, other.rewards);
        assert_eq!(self.ended, other.ended);
    }

    pub(super) fn env(&self) -> &dyn BatchEnv {
        &*self.env
    }

    pub(super) fn sample(&mut self) -> Vec<i64> {
        let mut actions = vec![-1; self.env.num_envs()];
        self.env.sample_actions(&mut actions);
        actions
    }

    pub(super) fn row(&self, game: usize) -> (&[f32], &[i8], i8, f32, bool) {
        let features = self.observations.len() / self.ended.len();
        let actions = self.mask.len() / self.ended.len();
        (
            &self.observations[game * features..][..features],
            &self.mask[game * actions..][..actions],
            self.to_play[game],
            self.rewards[game],
            self.ended[game],
        )
    }
}

pub(super) fn variants() -> Vec<Arc<Variant>> {
    let diagonal = Board::from_blocks(&[(0, 0), (2, 2), (4, 4)]).unwrap();
    let row = Board::from_text("########\n########").unwrap();
    let islands = Board::from_text("##..\n..##").unwrap();
    vec![
        Arc::new(Variant::default()),
        Arc::new(Variant::new(Board::default(), Opening::Anywhere, 5).unwrap()),
        Arc::new(Variant::new(row, Opening::CornerStraight, 3).unwrap()),
        Arc::new(Variant::new(diagonal, Opening::Corner, 3).unwrap()),
        Arc::new(Variant::new(islands, Opening::CornerStraight, 1).unwrap()),
        Arc::new(
            Variant::new(
                Board::from_text(&"####\n".repeat(5)).unwrap(),
                Opening::Outside,
                2,
            )
            .unwrap(),
        ),
    ]
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
        let mut batches = [1, 3].map(|threads| Bench::new(config.clone(), games, threads, 40));
        let picked = [0, 1, 1600, games - 1];
        let mut singles = picked.map(|game| Bench::new(config.clone(), 1, 1, 40 + game as u64));
        for _ in 0..25 {
            let [actions, again] = [batches[0].sample(), batches[1].sample()];
            assert_eq!(actions, again);
            let [one, three] = batches
                .each_mut()
                .map(|batch| batch.step(&actions).unwrap());
            assert_eq!(one, three);
            assert!(one.is_sorted_by_key(|ending| ending.game));
            assert_eq!(batches[0].observations, batches[1].observations);
            assert_eq!(batches[0].mask, batches[1].mask);
            assert_eq!(batches[0].rewards, batches[1].rewards);
            for (&game, single) in picked.iter().zip(&mut singles) {
                assert_eq!(single.sample(), [actions[game]]);
                single.step(&actions[game..=game]).unwrap();
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
            let mut fast = Bench::new(config.clone(), 60, 1, 5);
            let mut general = Bench::new(config.clone(), 60, 1, 5);
            general.env = wide_batch_env(config, 60, 1).unwrap();
            general.env.reset(Seeds::From(5), None).unwrap();
            let mut wrong = SplitMix64::new(1);
            for _ in 0..60 {
                let mut actions = fast.sample();
                assert_eq!(general.sample(), actions);
                if illegal_action == IllegalAction::Lose {
                    let game = wrong.below(60) as usize;
                    actions[game] = wrong.below(num_actions(&variant) as u64) as i64;
                }
                assert_eq!(fast.step(&actions), general.step(&actions));
                fast.assert_wrote_the_same(&general);
                let saved = [fast.env.save().unwrap(), general.env.save().unwrap()];
                for (ours, theirs) in saved[0].iter().zip(&saved[1]) {
                    assert_eq!(ours.position, theirs.position);
                    assert_eq!(ours.position.last_move(), theirs.position.last_move());
                    assert_eq!(ours.position.ply(), theirs.position.ply());
                    for cell in variant.board().all() {
                        let stones = [ours, theirs].map(|game| game.position.stone_at(cell));
                        assert_eq!(stones[0], stones[1]);
                    }
                    assert_eq!(
                        (ours.streams, ours.over, ours.fresh),
                        (theirs.streams, theirs.over, theirs.fresh)
                    );
                }
                fast.env.restore(true, &saved[1]);
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
        let mut fast = Bench::new(config.clone(), games, 1, 5);
        let mut general = Bench::new(config.clone(), games, 1, 5);
        fast.env = batch_env(config.clone(), Layout::Flat, games, 1).unwrap();
        general.env = wide_batch_env(config, games, 1).unwrap();
        // The others wait for their first reset, which the first step does.
        let first: Vec<bool> = (0..games).map(|game| game % 3 == 1).collect();
        for bench in [&mut fast, &mut general] {
            bench.env.seed(Seeds::From(5));
            bench.env.reset(Seeds::Keep, Some(&first)).unwrap();
        }
        let mut started = 0;
        for step in 0..60 {
            let mut actions = fast.sample();
            assert_eq!(general.sample(), actions);
            for (game, action) in actions.iter_mut().enumerate() {
                if fast.env.is_over(game) {
                    *action = WILD[(game + step) % WILD.len()];
                    started += 1;
                }
            }
            assert_eq!(fast.step(&actions), general.step(&actions));
            fast.assert_wrote_the_same(&general);
            let [ours, theirs] = [fast.env.save().unwrap(), general.env.save().unwrap()];
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert_eq!(ours.position, theirs.position);
                assert_eq!(
                    (ours.streams, ours.over, ours.fresh),
                    (theirs.streams, theirs.over, theirs.fresh)
                );
            }
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
fn a_step_writes_what_encode_says_about_the_position() {
    for config in configs() {
        let variant = config.variants.get(0).clone();
        let mut bench = Bench::new(config, 40, 1, 7);
        let mut ended = 0;
        for _ in 0..40 {
            let actions = bench.sample();
            let endings = bench.step(&actions).unwrap();
            ended += endings.len();
            for (i, ending) in endings.iter().enumerate() {
                let last = bench.env.final_position(i);
                assert_eq!(ending.score, last.score(&variant));
                assert!(last.is_over(&variant));
                assert_eq!(bench.rewards[ending.game as usize], ending.reward);
                let margin = last.margin(&variant) as f32;
                assert!(ending.reward == margin || ending.reward == -margin);
            }
            for (game, position) in bench.env.positions().enumerate() {
                let (features, mask, to_play, reward, over) = bench.row(game);
                let mut expected = vec![0.5; features.len()];
                observe(&variant, &position, Layout::Flat, &mut expected);
                assert_eq!(features, expected);
                let mut legal = vec![5; mask.len()];
                write_mask(&variant, &position, &mut legal);
                if bench.env.is_over(game) {
                    legal[mask.len() - 1] = 1;
                }
                assert_eq!(mask, legal);
                assert_eq!(to_play, position.side_to_move().index() as i8);
                assert!(over || reward == 0.0);
            }
        }
        assert!(ended > 0);
    }
}

#[test]
fn the_sample_stream_is_a_draw_from_the_legal_moves() {
    let variant = variants()[0].clone();
    let mut bench = Bench::new(Config::new(variant.clone()), 3, 1, 100);
    let mut streams = [100, 101, 102].map(|seed| SplitMix64::stream(seed, 1));
    for _ in 0..50 {
        let positions: Vec<Position> = bench.env.positions().collect();
        let actions = bench.sample();
        for ((position, action), stream) in positions.iter().zip(&actions).zip(&mut streams) {
            let moves = position.legal_moves(&variant);
            let drawn = moves[stream.below(moves.len() as u64) as usize];
            assert_eq!(
                mijnlieff::encode::action_of(&variant, drawn) as i64,
                *action
            );
        }
        bench.step(&actions).unwrap();
    }
}

#[test]
fn one_bad_action_moves_no_game() {
    let variant = variants()[0].clone();
    let mut bench = Bench::new(Config::new(variant.clone()), 2500, 3, 0);
    for (bad, game) in [(64, 0), (65, 2499), (-1, 1700), (i64::MIN, 3), (5, 900)] {
        let before = bench.env.save().unwrap();
        let mut actions = bench.sample();
        let sampled = bench.env.save().unwrap();
        assert_ne!(before, sampled);
        actions[game] = bad;
        match bench.step(&actions).unwrap_err() {
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
        assert_eq!(bench.env.save().unwrap(), sampled);
    }
    assert_eq!(
        bench.step(&[0]),
        Err(StepError::Length {
            expected: 2500,
            found: 1
        })
    );
    let mut asleep = batch_env(Config::new(variant), Layout::Flat, 1, 1).unwrap();
    assert_eq!(asleep.start_step(&[0]), Err(StepError::NotReset));
}

#[test]
fn losing_by_an_illegal_action() {
    let config = Config {
        illegal_action: IllegalAction::Lose,
        autoreset: Autoreset::Disabled,
        ..Config::new(variants()[0].clone())
    };
    let mut bench = Bench::new(config, 2, 1, 0);
    let endings = bench.step(&[0, 64]).unwrap();
    assert_eq!(endings.len(), 1);
    assert!(endings[0].illegal);
    assert_eq!(
        (endings[0].game, endings[0].winner),
        (1, Some(Player::Dark))
    );
    assert_eq!(bench.rewards, [0.0, -1.0]);
    assert!(matches!(
        bench.step(&[20, 0]),
        Err(StepError::Play {
            game: 1,
            error: PlayError::GameOver,
            ..
        })
    ));
    bench.env.reset(Seeds::Keep, Some(&[false, true])).unwrap();
    assert!(!bench.env.is_over(1));
}

#[test]
fn packed_rows_hold_the_same_positions() {
    let small = Board::from_text("####\n####\n####").unwrap();
    let small = Arc::new(Variant::new(small, Opening::Outside, 2).unwrap());
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
        let positions = env.positions();
        let packed: Vec<u64> = positions.map(|it| pack(&variant, &it)).collect();
        assert_eq!(words, packed);
        assert!(!words.contains(&0));
    }
}
