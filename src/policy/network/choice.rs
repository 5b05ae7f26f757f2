//! From logits to actions.

use ndarray::{Array2, ArrayRef1};

use super::{CHUNK, ChoiceError, Network};
use crate::encode::{Layout, num_actions, observe, write_mask};
use crate::game::{Position, Variant};
use crate::random::{SplitMix64, draw_gumbel};
use crate::search::Limits;

/// How a network chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// 0 plays the legal action with the largest logit (of equal ones the first); above 0, actions
    /// are drawn with probabilities `softmax(logits / temperature)`.
    pub temperature: f64,
    /// Of the draws.
    pub seed: u64,
    /// Position `i` of a call draws from stream `first + i` of the seed.
    pub first: u64,
}

impl Network {
    /// The action for each position, none of which is over; all are of `variant`.
    ///
    /// # Errors
    ///
    /// When the stop flag is set, or when the logit of a legal action is not finite.
    ///
    /// # Panics
    ///
    /// If a game is over, or if the network does not [serve](Network::serves) the variant.
    pub fn choose(
        &self,
        variant: &Variant,
        positions: &[Position],
        choice: Choice,
        limits: Limits<'_>,
    ) -> Result<Vec<usize>, ChoiceError> {
        assert!(self.serves(variant), "the network is for another board");
        let mut chosen = Vec::with_capacity(positions.len());
        for chunk in positions.chunks(CHUNK) {
            self.choose_some(variant, chunk, choice, limits, &mut chosen)?;
        }
        Ok(chosen)
    }

    /// Adds the actions for the positions that follow those chosen for already.
    fn choose_some(
        &self,
        variant: &Variant,
        positions: &[Position],
        choice: Choice,
        limits: Limits<'_>,
        chosen: &mut Vec<usize>,
    ) -> Result<(), ChoiceError> {
        let mut observations = Array2::zeros((positions.len(), Layout::Flat.len(variant)));
        for (position, row) in positions.iter().zip(observations.outer_iter_mut()) {
            let row = row.into_slice().expect("C order");
            observe::<f32>(variant, position, Layout::Flat, row);
        }
        let logits = self.evaluate(&observations, limits)?.logits;
        let mut mask = vec![0; num_actions(variant)];
        for (position, logits) in positions.iter().zip(logits.outer_iter()) {
            write_mask(variant, position, &mut mask);
            let index = chosen.len();
            let number = choice.first.wrapping_add(index as u64);
            match choice.pick(&logits, &mask, number) {
                Ok(action) => chosen.push(action),
                Err(action) => {
                    let logit = logits[action];
                    return Err(ChoiceError::Logit {
                        index,
                        action,
                        logit,
                    });
                }
            }
        }
        Ok(())
    }
}

impl Choice {
    /// A legal action; an `Err` is one whose logit is not finite.
    fn pick(self, logits: &ArrayRef1<f32>, mask: &[i8], number: u64) -> Result<usize, usize> {
        let mut rng = SplitMix64::stream(self.seed, number);
        let mut best = None;
        for (action, (&logit, &legal)) in logits.iter().zip(mask).enumerate() {
            if legal == 0 {
                continue;
            }
            if !logit.is_finite() {
                return Err(action);
            }
            let mut score = f64::from(logit);
            if self.temperature > 0.0 {
                score = score / self.temperature + draw_gumbel(&mut rng);
            }
            if best.is_none_or(|(_, highest)| score > highest) {
                best = Some((action, score));
            }
        }
        Ok(best.expect("a game that is not over has a legal action").0)
    }
}
