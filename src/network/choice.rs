//! From logits to actions.

use ndarray::{Array2, ArrayRef1};
use rand::Rng;

use super::{BoardNetwork, ChoiceError};
use crate::encode::{Layout, num_actions, observe, write_mask};
use crate::game::{Position, Variant};
use crate::memory::with_room;
use crate::random::{SplitMix64, draw_gumbel};
use crate::search::{Halt, Limits};
use crate::threads::map_in_order;

/// Positions that a thread takes at once.
const PART: usize = 256;

/// How a network chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// 0 plays the legal action with the largest logit (of equal ones the first); above 0, actions
    /// are drawn with probabilities `softmax(logits / temperature)`.
    pub temperature: f64,
    /// Of the draws.
    pub seed: u64,
    /// Position `i` draws from stream `first + i` of the seed.
    pub first: u64,
}

impl BoardNetwork {
    /// The action for each position, none of which is over; all are of `variant`, which is one of the
    /// board. Each has a number, which says where its draws come from and names it in errors.
    ///
    /// The actions do not depend on `num_threads`.
    ///
    /// # Errors
    ///
    /// When the stop flag is set, memory does not suffice for the actions, or the logit of a legal action
    /// is not finite.
    ///
    /// # Panics
    ///
    /// If a game is over or the variant has another board.
    pub fn choose(
        &self,
        variant: &Variant,
        positions: &[(usize, Position)],
        choice: Choice,
        num_threads: usize,
        limits: Limits<'_>,
    ) -> Result<Vec<usize>, ChoiceError> {
        let choose = |(): &mut (), part| self.choose_some(variant, part, choice, limits);
        let parts = positions.chunks(PART);
        let parts = map_in_order(parts, num_threads, || (), choose)?;
        let mut chosen = with_room("the actions", positions.len()).map_err(Halt::from)?;
        chosen.extend(parts.into_iter().flatten());
        Ok(chosen)
    }

    /// The actions for a part of the positions of a call.
    fn choose_some(
        &self,
        variant: &Variant,
        positions: &[(usize, Position)],
        choice: Choice,
        limits: Limits<'_>,
    ) -> Result<Vec<usize>, ChoiceError> {
        let mut observations = Array2::zeros((positions.len(), Layout::Flat.len(variant)));
        for ((_, position), row) in positions.iter().zip(observations.outer_iter_mut()) {
            let row = row.into_slice().expect("C order");
            observe::<f32>(variant, position, Layout::Flat, row);
        }
        let logits = self.evaluate(&observations, 1, limits)?.logits;
        let mut mask = vec![0; num_actions(variant)];
        let mut chosen = Vec::with_capacity(positions.len());
        for (&(index, ref position), logits) in positions.iter().zip(logits.outer_iter()) {
            write_mask(variant, position, &mut mask);
            let number = choice.first.wrapping_add(index as u64);
            let mut rng = SplitMix64::stream(choice.seed, number);
            match choice.pick(&logits, &mask, &mut rng) {
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
        Ok(chosen)
    }
}

impl Choice {
    /// A legal action; `Err` has one whose logit is not finite.
    fn pick(
        self,
        logits: &ArrayRef1<f32>,
        mask: &[i8],
        rng: &mut impl Rng,
    ) -> Result<usize, usize> {
        let legal = || {
            let all = logits.iter().zip(mask).enumerate();
            all.filter(|&(_, (_, &legal))| legal != 0)
                .map(|(action, (&logit, _))| (action, logit))
        };
        if let Some((action, _)) = legal().find(|(_, logit)| !logit.is_finite()) {
            return Err(action);
        }
        let largest = legal()
            .map(|(_, logit)| logit)
            .fold(f32::NEG_INFINITY, f32::max);
        let mut best = None;
        for (action, logit) in legal() {
            // Seen from the largest one: a logit over a tiny temperature may be infinite.
            let mut score = f64::from(logit) - f64::from(largest);
            if self.temperature > 0.0 {
                score = score / self.temperature + draw_gumbel(rng);
            }
            if best.is_none_or(|(_, highest)| score > highest) {
                best = Some((action, score));
            }
        }
        Ok(best.expect("a game that is not over has a legal action").0)
    }
}
