//! The boards that can be laid out with a number of blocks: all of them, or a random one.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Board, Cell};
use crate::random::Draw;

type Image = fn(i32, i32) -> (i32, i32);

/// The rotations and reflections of the square.
const IMAGES: [Image; 8] = [
    |x, y| (x, y),
    |x, y| (-x, y),
    |x, y| (x, -y),
    |x, y| (-x, -y),
    |x, y| (y, x),
    |x, y| (-y, x),
    |x, y| (y, -x),
    |x, y| (-y, -x),
];

/// Rows first, so that a wide layout comes before the same one turned upright.
type Cells = Vec<(i32, i32)>;

impl Board {
    /// The most blocks that [`Board::arrangements`] lays out; each more makes about ten times as many
    /// boards.
    pub const MAX_ARRANGED_BLOCKS: usize = 6;

    /// Every board of this many blocks of 2x2 cells that hang together, each once up to rotation and
    /// reflection. Neighboring blocks share at least one edge of a cell or, with `corners`, touch at
    /// a corner.
    ///
    /// The boards come in a fixed order, flat ones first, each lying on its longer side.
    ///
    /// # Panics
    ///
    /// If `blocks` is not 1 to [`Board::MAX_ARRANGED_BLOCKS`].
    #[must_use]
    pub fn arrangements(blocks: usize, corners: bool) -> Vec<Self> {
        let boards = Self::arrangements_until(blocks, corners, &AtomicBool::new(false));
        boards.expect("never stopped")
    }

    /// As [`Board::arrangements`], but returns `None` soon after another thread sets `stop`.
    ///
    /// # Panics
    ///
    /// As [`Board::arrangements`].
    #[must_use]
    pub fn arrangements_until(
        blocks: usize,
        corners: bool,
        stop: &AtomicBool,
    ) -> Option<Vec<Self>> {
        assert!((1..=Self::MAX_ARRANGED_BLOCKS).contains(&blocks));
        let go_on = || (!stop.load(Ordering::Relaxed)).then_some(());
        let mut layouts = BTreeSet::from([vec![(0, 0)]]);
        for _ in 1..blocks {
            let mut larger = BTreeSet::new();
            for layout in &layouts {
                go_on()?;
                larger.extend(extended(layout, corners).map(|layout| least_image(&layout)));
            }
            layouts = larger;
        }
        // Layouts of different blocks can have the same cells.
        let mut boards = BTreeSet::new();
        for layout in &layouts {
            go_on()?;
            boards.insert(drawn(layout));
        }
        let boards = boards.into_iter().map(|(_, cells)| {
            go_on()?;
            let cells = cells.into_iter().map(|(y, x)| (x, y));
            Some(Self::from_cells(cells).expect("at most 24 cells"))
        });
        boards.collect()
    }

    /// The most blocks that a board has room for.
    pub const MAX_BLOCKS: usize = Cell::MAX / 4;

    /// A random board of this many blocks of 2x2 cells that hang together, joined as in
    /// [`Board::arrangements`].
    ///
    /// It grows from one block. Each further block goes to one of the free places that are joined to
    /// a block already there, each place equally likely; places are sorted by row, then column, and
    /// [`Draw::below`] draws one. So an image of a board under a symmetry of the square is as likely as
    /// the board, but boards that can grow in more ways are more likely than others.
    ///
    /// # Panics
    ///
    /// If `blocks` is not 1 to [`Board::MAX_BLOCKS`].
    ///
    /// ```
    /// use mijnlieff::game::Board;
    /// use mijnlieff::random::SplitMix64;
    /// let board = Board::random(5, false, &mut SplitMix64::new(0));
    /// assert_eq!(board.num_cells(), 20);
    /// ```
    #[must_use]
    pub fn random(blocks: usize, corners: bool, rng: &mut impl Draw) -> Self {
        assert!((1..=Self::MAX_BLOCKS).contains(&blocks));
        let mut layout = vec![(0, 0)];
        while layout.len() < blocks {
            let places: BTreeSet<_> = free_places(&layout, corners).collect();
            let drawn = rng.below(places.len() as u64) as usize;
            layout.extend(places.into_iter().nth(drawn));
        }
        let layout: Vec<_> = layout.into_iter().map(|(y, x)| (x, y)).collect();
        Self::from_blocks(&layout).expect("free places do not overlap, and 16 blocks fit a board")
    }
}

/// The layouts with one block more, blocks given by `(y, x)` of their lower left corners.
fn extended(layout: &Cells, corners: bool) -> impl Iterator<Item = Cells> {
    free_places(layout, corners).map(|place| layout.iter().copied().chain([place]).collect())
}

/// Where one more block can be joined to a layout; a place comes once for each block it is joined to.
fn free_places(layout: &Cells, corners: bool) -> impl Iterator<Item = (i32, i32)> {
    let touches = move |dy: i32, dx: i32| match (dy.abs(), dx.abs()) {
        (2, 2) => corners,
        (2, 0..=1) | (0..=1, 2) => true,
        _ => false,
    };
    let steps = (-2..=2).flat_map(move |dy| (-2..=2).map(move |dx| (dy, dx)));
    let steps = steps.filter(move |&(dy, dx)| touches(dy, dx));
    let places = layout
        .iter()
        .flat_map(move |&(y, x)| steps.clone().map(move |(dy, dx)| (y + dy, x + dx)));
    let overlaps = |&(y, x): &(i32, i32)| {
        let mut others = layout.iter();
        others.any(|&(other_y, other_x)| (y - other_y).abs() < 2 && (x - other_x).abs() < 2)
    };
    places.filter(move |place| !overlaps(place))
}

