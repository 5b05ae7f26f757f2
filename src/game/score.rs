//! Points.

use super::{Board, CellSet};

/// The points of a player whose stones lie on these cells.
///
/// A run of `n` cells scores `n - 2`, and `n - 2` is also the number of triples of consecutive cells
/// in it (none for `n < 3`). So the points are the triples that the stones cover.
pub(super) fn points(board: &Board, stones: CellSet) -> u16 {
    board
        .triples()
        .iter()
        .map(|&triple| u16::from(stones.is_superset(triple)))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_scores_its_length_less_two() {
        for length in 1..=8 {
            let board = Board::from_text(&"#".repeat(length)).unwrap();
            assert_eq!(
                usize::from(points(&board, board.all())),
                length.saturating_sub(2)
            );
        }
        let board = Board::default();
        // 2 points in each of 4 rows and 4 columns; 2 + 1 + 1 along each diagonal direction.
        assert_eq!(points(&board, board.all()), 24);
        // Cells 3, 4, 5 follow each other in number but not in a row.
        assert_eq!(points(&board, CellSet::from_bits(0b11_1000)), 0);
    }
}
