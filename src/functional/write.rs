//! Masks and observations of states, by the writers that batches of games use.

use std::sync::Arc;

use super::blocks::{Block, Blocks, STATES_PER_BLOCK, packs};
use super::{Result, Run};
use crate::encode::{Layout, Numbering, PositionWords, VariantSet, num_actions};
use crate::game::{Player, Variant};
use crate::simd::dispatch;
use crate::vector::Observations;
use crate::vector::step::loops::{WriteMasks, WriteObservations};
use crate::vector::step::packed_game::PackedGame;
use crate::vector::step::state::GameState;
use crate::vector::step::wide_game::WideGame;

/// States that are read before they are written, so that they are still in the first cache.
const TILE: usize = 64;

/// Reads up to [`TILE`] states from this number on, with whether they are over.
fn read_tile<S: GameState>(
    block: &Block<'_>,
    rules: &S::Rules,
    numbers: impl Iterator<Item = usize>,
    tile: &mut Vec<(S, bool)>,
) -> Result<()> {
    tile.clear();
    for index in numbers {
        tile.push(block.all.game(rules, index)?);
    }
    Ok(())
}

/// Writes 1 for every legal action of each state and 0 for the others, one row of [`num_actions`]
/// after the other; where the game is over, 1 for every action.
///
/// # Errors
///
/// For the first words that are not a state, when memory does not suffice, and when the call was
/// stopped. The masks are then arbitrary.
///
/// # Panics
///
/// If there is not one row for each state.
pub fn write_masks(
    variant: &Arc<Variant>,
    states: &[u64],
    masks: &mut [i8],
    run: Run<'_>,
) -> Result<()> {
    let count = states.len() / PositionWords::num_words(variant);
    assert_eq!(masks.len(), count * num_actions(variant));
    if packs(variant, Layout::Flat, count) {
        write_masks_as::<PackedGame>(variant, states, masks, run)
    } else {
        write_masks_as::<WideGame>(variant, states, masks, run)
    }
}

fn write_masks_as<S: GameState>(
    variant: &Arc<Variant>,
    states: &[u64],
    masks: &mut [i8],
    run: Run<'_>,
) -> Result<()> {
    let rules = S::rules(&Arc::new(VariantSet::one(variant.clone())))?;
    let actions = num_actions(variant);
    let outputs = masks.chunks_mut(STATES_PER_BLOCK * actions);
    Blocks::new(variant, states).run(run, outputs, |block, masks| {
        let mut tile = Vec::with_capacity(TILE);
        let mut first = block.first;
        for masks in masks.chunks_mut(TILE * actions) {
            let next = first + masks.len() / actions;
            read_tile::<S>(&block, &rules, first..next, &mut tile)?;
            dispatch(WriteMasks {
                rules: &rules,
                states: tile.iter().map(|(state, over)| (state, *over)),
                masks,
            });
            for (mask, (_, over)) in masks.chunks_exact_mut(actions).zip(&tile) {
                if *over {
                    mask.fill(1);
                }
            }
            first = next;
        }
        Ok(())
    })
}

/// Writes the observation of each state, of its side to move or of one player in all of them.
///
/// Off turn no cell is allowed, see [`crate::encode::exchange_sides`].
///
/// # Errors
///
/// For the first words that are not a state, when memory does not suffice, and when the call was
/// stopped. The observations are then arbitrary.
///
/// # Panics
///
/// If there is not one row for each state.
pub fn observe(
    variant: &Arc<Variant>,
    states: &[u64],
    player: Option<Player>,
    observations: Observations<'_>,
    run: Run<'_>,
) -> Result<()> {
    let count = states.len() / PositionWords::num_words(variant);
    let set = VariantSet::one(variant.clone());
    assert_eq!(observations.rows(&set), count);
    if packs(variant, observations.layout(), count) {
        observe_as::<PackedGame>(variant, states, player, observations, run)
    } else {
        observe_as::<WideGame>(variant, states, player, observations, run)
    }
}

fn observe_as<S: GameState>(
    variant: &Arc<Variant>,
    states: &[u64],
    player: Option<Player>,
    mut observations: Observations<'_>,
    run: Run<'_>,
) -> Result<()> {
    let set = Arc::new(VariantSet::one(variant.clone()));
    let rules = S::rules(&set)?;
    let count = observations.rows(&set);
    let outputs = (0..count).step_by(STATES_PER_BLOCK).map(|first| {
        let rows = STATES_PER_BLOCK.min(count - first);
        observations.take(&set, rows)
    });
    Blocks::new(variant, states).run(run, outputs, |block, mut observations| {
        let mut tile = Vec::with_capacity(TILE);
        let rows = observations.rows(&set);
        for first in (0..rows).step_by(TILE) {
            let numbers = (first..rows.min(first + TILE)).map(|row| block.first + row);
            read_tile::<S>(&block, &rules, numbers, &mut tile)?;
            dispatch(WriteObservations {
                rules: &rules,
                states: tile.iter().map(|(state, _)| state),
                observations: &mut observations,
                first,
            });
            if let Some(player) = player {
                let numbering = Numbering::own(variant);
                for (row, (state, _)) in (first..).zip(&tile) {
                    if state.to_play() != player.index() {
                        observations.exchange_sides(numbering, row);
                    }
                }
            }
        }
        Ok(())
    })
}