/// The smallest image of squares of one size, given by their lower left corners, moved to the axes.
fn least_image(squares: &Cells) -> Cells {
    let images = IMAGES.iter().map(|image| moved_image(squares, *image));
    images.min().expect("there are eight images")
}

fn moved_image(squares: &Cells, image: Image) -> Cells {
    // Images of the corners are other corners of the turned squares, but the same one of each.
    let corners: Cells = squares.iter().map(|&(y, x)| image(y, x)).collect();
    let bottom = corners.iter().map(|it| it.0).min().unwrap_or(0);
    let left = corners.iter().map(|it| it.1).min().unwrap_or(0);
    let moved = corners.iter().map(|&(y, x)| (y - bottom, x - left));
    let mut moved: Cells = moved.collect();
    moved.sort_unstable();
    moved
}

/// The height of a layout and its cells, in the flattest and then smallest of its images.
fn drawn(layout: &Cells) -> (i32, Cells) {
    let cells = layout.iter().flat_map(|&(y, x)| {
        let block = [(0, 0), (0, 1), (1, 0), (1, 1)];
        block.map(move |(dy, dx)| (y + dy, x + dx))
    });
    let cells: Cells = cells.collect();
    let images = IMAGES.iter().map(|image| moved_image(&cells, *image));
    let images = images.map(|cells| (cells.iter().map(|it| it.0).max().unwrap_or(0) + 1, cells));
    images.min().expect("there are eight images")
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn numbers_of_boards() {
        let count = |blocks, corners| Board::arrangements(blocks, corners).len();
        assert_eq!(
            [1, 2, 3, 4, 5].map(|it| count(it, false)),
            [1, 2, 9, 60, 467]
        );
        assert_eq!([1, 2, 3, 4].map(|it| count(it, true)), [1, 3, 15, 145]);
    }

    #[test]
    fn boards_differ_and_have_whole_blocks() {
        for corners in [false, true] {
            let boards = Board::arrangements(4, corners);
            assert!(boards.contains(&Board::default()));
            let mut images = BTreeSet::new();
            for board in &boards {
                assert_eq!(board.num_cells(), 16);
                assert!(board.width() >= board.height());
                let cells = board.cells().iter();
                let cells = cells.map(|&(x, y)| (i32::from(y), i32::from(x)));
                assert!(images.insert(least_image(&cells.collect())));
            }
        }
    }

    #[test]
    fn random_boards_of_any_number_of_blocks_hang_together() {
        let mut rng = SplitMix64::new(0);
        for corners in [false, true] {
            for blocks in 1..=Board::MAX_BLOCKS {
                let board = Board::random(blocks, corners, &mut rng);
                assert_eq!(board.num_cells(), 4 * blocks);
                assert_eq!(reached(&board, corners), 4 * blocks);
            }
        }
    }

    /// The cells reached from the first one over edges, or also over corners.
    fn reached(board: &Board, corners: bool) -> usize {
        let mut found = BTreeSet::from([board.cells()[0]]);
        let mut open: Vec<_> = found.iter().copied().collect();
        while let Some((x, y)) = open.pop() {
            for &(other_x, other_y) in board.cells() {
                let apart = x.abs_diff(other_x) + y.abs_diff(other_y);
                let touches = x.abs_diff(other_x).max(y.abs_diff(other_y)) == 1;
                if touches && (corners || apart == 1) && found.insert((other_x, other_y)) {
                    open.push((other_x, other_y));
                }
            }
        }
        found.len()
    }

    #[test]
    fn every_place_of_a_random_block_is_equally_likely() {
        for (corners, places) in [(false, 12), (true, 16)] {
            let mut rng = SplitMix64::new(1);
            let mut counts = HashMap::new();
            for _ in 0..8000 * places {
                let board = Board::random(2, corners, &mut rng).to_text();
                *counts.entry(board).or_insert(0_i64) += 1;
            }
            // A board of two blocks looks the same whichever came first: two places for each.
            assert_eq!(counts.len(), places / 2);
            // Standard deviation at most 121.
            assert!(counts.values().all(|count| (count - 16_000).abs() < 600));
        }
    }

    #[test]
    fn a_seed_keeps_its_random_board() {
        let board = Board::random(5, true, &mut SplitMix64::new(7));
        let text = "..##..\n####..\n####..\n..####\n....##\n..##..\n..##..";
        assert_eq!(board, Board::from_text(text).unwrap());
    }

    #[test]
    fn boards_with_edges_are_among_those_with_corners() {
        let all = Board::arrangements(4, true);
        assert!(
            Board::arrangements(4, false)
                .iter()
                .all(|it| all.contains(it))
        );
    }
}
