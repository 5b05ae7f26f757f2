//! Files of tablebases: as they were built, damaged, or sealed again after a change.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::tablebase::Tablebase;

use super::files::{HEADER, Start, edited, opened, sealed};
use super::input::Input;

const HEAD: Start = (b"MIJNTABL", 1);
const SUMS: Start = (b"MIJNSUMS", 1);
/// The bytes that share a checksum.
const BLOCK: usize = 1 << 16;

/// A table as it was built, with the margins of all positions by the rules alone.
struct Table {
    variant: Variant,
    file: Vec<u8>,
    levels: Vec<Level>,
    margins: HashMap<Position, i32>,
}

impl Table {
    /// The length of the head of the file.
    fn head(&self) -> usize {
        self.levels.last().expect("there are levels").sums.start
    }
}

/// Where the checksums and the rows of the positions with some number of stones lie.
struct Level {
    sums: Range<usize>,
    rows: Range<usize>,
}

static TABLES: LazyLock<[Table; 3]> = LazyLock::new(|| {
    [("##\n##", 1), ("##.\n.##", 2), ("#.#\n###", 1)].map(|(text, copies)| {
        let board = Board::from_text(text).expect("the text is a board");
        let variant = Variant::new(board, Opening::Anywhere, copies).expect("1 or 2 copies");
        let path = path();
        Tablebase::build(&variant, &path, 1, &AtomicBool::new(false), |_| ()).unwrap();
        let file = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let mut margins = HashMap::new();
        minimax(&variant, &Position::new(&variant), &mut margins);
        Table {
            variant,
            levels: levels(&file),
            file,
            margins,
        }
    })
});

/// A file for this thread alone.
fn path() -> PathBuf {
    let (process, thread) = (std::process::id(), std::thread::current().id());
    std::env::temp_dir().join(format!("mijnlieff-fuzz-{process}-{thread:?}"))
}

/// The margin for the side to move by the rules alone, for every position from this one on.
pub(crate) fn minimax(
    variant: &Variant,
    position: &Position,
    known: &mut HashMap<Position, i32>,
) -> i32 {
    if let Some(&margin) = known.get(position) {
        return margin;
    }
    let moves = position.legal_moves(variant).into_iter();
    let margins = moves.map(|mv| -minimax(variant, &position.play_unchecked(variant, mv), known));
    let over = || position.margin_of(variant, position.side_to_move());
    let margin = margins.max().unwrap_or_else(over);
    known.insert(*position, margin);
    margin
}

/// The checksum of a block of rows: as FNV-1a, but of words, with another factor and a shift.
fn checksum(block: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for word in 0..=block.len() / 8 {
        let byte = |at: usize| block.get(8 * word + at).copied().unwrap_or(0);
        hash ^= u64::from_le_bytes(std::array::from_fn(byte));
        hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 32;
    }
    hash
}

fn sums(rows: &[u8]) -> Vec<u8> {
    let sums = rows.chunks(BLOCK).map(checksum);
    sealed(SUMS, &sums.flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
}

/// The levels of a table as it was built, by the number of stones.
fn levels(file: &[u8]) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut end = file.len();
    for start in (0..file.len()).rev() {
        if file[start..].starts_with(SUMS.0) {
            let length = file[start + 12..start + 20].try_into().expect("8 bytes");
            let rows = start + HEADER + u64::from_le_bytes(length) as usize;
            levels.push(Level {
                sums: start..rows,
                rows: rows..end,
            });
            end = start;
        }
    }
    levels
}

/// The file of a table, perhaps changed: anywhere, in its head or in rows, where the checksums are
/// made right again.
fn file(input: &mut Input<'_>, table: &Table) -> Vec<u8> {
    let mut file = table.file.clone();
    match input.below(4) {
        0 => {
            let head = table.head();
            let content = edited(input, file[HEADER..head].to_vec());
            [&sealed(HEAD, &content), &file[head..]].concat()
        }
        1 => {
            let Level { sums: at, rows } = &table.levels[input.below(table.levels.len())];
            for _ in 0..=input.below(3) {
                file[rows.start + input.below(rows.len())] = input.byte();
            }
            let sums = sums(&file[rows.clone()]);
            file[at.clone()].copy_from_slice(&sums);
            file
        }
        2 => input.rest().to_vec(),
        _ => edited(input, file),
    }
}

/// Checks the margins of the positions of a game.
fn check_margins(input: &mut Input<'_>, found: &Tablebase, file: &[u8], table: &Table) {
    let damaged: Vec<bool> = (table.levels.iter())
        .map(|level| sums(&file[level.rows.clone()]) != file[level.sums.clone()])
        .collect();
    let is_any_damaged = damaged.contains(&true);
    let whole = found.check(&AtomicBool::new(false));
    assert_eq!(whole.is_err(), is_any_damaged);
    let is_true = (table.levels.iter().zip(&damaged)).all(|(Level { rows, .. }, damaged)| {
        *damaged || file[rows.clone()] == table.file[rows.clone()]
    });

    let variant = &table.variant;
    let counted = found.census(variant, true, 1, &AtomicBool::new(false));
    assert!(counted.is_ok() || is_any_damaged);
    let mut position = Position::new(variant);
    loop {
        match found.margin(variant, &position) {
            Ok(margin) if is_true => assert_eq!(margin, table.margins[&position]),
            Ok(margin) => assert!((-8..=8).contains(&margin)),
            Err(error) => assert!(damaged[error.stones]),
        }
        let solved = found.solve_each(variant, &[position], |margin, moves| {
            let legal = position.legal_moves(variant);
            assert!(moves.iter().map(|&(mv, _)| mv).eq(legal));
            for &(mv, margin) in moves.iter().filter(|_| is_true) {
                let after = position.play_unchecked(variant, mv);
                assert_eq!(margin, -table.margins[&after]);
            }
            assert!(!is_true || margin == table.margins[&position]);
        });
        assert!(solved.is_ok() || is_any_damaged);
        let Some(mv) = input.legal_move(variant, &position) else {
            return;
        };
        position = position.play_unchecked(variant, mv);
    }
}

/// A table is read if its length, its head and its lists of checksums are right. Then it answers
/// with the margins that are in it, or says that the rows were changed.
pub fn tablebase_file(data: &[u8]) {
    let mut input = Input::new(data);
    let table = &TABLES[input.below(TABLES.len())];
    let file = file(&mut input, table);
    let head = table.head();
    // The same board can be written in another way, with `/` between its rows.
    let has_head = file.len() == table.file.len() && opened(HEAD, &file[..head]).is_some();
    let is_readable = has_head
        && (table.levels.iter()).all(|level| opened(SUMS, &file[level.sums.clone()]).is_some());
    let path = path();
    fs::write(&path, &file).unwrap();
    match Tablebase::open(&path) {
        Ok(found) if found.serves(&table.variant) => {
            assert!(is_readable);
            check_margins(&mut input, &found, &file, table);
        }
        Ok(found) => {
            // The head names another board whose table is as long.
            let size = Tablebase::size(found.variant()).unwrap();
            assert_eq!(size.file_bytes, file.len());
            let (_, position) = input.game(found.variant());
            if let Ok(margin) = found.margin(found.variant(), &position) {
                assert!((-8..=8).contains(&margin));
            }
        }
        Err(error) => {
            assert!(
                !is_readable || file[..head] != table.file[..head],
                "{error}"
            );
            assert!(!error.to_string().is_empty());
        }
    }
    fs::remove_file(&path).unwrap();
}
