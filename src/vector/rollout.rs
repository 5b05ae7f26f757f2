//! Rollouts: random games of which only the results are kept.

use std::sync::Arc;

use bytemuck::Zeroable;

use crate::encode::{Layout, VariantSet};
use crate::game::{Position, Variant};
use crate::memory::{with_room, zeroed};
use crate::random::{Draw, SplitMix64};
use crate::search::{Halt, Limits};
use crate::simd::{Kernel, Simd, dispatch};
use crate::threads::map_in_order;
use crate::vector::step::game::SAMPLE_STREAM;
use crate::vector::step::packed_game::PackedGame;
use crate::vector::step::state::GameState;
use crate::vector::step::wide_game::WideGame;

/// Games played side by side, so that the processor works on one while another waits.
const GAMES_AT_ONCE: usize = 32;

/// Games between two checks of the stop flag.
const GAMES_PER_LOOK: usize = 4096;

/// Named in the error if memory does not suffice.
const GAMES: &str = "the results of random games";

/// The end of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable)]
pub struct Rollout {
    /// The points of Light and Dark.
    pub score: [u16; 2],
    /// The number of actions from the given position to the end, passes included.
    pub plies: u16,
}

/// Plays every position `repeats` times to the end, every action drawn from the legal ones.
///
/// Repeat `r` of position `i` is number `i * repeats + r` and draws as game `number` of a batch with
/// this seed does in [`super::BatchEnv::sample_actions`]. Positions that are over stay as they are.
///
/// # Errors
///
/// When the stop flag is set or memory does not suffice for the results.
pub fn rollout(
    variant: &Arc<Variant>,
    positions: &[Position],
    repeats: usize,
    seed: u64,
    num_threads: usize,
    limits: Limits<'_>,
) -> Result<Vec<Rollout>, Halt> {
    if PackedGame::fits(variant, Layout::Flat) {
        rollout_as::<PackedGame>(variant, positions, repeats, seed, num_threads, limits)
    } else {
        rollout_as::<WideGame>(variant, positions, repeats, seed, num_threads, limits)
    }
}

fn rollout_as<S: GameState>(
    variant: &Arc<Variant>,
    positions: &[Position],
    repeats: usize,
    seed: u64,
    num_threads: usize,
    limits: Limits<'_>,
) -> Result<Vec<Rollout>, Halt> {
    let rules = S::rules(&Arc::new(VariantSet::one(variant.clone())))?;
    let mut states = with_room::<S>(GAMES, positions.len())?;
    let positions = positions.iter();
    states.extend(positions.map(|position| S::from_position(&rules, 0, position)));
    let mut results: Vec<Rollout> = zeroed(GAMES, states.len().saturating_mul(repeats))?;
    let share = results.len().div_ceil(num_threads.max(1));
    let share = share.clamp(1, GAMES_PER_LOOK);
    let play = |(): &mut (), (number, results)| {
        limits.check_stop()?;
        dispatch(PlayOut {
            rules: &rules,
            states: &states,
            repeats,
            seed,
            first: number * share,
            results,
        });
        Ok::<_, Halt>(())
    };
    let parts = results.chunks_mut(share).enumerate();
    map_in_order(parts, num_threads, || (), play)?;
    Ok(results)
}

/// A game under way, and where its result goes.
#[derive(Clone, Copy)]
struct Running<S> {
    state: S,
    rng: SplitMix64,
    plies: u16,
    index: usize,
}

/// Plays the games of some results to their ends.
struct PlayOut<'a, S: GameState> {
    rules: &'a S::Rules,
    states: &'a [S],
    repeats: usize,
    seed: u64,
    /// The number of the first game.
    first: usize,
    results: &'a mut [Rollout],
}

impl<S: GameState> Kernel for PlayOut<'_, S> {
    type Result = ();

    #[inline(always)]
    fn run<V: Simd>(self, _: V) {
        let rules = self.rules;
        let start = |index: usize| {
            let number = self.first + index;
            Running {
                state: self.states[number / self.repeats],
                rng: SplitMix64::stream(self.seed.wrapping_add(number as u64), SAMPLE_STREAM),
                plies: 0,
                index,
            }
        };
        let mut waiting = 0..self.results.len();
        let mut running: Vec<Running<S>> =
            waiting.by_ref().take(GAMES_AT_ONCE).map(start).collect();
        while !running.is_empty() {
            let mut i = 0;
            while i < running.len() {
                let game = &mut running[i];
                if game.state.is_over(rules) {
                    self.results[game.index] = Rollout {
                        score: game.state.score(rules),
                        plies: game.plies,
                    };
                    match waiting.next() {
                        Some(index) => running[i] = start(index),
                        None => {
                            running.swap_remove(i);
                        }
                    }
                    continue;
                }
                let legal = game.state.count_legal(rules);
                let rank = game.rng.below(legal as u64) as usize;
                let action = game.state.nth_legal(rules, rank);
                game.state = game.state.play(rules, action);
                game.plies += 1;
                i += 1;
            }
        }
    }
}
