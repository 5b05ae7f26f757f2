//! The network of self-play.

use ndarray::ArrayRef2;

use crate::network::{Evaluations, Network, Precision};
use crate::search::{Halt, Limits};

/// Evaluates positions. An evaluation must not depend on the others of the same call.
pub trait Evaluator: Sync {
    /// The evaluations of positions, given as observations in [`crate::encode::Layout::Flat`], one in
    /// each row.
    ///
    /// # Errors
    ///
    /// When the stop flag is set or there is no memory for the results.
    fn evaluate(
        &self,
        observations: &ArrayRef2<f32>,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt>;
}

/// With integers of 16 bits, which are faster than floats, on the thread of the game.
impl Evaluator for Network {
    fn evaluate(
        &self,
        observations: &ArrayRef2<f32>,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt> {
        Network::evaluate(self, observations, Precision::Int16, 1, limits)
    }
}
