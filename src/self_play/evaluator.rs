//! The network of self-play.

use std::sync::Arc;

use ndarray::ArrayRef2;

use crate::network::{BoardNetwork, Evaluations};
use crate::search::{Halt, Limits};

/// Evaluates positions. An evaluation must not depend on the others of the same call.
pub trait Evaluator: Sync {
    /// The evaluations of positions of the variant of this index, given as observations in
    /// [`crate::encode::Layout::Flat`], one in each row.
    ///
    /// # Errors
    ///
    /// When the stop flag is set or there is no memory for the results.
    fn evaluate(
        &self,
        variant: usize,
        observations: &ArrayRef2<f32>,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt>;
}

/// A network on the board of each variant, on the thread of the game.
impl Evaluator for [Arc<BoardNetwork>] {
    fn evaluate(
        &self,
        variant: usize,
        observations: &ArrayRef2<f32>,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt> {
        self[variant].evaluate(observations, 1, limits)
    }
}
