//! Instructions that a simulation takes, counted by callgrind, which other load does not disturb.
//!
//! `make bench-instructions` runs this program under `valgrind`, which counts only the instructions in
//! [`measured`]. One argument chooses the rule, `puct`, `noisy` (with Dirichlet noise) or `gumbel`, one
//! the board: `blocks` is of five blocks, 20 cells, the others are those of `batches`. With `rounds=N` it searches
//! that many times and prints the simulations per second of the best; with `threads=N` it uses this many
//! threads.

#[allow(dead_code, reason = "other programs use the rest")]
mod batches;

use std::env;
use std::sync::Arc;
use std::time::Instant;

use batches::BOARDS;
use mijnlieff::encode::{Layout, VariantSet};
use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::Limits;
use mijnlieff::tree_search::{NextRoot, Root, RootPosition, TreeConfig, TreeSearch, tree_search_of_variants};
use mijnlieff::vector::Observations;

const TREES: usize = 1024;
const SIMULATIONS: usize = 32;
const PLIES: usize = 4;

/// The inputs and outputs of a network.
struct Memory {
    layout: Layout,
    observations: Vec<f32>,
    mask: Vec<i8>,
    logits: Vec<f32>,
    values: Vec<f32>,
}

/// The work that callgrind counts.
#[inline(never)]
#[unsafe(no_mangle)]
fn measured(search: &mut dyn TreeSearch, memory: &mut Memory, width: usize) -> usize {
    run(search, memory, width)
}

/// Searches to the end; returns the leaves evaluated.
fn run(search: &mut dyn TreeSearch, memory: &mut Memory, width: usize) -> usize {
    let mut evaluated = 0;
    loop {
        let leaves = search.select(Limits::default()).unwrap();
        if leaves == 0 {
            return evaluated;
        }
        evaluated += leaves;
        let observations = Observations::Float32(memory.layout, &mut memory.observations);
        search.write_leaves(observations, &mut memory.mask);
        let logits = &memory.logits[..leaves * width];
        search.update(logits, &memory.values[..leaves]).unwrap();
    }
}

/// Positions after some random actions, of all variants in turn.
fn openings(variants: &VariantSet, stream: &mut SplitMix64) -> Vec<RootPosition> {
    let opening = |tree| {
        let index = tree % variants.all().len();
        let variant = variants.get(index);
        let mut position = Position::new(variant);
        for _ in 0..PLIES {
            let moves = position.legal_moves(variant);
            let mv = moves[stream.below(moves.len() as u64) as usize];
            position = position.play(variant, mv).unwrap();
        }
        RootPosition {
            variant: index,
            position,
        }
    };
    (0..TREES).map(opening).collect()
}

/// The variants of the board that an argument names.
fn variants(arguments: &[String]) -> VariantSet {
    let has = |word: &str| arguments.iter().any(|it| it == word);
    if has("blocks") {
        let blocks = [(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)];
        let board = Board::from_blocks(&blocks).unwrap();
        return VariantSet::one(Arc::new(Variant::new(board, Opening::Outside, 2).unwrap()));
    }
    let chosen = BOARDS.into_iter().find(|board| has(board));
    batches::variants(chosen.unwrap_or("standard"))
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|it| it == word);
    let number = |name: &str| -> Option<usize> {
        arguments
            .iter()
            .find_map(|it| it.strip_prefix(name)?.parse().ok())
    };
    let root = if has("gumbel") {
        Root::Gumbel {
            max_considered: 16,
            c_visit: 50.0,
            c_scale: 0.5,
        }
    } else {
        Root::Puct {
            c_puct: 1.5,
            dirichlet_share: if has("noisy") { 0.25 } else { 0.0 },
            dirichlet_alpha: 0.5,
        }
    };
    let variants = Arc::new(variants(&arguments));
    let layout = variants.canvas().map_or(Layout::Flat, |_| Layout::Planes);
    let config = TreeConfig {
        num_simulations: SIMULATIONS,
        root,
        temperature: 1.0,
        margin_weight: 0.0,
        solve_roots_below: 0,
        solve_leaves_below: 0,
        seed: 0,
    };
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
    let roots = openings(&variants, &mut stream);
    let threads = number("threads=").unwrap_or(1);
    let search = tree_search_of_variants(&variants, &roots, config, layout, Vec::new(), threads);
    let mut search = search.unwrap();
    // The first search makes room.
    run(&mut *search, &mut memory, width);
    let rounds = number("rounds=");
    let mut best = f64::INFINITY;
    let mut leaves = 0;
    for _ in 0..rounds.unwrap_or(1) {
        let next = openings(&variants, &mut stream).into_iter();
        let next: Vec<NextRoot> = next.map(NextRoot::Follow).collect();
        search.restart_each(&next, Limits::default()).unwrap();
        let start = Instant::now();
        leaves = measured(&mut *search, &mut memory, width);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let simulations = TREES * SIMULATIONS;
    println!("{simulations} simulations, {leaves} leaves in the last search");
    if rounds.is_some() {
        let rate = simulations as f64 / best / 1e6;
        println!("{rate:.2} M simulations a second");
    }
}
