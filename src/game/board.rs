//! Boards: which cells exist, and the geometry that follows.

use std::collections::HashMap;

use super::lines::{Gains, Lines};
use super::score::ScoreTables;
use super::{BoardError, Cell, CellSet, Piece, Symmetry};

const ORTHOGONAL: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

/// The cells of a board and every cell set that the rules read off its shape.
///
/// Two boards are equal when they have the same cells. Cells are numbered along the row from the
/// lower left corner of the bounding box, then up; cells that do not exist are not counted.
#[derive(Clone, Debug)]
pub struct Board {
    cells: Vec<(u8, u8)>,
    numbers: HashMap<(i32, i32), Cell>,
    width: usize,
    height: usize,
    reach: Vec<[CellSet; 4]>,
    outside: CellSet,
    corners: CellSet,
    triples: Vec<CellSet>,
    scores: ScoreTables,
    symmetries: Vec<Symmetry>,
}

impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.cells == other.cells
    }
}

impl Eq for Board {}

impl std::hash::Hash for Board {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.cells.hash(state);
    }
}

impl Default for Board {
    /// The standard board, 4x4.
    fn default() -> Self {
        let square = (0..4).flat_map(|y| (0..4).map(move |x| (x, y)));
        Self::from_cells(square).expect("16 cells make a board")
    }
}

impl Board {
    /// The longest side that a bounding box may have.
    pub const MAX_SIDE: usize = 64;

