//! Games as plain words: functions from states to states, without an environment that keeps them.
//!
//! A state is [`PositionWords::num_words`] words, whose format [`PositionWords`] documents; `n` states
//! are that many words one after the other. [`step`] plays an action in each, [`write_masks`] and
//! [`observe`] write what a learner sees of them, and [`read`] gives them as values.
//!
//! A game that is over stays as it is: [`step`] takes any action, leaves the state unchanged and pays
//! 0, and every action of its mask is 1.

#![forbid(unsafe_code)]

mod blocks;
mod error;
mod write;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::encode::{Layout, PositionWords};
use crate::game::{Player, Position, Variant};
use crate::memory::{filled, zeroed};
use crate::vector::step::game::StepContext;
use crate::vector::step::packed_game::PackedGame;
use crate::vector::step::state::GameState;
use crate::vector::step::wide_game::WideGame;
use crate::vector::{Config, IllegalAction, Reward};
use blocks::{Blocks, STATES_PER_BLOCK};
pub use error::{FunctionalError, Result};
pub use write::{observe, write_masks};

/// What the memory is for, where there is none.
const RESULTS: &str = "the next states";

/// How a call works through its states.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The most threads to use; more than there are blocks of 1,024 states are not started.
    pub num_threads: usize,
    /// Set from another thread to stop the call, which then fails.
    pub stop: &'a AtomicBool,
}

/// What [`step`] returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped {
    /// The next states.
    pub states: Vec<u64>,
    /// What the step paid the player who acted; 0 unless it ended the game.
    pub rewards: Vec<f32>,
    /// Whether the game is over.
    pub terminated: Vec<bool>,
}

/// Plays an action in every state.
///
/// # Errors
///
/// For the first words that are not a state, or the first action that does not exist, or is illegal
/// unless such actions lose; when memory does not suffice, and when the call was stopped.
///
/// # Panics
///
/// If there is not one action for each state.
pub fn step(
    variant: &Arc<Variant>,
    states: &[u64],
    actions: &[i64],
    reward: Reward,
    illegal_action: IllegalAction,
    run: Run<'_>,
) -> Result<Stepped> {
    let mut config = Config::new(variant.clone());
    (config.reward, config.illegal_action) = (reward, illegal_action);
    if blocks::packs(variant, Layout::Flat, actions.len()) {
        step_as::<PackedGame>(config, states, actions, run)
    } else {
        step_as::<WideGame>(config, states, actions, run)
    }
}

fn step_as<S: GameState>(
    config: Config,
    states: &[u64],
    actions: &[i64],
    run: Run<'_>,
) -> Result<Stepped> {
    let context = &StepContext::<S>::new(config)?;
    let (rules, variant) = (&context.rules, context.config.variants.get(0));
    let words = PositionWords::num_words(variant);
    assert_eq!(states.len(), actions.len() * words);
    let mut next = zeroed(RESULTS, states.len())?;
    let mut rewards = zeroed(RESULTS, actions.len())?;
    let mut terminated = zeroed(RESULTS, actions.len())?;
    let outputs = next
        .chunks_mut(STATES_PER_BLOCK * words)
        .zip(rewards.chunks_mut(STATES_PER_BLOCK))
        .zip(terminated.chunks_mut(STATES_PER_BLOCK));
    Blocks::new(variant, states).run(run, outputs, |block, ((next, rewards), terminated)| {
        // Games that are over stay as they are.
        next.copy_from_slice(&states[block.first * words..][..next.len()]);
        let outputs = next.chunks_exact_mut(words).zip(rewards).zip(terminated);
        for (index, ((next, reward), over)) in (block.first..).zip(outputs) {
            let (state, was_over) = block.all.game::<S>(rules, index)?;
            if was_over {
                *over = true;
                continue;
            }
            let (action, actor) = (actions[index], Player::ALL[state.to_play()]);
            if context.can_play(&state, action) {
                let state = state.play(rules, action as usize);
                state.write_words(false, next);
                if state.is_over(rules) {
                    (*reward, *over) = (context.ending(&state, actor).reward, true);
                }
            } else if context.config.illegal_action == IllegalAction::Lose
                && context.has_action(action)
            {
                state.write_words(true, next);
                (*reward, *over) = (context.forfeit(&state, actor).reward, true);
            } else {
                let error = context.why_not(index, &state, false, action);
                return Err(FunctionalError::Action(error));
            }
        }
        Ok(())
    })?;
    Ok(Stepped {
        states: next,
        rewards,
        terminated,
    })
}

/// Calls `write` with every state and its entry of `out`.
///
/// # Errors
///
/// For the first words that are not a state, when memory does not suffice, and when the call was
/// stopped.
///
/// # Panics
///
/// If there is not one entry for each state.
pub fn read<T: Send>(
    variant: &Arc<Variant>,
    states: &[u64],
    out: &mut [T],
    run: Run<'_>,
    write: impl Fn(&PositionWords, &mut T) + Sync,
) -> Result<()> {
    assert_eq!(states.len(), out.len() * PositionWords::num_words(variant));
    let outputs = out.chunks_mut(STATES_PER_BLOCK);
    Blocks::new(variant, states).run(run, outputs, |block, out| {
        for (index, entry) in (block.first..).zip(out) {
            write(&block.all.read(index)?, entry);
        }
        Ok(())
    })
}

/// The position of one state.
///
/// # Errors
///
/// When the words are not a state, and when an illegal action has ended the game, which a position
/// cannot show.
///
/// # Panics
///
/// If there are not [`PositionWords::num_words`] words.
pub fn position(variant: &Variant, words: &[u64]) -> Result<Position> {
    let state = PositionWords::read(variant, words)
        .map_err(|error| FunctionalError::of(0, words, error))?;
    checked_position(0, &state)
}

/// The positions of states.
///
/// # Errors
///
/// As [`position`], for the first state without a position, when memory does not suffice, and when
/// the call was stopped.
///
/// # Panics
///
/// If there are not [`PositionWords::num_words`] words a state.
pub fn positions(variant: &Variant, states: &[u64], run: Run<'_>) -> Result<Vec<Position>> {
    let count = PositionWords::num_words(variant);
    assert_eq!(states.len() % count, 0);
    let start = Position::new(variant);
    let mut positions = filled("the positions", states.len() / count, start)?;
    let outputs = positions.chunks_mut(STATES_PER_BLOCK);
    Blocks::new(variant, states).run(run, outputs, |block, positions| {
        for (index, position) in (block.first..).zip(positions) {
            *position = checked_position(index, &block.all.read(index)?)?;
        }
        Ok(())
    })?;
    Ok(positions)
}

/// The position of a state, unless an illegal action has ended its game.
fn checked_position(index: usize, state: &PositionWords) -> Result<Position> {
    if state.illegal {
        return Err(FunctionalError::IllegalEnd { index });
    }
    Ok(state.position)
}
