//! The worst case of a player: the margin it is guaranteed against any opponent.
//!
//! The search goes forward turn by turn. It asks for the moves of the player and tries all moves of
//! the opponent; equal positions are searched once. Then it computes the guarantees backwards, from
//! the ends of the games. The player is outside: [`BestResponseSearch::ask`] gives the positions in
//! which its moves are needed, and [`BestResponseSearch::answer`] takes the moves.
//!
//! ```
//! use std::sync::Arc;
//! use mijnlieff::best_response::{BestResponseConfig, BestResponseSearch};
//! use mijnlieff::encode::action_of;
//! use mijnlieff::game::{Board, Opening, Player, Position, Variant};
//! use mijnlieff::search::{Limits, solver::Solver};
//!
//! let variant = Variant::new(Board::from_text("###\n###").unwrap(), Opening::Anywhere, 2)?;
//! let solver = Arc::new(Solver::new(&variant));
//! let start = Position::new(&variant);
//! let config = BestResponseConfig::new(Player::Dark);
//! let mut search = BestResponseSearch::new(&variant, &[start], solver, config)?;
//! loop {
//!     let asked = search.ask(1000, 1, Limits::default())?;
//!     if asked.is_empty() {
//!         break;
//!     }
//!     // A player that always takes its first legal move.
//!     let first = |position: &Position| action_of(&variant, position.legal_moves(&variant)[0]);
//!     search.answer(asked.iter().map(|position| [first(position)]), Limits::default())?;
//! }
//! let found = search.finish(1, 10, Limits::default())?;
//! assert!(found.margins[0] < 0); // it can be beaten
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod finish;
mod layer;
mod node;

use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

pub use finish::{BestResponse, Line, Mistakes};

use self::layer::{Edge, Index, Layer, POSITIONS, Target};
use self::node::Node;
use crate::encode::{action_of, move_of};
use crate::game::{Player, Position, Variant};
use crate::memory::{OutOfMemory, filled, with_room};
use crate::search::solver::Solver;
use crate::search::{CHECK_INTERVAL, Halt, Limits, MoveSet};

/// Positions solved in one batch.
const SOLVED_AT_ONCE: usize = 1 << 16;

/// The settings of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestResponseConfig {
    /// The player who is examined.
    pub seat: Player,
    /// In positions with at most this many empty cells the player keeps the exact margin, as far as
    /// it tells margins apart. `None` if that is not known for any position.
    pub exact_cells: Option<usize>,
    /// The largest margin, won or lost, that the player tells apart from larger ones.
    pub exact_margin: i32,
    /// From this ply on, the player is assumed to keep the exact margin. `None` asks it to the end.
    pub horizon: Option<usize>,
    /// A position keeps the outcome if its exact margin is at least this. With `None`, the player
    /// has nothing to give away.
    pub least_margin: Option<i32>,
    /// The most positions that the search may hold.
    pub max_positions: usize,
}

impl BestResponseConfig {
    /// Settings for a search to the ends of all games, for a player who should win; the number of
    /// positions is not limited.
    #[must_use]
    pub const fn new(seat: Player) -> Self {
        Self {
            seat,
            exact_cells: None,
            exact_margin: i32::MAX,
            horizon: None,
            least_margin: Some(1),
            max_positions: usize::MAX,
        }
    }

    /// Whether it is the player who moves at a ply.
    fn moves_at(self, ply: usize) -> bool {
        Player::ALL[ply % 2] == self.seat
    }

    fn is_enough(&self, margin: i8) -> bool {
        let least = self.least_margin;
        least.is_none_or(|least| i32::from(margin) >= least)
    }
}

/// Why a search failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BestResponseError {
    /// The board is too large.
    #[error(
        "a best-response search needs a board of at most {} cells, this one has {cells}",
        Solver::MAX_CELLS
    )]
    TooManyCells {
        /// The cells of the board.
        cells: usize,
    },
    /// There are more positions than allowed.
    #[error(
        "more than max_positions={max_positions} positions can be reached in games against this \
         player; {} of them after {ply} turns",
        at_ply
    )]
    TooManyPositions {
        /// The most positions allowed.
        max_positions: usize,
        /// The number of plies after which there are too many.
        ply: usize,
        /// The positions after that many turns, as far as they were counted.
        at_ply: usize,
    },
    /// The player chose an action that is not legal, or none.
    #[error("position {number}: the actions chosen are not all legal, or there is none")]
    Illegal {
        /// The number of the position among those asked.
        number: usize,
    },
    /// A limit was reached.
    #[error(transparent)]
    Halted(#[from] Halt),
}

impl From<OutOfMemory> for BestResponseError {
    fn from(error: OutOfMemory) -> Self {
        Self::Halted(error.into())
    }
}

/// The games of a player against every opponent, as far as the search has followed them.
///
/// After an error a search cannot be used any more.
#[derive(Debug)]
pub struct BestResponseSearch {
    variant: Variant,
    solver: Arc<Solver>,
    config: BestResponseConfig,
    /// One layer for each number of plies.
    layers: Vec<Layer>,
    /// Layer and place of each start.
    starts: Vec<(usize, usize)>,
    /// The number of positions in all layers.
    count: usize,
    /// The layer being searched, its finished positions, and the index of the next layer.
    ply: usize,
    done: usize,
    next: Option<Index>,
    /// The positions that wait for answers, forced moves among them.
    asked: Range<usize>,
}

