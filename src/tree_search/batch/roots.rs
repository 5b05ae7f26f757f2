//! Where searches start.

use crate::game::Position;
#[cfg(doc)]
use crate::tree_search::TreeConfig;

/// The position at the root of a tree, and its variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootPosition {
    /// The index of the variant in the set of the search.
    pub variant: usize,
    /// The position.
    pub position: Position,
}

impl From<Position> for RootPosition {
    /// A position of the first variant, often the only one.
    fn from(position: Position) -> Self {
        Self {
            variant: 0,
            position,
        }
    }
}

/// Where the next search of a tree starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NextRoot {
    /// From this position; the tree keeps the nodes below it, if it has them.
    Follow(RootPosition),
    /// From this position, as a new tree with this seed.
    Fresh {
        /// The position.
        root: RootPosition,
        /// The seed, as [`TreeConfig::seed`] is that of the first tree.
        seed: u64,
    },
    /// Nowhere: the tree rests. It has no result.
    Idle,
}
