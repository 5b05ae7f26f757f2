//! Measures self-play without the time of a network: evaluations are looked up.
//!
//! ```sh
//! cargo run --release --manifest-path benches/Cargo.toml --bin self_play roots=9 leaves=9
//! ```
//!
//! Options are `games=`, `simulations=`, `random_plies=`, `roots=` and `leaves=` (the most empty
//! cells of roots and leaves that are solved). An evaluation is a row of random numbers, chosen by
//! the position.

use std::env;
use std::sync::Arc;
use std::time::Instant;

use mijnlieff::encode::{Layout, num_actions};
use mijnlieff::game::Variant;
use mijnlieff::network::Evaluations;
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Halt, Limits};
use mijnlieff::self_play::{Evaluator, SelfPlay, SelfPlayConfig};
use mijnlieff::tree_search::{Root, TreeConfig};
use ndarray::{Array2, ArrayRef2, s};

/// Rows of evaluations.
const ROWS: usize = 1024;

/// Looks evaluations up.
struct Table {
    logits: Array2<f32>,
    values: Array2<f32>,
}

impl Table {
    fn new(actions: usize) -> Self {
        let mut rng = SplitMix64::new(1);
        let mut noise = |scale: f32| scale * (rng.unit() as f32 - 0.5);
        Self {
            logits: Array2::from_shape_simple_fn((ROWS, actions), || noise(8.0)),
            values: Array2::from_shape_simple_fn((ROWS, 2), || noise(1.0)),
        }
    }
}

impl Evaluator for Table {
    fn evaluate(&self, observations: &ArrayRef2<f32>, _: Limits<'_>) -> Result<Evaluations, Halt> {
        let rows = observations.nrows();
        let mut found = Evaluations {
            logits: Array2::zeros((rows, self.logits.ncols())),
            values: Array2::zeros((rows, 2)),
        };
        for (row, numbers) in observations.outer_iter().enumerate() {
            let bits = numbers.iter().map(|&number| number.to_bits());
            let hash = bits.fold(0_u32, |hash, it| hash.rotate_left(5) ^ it);
            let from = hash.wrapping_mul(0x9e37_79b9) as usize % ROWS;
            let (logits, values) = (self.logits.row(from), self.values.row(from));
            found.logits.slice_mut(s![row, ..]).assign(&logits);
            found.values.slice_mut(s![row, ..]).assign(&values);
        }
        Ok(found)
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |name: &str, default: usize| -> usize {
        let mut given = arguments.iter().filter_map(|it| it.strip_prefix(name));
        given.next().map_or(default, |text| text.parse().unwrap())
    };
    let variant = Arc::new(Variant::default());
    let config = SelfPlayConfig {
        num_games: 512,
        random_plies: number("random_plies=", 4),
        layout: Layout::Flat,
        floats: false,
        solve_book_roots: false,
        solved_temperature: 0.0,
        tree: TreeConfig {
            num_simulations: number("simulations=", 32),
            root: Root::Gumbel {
                max_considered: 8,
                c_visit: 50.0,
                c_scale: 0.2,
            },
            temperature: 1.0,
            margin_weight: 0.5,
            solve_roots_below: number("roots=", 9),
            solve_leaves_below: number("leaves=", 9),
            seed: 0,
        },
    };
    let games = number("games=", 4096);
    let table = Table::new(num_actions(&variant));
    let solver = config
        .tree
        .solves()
        .then(|| Arc::new(Solver::new(&variant)));
    let mut self_play = SelfPlay::new(&variant, config, solver, 1);
    for _ in 0..2 {
        let start = Instant::now();
        let samples = self_play.play(&table, games, Limits::default()).unwrap();
        let rate = games as f64 / start.elapsed().as_secs_f64();
        println!(
            "{rate:.0} games/s, {} samples, {:?}",
            samples.len(),
            samples.statistics
        );
    }
}
