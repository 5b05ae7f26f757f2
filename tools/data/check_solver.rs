//! Checks that the solver is consistent on many positions: `check_solver [POSITIONS]`.
//!
//! In positions of random games, the margin must be that of the best move, and the margin of a move
//! must be that of the next position, found by a second solver with its own table.

use std::time::Instant;

use mijnlieff::game::{Position, Variant};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::Limits;
use mijnlieff::search::solver::Solver;

/// The first ply to check; solving earlier positions takes long.
const FIRST_PLY: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: usize = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |text| text.parse())?;
    let variant = Variant::default();
    let (solver, other) = (Solver::new(&variant), Solver::new(&variant));
    let mut rng = SplitMix64::new(11);
    let (mut checked, start) = (0, Instant::now());
    while checked < wanted {
        let mut position = Position::new(&variant);
        while !position.is_over(&variant) {
            let moves = position.legal_moves(&variant);
            if position.ply() >= FIRST_PLY {
                let found = solver
                    .solve(&position, Limits::default())
                    .expect("no limits");
                let best = found.moves.iter().map(|&(_, margin)| margin).max();
                assert_eq!(best, Some(found.margin));
                let (mv, margin) = found.moves[rng.below(found.moves.len() as u64) as usize];
                let child = position.play(&variant, mv)?;
                assert_eq!(other.margin(&child, Limits::default()), Ok(-margin));
                assert_eq!(other.margin(&position, Limits::default()), Ok(found.margin));
                checked += 1;
            }
            position = position.play(&variant, moves[rng.below(moves.len() as u64) as usize])?;
        }
    }
    println!(
        "{checked} positions agree ({:.0} s)",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
