//! Instructions that a node of minimax takes, counted by callgrind, which other load does not disturb.
//!
//! `make bench-instructions` runs this program under `valgrind`, which counts only the instructions in
//! [`measured`]. The argument chooses the board, `fast` (the standard one) or one of `20`, `32` and
//! `64` cells.

mod boards;

use std::env;

use mijnlieff::game::{Position, Variant};
use mijnlieff::policy::opening;
use mijnlieff::search::{Depth, Halt, Limits, best_moves};

const POSITIONS: u64 = 16;
const PLIES: usize = 4;
const DEPTH: i64 = 12;

/// No search ends before this many nodes, so each has just as many.
const NODES: u64 = 2048;

/// The work that callgrind counts.
#[inline(never)]
#[unsafe(no_mangle)]
fn measured(variant: &Variant, positions: &[Position]) {
    let limits = Limits {
        max_nodes: Some(NODES),
        ..Limits::default()
    };
    let depth = Depth::new(DEPTH).unwrap();
    for position in positions {
        let ended = best_moves(variant, position, depth, limits);
        assert_eq!(ended, Err(Halt::NodeLimit { max_nodes: NODES }));
    }
}

fn main() {
    let variant = boards::chosen(env::args().skip(1));
    let _ = variant.board().points(variant.board().all()); // makes the table of points
    let positions: Vec<Position> = (0..POSITIONS)
        .map(|seed| opening(&variant, PLIES, seed).unwrap())
        .collect();
    measured(&variant, &positions);
    println!("{} nodes", POSITIONS * NODES);
}
