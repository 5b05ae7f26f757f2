//! Instructions that a step takes, counted by callgrind, which other load does not disturb.
//!
//! `make bench-instructions` runs this program under `valgrind`, which counts only the instructions in
//! [`measured`]. Its arguments choose the form of the games, `fast` or `general`; the work, `flat`,
//! `uint8`, `planes`, `planes8`, `packed` or `sample`; and the board, one of [`BOARDS`]. It prints the
//! bytes that a step writes.

mod batches;

use std::env;

use batches::{BOARDS, Batch, variants};

const GAMES: usize = 1024;
const STEPS: usize = 64;

/// The work that callgrind counts.
#[inline(never)]
#[unsafe(no_mangle)]
fn measured(batch: &mut Batch, is_sample: bool) {
    if is_sample {
        batch.sample();
    } else {
        batch.step();
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
    let kind = choose(&["flat", "uint8", "planes", "planes8", "packed", "sample"]);
    let board = choose(&BOARDS);
    let is_sample = kind == "sample";
    let kind = if is_sample { "flat" } else { kind };
    let mut batch = Batch::new(variants(board), kind, GAMES, form == "general");
    for variant in batch.env.config().variants.all() {
        let board = variant.board();
        let _ = board.points(board.all()); // makes the table of points
    }
    let mut ended = 0;
    for _ in 0..STEPS {
        if is_sample {
            measured(&mut batch, true);
            batch.step();
        } else {
            batch.sample();
            measured(&mut batch, false);
        }
        ended += batch.env.endings().len();
    }
    // The same seed always gives the same games; a number that changes means other ones.
    if board == "standard" {
        assert_eq!(ended, 3_186, "the benchmark plays other games than before");
    }
    println!("{}", batch.row_bytes());
}
