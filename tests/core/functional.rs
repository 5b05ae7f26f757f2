//! States as words, stepped and written one by one, against positions that are played plainly.

#![allow(clippy::float_cmp)] // features are small whole numbers and quotients of them

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::encode::{
    Layout, PositionWords, WordsError, exchange_sides, move_of, num_actions, observe, write_mask,
};
use mijnlieff::functional::{self, FunctionalError, Run};
use mijnlieff::game::{Board, Move, Opening, Player, Position, Variant};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::vector::{IllegalAction, Observations, Reward};

use super::solver::random_move;

static GOES_ON: AtomicBool = AtomicBool::new(false);
const RUN: Run<'static> = Run {
    num_threads: 2,
    stop: &GOES_ON,
};

/// Games on a small and a large board, few enough for plain code, enough for tables, and more than
/// a block.
fn cases(mut visit: impl FnMut(&Arc<Variant>, usize)) {
    for (text, opening, copies) in [
        ("standard", Opening::Outside, 2),
        ("##..\n##..\n####\n..##", Opening::Corner, 3),
        ("#####\n#####\n##.##\n#####", Opening::Anywhere, 3),
    ] {
        let board = Board::from_text(text).unwrap();
        let variant = Arc::new(Variant::new(board, opening, copies).unwrap());
        for count in [3, 130, 1_100] {
            visit(&variant, count);
        }
    }
}

/// A game of each length up to the longest, and so on; some ended by an illegal action.
fn states(variant: &Variant, count: usize, rng: &mut SplitMix64) -> Vec<PositionWords> {
    let mut found = Vec::new();
    for number in 0..count {
        let mut position = Position::new(variant);
        for _ in 0..number % 24 {
            if position.is_over(variant) {
                break;
            }
            position = random_move(variant, &position, rng);
        }
        let illegal = number % 13 == 5 && !position.is_over(variant);
        found.push(PositionWords { position, illegal });
    }
    found
}

fn words(variant: &Variant, states: &[PositionWords]) -> Vec<u64> {
    let mut words = vec![0; states.len() * PositionWords::num_words(variant)];
    for (state, words) in states
        .iter()
        .zip(words.chunks_mut(PositionWords::num_words(variant)))
    {
        state.write(variant, words);
    }
    words
}

#[test]
fn a_step_plays_each_action_and_leaves_games_that_are_over() {
    let mut rng = SplitMix64::new(1);
    cases(|variant, count| {
        let before = states(variant, count, &mut rng);
        let actions: Vec<i64> = before
            .iter()
            .map(|_| rng.below(num_actions(variant) as u64) as i64)
            .collect();
        let lose = IllegalAction::Lose;
        let reward = Reward::Outcome;
        let found = functional::step(
            variant,
            &words(variant, &before),
            &actions,
            reward,
            lose,
            RUN,
        )
        .unwrap();
        let mut after = Vec::new();
        for (index, (state, &action)) in before.iter().zip(&actions).enumerate() {
            let mv = move_of(variant, action as usize).unwrap();
            let played = state.position.play(variant, mv);
            let next = match played {
                _ if state.is_over(variant) => *state,
                Ok(position) => PositionWords {
                    position,
                    illegal: false,
                },
                Err(_) => PositionWords {
                    position: state.position,
                    illegal: true,
                },
            };
            assert_eq!(found.terminated[index], next.is_over(variant));
            let wanted = if state.is_over(variant) || !next.is_over(variant) {
                0
            } else if next.illegal {
                -1
            } else {
                // The side to move after the last turn is the opponent of who made it.
                let mover = next.position.side_to_move().opponent();
                next.position.margin_of(variant, mover).signum()
            };
            assert_eq!(found.rewards[index], wanted as f32, "{state:?} {action}");
            after.push(next);
        }
        assert_eq!(found.states, words(variant, &after));
    });
}

#[test]
fn masks_and_observations_are_those_of_positions() {
    let mut rng = SplitMix64::new(2);
    cases(|variant, count| {
        let all = states(variant, count, &mut rng);
        let words = words(variant, &all);
        let (actions, features) = (num_actions(variant), Layout::Flat.len(variant));
        let mut masks = vec![9; count * actions];
        functional::write_masks(variant, &words, &mut masks, RUN).unwrap();
        for player in [None, Some(Player::Light), Some(Player::Dark)] {
            let mut rows = vec![9.0; count * features];
            let observations = Observations::Float32(Layout::Flat, &mut rows);
            functional::observe(variant, &words, player, observations, RUN).unwrap();
            for (state, found) in all.iter().zip(rows.chunks(features)) {
                let mut row = vec![0.0; features];
                observe(variant, &state.position, Layout::Flat, &mut row);
                if player.is_some_and(|player| player != state.position.side_to_move()) {
                    exchange_sides(variant, Layout::Flat, &mut row);
                }
                if !state.illegal {
                    assert_eq!(found, row, "{state:?}");
                }
            }
        }
        let mut bytes = vec![9; count * features];
        let observations = Observations::Uint8(Layout::Flat, &mut bytes);
        functional::observe(variant, &words, None, observations, RUN).unwrap();
        for (state, found) in all.iter().zip(bytes.chunks(features)) {
            let mut row = vec![0_u8; features];
            observe(variant, &state.position, Layout::Flat, &mut row);
            assert!(state.illegal || found == row, "{state:?}");
        }
        for (state, found) in all.iter().zip(masks.chunks(actions)) {
            let mut mask = vec![1; actions];
            if !state.is_over(variant) {
                write_mask(variant, &state.position, &mut mask);
            }
            assert_eq!(found, mask, "{state:?}");
        }
    });
}

