//! Takes the positions of few stones from a book, for pages: `shorten_book FILE STONES OUT`.

use mijnlieff::search::solver::{Book, shorten_book};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, stones, out] = &arguments[..] else {
        return Err("usage: shorten_book FILE STONES OUT".into());
    };
    let file = shorten_book(&std::fs::read(path)?, stones.parse()?)?;
    std::fs::write(out, &file)?;
    let positions = Book::parse(&file)?.num_positions();
    println!("{out}: {positions} positions, {} bytes", file.len());
    Ok(())
}
