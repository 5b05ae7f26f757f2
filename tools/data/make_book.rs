//! Makes the book of the standard game: `make_book FILE [THREADS] [TABLE_MIB]`.

use std::time::Instant;

use mijnlieff::game::{Opening, Variant};
use mijnlieff::search::Limits;
use mijnlieff::search::solver::{Book, canonical_counts, make_book};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("usage: make_book FILE [THREADS] [TABLE_MIB]")?;
    let threads: usize = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mib: usize = arguments.next().map_or(Ok(4096), |text| text.parse())?;
    for opening in Opening::ALL {
        let variant = Variant::new(Variant::default().board().clone(), opening, 2)?;
        let counts = canonical_counts(&variant, Book::STONES, Limits::default())?;
        println!(
            "{}: positions up to symmetry by ply {counts:?}",
            opening.name()
        );
    }
    let start = Instant::now();
    let file = make_book(threads, mib << 20, Limits::default(), |done, all| {
        if done % (1 << 14) == 0 {
            println!(
                "{done} of {all} after {:.0} s",
                start.elapsed().as_secs_f64()
            );
        }
    })?;
    let positions = Book::parse(&file)?.num_positions();
    std::fs::write(&path, &file)?;
    println!("{path}: {positions} positions, {} bytes", file.len());
    Ok(())
}
