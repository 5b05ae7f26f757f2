//! All the boards that can be laid out with a number of blocks.

use std::collections::BTreeSet;

use super::Board;

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
    /// reflection. Neighbouring blocks share at least one edge of a cell or, with `corners`, touch at
    /// a corner.
    ///
    /// The boards come in a fixed order, flat ones first, each lying on its longer side.
    ///
    /// # Panics
    ///
    /// If `blocks` is not 1 to [`Board::MAX_ARRANGED_BLOCKS`].
    #[must_use]
    pub fn arrangements(blocks: usize, corners: bool) -> Vec<Self> {
        assert!((1..=Self::MAX_ARRANGED_BLOCKS).contains(&blocks));
        let mut layouts = BTreeSet::from([vec![(0, 0)]]);
        for _ in 1..blocks {
            let larger = layouts.iter().flat_map(|layout| extended(layout, corners));
            layouts = larger.map(|layout| least_image(&layout, 2)).collect();
        }
        // Layouts of different blocks can have the same cells.
        let boards: BTreeSet<_> = layouts.iter().map(drawn).collect();
        let boards = boards.into_iter().map(|(_, cells)| {
            let cells = cells.into_iter().map(|(y, x)| (x, y));
            Self::from_cells(cells).expect("at most 24 cells")
        });
        boards.collect()
    }
}

/// The layouts with one block more, blocks given by `(y, x)` of their lower left corners.
fn extended(layout: &Cells, corners: bool) -> impl Iterator<Item = Cells> {
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
    places
        .filter(move |place| !overlaps(place))
        .map(|place| layout.iter().copied().chain([place]).collect())
}

/// The smallest image of squares of this side, moved to the axes.
fn least_image(squares: &Cells, side: i32) -> Cells {
    let images = IMAGES
        .iter()
        .map(|image| moved_image(squares, side, *image));
    images.min().expect("there are eight images")
}

fn moved_image(squares: &Cells, side: i32, image: Image) -> Cells {
    // A square is turned around its centre; coordinates are doubled to keep that whole.
    let centres = squares.iter();
    let centres = centres.map(|&(y, x)| image(2 * y + side, 2 * x + side));
    let centres: Cells = centres.collect();
    let bottom = centres.iter().map(|it| it.0).min().unwrap_or(0);
    let left = centres.iter().map(|it| it.1).min().unwrap_or(0);
    let moved = centres.iter();
    let mut moved: Cells = moved
        .map(|&(y, x)| ((y - bottom) / 2, (x - left) / 2))
        .collect();
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
    let images = IMAGES.iter().map(|image| moved_image(&cells, 1, *image));
    let images = images.map(|cells| (cells.iter().map(|it| it.0).max().unwrap_or(0) + 1, cells));
    images.min().expect("there are eight images")
}

#[cfg(test)]
mod tests {
    use super::*;

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
                assert!(images.insert(least_image(&cells.collect(), 1)));
            }
        }
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
