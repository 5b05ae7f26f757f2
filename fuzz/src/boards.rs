//! Boards from text and from blocks, beside a plain reading of the same input.

use std::collections::BTreeSet;

use mijnlieff::game::{Board, BoardError, Cell};

use super::input::Input;

const TOKENS: [&str; 13] = [
    "#", "##", ".", "..", "/", "\n", "\r\n", "\r", " ", "\t", "x", "é", "\u{3000}",
];

/// Columns and rows as they are given, `y` upwards.
type Cells = BTreeSet<(i64, i64)>;

/// Columns and rows of the bounding box.
fn spans(cells: &Cells) -> (u64, u64) {
    let span =
        |values: Vec<i64>| (values.iter().max().unwrap() - values.iter().min().unwrap() + 1) as u64;
    (
        span(cells.iter().map(|cell| cell.0).collect()),
        span(cells.iter().map(|cell| cell.1).collect()),
    )
}

fn make_a_board(cells: &Cells) -> bool {
    (1..=64).contains(&cells.len()) && spans(cells).0.max(spans(cells).1) <= 64
}

/// Moved so that the bounding box starts at (0, 0).
fn moved_to_origin(cells: &Cells) -> Cells {
    let left = cells.iter().map(|cell| cell.0).min().unwrap();
    let bottom = cells.iter().map(|cell| cell.1).min().unwrap();
    cells.iter().map(|&(x, y)| (x - left, y - bottom)).collect()
}

fn check_board(board: &Board, expected: &Cells) {
    let cells: Cells = board
        .cells()
        .iter()
        .map(|&(x, y)| (i64::from(x), i64::from(y)))
        .collect();
    assert_eq!(cells, moved_to_origin(expected));
    assert_eq!(board.num_cells(), cells.len());
    let sides = (board.width() as u64, board.height() as u64);
    assert_eq!(sides, spans(&cells));
    for (number, &(x, y)) in board.cells().iter().enumerate() {
        let cell = board.cell_at(usize::from(x), usize::from(y));
        assert_eq!(cell.map(Cell::index), Some(number));
    }
    assert_eq!(&Board::from_text(&board.to_text()).unwrap(), board);
}

/// The board that a drawing shows; `None` unless it consists of rows of `#` and `.` of one length.
fn plain_reading(text: &str) -> Option<Cells> {
    let text = text.replace('/', "\n");
    let rows: Vec<Vec<char>> = text
        .trim()
        .lines()
        .map(|row| row.trim().chars().collect())
        .collect();
    let mut cells = Cells::new();
    for (row, characters) in rows.iter().enumerate() {
        if characters.len() != rows[0].len() {
            return None;
        }
        for (x, character) in characters.iter().enumerate() {
            match character {
                '#' => cells.insert((x as i64, -(row as i64))),
                '.' => continue,
                _ => return None,
            };
        }
    }
    Some(cells)
}

/// A text is a board when its rows are, and then it is the board that they show. Names of cells are
/// read as they were written.
pub fn board_text(data: &[u8]) {
    let mut input = Input::new(data);
    let name_of = input.byte();
    let text = if input.below(2) == 0 {
        input.text(&TOKENS)
    } else {
        let board = input.board();
        input.edited(&board.to_text(), &TOKENS)
    };
    let expected = plain_reading(&text).filter(make_a_board);
    match (Board::from_text(&text), expected) {
        (Ok(board), Some(cells)) => {
            check_board(&board, &cells);
            let (x, y) = board.cells()[usize::from(name_of) % board.num_cells()];
            let cell = board.cell_at(usize::from(x), usize::from(y)).unwrap();
            assert_eq!(board.cell_named(&board.cell_name(cell)), Some(cell));
        }
        (Err(error), None) => assert!(!error.to_string().is_empty()),
        (found, expected) => panic!("{text:?} is {found:?}, not {expected:?}"),
    }
}

/// Blocks are a board when none overlap and there are not too many or too far apart; their order
/// does not matter.
pub fn board_blocks(data: &[u8]) {
    let mut input = Input::new(data);
    let mut blocks = Vec::new();
    while !input.is_empty() {
        let mut coordinate = || match input.byte() {
            0 => i32::MIN,
            1 => i32::MAX,
            2 => i32::MAX - 1,
            3 => input.number() as i32,
            byte => i32::from(byte % 32) - 4,
        };
        blocks.push((coordinate(), coordinate()));
    }
    let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
    let covered = |&(x, y): &(i32, i32)| corners.map(|(u, v)| (i64::from(x) + u, i64::from(y) + v));
    let cells: Cells = blocks.iter().flat_map(covered).collect();
    match Board::from_blocks(&blocks) {
        Ok(board) => {
            assert_eq!(cells.len(), 4 * blocks.len());
            check_board(&board, &cells);
            blocks.reverse();
            assert_eq!(Board::from_blocks(&blocks), Ok(board));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            match error {
                BoardError::NoBlocks => assert!(blocks.is_empty()),
                BoardError::OverlappingBlocks { first, second } => {
                    let shared = covered(&first)
                        .into_iter()
                        .any(|cell| covered(&second).contains(&cell));
                    let index = |block| blocks.iter().position(|&other| other == block);
                    assert!(shared && index(first).is_some() && index(second).is_some());
                    assert!(cells.len() < 4 * blocks.len());
                }
                BoardError::CellCount { found } => {
                    assert!(found == cells.len() && found > 64 && found == 4 * blocks.len());
                }
                BoardError::TooWide { width, height } => {
                    assert_eq!((width, height), spans(&cells));
                    assert!(width.max(height) > 64 && cells.len() <= 64);
                }
                error => panic!("{blocks:?}: an error that blocks never cause, {error:?}"),
            }
        }
    }
}
