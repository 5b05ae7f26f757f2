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

use crate::encode::{Layout, PositionWords, VariantSet, move_of};
use crate::game::{PlayError, Player, Position, Variant};
use crate::memory::{with_room, zeroed};
use crate::vector::step::packed_game::{PackedGame, Tables};
use crate::vector::step::state::GameState;
use crate::vector::{IllegalAction, Reward, StepError};
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
/// For the first words that are not a state, or the first action that cannot be played unless such
/// actions lose; when memory does not suffice, and when the call was stopped.
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
    let words = PositionWords::num_words(variant);
    assert_eq!(states.len(), actions.len() * words);
    let mut next = zeroed(RESULTS, states.len())?;
    let mut rewards = zeroed(RESULTS, actions.len())?;
    let mut terminated = zeroed(RESULTS, actions.len())?;
    let outputs = next
        .chunks_mut(STATES_PER_BLOCK * words)
        .zip(rewards.chunks_mut(STATES_PER_BLOCK))
        .zip(terminated.chunks_mut(STATES_PER_BLOCK));
    let packs = write::packs(variant, Layout::Flat, actions.len());
    let set = Arc::new(VariantSet::one(variant.clone()));
    let tables = packs.then(|| PackedGame::rules(&set)).transpose()?;
    Blocks::new(variant, states).run(run, outputs, |block, ((next, rewards), terminated)| {
        let next = next.chunks_exact_mut(words);
        let outputs = next.zip(rewards).zip(terminated);
        for (index, ((next, reward_now), over)) in (block.first..).zip(outputs) {
            if let Some(tables) = &tables
                && let [word] = *block.all.words(index)
                && let Some(stepped) = step_packed(tables, word, actions[index], reward)
            {
                (next[0], *reward_now, *over) = stepped;
                continue;
            }
            let state = block.all.read(index)?;
            let played = play(variant, index, state, actions[index], illegal_action)?;
            let (after, is_over) = match played {
                Some(after) => (after, after.is_over(variant)),
                None => (state, true),
            };
            after.write(variant, next);
            *over = is_over;
            if played.is_some() && is_over {
                let actor = state.position.side_to_move();
                *reward_now = if after.illegal {
                    -1.0
                } else {
                    pay(after.position.margin(variant), actor, reward)
                };
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

/// The next state, the reward and whether the game is over, by way of a packed game. None for a
/// word that is not a state, a game lost by an illegal action, and an illegal action.
#[inline]
fn step_packed(
    tables: &Tables,
    word: u64,
    action: i64,
    reward: Reward,
) -> Option<(u64, f32, bool)> {
    let game = PackedGame::read(tables, word)?;
    if game.is_over(tables) {
        return Some((word, 0.0, true));
    }
    let action = usize::try_from(action).ok()?;
    if action > PackedGame::PASS || !game.is_legal(tables, action) {
        return None;
    }
    let after = game.play(tables, action);
    if !after.is_over(tables) {
        return Some((after.word(), 0.0, false));
    }
    let [light, dark] = after.score(tables).map(i32::from);
    let paid = pay(light - dark, Player::ALL[game.to_play()], reward);
    Some((after.word(), paid, true))
}

/// The state after an action; none if the game was over before.
#[inline]
fn play(
    variant: &Variant,
    index: usize,
    state: PositionWords,
    action: i64,
    illegal_action: IllegalAction,
) -> Result<Option<PositionWords>> {
    if state.illegal {
        return Ok(None);
    }
    let position = state.position;
    let mv = usize::try_from(action).ok();
    let mv = mv.and_then(|action| move_of(variant, action));
    let error = match mv.map(|mv| position.play(variant, mv)) {
        Some(Ok(position)) => {
            let illegal = false;
            return Ok(Some(PositionWords { position, illegal }));
        }
        Some(Err(error)) => Some(error),
        None if position.is_over(variant) => return Ok(None),
        None => None,
    };
    if error == Some(PlayError::GameOver) {
        return Ok(None);
    }
    if illegal_action == IllegalAction::Lose {
        let illegal = true;
        return Ok(Some(PositionWords { position, illegal }));
    }
    let (game, position) = (index, Box::new(position));
    Err(FunctionalError::Action(match error {
        Some(error) => StepError::Play {
            game,
            action,
            position,
            error,
        },
        None => StepError::UnknownAction {
            game,
            action,
            position,
        },
    }))
}

/// What a game that has ended by the rules pays the player who acted.
fn pay(margin_of_light: i32, actor: Player, reward: Reward) -> f32 {
    let margin = match actor {
        Player::Light => margin_of_light,
        Player::Dark => -margin_of_light,
    };
    match reward {
        Reward::Outcome => margin.signum() as f32,
        Reward::Margin => margin as f32,
    }
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
/// As [`position`], for the first state without a position, or when memory does not suffice.
///
/// # Panics
///
/// If there are not [`PositionWords::num_words`] words a state.
pub fn positions(variant: &Variant, states: &[u64]) -> Result<Vec<Position>> {
    let count = PositionWords::num_words(variant);
    assert_eq!(states.len() % count, 0);
    let mut positions = with_room("the positions", states.len() / count)?;
    let blocks = Blocks::new(variant, states);
    for index in 0..states.len() / count {
        positions.push(checked_position(index, &blocks.read(index)?)?);
    }
    Ok(positions)
}

/// The position of a state, unless an illegal action has ended its game.
fn checked_position(index: usize, state: &PositionWords) -> Result<Position> {
    if state.illegal {
        return Err(FunctionalError::IllegalEnd { index });
    }
    Ok(state.position)
}