    /// A board of blocks of 2x2 cells, given by their lower left corners.
    ///
    /// # Errors
    ///
    /// When there is no block, when two overlap, or as [`Board::from_cells`].
    pub fn from_blocks(blocks: &[(i32, i32)]) -> Result<Self, BoardError> {
        let mut owner: HashMap<(i64, i64), (i32, i32)> = HashMap::new();
        for &(x, y) in blocks {
            // So long a list is not a board, whether blocks overlap or not.
            if owner.try_reserve(4).is_err() {
                let found = blocks.len().saturating_mul(4);
                return Err(BoardError::CellCount { found });
            }
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let cell = (i64::from(x) + dx, i64::from(y) + dy);
                if let Some(first) = owner.insert(cell, (x, y)) {
                    return Err(BoardError::OverlappingBlocks {
                        first,
                        second: (x, y),
                    });
                }
            }
        }
        match owner.len() {
            0 => return Err(BoardError::NoBlocks),
            // Before the cells are copied, which may take more memory than there is.
            found if found > Cell::MAX => return Err(BoardError::CellCount { found }),
            _ => {}
        }
        Self::from_wide_cells(owner.into_keys().collect())
    }

    /// A board with these cells, `(x, y)` with `y` upwards; repeated cells count once.
    ///
    /// # Errors
    ///
    /// When there are no cells, more than 64, or when they lie more than 64 columns or rows apart.
    pub fn from_cells(cells: impl IntoIterator<Item = (i32, i32)>) -> Result<Self, BoardError> {
        Self::from_wide_cells(
            cells
                .into_iter()
                .map(|(x, y)| (i64::from(x), i64::from(y)))
                .collect(),
        )
    }

    /// As [`Board::from_cells`], in 64 bits: no sum of two 32-bit coordinates overflows.
    pub(super) fn from_wide_cells(mut cells: Vec<(i64, i64)>) -> Result<Self, BoardError> {
        cells.sort_unstable_by_key(|&(x, y)| (y, x));
        cells.dedup();
        if !(1..=Cell::MAX).contains(&cells.len()) {
            return Err(BoardError::CellCount { found: cells.len() });
        }
        let span = |values: Vec<i64>| {
            let (min, max) = (values.iter().min().copied(), values.iter().max().copied());
            (
                min.unwrap_or(0),
                (max.unwrap_or(0) - min.unwrap_or(0) + 1) as u64,
            )
        };
        let (left, width) = span(cells.iter().map(|cell| cell.0).collect());
        let (bottom, height) = span(cells.iter().map(|cell| cell.1).collect());
        if width.max(height) > Self::MAX_SIDE as u64 {
            return Err(BoardError::TooWide { width, height });
        }
        let cells = cells
            .iter()
            .map(|&(x, y)| ((x - left) as u8, (y - bottom) as u8))
            .collect();
        Ok(Self::with_geometry(cells, width as usize, height as usize))
    }

    fn with_geometry(cells: Vec<(u8, u8)>, width: usize, height: usize) -> Self {
        let numbers = cells
            .iter()
            .enumerate()
            .map(|(i, &(x, y))| ((i32::from(x), i32::from(y)), Cell::new(i)))
            .collect();
        let mut board = Self {
            cells,
            numbers,
            width,
            height,
            reach: Vec::new(),
            outside: CellSet::EMPTY,
            corners: CellSet::EMPTY,
            triples: Vec::new(),
            scores: ScoreTables::default(),
            symmetries: Vec::new(),
        };
        board.reach = board
            .all()
            .into_iter()
            .map(|cell| board.reach_from(cell))
            .collect();
        board.outside = board
            .all()
            .into_iter()
            .filter(|&cell| board.is_outside(cell))
            .collect();
        board.corners = board
            .all()
            .into_iter()
            .filter(|&cell| board.is_corner(cell))
            .collect();
        board.triples = board.find_triples();
        let lines = Lines::new(board.num_cells(), |cell, direction| {
            board.step(board.place(cell), direction)
        });
        board.scores = ScoreTables::new(board.num_cells(), lines);
        board.symmetries = Symmetry::of_cells(&board.cells);
        board
    }

    /// How many cells exist, 1 to 64.
    #[must_use]
    pub fn num_cells(&self) -> usize {
        self.cells.len()
    }

    /// Columns of the bounding box.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the bounding box.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Column and row of every cell, by cell number; `(0, 0)` is the lower left of the bounding box.
    #[must_use]
    pub fn cells(&self) -> &[(u8, u8)] {
        &self.cells
    }

    /// All cells.
    #[must_use]
    pub fn all(&self) -> CellSet {
        CellSet::first(self.num_cells())
    }

    /// The cell in this column and row, if it exists.
    #[must_use]
    pub fn cell_at(&self, x: usize, y: usize) -> Option<Cell> {
        self.step((i32::try_from(x).ok()?, i32::try_from(y).ok()?), (0, 0))
    }

    /// The cells, empty or not, that a piece of this type on this cell points to.
    ///
    /// ```
    /// use mijnlieff::game::{Board, Piece};
    /// let board = Board::default();
    /// let a1 = board.cell_at(0, 0).unwrap();
    /// // ...x      The diagonal through a1; a1 itself is not in the set.
    /// // ..x.
    /// // .x..
    /// // o...
    /// assert_eq!(board.reach(Piece::Diagonal, a1).bits(), 1 << 5 | 1 << 10 | 1 << 15);
    /// ```
    #[must_use]
    pub fn reach(&self, piece: Piece, cell: Cell) -> CellSet {
        self.reach[cell.index()][piece.index()]
    }

    /// The cells with at least one of the four orthogonal neighbors missing.
    #[must_use]
    pub fn outside(&self) -> CellSet {
        self.outside
    }

    /// The cells with a horizontal and a vertical neighbor missing.
    #[must_use]
    pub fn corners(&self) -> CellSet {
        self.corners
    }

    /// Every set of three consecutive cells in a row, column or diagonal.
    #[must_use]
    pub fn triples(&self) -> &[CellSet] {
        &self.triples
    }

    /// The points of a player whose stones lie on these cells: `n - 2` for every run of `n >= 3`.
    #[must_use]
    pub fn points(&self, stones: CellSet) -> u16 {
        self.scores.points(stones)
    }

    /// The lines of these stones that score, each from one end to the other: [`Board::points`] counts
    /// `n - 2` for each.
    #[must_use]
    pub fn runs(&self, stones: CellSet) -> Vec<Vec<Cell>> {
        let mut runs = Vec::new();
        for (dx, dy) in Lines::RISING {
            for cell in stones {
                let before = self.step(self.place(cell), (-dx, -dy));
                if before.is_some_and(|before| stones.contains(before)) {
                    continue;
                }
                let rest = self.ray(cell, (dx, dy));
                let rest = rest.take_while(|&next| stones.contains(next));
                let run: Vec<Cell> = std::iter::once(cell).chain(rest).collect();
                if run.len() >= 3 {
                    runs.push(run);
                }
            }
        }
        runs
    }

    /// [`Board::points`] without the table of small boards, for callers that would make the tables of
    /// many boards.
    #[must_use]
    #[inline]
    pub(crate) fn count_points(&self, stones: CellSet) -> u16 {
        self.scores.lines.points(stones)
    }

    /// The points that one more stone, on each of these empty cells, adds to those of the stones.
    #[must_use]
    pub fn gains(&self, stones: CellSet, cells: CellSet) -> Gains {
        self.scores.gains(stones, cells)
    }

    /// The rotations and reflections that map the board onto itself, without repetition; the
    /// identity comes first.
    #[must_use]
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    fn step(&self, (x, y): (i32, i32), (dx, dy): (i32, i32)) -> Option<Cell> {
        self.numbers.get(&(x + dx, y + dy)).copied()
    }

    fn place(&self, cell: Cell) -> (i32, i32) {
        let (x, y) = self.cells[cell.index()];
        (i32::from(x), i32::from(y))
    }

    /// The cells from `cell` on in this direction, up to the first gap.
    fn ray(&self, cell: Cell, direction: (i32, i32)) -> impl Iterator<Item = Cell> {
        let next = move |&from: &Cell| self.step(self.place(from), direction);
        std::iter::successors(next(&cell), next)
    }

    fn reach_from(&self, cell: Cell) -> [CellSet; 4] {
        let rays = |directions: [(i32, i32); 4]| -> CellSet {
            directions
                .into_iter()
                .flat_map(|direction| self.ray(cell, direction))
                .collect()
        };
        let touching: CellSet = ORTHOGONAL
            .into_iter()
            .chain(DIAGONAL)
            .filter_map(|direction| self.step(self.place(cell), direction))
            .collect();
        let distant = self.all() - touching.with(cell);
        [rays(ORTHOGONAL), rays(DIAGONAL), distant, touching]
    }

    fn is_missing(&self, cell: Cell, direction: (i32, i32)) -> bool {
        self.step(self.place(cell), direction).is_none()
    }

    fn is_outside(&self, cell: Cell) -> bool {
        ORTHOGONAL
            .into_iter()
            .any(|direction| self.is_missing(cell, direction))
    }

    fn is_corner(&self, cell: Cell) -> bool {
        let missing = |directions: [(i32, i32); 2]| {
            directions
                .into_iter()
                .any(|direction| self.is_missing(cell, direction))
        };
        missing([(-1, 0), (1, 0)]) && missing([(0, -1), (0, 1)])
    }

    fn find_triples(&self) -> Vec<CellSet> {
        let mut triples = Vec::new();
        for direction in Lines::RISING {
            for cell in self.all() {
                let line: Vec<Cell> = self.ray(cell, direction).take(2).collect();
                if let [second, third] = line[..] {
                    triples.push([cell, second, third].into_iter().collect());
                }
            }
        }
        triples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of each reach, cell pair by cell pair, without walking.
    #[test]
    fn reach_matches_the_definition_on_the_standard_board() {
        let board = Board::default();
        for from in board.all() {
            for to in board.all() {
                let ((x, y), (u, v)) = (board.place(from), board.place(to));
                let (dx, dy) = ((x - u).abs(), (y - v).abs());
                let expected = [
                    dx == 0 || dy == 0,
                    dx == dy,
                    dx.max(dy) > 1,
                    dx.max(dy) == 1,
                ];
                for piece in Piece::ALL {
                    let reached = board.reach(piece, from).contains(to);
                    assert_eq!(reached, from != to && expected[piece.index()], "{piece:?}");
                }
            }
        }
    }

    #[test]
    fn gaps_stop_lines_and_corner_joints_carry_diagonals() {
        //  ..##
        //  ..##
        //  ##..
        //  ##..
        let board = Board::from_blocks(&[(0, 0), (2, 2)]).unwrap();
        let a1 = board.cell_at(0, 0).unwrap();
        assert_eq!(board.reach(Piece::Diagonal, a1).len(), 3);
        assert_eq!(board.reach(Piece::Straight, a1).len(), 2);
        let b2 = board.cell_at(1, 1).unwrap();
        assert!(
            board
                .reach(Piece::Puller, b2)
                .contains(board.cell_at(2, 2).unwrap())
        );
        let split = Board::from_text("#.#").unwrap();
        assert!(split.reach(Piece::Straight, Cell::new(0)).is_empty());
        assert_eq!(split.reach(Piece::Pusher, Cell::new(0)).len(), 1);
    }

    #[test]
    fn every_direction_gives_its_triples() {
        // Per direction: 2 in each of 4 rows, 2 in each of 4 columns, 2 + 1 + 1 on each diagonal.
        assert_eq!(Board::default().triples().len(), 8 + 8 + 4 + 4);
        assert_eq!(Board::from_text("##.##").unwrap().triples().len(), 0);
    }

    /// The definition of a line that scores, cell by cell: it cannot be longer at either end.
    #[test]
    fn runs_are_the_lines_that_score() {
        let board = Board::default();
        let stones: CellSet = [0, 1, 2, 3, 5, 10, 12]
            .iter()
            .map(|&index| board.all().into_iter().nth(index).unwrap())
            .collect();
        let places = |run: &Vec<Cell>| run.iter().map(|&cell| board.place(cell)).collect();
        let mut found: Vec<Vec<(i32, i32)>> = board.runs(stones).iter().map(places).collect();
        found.sort_unstable();
        let row = vec![(0, 0), (1, 0), (2, 0), (3, 0)];
        let rising = vec![(0, 0), (1, 1), (2, 2)];
        assert_eq!(found, [row, rising]);
        assert_eq!(board.points(stones), 2 + 1);
    }
}
