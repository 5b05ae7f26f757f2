//! The settings of self-play.

use crate::encode::Layout;
use crate::tree_search::TreeConfig;

/// How games are played and written down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfPlayConfig {
    /// Games played at once, by all threads together; at least 1.
    pub num_games: usize,
    /// The most random plies at the start of a game; their number is drawn for each game.
    pub random_plies: usize,
    /// The layout of observations.
    pub layout: Layout,
    /// Whether observations, unless packed, are f32 and not u8.
    pub floats: bool,
    /// The searches. Roots with at most [`TreeConfig::solve_roots_below`] empty cells are solved and
    /// not searched. Its seed is the seed of the games.
    pub tree: TreeConfig,
}
