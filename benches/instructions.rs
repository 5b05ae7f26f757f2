//! Instructions that a step takes, counted by callgrind, which other load does not disturb.
//!
//! `make bench-instructions` runs this program under `valgrind`, which counts only the instructions in
//! [`measured`]. One argument chooses the form of the games, `fast` or `general`, and one the work:
//! `flat`, `uint8`, `packed` or `sample`.

use std::env;
use std::sync::Arc;

use mijnlieff::encode::{Layout, num_actions};
use mijnlieff::game::Variant;
use mijnlieff::vector::{BatchEnv, Buffers, Config, Observations, Seeds, View};

const GAMES: usize = 1024;
const STEPS: usize = 64;

/// The memory of a batch.
struct Memory {
    floats: Vec<f32>,
    bytes: Vec<u8>,
    words: Vec<u64>,
    mask: Vec<i8>,
    to_play: Vec<i8>,
    rewards: Vec<f32>,
    ended: Vec<bool>,
}

impl Memory {
    fn buffers(&mut self, kind: &str) -> Buffers<'_> {
        let observations = match kind {
            "uint8" => Observations::Uint8(Layout::Flat, &mut self.bytes),
            "packed" => Observations::Packed(&mut self.words),
            _ => Observations::Float32(Layout::Flat, &mut self.floats),
        };
        Buffers {
            view: View {
                observations,
                action_mask: &mut self.mask,
                to_play: &mut self.to_play,
            },
            rewards: &mut self.rewards,
            terminations: &mut self.ended,
        }
    }
}

/// The work that callgrind counts.
#[inline(never)]
#[unsafe(no_mangle)]
fn measured(env: &mut BatchEnv, memory: &mut Memory, actions: &mut [i64], kind: &str) {
    if kind == "sample" {
        env.sample_actions(actions);
    } else {
        env.step(actions, memory.buffers(kind)).unwrap();
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    // Cargo adds its own flags.
    let choose = |choices: &[&'static str]| {
        let chosen = choices
            .iter()
            .find(|choice| arguments.iter().any(|it| it == *choice));
        *chosen.unwrap_or(&choices[0])
    };
    let form = choose(&["fast", "general"]);
    let kind = choose(&["flat", "uint8", "packed", "sample"]);
    let variant = Arc::new(Variant::default());
    let config = Config::new(variant.clone());
    let mut env = if form == "fast" {
        BatchEnv::new(config, Layout::Flat, GAMES, 1)
    } else {
        BatchEnv::wide(config, GAMES, 1)
    }
    .unwrap();
    let length = Layout::Flat.len(&variant);
    let mut memory = Memory {
        floats: vec![0.0; GAMES * length],
        bytes: vec![0; GAMES * length],
        words: vec![0; GAMES],
        mask: vec![0; GAMES * num_actions(&variant)],
        to_play: vec![0; GAMES],
        rewards: vec![0.0; GAMES],
        ended: vec![false; GAMES],
    };
    env.reset(Seeds::From(0), None).unwrap();
    let _ = variant.board().points(variant.board().all()); // makes the table of points
    let mut actions = vec![0; GAMES];
    let mut ended = 0;
    for _ in 0..STEPS {
        if kind == "sample" {
            measured(&mut env, &mut memory, &mut actions, kind);
            env.step(&actions, memory.buffers("packed")).unwrap();
        } else {
            env.sample_actions(&mut actions);
            measured(&mut env, &mut memory, &mut actions, kind);
        }
        ended += env.endings().len();
    }
    // The same seed always gives the same games; a number that changes means other ones.
    assert_eq!(ended, 3_186, "the benchmark plays other games than before");
    println!("{form} {kind}: {} steps of a game", GAMES * STEPS);
}
