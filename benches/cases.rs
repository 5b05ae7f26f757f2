//! The cases of `instructions`: each prepares its work and does it in [`measured`].

use std::sync::Arc;

use mijnlieff::encode::{Layout, VariantSet, num_actions};
use mijnlieff::game::{Position, Variant};
use mijnlieff::network::Evaluations;
use mijnlieff::policy::{draw_opening, opening};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Depth, Halt, Limits, best_moves};
use mijnlieff::self_play::{Evaluator, SelfPlay, SelfPlayConfig};
use mijnlieff::tree_search::{
    Backup, LeafValues, NextRoot, Root, RootPosition, TreeConfig, TreeSearch, tree_search,
};
use mijnlieff::vector::{Dtype, Format, Observations};
use ndarray::{Array2, ArrayRef2, s};

use crate::batches::{BOARDS, Batch, variants};
use crate::measured;

const GAMES: usize = 1024;
const STEPS: usize = 64;
const TREES: usize = 1024;
const SIMULATIONS: usize = 32;
const PLIES: usize = 4;

/// Positions of minimax, their depth, and nodes: no search ends before, so each has just as many.
const SEARCHED: u64 = 16;
const DEPTH: i64 = 12;
const NODES: u64 = 2048;

/// Positions that are solved, and the plies before them.
const SOLVED: u64 = 8;
const LATE: usize = 7;

/// Games of self-play, and rows of evaluations that are looked up.
const PLAYED: usize = 64;
const ROWS: usize = 1024;

/// What a case did.
pub(crate) struct Work {
    /// Steps, simulations, nodes or positions.
    pub(crate) units: u64,
    /// The bytes that a step writes.
    pub(crate) bytes: Option<usize>,
}

impl Work {
    fn of(units: u64) -> Self {
        Self { units, bytes: None }
    }
}

/// The kinds of cases. The ratios of a kind are to its first case.
pub(crate) const KINDS: [&str; 12] = [
    "flat",
    "uint8",
    "planes",
    "planes8",
    "packed",
    "sample",
    "puct",
    "noisy",
    "gumbel",
    "minimax",
    "solve",
    "self-play",
];

/// The cases of a kind: the kind and what it is done on.
///
/// `wide` is the standard board in the form for any board. `blocks` are five blocks, 20 cells;
/// `on_canvas` is one board of four blocks on the canvas of all such boards, and `mixed` are all of them.
pub(crate) fn of_kind(kind: &str) -> Vec<String> {
    let places: &[&str] = match kind {
        "flat" | "uint8" => &["standard", "wide", "16x4", "20", "irregular", "32", "64"],
        "planes" | "planes8" => &BOARDS,
        "packed" | "sample" => &["standard", "wide"],
        "puct" | "noisy" | "gumbel" => &["standard", "blocks", "32", "64", "on_canvas", "mixed"],
        "minimax" => &["standard", "20", "irregular", "32", "64"],
        "solve" => &["plainly", "exactly"],
        _ => &["pure"],
    };
    places
        .iter()
        .map(|place| format!("{kind} {place}"))
        .collect()
}

/// Does the work of a case.
pub(crate) fn run(case: &str) -> Work {
    let (kind, place) = case.split_once(' ').expect("a kind and a place");
    match kind {
        "puct" | "noisy" | "gumbel" => simulations(kind, place),
        "minimax" => minimax(place),
        "solve" => solve(place == "plainly"),
        "self-play" => self_play(),
        _ => steps(kind, place),
    }
}

fn steps(kind: &str, place: &str) -> Work {
    let is_wide = place == "wide";
    let is_standard = is_wide || place == "standard";
    let written = KINDS.into_iter().find(|it| *it == kind && kind != "sample");
    let board = if is_wide { "standard" } else { place };
    let mut batch = Batch::new(variants(board), written.unwrap_or("flat"), GAMES, is_wide);
    for variant in batch.env.config().variants.all() {
        let board = variant.board();
        let _ = board.points(board.all()); // makes the table of points
    }
    let mut ended = 0;
    for _ in 0..STEPS {
        if kind == "sample" {
            measured(&mut || batch.sample());
            batch.step();
        } else {
            batch.sample();
            measured(&mut || batch.step());
        }
        ended += batch.env.endings().len();
    }
    // The same seed always gives the same games; a number that changes means other ones.
    if is_standard {
        assert_eq!(ended, 3_186, "the benchmark plays other games than before");
    }
    let bytes = written.map(|_| batch.row_bytes());
    Work {
        units: (GAMES * STEPS) as u64,
        bytes,
    }
}

/// The rule of a search.
fn root(kind: &str) -> Root {
    match kind {
        "gumbel" => Root::Gumbel {
            max_considered: 16,
            c_visit: 50.0,
            c_scale: 0.5,
            backup: Backup::Mean,
        },
        _ => Root::Puct {
            c_puct: 1.5,
            dirichlet_share: if kind == "noisy" { 0.25 } else { 0.0 },
            dirichlet_alpha: 0.5,
        },
    }
}

fn tree_config(num_simulations: usize, root: Root) -> TreeConfig {
    TreeConfig {
        num_simulations,
        root,
        temperature: 1.0,
        margin_weight: 0.0,
        solve_roots_below: 0,
        solve_leaves_below: 0,
        seed: 0,
    }
}

/// The inputs and outputs of a network that takes no time.
struct Memory {
    layout: Layout,
    observations: Vec<f32>,
    mask: Vec<i8>,
    logits: Vec<f32>,
    values: Vec<f32>,
}

