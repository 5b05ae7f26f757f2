//! Steps per second of boards of all sizes, in one run; `make bench` prints the table.
//!
//! There are few enough games that the rows of all boards fit into the second cache of usual
//! processors. The boards take turns, and the best turn of each counts, so that other load disturbs all
//! alike. The last column is the rate of bytes written, observations and masks, beside that of the
//! standard board.

mod batches;

use std::time::{Duration, Instant};

use batches::{BOARDS, Batch, variants};

const GAMES: usize = 256;
const STEPS: u32 = 64;
const ROUNDS: usize = 40;

/// What a batch writes.
const KINDS: [&str; 5] = ["flat", "uint8", "planes", "planes8", "packed"];

/// Whether a batch of this board can write this kind.
fn has(board: &str, kind: &str) -> bool {
    let is_on_canvas = board == "on_canvas" || board == "mixed";
    match kind {
        "packed" => board == "standard",
        _ => !is_on_canvas || kind.starts_with("planes"),
    }
}

fn main() {
    println!(
        "{:<10} {:<10} {:>9} {:>11} {:>12} {:>9}",
        "written", "board", "bytes", "M steps/s", "sampled, M/s", "per byte"
    );
    for kind in KINDS {
        let boards = BOARDS.into_iter().filter(|board| has(board, kind));
        let batches = boards.map(|board| (board, Batch::new(variants(board), kind, GAMES, false)));
        let mut batches: Vec<(&str, Batch)> = batches.collect();
        let mut best = vec![[Duration::MAX; 2]; batches.len()];
        for _ in 0..ROUNDS {
            for ((_, batch), best) in batches.iter_mut().zip(&mut best) {
                let mut taken = [Duration::ZERO; 2];
                for _ in 0..STEPS {
                    let start = Instant::now();
                    batch.sample();
                    taken[1] += start.elapsed();
                    let start = Instant::now();
                    batch.step();
                    taken[0] += start.elapsed();
                }
                for (best, taken) in best.iter_mut().zip(taken) {
                    *best = taken.min(*best);
                }
            }
        }
        let rate = |time: Duration| GAMES as f64 * f64::from(STEPS) / time.as_secs_f64();
        let mut standard = 0.0;
        for ((board, batch), times) in batches.iter().zip(&best) {
            let [steps, samples] = times.map(rate);
            let written = steps * batch.row_bytes() as f64;
            if standard == 0.0 {
                standard = written;
            }
            println!(
                "{kind:<10} {board:<10} {:>9} {:>11.2} {:>12.1} {:>9.2}",
                batch.row_bytes(),
                steps / 1e6,
                samples / 1e6,
                written / standard
            );
        }
    }
}
