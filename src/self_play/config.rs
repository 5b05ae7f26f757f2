//! The settings of self-play.

use crate::tree_search::TreeConfig;
use crate::vector::Format;

/// How games are played and written down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfPlayConfig {
    /// Games played at once, by all threads together; at least 1.
    pub num_games: usize,
    /// The most random plies at the start of a game; their number is drawn for each game.
    pub random_plies: usize,
    /// How observations are written.
    pub format: Format,
    /// Whether roots are solved, and not searched, if the solver's book holds all that follow.
    pub solve_book_roots: bool,
    /// How far play strays from the best actions of solved roots, in points; at least 0 and finite.
    /// Each game draws its own temperature between 0 and this.
    pub solved_temperature: f32,
    /// The searches. Roots with at most [`TreeConfig::solve_roots_below`] empty cells are solved and
    /// not searched. Its seed is the seed of the games.
    pub tree: TreeConfig,
}

impl SelfPlayConfig {
    /// Whether any position is solved.
    #[must_use]
    pub fn solves(&self) -> bool {
        self.solve_book_roots || self.tree.solves()
    }
}
