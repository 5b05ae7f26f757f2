//! The exact solver: the margin of a position when both sides play perfectly.
//!
//! ```
//! use mijnlieff::game::{Position, Variant, parse_record};
//! use mijnlieff::search::Limits;
//! use mijnlieff::search::solver::Solver;
//!
//! let variant = Variant::default();
//! let mut position = Position::new(&variant);
//! let record = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+";
//! for mv in parse_record(&variant, record).unwrap() {
//!     position = position.play(&variant, mv)?;
//! }
//! let solution = Solver::new(&variant).solve(&position, Limits::default()).unwrap();
//! assert_eq!(solution.margin, 3); // Light wins by 3 points,
//! assert_eq!(solution.best_moves().count(), 1); // by d4x alone
//! # Ok::<(), mijnlieff::game::PlayError>(())
//! ```
//!
//! On boards of up to 16 cells a position is packed into one word, which is also the exact key of
//! its table entry. So is an ending with few empty cells on any board. Other positions of larger
//! boards are searched one by one until such endings are reached; when a limit ends that, the answer
//! is the bounds proven so far. With a [tablebase](crate::tablebase) nothing is searched.

mod batch;
mod book;
mod bounds;
mod ending;
mod endings;
mod large;
mod moves;
mod search;
mod table;
mod tables;
mod worker;

use std::sync::Arc;

pub use self::book::{Book, BookError, canonical_counts, make_book, shorten_book};
use self::bounds::static_bounds;
pub use self::bounds::{Bounds, MoveBounds};
use self::ending::Ending;
use self::large::LargeSearch;
use self::moves::SharedHistory;
use self::search::SolverSearch;
use self::table::{MAX_MARGIN, TranspositionTable};
use self::tables::Tables;
use self::worker::{Searcher, Worker};
use super::{Halt, Limits, MoveSet};
use crate::game::{Board, Move, Opening, Position, Variant};
use crate::memory::OutOfMemory;
use crate::small_board::{Geometry, TWO_BIT_HAND, key_bits};
use crate::tablebase::{Damaged, Tablebase};

/// The memory that a solver's large table takes unless told otherwise: 64 MiB.
pub const DEFAULT_TABLE_BYTES: usize = 64 << 20;

/// In arrays of margins by action, in place of one that is illegal or not known.
pub const NO_MARGIN: i16 = i16::MIN;

/// The exact result of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Own points less the opponent's at the end of the game, for the side to move.
    pub margin: i32,
    /// The margin after each legal move, in the order of [`Position::legal_moves`]; for the side to
    /// move as well. Empty when the game is over.
    pub moves: Vec<(Move, i32)>,
    /// Positions searched.
    pub nodes: u64,
}

impl Solution {
    /// The moves that keep the margin.
    pub fn best_moves(&self) -> impl Iterator<Item = Move> {
        let best = move |&&(_, margin): &&(Move, i32)| margin == self.margin;
        self.moves.iter().filter(best).map(|&(mv, _)| mv)
    }
}

/// A search that reached a limit, with the bounds proven so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsolved {
    /// Which limit.
    pub halt: Halt,
    /// Bounds of the margin, for the side to move.
    pub bounds: Bounds,
    /// Bounds of the margin after each legal move.
    pub moves: Vec<MoveBounds>,
}

impl Unsolved {
    /// The bounds of a position before any search.
    fn unsearched(variant: &Variant, position: &Position, halt: Halt) -> Self {
        Self {
            halt,
            bounds: static_bounds(variant, position),
            moves: Vec::new(),
        }
    }
}

/// Solves positions of one board and number of pieces; each search speeds up the next ones.
///
/// All methods take `&self`, and several threads may use it at once.
#[derive(Debug)]
pub struct Solver {
    variant: Variant,
    table_bytes: usize,
    engine: Engine,
    known: Option<Known>,
    /// The move order learned by the search that ended last.
    history: SharedHistory,
}

