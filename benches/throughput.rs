//! Steps per second of a batch without Python; criterion's elements are steps of a game.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mijnlieff::encode::{Layout, num_actions};
use mijnlieff::game::{Position, Variant, perft};
use mijnlieff::policy::Policy;
use mijnlieff::vector::{Buffers, Config, Observations, Opponent, Seeds, View, batch_env, rollout, wide_batch_env};

const GAMES: usize = 4096;

fn steps(criterion: &mut Criterion) {
    let variant = Arc::new(Variant::default());
    let mut group = criterion.benchmark_group("sample and step, flat float32");
    group.throughput(Throughput::Elements(GAMES as u64));
    let (length, actions) = (Layout::Flat.len(&variant), num_actions(&variant));
    let opponents = [
        ("self-play", Opponent::SelfPlay),
        ("random", Opponent::Policy(Policy::Random)),
        ("greedy", Opponent::Policy(Policy::Greedy)),
    ];
    for form in ["fast", "general"] {
        for (name, opponent) in opponents.clone() {
            let config = Config {
                opponent,
                ..Config::new(variant.clone())
            };
            let mut env = if form == "fast" {
                batch_env(config, Layout::Flat, GAMES, 1)
            } else {
                wide_batch_env(config, GAMES, 1)
            }
            .unwrap();
            env.reset(Seeds::From(0), None).unwrap();
            let mut observations = vec![0.0_f32; GAMES * length];
            let mut action_mask = vec![0; GAMES * actions];
            let (mut to_play, mut rewards) = (vec![0; GAMES], vec![0.0; GAMES]);
            let (mut ended, mut drawn) = (vec![false; GAMES], vec![0; GAMES]);
            group.bench_function(BenchmarkId::new(form, name), |bencher| {
                bencher.iter(|| {
                    env.sample_actions(&mut drawn);
                    let buffers = Buffers {
                        view: View {
                            observations: Observations::Float32(Layout::Flat, &mut observations),
                            action_mask: &mut action_mask,
                            to_play: &mut to_play,
                        },
                        rewards: &mut rewards,
                        terminations: &mut ended,
                    };
                    black_box(env.step(&drawn, buffers).unwrap().len())
                });
            });
            // Every row of the mask has a legal action, whatever was measured.
            assert!(action_mask.chunks(actions).all(|row| row.contains(&1)));
        }
    }
}

fn whole_games(criterion: &mut Criterion) {
    let variant = Arc::new(Variant::default());
    let start = Position::new(&variant);
    let mut group = criterion.benchmark_group("whole games");
    let stop = false.into();
    let play = || rollout(&variant, &[start], GAMES, 0, 1, &stop).unwrap();
    let plies: u64 = play().iter().map(|game| u64::from(game.plies)).sum();
    assert_eq!(plies / GAMES as u64, 16);
    group.throughput(Throughput::Elements(plies));
    group.bench_function("rollout", |bencher| bencher.iter(play));
    group.throughput(Throughput::Elements(26_272));
    group.bench_function("perft 3", |bencher| {
        bencher.iter(|| assert_eq!(perft(&variant, &start, 3), 26_272));
    });
}

criterion_group!(benches, steps, whole_games);
criterion_main!(benches);
