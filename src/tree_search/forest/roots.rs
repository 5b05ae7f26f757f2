//! Where searches start.

use crate::game::Position;
#[cfg(doc)]
use crate::tree_search::TreeConfig;

/// Where the next search of a tree starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextRoot {
    /// From this position; the tree keeps the nodes below it, if it has them.
    Follow(Position),
    /// From this position, as a new tree with this seed.
    Fresh {
        /// The position.
        position: Position,
        /// The seed, as [`TreeConfig::seed`] is that of the first tree.
        seed: u64,
    },
    /// Nowhere: the tree rests. It has no result.
    Idle,
}
