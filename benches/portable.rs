//! Rates of the hot loops, one on each line; `benches/portable.sh` compares those of two builds.
//!
//! Everything runs on one thread, and the best of several repetitions counts: other load on the
//! machine only slows them.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mijnlieff::encode::{Layout, num_actions, observe};
use mijnlieff::game::{Position, Variant};
use mijnlieff::network::{Network, Precision};
use mijnlieff::policy::opening;
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::Limits;
use mijnlieff::tree_search::{Root, TreeConfig, tree_search};
use mijnlieff::vector::{Buffers, Config, Observations, Seeds, View, batch_env, rollout};
use ndarray::Array2;

const GAMES: usize = 1024;
const SIMULATIONS: usize = 32;
const CHAMPION: &[u8] = include_bytes!("../python/mijnlieff/data/champion.bin");

/// Time to measure for each line.
const TIME: Duration = Duration::from_millis(600);

/// Prints the rate of `work`, which does `count` units and returns the time they took.
fn report(name: &str, count: usize, mut work: impl FnMut() -> Duration) {
    work(); // makes room
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < TIME {
        best = best.min(work());
    }
    println!("{name}\t{:.0}", count as f64 / best.as_secs_f64());
}

/// The time that `work` takes.
fn timed<R>(work: impl FnOnce() -> R) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// Steps of games at all stages with one kind of observation; the actions are drawn beforehand.
fn steps(variant: &Arc<Variant>, kind: &str) {
    let mut env = batch_env(Config::new(variant.clone()), Layout::Flat, GAMES, 1).unwrap();
    env.reset(Seeds::From(0), None).unwrap();
    let length = GAMES * Layout::Flat.len(variant);
    let (mut floats, mut bytes, mut words) = (vec![0.0; length], vec![0; length], vec![0; GAMES]);
    let mut action_mask = vec![0; GAMES * num_actions(variant)];
    let (mut to_play, mut rewards) = (vec![0; GAMES], vec![0.0; GAMES]);
    let (mut terminations, mut actions) = (vec![false; GAMES], vec![0; GAMES]);
    report(&format!("steps, {kind}"), GAMES, || {
        env.sample_actions(&mut actions);
        let observations = match kind {
            "flat float32" => Observations::Float32(Layout::Flat, &mut floats),
            "flat uint8" => Observations::Uint8(Layout::Flat, &mut bytes),
            _ => Observations::Packed(&mut words),
        };
        let buffers = Buffers {
            view: View {
                observations,
                action_mask: &mut action_mask,
                to_play: &mut to_play,
            },
            rewards: &mut rewards,
            terminations: &mut terminations,
        };
        timed(|| env.step(&actions, buffers).unwrap().len())
    });
    report(&format!("actions drawn, {kind}"), GAMES, || {
        timed(|| env.sample_actions(&mut actions))
    });
}

fn positions(variant: &Variant, seed: u64) -> Vec<Position> {
    (0..GAMES as u64)
        .map(|number| opening(variant, 4, seed + number).unwrap())
        .collect()
}

/// Searches with a network that takes no time, or with random games.
fn searches(variant: &Arc<Variant>, name: &str, root: Root, has_network: bool) {
    let config = TreeConfig {
        num_simulations: SIMULATIONS,
        root,
        temperature: 1.0,
        margin_weight: 0.0,
        solve_roots_below: 0,
        solve_leaves_below: 0,
        seed: 0,
    };
    // A tree restarted at the same position keeps its nodes, so two sets of positions alternate.
    let mut sets = [positions(variant, 0), positions(variant, GAMES as u64)];
    let search = tree_search(variant, &sets[0], config, Layout::Flat, None, 1);
    let mut search = search.unwrap();
    let width = num_actions(variant);
    let mut observations = vec![0.0; GAMES * Layout::Flat.len(variant)];
    let mut mask = vec![0; GAMES * width];
    let mut rng = SplitMix64::new(1);
    let mut numbers = |count| -> Vec<f32> { (0..count).map(|_| rng.unit() as f32 - 0.5).collect() };
    let (logits, values) = (numbers(GAMES * width), numbers(GAMES));
    report(name, GAMES * SIMULATIONS, || {
        sets.reverse();
        search.restart(&sets[0], Limits::default()).unwrap();
        timed(|| {
            if !has_network {
                return search.run_with_rollouts(Limits::default()).unwrap();
            }
            loop {
                let leaves = search.select(Limits::default()).unwrap();
                if leaves == 0 {
                    break;
                }
                let observations = Observations::Float32(Layout::Flat, &mut observations);
                search.write_leaves(observations, &mut mask);
                search
                    .update(&logits[..leaves * width], &values[..leaves])
                    .unwrap();
            }
        })
    });
}

/// Positions that the network of the package evaluates.
fn evaluations(variant: &Variant) {
    let network = Network::parse(CHAMPION).unwrap();
    let mut observations = Array2::zeros((GAMES, Layout::Flat.len(variant)));
    let positions = positions(variant, 0);
    for (position, mut row) in positions.iter().zip(observations.outer_iter_mut()) {
        let row = row.as_slice_mut().unwrap();
        observe::<f32>(variant, position, Layout::Flat, row);
    }
    report("network evaluations", GAMES, || {
        timed(|| {
            network
                .evaluate(&observations, Precision::Float32, 1, Limits::default())
                .unwrap()
        })
    });
}

fn main() {
    let variant = Arc::new(Variant::default());
    for kind in ["flat float32", "flat uint8", "packed"] {
        steps(&variant, kind);
    }
    let start = [Position::new(&variant)];
    let stop = false.into();
    let play = || rollout(&variant, &start, GAMES, 0, 1, &stop).unwrap();
    report("random games", GAMES, || timed(play));
    let puct = Root::Puct {
        c_puct: 1.5,
        dirichlet_share: 0.25,
        dirichlet_alpha: 0.5,
    };
    let gumbel = Root::Gumbel {
        max_considered: 16,
        c_visit: 50.0,
        c_scale: 0.5,
    };
    searches(&variant, "simulations, puct", puct, true);
    searches(&variant, "simulations, gumbel", gumbel, true);
    searches(&variant, "simulations, random games", puct, false);
    evaluations(&variant);
}