/// Margins that need no search.
#[derive(Debug)]
enum Known {
    /// Those of early positions.
    Book(Arc<Book>),
    /// Those of all positions.
    Tablebase(Arc<Tablebase>),
}

impl Known {
    /// The margin of a position after the first turn in which a stone can be placed.
    fn margin(&self, variant: &Variant, position: &Position) -> Result<Option<i32>, Damaged> {
        match self {
            Self::Book(book) => Ok(book.margin(position)),
            Self::Tablebase(tablebase) => tablebase.margin(variant, position).map(Some),
        }
    }
}

/// The data that searches of a solver share.
#[derive(Debug)]
enum Engine {
    /// Up to 16 cells and 3 copies.
    TwoBit(Box<Geometry>, Tables),
    /// Up to 16 cells.
    FourBit(Box<Geometry>, Tables),
    Large,
}

impl Solver {
    /// The most cells of a board on which every position can be solved.
    pub const MAX_CELLS: usize = 16;
    /// On larger boards, positions with this many empty cells and fewer are solved as fast.
    pub const MAX_EMPTY: usize = Ending::MAX_EMPTY;

    /// Whether an exact answer about a position is within reach; others may take very long.
    #[must_use]
    pub fn is_within_reach(variant: &Variant, position: &Position) -> bool {
        let cells = variant.board().num_cells();
        cells <= Self::MAX_CELLS || cells - position.occupied().len() <= Self::MAX_EMPTY
    }

    /// A solver with a table of [`DEFAULT_TABLE_BYTES`].
    ///
    /// # Panics
    ///
    /// If memory for it does not suffice; see [`Solver::with_table`].
    #[must_use]
    pub fn new(variant: &Variant) -> Self {
        Self::with_table(variant, DEFAULT_TABLE_BYTES).expect("there is memory for a table")
    }

    /// A solver with a table of at most this many bytes.
    ///
    /// Smaller boards take less, as much as can be of use. With more than 3 copies at least 32 MiB
    /// are taken. Short searches have a table of 4 MiB beside one of 16 MiB or more. On boards of
    /// more than 16 cells each search has its own table, which grows with what it finds.
    ///
    /// # Errors
    ///
    /// When memory does not suffice for the table.
    pub fn with_table(variant: &Variant, bytes: usize) -> Result<Self, OutOfMemory> {
        let board = variant.board();
        let cells = board.num_cells();
        let has_many_lines = board.triples().len() as i32 > MAX_MARGIN;
        let engine = if cells > Self::MAX_CELLS || has_many_lines {
            Engine::Large
        } else {
            let geometry = Box::new(Geometry::new(board)?);
            // Not more than a slot for every way to color the cells and mark some as allowed.
            let useful = usize::try_from(8_u64 << (2 * cells)).unwrap_or(usize::MAX);
            let is_two_bit = variant.copies() <= TWO_BIT_HAND;
            let tables = Tables::new(bytes.min(useful), key_bits(is_two_bit))?;
            if is_two_bit {
                Engine::TwoBit(geometry, tables)
            } else {
                Engine::FourBit(geometry, tables)
            }
        };
        Ok(Self::with_engine(variant, bytes, engine))
    }

    /// A solver that takes at most about this much memory between searches, for programs that keep many.
    ///
    /// Where a table and what it needs do not fit, nothing is kept: each search makes its own tables of
    /// the endings that it reaches, as on boards of more than 16 cells. That takes longer.
    ///
    /// # Errors
    ///
    /// When memory does not suffice for the table.
    pub fn within(variant: &Variant, bytes: usize) -> Result<Self, OutOfMemory> {
        let key_bits = key_bits(variant.copies() <= TWO_BIT_HAND);
        let left = bytes.saturating_sub(Geometry::BYTES);
        if left < TranspositionTable::least_bytes(key_bits) {
            return Ok(Self::with_engine(variant, bytes, Engine::Large));
        }
        Self::with_table(variant, left)
    }

    fn with_engine(variant: &Variant, table_bytes: usize, engine: Engine) -> Self {
        Self {
            variant: variant.clone(),
            table_bytes,
            engine,
            known: None,
            history: SharedHistory::new(),
        }
    }