#[test]
fn states_are_read_as_they_were_written() {
    let mut rng = SplitMix64::new(3);
    cases(|variant, count| {
        let all = states(variant, count, &mut rng);
        let mut plies = vec![u16::MAX; count];
        let write = |state: &PositionWords, ply: &mut u16| *ply = state.position.ply() as u16;
        functional::read(variant, &words(variant, &all), &mut plies, RUN, write).unwrap();
        for (state, &ply) in all.iter().zip(&plies) {
            assert_eq!(usize::from(ply), state.position.ply());
        }
        let found = functional::positions(variant, &words(variant, &all), RUN);
        let illegal = all.iter().position(|state| state.illegal);
        assert_eq!(
            found.err(),
            illegal.map(|index| FunctionalError::IllegalEnd { index })
        );
        let legal: Vec<PositionWords> = all.into_iter().filter(|state| !state.illegal).collect();
        let positions: Vec<Position> = legal.iter().map(|state| state.position).collect();
        let found = functional::positions(variant, &words(variant, &legal), RUN).unwrap();
        assert_eq!(found, positions);
        let first = words(variant, &legal[..1]);
        assert_eq!(functional::position(variant, &first), Ok(positions[0]));
    });
}

#[test]
fn the_first_state_that_is_wrong_is_named() {
    cases(|variant, count| {
        let states = states(variant, count, &mut SplitMix64::new(4));
        let mut words = words(variant, &states);
        let wrong = count - 2;
        let at = wrong * PositionWords::num_words(variant);
        words[at] = u64::MAX;
        let mut masks = vec![0; count * num_actions(variant)];
        let mut rows = vec![0.0; count * Layout::Flat.len(variant)];
        let observations = Observations::Float32(Layout::Flat, &mut rows);
        let read = functional::read(
            variant,
            &words,
            &mut vec![0; count],
            RUN,
            |_, _: &mut i32| (),
        );
        let actions = vec![0; count];
        let (reward, lose) = (Reward::Outcome, IllegalAction::Lose);
        for found in [
            read,
            functional::write_masks(variant, &words, &mut masks, RUN),
            functional::observe(variant, &words, None, observations, RUN),
            functional::step(variant, &words, &actions, reward, lose, RUN).map(drop),
        ] {
            match found {
                Err(FunctionalError::State { index, .. }) => assert_eq!(index, wrong),
                other => panic!("{other:?}"),
            }
        }
    });
}

#[test]
fn an_action_that_cannot_be_played_and_a_stop_are_errors() {
    let variant = Arc::new(Variant::default());
    let start = words(&variant, &states(&variant, 2, &mut SplitMix64::new(5)));
    let stop = AtomicBool::new(true);
    let stopped = Run { stop: &stop, ..RUN };
    let advance = |actions: &[i64], run| {
        let reward = Reward::Outcome;
        functional::step(&variant, &start, actions, reward, IllegalAction::Raise, run).map(drop)
    };
    assert_eq!(advance(&[0, 0], stopped), Err(FunctionalError::Stopped));
    let read = functional::positions(&variant, &start, stopped);
    assert_eq!(read, Err(FunctionalError::Stopped));
    for actions in [[64, 64], [-1, 0], [65, 0]] {
        assert!(
            matches!(advance(&actions, RUN), Err(FunctionalError::Action(_))),
            "{actions:?}"
        );
    }
}

/// A pass leaves the stones, and before it no cell is allowed.
#[test]
fn the_other_side_sees_what_it_would_before_a_pass() {
    let variant = Variant::default();
    let mut rng = SplitMix64::new(6);
    let mut passes = 0;
    for state in states(&variant, 2_000, &mut rng) {
        let position = state.position;
        if !position.must_pass(&variant) || position.is_over(&variant) {
            continue;
        }
        passes += 1;
        let next = position.play(&variant, Move::Pass).unwrap();
        for layout in [Layout::Flat, Layout::Planes] {
            let [mut before, mut after] = [0; 2].map(|_: i32| vec![0.0_f32; layout.len(&variant)]);
            observe(&variant, &position, layout, &mut before);
            observe(&variant, &next, layout, &mut after);
            exchange_sides(&variant, layout, &mut after);
            assert_eq!(after, before, "{position:?}");
        }
    }
    assert!(passes > 20, "{passes} positions are not enough");
}

#[test]
fn a_type_beside_the_board_is_named() {
    let board = Board::from_text("#####\n#####\n##.##\n#####").unwrap();
    let variant = Variant::new(board, Opening::Anywhere, 3).unwrap();
    for place in [2, 3] {
        let mut words = [0; 5];
        words[place] = 1 << 40;
        let error = WordsError::OffBoard {
            cell: 40,
            num_cells: 19,
        };
        assert_eq!(PositionWords::read(&variant, &words), Err(error));
    }
}