/// Searches to the end.
fn search(trees: &mut dyn TreeSearch, memory: &mut Memory, width: usize) {
    loop {
        let leaves = trees.select(Limits::default()).unwrap();
        if leaves == 0 {
            return;
        }
        let observations = Observations::Float32(memory.layout, &mut memory.observations);
        trees.write_leaves(observations, &mut memory.mask);
        let logits = &memory.logits[..leaves * width];
        let values = LeafValues::Values(&memory.values[..leaves]);
        trees.store_evaluations(logits, values).unwrap();
        trees.backpropagate(Limits::default()).unwrap();
    }
}

/// Positions after some random actions, of all variants in turn.
fn roots(variants: &VariantSet, stream: &mut SplitMix64) -> Vec<RootPosition> {
    let opening = |tree| {
        let index = tree % variants.all().len();
        let position = draw_opening(variants.get(index), PLIES, stream).unwrap();
        RootPosition {
            variant: index,
            position,
        }
    };
    (0..TREES).map(opening).collect()
}

fn simulations(kind: &str, place: &str) -> Work {
    let variants = Arc::new(variants(place));
    let layout = variants.canvas().map_or(Layout::Flat, |_| Layout::Planes);
    let width = variants.num_actions();
    let mut stream = SplitMix64::new(1);
    let noise = |scale: f32| move |stream: &mut SplitMix64| scale * (stream.unit() as f32 - 0.5);
    let mut memory = Memory {
        layout,
        observations: vec![0.0; TREES * variants.observation_len(layout)],
        mask: vec![0; TREES * width],
        logits: vec![0.0; TREES * width],
        values: vec![0.0; TREES],
    };
    memory.logits.fill_with(|| noise(4.0)(&mut stream));
    memory.values.fill_with(|| noise(1.0)(&mut stream));
    let first = roots(&variants, &mut stream);
    let config = tree_config(SIMULATIONS, root(kind));
    let first = config.seeded(first.into_iter()).unwrap();
    let trees = tree_search(&variants, &first, config, layout, Vec::new(), 1);
    let mut trees = trees.unwrap();
    // The first search makes room.
    search(&mut *trees, &mut memory, width);
    let next = roots(&variants, &mut stream).into_iter();
    let next: Vec<NextRoot> = next.map(NextRoot::Follow).collect();
    trees.restart_each(&next, Limits::default()).unwrap();
    measured(&mut || search(&mut *trees, &mut memory, width));
    Work::of((TREES * SIMULATIONS) as u64)
}

/// Openings on a board of one variant, whose table of points is made.
fn openings(variant: &Variant, plies: usize, count: u64) -> Vec<Position> {
    let _ = variant.board().points(variant.board().all());
    let opening = |seed| opening(variant, plies, seed).unwrap();
    (0..count).map(opening).collect()
}

fn minimax(place: &str) -> Work {
    let variants = variants(place);
    let variant = variants.get(0);
    let positions = openings(variant, PLIES, SEARCHED);
    let limits = Limits {
        max_nodes: Some(NODES),
        ..Limits::default()
    };
    let depth = Depth::new(DEPTH).unwrap();
    measured(&mut || {
        for position in &positions {
            let ended = best_moves(variant, position, depth, limits);
            assert_eq!(ended, Err(Halt::NodeLimit { max_nodes: NODES }));
        }
    });
    Work::of(SEARCHED * NODES)
}

/// Alpha-beta without a table or an order of moves.
fn plain(variant: &Variant, position: &Position, mut alpha: i32, beta: i32) -> i32 {
    if position.is_over(variant) {
        return position.margin_of(variant, position.side_to_move());
    }
    let mut best = -100;
    for mv in position.legal_moves(variant) {
        let child = position.play_unchecked(variant, mv);
        best = best.max(-plain(variant, &child, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// The margins of positions, by plain alpha-beta or by the exact solver without its book.
fn solve(plainly: bool) -> Work {
    let variant = Variant::default();
    let positions = openings(&variant, LATE, SOLVED);
    let solver = Solver::new(&variant);
    let exact = |position| solver.margin(position, Limits::default()).unwrap();
    let slow = |position| plain(&variant, position, -100, 100);
    let mut margins = Vec::new();
    measured(&mut || {
        let found = positions
            .iter()
            .map(|it| if plainly { slow(it) } else { exact(it) });
        margins.extend(found);
    });
    if plainly {
        assert!(positions.iter().map(exact).eq(margins));
    }
    Work::of(SOLVED)
}

/// Looks up evaluations instead of computing them: a row of random numbers, chosen by the position.
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
    fn evaluate(
        &self,
        _: usize,
        observations: &ArrayRef2<f32>,
        _: Limits<'_>,
    ) -> Result<Evaluations, Halt> {
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

/// Self-play without the time of a network; the units are samples.
fn self_play() -> Work {
    let variant = Arc::new(Variant::default());
    let root = Root::Gumbel {
        max_considered: 8,
        c_visit: 50.0,
        c_scale: 0.2,
        backup: Backup::Mean,
    };
    let config = SelfPlayConfig {
        num_games: PLAYED,
        random_plies: PLIES,
        format: Format {
            layout: Layout::Flat,
            dtype: Dtype::Uint8,
        },
        solve_book_roots: false,
        solved_temperature: 0.0,
        tree: TreeConfig {
            margin_weight: 0.5,
            ..tree_config(SIMULATIONS, root)
        },
    };
    let table = Table::new(num_actions(&variant));
    let variants = Arc::new(VariantSet::one(variant));
    let mut games = SelfPlay::new(&variants, config, Vec::new(), 1);
    let mut samples = 0;
    measured(&mut || {
        samples = games
            .play(&table, PLAYED, Limits::default())
            .unwrap()
            .num_samples()
    });
    Work::of(samples as u64)
}
