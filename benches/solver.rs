//! Speed of the exact solver, beside a plain alpha-beta without table in the same run.
//!
//! Every figure asserts the result it times. Times are of one thread unless said otherwise. The book
//! is the one that the Python package loads.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mijnlieff::game::{Cell, Move, Piece, Position, Variant};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::Limits;
use mijnlieff::search::solver::{Book, Solver};

const BOOK: &[u8] = include_bytes!("../python/mijnlieff/data/book.bin");
/// Positions per ply for the times of single solutions.
const SAMPLE: usize = 1_000;
/// Positions of the batch.
const BATCH: usize = 4_000;

/// Random games until `count` positions of this ply, none of them over, were met.
fn positions(variant: &Variant, ply: usize, count: usize, rng: &mut SplitMix64) -> Vec<Position> {
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::new(variant);
        while position.ply() < ply && !position.is_over(variant) {
            let moves = position.legal_moves(variant);
            let mv = moves[rng.below(moves.len() as u64) as usize];
            position = position.play_unchecked(variant, mv);
        }
        if !position.is_over(variant) {
            found.push(position);
        }
    }
    found
}

/// The first moves of the `outside` opening up to symmetry, with their margins for Light.
fn openings(variant: &Variant) -> Vec<(Position, i32)> {
    let known = [[-1, -2, -1, -1], [-1, -1, -1, -1]];
    let start = Position::new(variant);
    [0, 1]
        .into_iter()
        .zip(known)
        .flat_map(|(cell, margins)| {
            Piece::ALL
                .into_iter()
                .zip(margins)
                .map(move |(piece, margin)| {
                    let cell = Cell::new(cell);
                    (
                        start.play_unchecked(variant, Move::Place { piece, cell }),
                        margin,
                    )
                })
        })
        .collect()
}

fn eight_openings(variant: &Variant) {
    let solver = Solver::new(variant);
    let start = Instant::now();
    for (position, margin) in openings(variant) {
        // A window around 0 tells the sign.
        let wins = solver.is_at_least(&position, 1, Limits::default());
        assert_eq!(wins, Ok(-margin >= 1));
    }
    println!(
        "eight openings from scratch, signs:    {:8.2} s",
        start.elapsed().as_secs_f64()
    );
    let solver = Solver::new(variant);
    let start = Instant::now();
    for (position, margin) in openings(variant) {
        assert_eq!(solver.margin(&position, Limits::default()), Ok(-margin));
    }
    println!(
        "eight openings from scratch, margins:  {:8.2} s",
        start.elapsed().as_secs_f64()
    );
}

/// Alpha-beta without table or move order, the baseline of the solver.
fn plain(
    variant: &Variant,
    position: &Position,
    mut alpha: i32,
    beta: i32,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    if position.is_over(variant) {
        let side = 1 - 2 * position.side_to_move().index() as i32;
        return side * position.margin(variant);
    }
    let mut best = -100;
    for mv in position.legal_moves(variant) {
        let child = position.play_unchecked(variant, mv);
        best = best.max(-plain(variant, &child, -beta, -alpha, nodes));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

fn against_plain(variant: &Variant, ply: usize) {
    let sample = positions(variant, ply, 5, &mut SplitMix64::new(8));
    let start = Instant::now();
    let mut nodes = 0;
    let margins: Vec<i32> = sample
        .iter()
        .map(|position| plain(variant, position, -100, 100, &mut nodes))
        .collect();
    let slow = start.elapsed();
    let solver = Solver::new(variant);
    let start = Instant::now();
    for (position, margin) in sample.iter().zip(margins) {
        assert_eq!(solver.margin(position, Limits::default()), Ok(margin));
    }
    let fast = start.elapsed();
    println!(
        "5 positions of ply {ply}: plain alpha-beta {:.3} s ({nodes} nodes), solver {:.5} s, {:.0} times faster",
        slow.as_secs_f64(),
        fast.as_secs_f64(),
        slow.as_secs_f64() / fast.as_secs_f64()
    );
}

fn loading(variant: &Variant) -> Arc<Book> {
    let start = Instant::now();
    let book = Arc::new(Book::parse(BOOK).expect("the book is not damaged"));
    let solver = Solver::new(variant).with_book(Arc::clone(&book));
    println!(
        "loading the book, with a table:  {:8.3} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    let first = Position::new(variant);
    let start = Instant::now();
    let solution = black_box(solver.solve(&first, Limits::default()).expect("no limits"));
    println!(
        "the empty board, every move:     {:8.3} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    assert_eq!(solution.margin, -1);
    book
}

fn latencies(variant: &Variant, book: &Arc<Book>) {
    println!("solve with the book, the margin of every legal move, {SAMPLE} random games a ply:");
    println!("ply   median ms      p99 ms      max ms      nodes");
    for ply in 0..16 {
        let solver = Solver::new(variant).with_book(Arc::clone(book));
        let (mut times, mut nodes) = (Vec::<Duration>::new(), 0);
        for position in positions(variant, ply, SAMPLE, &mut SplitMix64::new(9)) {
            let start = Instant::now();
            let solution = solver
                .solve(&position, Limits::default())
                .expect("no limits");
            times.push(start.elapsed());
            nodes += solution.nodes;
            let best = solution.moves.iter().map(|&(_, margin)| margin).max();
            assert_eq!(best, Some(solution.margin));
        }
        times.sort_unstable();
        let ms = |rank: usize| times[rank].as_secs_f64() * 1e3;
        println!(
            "{ply:3} {:11.3} {:11.3} {:11.3} {:10}",
            ms(SAMPLE / 2),
            ms(SAMPLE * 99 / 100),
            ms(SAMPLE - 1),
            nodes / SAMPLE as u64
        );
    }
}

fn batch(variant: &Variant) {
    let mut rng = SplitMix64::new(10);
    let sample: Vec<Position> = (6..16)
        .flat_map(|ply| positions(variant, ply, BATCH / 10, &mut rng))
        .collect();
    for threads in [1, 2] {
        let solver = Solver::new(variant);
        let start = Instant::now();
        let answers = solver
            .solve_batch(&sample, threads, Limits::default())
            .expect("no limits");
        let seconds = start.elapsed().as_secs_f64();
        for (position, solution) in sample.iter().zip(&answers).step_by(100) {
            assert_eq!(
                solver.margin(position, Limits::default()),
                Ok(solution.margin)
            );
        }
        let nodes: u64 = answers.iter().map(|solution| solution.nodes).sum();
        println!(
            "solve_batch, plies 6 to 15 alike, {threads} thread(s): {:.0} positions/s ({nodes} nodes)",
            sample.len() as f64 / seconds
        );
    }
}

fn main() {
    let variant = Variant::default();
    eight_openings(&variant);
    against_plain(&variant, 4);
    let book = loading(&variant);
    latencies(&variant, &book);
    batch(&variant);
}
