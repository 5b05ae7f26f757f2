//! The settings of a search.

#![forbid(unsafe_code)]

use super::batch::roots::RootPosition;
use crate::memory::{OutOfMemory, with_room};

/// How actions are chosen at the root, and what follows from it for the rest of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Root {
    /// Upper confidence bounds weighted by the network's policy, everywhere in the tree (Silver et
    /// al. 2017, "Mastering the game of Go without human knowledge"). Actions whose logit is minus
    /// infinity are never tried, not even with noise.
    Puct {
        /// Weight of the policy against the values found.
        c_puct: f32,
        /// Share of the root's policy that is noise, 0 to 1.
        dirichlet_share: f32,
        /// Concentration of the Dirichlet distribution that the noise is drawn from; finite, above 0.
        dirichlet_alpha: f32,
    },
    /// Actions sampled without replacement, then sequential halving; below the root, actions follow
    /// the improved policy deterministically (Danihelka et al. 2022, "Policy improvement by planning
    /// with Gumbel").
    Gumbel {
        /// The most actions sampled.
        max_considered: usize,
        /// Added to the visits of the most visited action in the weight of the values.
        c_visit: f32,
        /// Weight of the values against the logits.
        c_scale: f32,
        /// How the values of simulations make up those of the positions above.
        backup: Backup,
    },
}

/// How the value of a position follows from those that simulations found below it. The network's own value
/// counts as one more simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backup {
    /// Their mean, so that actions count by their visits.
    Mean,
    /// Actions count by the improved policy, as far as they have visits: what simulations only tried out
    /// costs the position nothing. Grill et al. 2020 ("Monte-Carlo tree search as regularized policy
    /// optimization") act and learn by such a policy.
    Policy,
}

/// The settings that all searches of a batch share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeConfig {
    /// Simulations in each search, the evaluation of the root not counted; at least 1.
    pub num_simulations: usize,
    /// How actions are chosen.
    pub root: Root,
    /// How random the choice is: with 0 the most promising action is chosen. PUCT draws actions in
    /// proportion to visits to the power of 1 over this; Gumbel's noise is multiplied by it.
    pub temperature: f32,
    /// Share of the points in the value of a finished game, 0 to 1; see [`TreeConfig::value`].
    pub margin_weight: f64,
    /// Roots with at most this many empty cells are solved exactly, not searched; 0 solves none.
    pub solve_roots_below: usize,
    /// The same for the positions below a root.
    pub solve_leaves_below: usize,
    /// Tree `i` draws from streams of `seed + i`; see [`TreeConfig::seeded`].
    pub seed: u64,
}

impl TreeConfig {
    /// Whether any position is solved.
    #[must_use]
    pub fn solves(&self) -> bool {
        self.most_solved() > 0
    }

    /// The most empty cells of a position that is solved; 0 if none is.
    #[must_use]
    pub fn most_solved(&self) -> usize {
        self.solve_roots_below.max(self.solve_leaves_below)
    }

    /// Roots and the seeds of their trees.
    ///
    /// # Errors
    ///
    /// When memory does not suffice.
    pub fn seeded(
        &self,
        roots: impl ExactSizeIterator<Item: Into<RootPosition>>,
    ) -> Result<Vec<(RootPosition, u64)>, OutOfMemory> {
        let mut seeded = with_room("the positions of a search", roots.len())?;
        let seeds = (0_u64..).map(|tree| self.seed.wrapping_add(tree));
        seeded.extend(roots.map(Into::into).zip(seeds));
        Ok(seeded)
    }

    /// A margin of this many points, or more, counts in full.
    pub const FULL_MARGIN: f32 = 8.0;

    /// The value of a margin, -1 to 1: a blend of the outcome and the margin itself.
    #[must_use]
    pub fn value(&self, margin: i32) -> f32 {
        self.expected_value(margin.signum() as f32, margin as f32)
    }

    /// The same of an outcome and a margin that are only expected.
    pub(crate) fn expected_value(&self, outcome: f32, margin: f32) -> f32 {
        let share = (margin / Self::FULL_MARGIN).clamp(-1.0, 1.0);
        let weight = self.margin_weight;
        (1.0 - weight) as f32 * outcome + weight as f32 * share
    }
}