impl BestResponseSearch {
    /// Starts a search from these positions, none of which may be over.
    ///
    /// # Errors
    ///
    /// When the board has more than 16 cells, or memory does not suffice.
    ///
    /// # Panics
    ///
    /// If a game is over, or the solver does not serve the variant.
    pub fn new(
        variant: &Variant,
        starts: &[Position],
        solver: Arc<Solver>,
        config: BestResponseConfig,
    ) -> Result<Self, BestResponseError> {
        let cells = variant.board().num_cells();
        if cells > Solver::MAX_CELLS {
            return Err(BestResponseError::TooManyCells { cells });
        }
        assert!(solver.serves(variant), "a solver of another game");
        let mut layers = Vec::new();
        layers.resize_with(variant.max_game_length() + 2, Layer::default);
        let mut search = Self {
            variant: variant.clone(),
            solver,
            config,
            layers,
            starts: with_room(POSITIONS, starts.len())?,
            count: 0,
            ply: 0,
            done: 0,
            next: None,
            asked: 0..0,
        };
        search.add_starts(starts)?;
        Ok(search)
    }

    fn add_starts(&mut self, starts: &[Position]) -> Result<(), BestResponseError> {
        let mut indices: Vec<Index> = Vec::new();
        indices.resize_with(self.layers.len(), Index::default);
        for start in starts {
            assert!(!start.is_over(&self.variant), "a finished game");
            let ply = start.ply();
            let layer = &mut self.layers[ply];
            let (place, _) = indices[ply].place(&self.variant, layer, start, Node::NO_PARENT)?;
            self.starts.push((ply, place));
        }
        self.count = self.layers.iter().map(|layer| layer.nodes.len()).sum();
        Ok(())
    }

    /// The layer being searched: the plies before its positions, and how many positions it has.
    #[must_use]
    pub fn layer(&self) -> (usize, usize) {
        let nodes = self.layers.get(self.ply).map_or(0, |it| it.nodes.len());
        (self.ply, nodes)
    }