    /// The same solver, which looks early positions up; it does not when the book is about another
    /// variant.
    #[must_use]
    pub fn with_book(mut self, book: Arc<Book>) -> Self {
        self.known = Book::serves(&self.variant).then_some(Known::Book(book));
        self
    }

    /// A solver that looks every position up and searches none, so it needs no memory for tables.
    ///
    /// # Panics
    ///
    /// If the tablebase does not serve the variant.
    #[must_use]
    pub fn with_tablebase(variant: &Variant, tablebase: Arc<Tablebase>) -> Self {
        assert!(tablebase.serves(variant), "a tablebase of another game");
        let mut solver = Self::with_engine(variant, 0, Engine::Large);
        solver.known = Some(Known::Tablebase(tablebase));
        solver
    }

    /// Whether the book holds all positions that follow this one, which makes it cheap to solve. The
    /// answer is the same with a tablebase.
    #[must_use]
    pub fn knows_moves(&self, position: &Position) -> bool {
        let stones = match &self.known {
            Some(Known::Book(book)) => book.stones(),
            Some(Known::Tablebase(_)) if Book::serves(&self.variant) => Book::STONES,
            _ => 0,
        };
        position.occupied().len() < stones
    }

    /// The memory that the tables take, in bytes; 0 where each search has its own.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        match &self.engine {
            Engine::TwoBit(_, tables) | Engine::FourBit(_, tables) => tables.bytes(),
            Engine::Large => 0,
        }
    }

    /// The margin of a position and of every legal move.
    ///
    /// # Errors
    ///
    /// When a limit is reached; the bounds it holds are proven.
    pub fn solve(
        &self,
        position: &Position,
        limits: Limits<'_>,
    ) -> Result<Solution, Box<Unsolved>> {
        self.worker(limits).solve(position)
    }

    /// The margin alone, which is cheaper.
    ///
    /// # Errors
    ///
    /// When a limit is reached; the bounds are proven.
    pub fn margin(&self, position: &Position, limits: Limits<'_>) -> Result<i32, (Halt, Bounds)> {
        let mut bounds = static_bounds(&self.variant, position);
        let answer = self.worker(limits).narrow(position, 0, &mut bounds);
        answer.map(|()| bounds.lower).map_err(|halt| (halt, bounds))
    }

    /// The moves that keep the margin of a position that is not over; cheaper than
    /// [`Solver::solve`], which finds the margins of the others too.
    ///
    /// # Errors
    ///
    /// When a limit is reached.
    pub fn best_moves(&self, position: &Position, limits: Limits<'_>) -> Result<MoveSet, Halt> {
        self.worker(limits).best_moves(position)
    }

    /// Whether it solves the positions of this variant.
    ///
    /// Positions hold the cells of their opening rule. That only a Straight may open, they do not.
    #[must_use]
    pub fn serves(&self, variant: &Variant) -> bool {
        Self::key(&self.variant) == Self::key(variant)
    }

    /// What a solver depends on: variants with equal keys have the same solver.
    #[must_use]
    pub fn key(variant: &Variant) -> (&Board, u8, bool) {
        let only_straight = variant.opening() == Opening::CornerStraight;
        (variant.board(), variant.copies(), only_straight)
    }

    fn worker<'a>(&'a self, limits: Limits<'a>) -> Worker<'a> {
        let history = || self.history.load();
        let searcher = match &self.engine {
            Engine::TwoBit(geometry, tables) => {
                Searcher::TwoBit(SolverSearch::new(geometry, tables, history(), limits))
            }
            Engine::FourBit(geometry, tables) => {
                Searcher::FourBit(SolverSearch::new(geometry, tables, history(), limits))
            }
            Engine::Large => {
                Searcher::Large(LargeSearch::new(&self.variant, self.table_bytes, limits))
            }
        };
        Worker::new(
            &self.variant,
            self.known.as_ref(),
            searcher,
            &self.history,
            limits,
        )
    }
}