    /// Whether nothing is left to ask, as the last [`Self::ask`] said.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.ply + 1 == self.layers.len()
    }

    /// The next positions in which the player has to choose: between 1 and `most` of them, or an
    /// empty slice when there is nothing left to ask.
    ///
    /// # Errors
    ///
    /// When there are too many positions, a limit is reached, or memory does not suffice.
    ///
    /// # Panics
    ///
    /// If earlier positions still wait for their answers.
    pub fn ask(
        &mut self,
        most: usize,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<Position>, BestResponseError> {
        assert!(self.asked.is_empty(), "the positions given before wait");
        while !self.is_answered() {
            let is_own = self.config.moves_at(self.ply);
            if self.next.is_none() {
                self.open_layer(is_own, num_threads, limits)?;
            }
            if is_own {
                let positions = self.gather(most.max(1), limits)?;
                if !positions.is_empty() {
                    return Ok(positions);
                }
            } else {
                self.try_all_moves(limits)?;
            }
            self.layers[self.ply].shrink();
            self.ply += 1;
            self.done = 0;
            self.next = None;
        }
        Ok(Vec::new())
    }

    fn open_layer(
        &mut self,
        is_own: bool,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<(), BestResponseError> {
        let (variant, after) = (&self.variant, self.ply + 1);
        self.next = Some(Index::of(variant, &self.layers[after], after)?);
        let nodes = self.layers[self.ply].nodes.len();
        self.layers[self.ply].make_room(nodes)?;
        self.layers[self.ply].values = filled(POSITIONS, nodes, 0)?;
        if is_own {
            self.layers[self.ply].solved = filled(POSITIONS, nodes, false)?;
            self.solve_layer(num_threads, limits)?;
        }
        Ok(())
    }

    /// Solves the positions of the layer from which the player keeps the exact margin.
    fn solve_layer(
        &mut self,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<(), BestResponseError> {
        let (variant, ply) = (&self.variant, self.ply);
        let is_beyond = self.config.horizon.is_some_and(|horizon| ply >= horizon);
        let (exact_cells, most) = match self.config.exact_cells {
            _ if is_beyond => (Solver::MAX_CELLS, i32::MAX),
            Some(cells) => (cells, self.config.exact_margin),
            None => return Ok(()),
        };
        let all = variant.board().num_cells();
        let layer = &mut self.layers[ply];
        let mut first = 0;
        while first < layer.nodes.len() {
            let last = layer.nodes.len().min(first + SOLVED_AT_ONCE);
            let (mut places, mut positions) = (Vec::new(), Vec::new());
            for place in first..last {
                let position = layer.nodes[place].position(variant, ply);
                if all - position.occupied().len() <= exact_cells {
                    places.push(place);
                    positions.push(position);
                }
            }
            let margins = self.solver.margins(&positions, num_threads, limits)?;
            for (place, margin) in places.into_iter().zip(margins) {
                // Of margins beyond the largest that it tells apart, the player may take any.
                if margin <= most && margin > -most {
                    layer.values[place] = margin as i8;
                    layer.solved[place] = true;
                }
            }
            first = last;
        }
        Ok(())
    }

    /// The next positions of the player's layer in which there is a choice. If there are none, the
    /// layer is done.
    fn gather(
        &mut self,
        most: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<Position>, BestResponseError> {
        let (variant, layer) = (&self.variant, &self.layers[self.ply]);
        let left = layer.nodes.len() - self.done;
        let mut positions = with_room(POSITIONS, left.min(most))?;
        let mut end = self.done;
        while end < layer.nodes.len() && positions.len() < most {
            look_at_flag(end, limits)?;
            if !layer.solved[end] {
                let position = layer.nodes[end].position(variant, self.ply);
                if position.count_legal_moves(variant) > 1 {
                    positions.push(position);
                }
            }
            end += 1;
        }
        self.asked = self.done..end;
        if positions.is_empty() {
            self.answer(std::iter::empty::<[usize; 0]>(), limits)?;
        }
        Ok(positions)
    }

    /// Takes the actions that the player may choose in the positions of the last [`Self::ask`], in
    /// the same order: one for each position, or several if it draws.
    ///
    /// # Errors
    ///
    /// When an action is not legal or a position has none, when there are too many positions, a
    /// limit is reached, or memory does not suffice.
    ///
    /// # Panics
    ///
    /// If there are fewer answers than positions.
    pub fn answer<A: IntoIterator<Item = usize>>(
        &mut self,
        answers: impl IntoIterator<Item = A>,
        limits: Limits<'_>,
    ) -> Result<(), BestResponseError> {
        let mut answers = answers.into_iter().enumerate();
        for place in std::mem::take(&mut self.asked) {
            look_at_flag(place, limits)?;
            if !self.layers[self.ply].solved[place] {
                let position = self.layers[self.ply].nodes[place].position(&self.variant, self.ply);
                let moves = MoveSet::legal(&self.variant, &position);
                if moves.count() == 1 {
                    self.add_own(place, &position, action_of(&self.variant, moves.nth(0)))?;
                } else {
                    let (number, actions) = answers.next().expect("an answer for each position");
                    let before = self.layers[self.ply].num_edges();
                    for action in actions {
                        let mv = move_of(&self.variant, action);
                        if !mv.is_some_and(|mv| moves.contains(mv)) {
                            return Err(BestResponseError::Illegal { number });
                        }
                        self.add_own(place, &position, action)?;
                    }
                    if self.layers[self.ply].num_edges() == before {
                        return Err(BestResponseError::Illegal { number });
                    }
                }
            }
            self.layers[self.ply].end_edges();
            self.done = place + 1;
        }
        Ok(())
    }

    fn add_own(
        &mut self,
        place: usize,
        position: &Position,
        action: usize,
    ) -> Result<(), BestResponseError> {
        let mv = move_of(&self.variant, action).expect("a legal action");
        let next = position.play_unchecked(&self.variant, mv);
        self.layers[self.ply].add_action(action as u8)?;
        self.add(place, &next)
    }

    /// Follows every move of the opponent in every position of the layer.
    fn try_all_moves(&mut self, limits: Limits<'_>) -> Result<(), BestResponseError> {
        for place in 0..self.layers[self.ply].nodes.len() {
            look_at_flag(place, limits)?;
            let position = self.layers[self.ply].nodes[place].position(&self.variant, self.ply);
            for mv in position.legal_moves(&self.variant) {
                self.add(place, &position.play_unchecked(&self.variant, mv))?;
            }
            self.layers[self.ply].end_edges();
        }
        Ok(())
    }

    /// Adds an edge of a position of the layer to the position after a move.
    fn add(&mut self, place: usize, next: &Position) -> Result<(), BestResponseError> {
        let (before, after) = self.layers.split_at_mut(self.ply + 1);
        let (layer, after) = (&mut before[self.ply], &mut after[0]);
        if next.is_over(&self.variant) {
            let margin = next.margin_of(&self.variant, self.config.seat) as i8;
            return Ok(layer.add_edge(Target::End(margin))?);
        }
        let index = self.next.as_mut().expect("the layer has been opened");
        let (place, is_new) = index.place(&self.variant, after, next, place as u32)?;
        layer.add_edge(Target::Node(place))?;
        if is_new {
            self.count += 1;
            let at_ply = after.nodes.len();
            let max_positions = self.config.max_positions;
            if self.count > max_positions || at_ply >= Edge::MAX_NODES {
                return Err(BestResponseError::TooManyPositions {
                    max_positions,
                    ply: self.ply + 1,
                    at_ply,
                });
            }
        }
        Ok(())
    }
}

/// Fails if the search should stop; the flag is not checked at every call.
fn look_at_flag(place: usize, limits: Limits<'_>) -> Result<(), Halt> {
    if place.is_multiple_of(CHECK_INTERVAL) {
        limits.check_stop()?;
    }
    Ok(())
}
