//! States: words that a game can go on from.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::encode::{PositionWords, WordsError, action_of, num_actions, write_mask};
use mijnlieff::functional::{Run, step, write_masks};
use mijnlieff::game::{Move, Variant, format_position, parse_position};
use mijnlieff::vector::{IllegalAction, Reward};

use super::input::{Input, LaidStones};

/// States for which the functions use packed games, where the variant allows it.
const MANY: usize = 130;

/// Checks that a state can be written and read, and that its game continues by the rules.
fn check_state(variant: &Arc<Variant>, state: &PositionWords, input: &mut Input<'_>) {
    let mut words = vec![u64::MAX; PositionWords::num_words(variant)];
    state.write(variant, &mut words);
    let read = PositionWords::read(variant, &words).expect("what was written can be read");
    let text = format_position(variant, &state.position);
    assert_eq!(text, format_position(variant, &read.position));
    assert_eq!((*state, state.position.ply()), (read, read.position.ply()));
    assert_eq!(
        parse_position(variant, &text).expect("a position"),
        state.position
    );

    let stop = &AtomicBool::new(false);
    let run = Run {
        num_threads: 1,
        stop,
    };
    let mut mask = vec![0; num_actions(variant)];
    write_masks(variant, &words, &mut mask, run).expect("it is a state");
    let over = state.is_over(variant);
    let mut expected = vec![1; mask.len()];
    if !over {
        write_mask(variant, &state.position, &mut expected);
    }
    assert_eq!(mask, expected);
    let mv = input.legal_move(variant, &state.position);
    let action = mv.map_or(-1, |mv| action_of(variant, mv) as i64);
    let (reward, raise) = (Reward::Margin, IllegalAction::Raise);
    let stepped = step(variant, &words, &[action], reward, raise, run).expect("it is legal");
    let (all, actions) = (words.repeat(MANY), [action; MANY]);
    let many = step(variant, &all, &actions, reward, raise, run).expect("it is legal");
    assert_eq!(many.states, stepped.states.repeat(MANY));
    assert_eq!(many.terminated, stepped.terminated.repeat(MANY));
    assert_eq!(many.rewards, stepped.rewards.repeat(MANY));
    let mut masks = vec![0; MANY * mask.len()];
    write_masks(variant, &all, &mut masks, run).expect("it is a state");
    assert_eq!(masks, mask.repeat(MANY));
    let next = match mv.filter(|_| !over) {
        Some(mv) => PositionWords {
            position: state.position.play(variant, mv).expect("it is legal"),
            illegal: false,
        },
        None => *state,
    };
    assert_eq!(PositionWords::read(variant, &stepped.states), Ok(next));
    assert_eq!(stepped.terminated, [next.is_over(variant)]);
    if over || !next.is_over(variant) {
        assert_eq!(stepped.rewards, [0.0]);
    }
}

/// Any words are refused or are a state: written again they are the same words, and the game goes on
/// by the rules. Every position can be written, with and without an illegal end.
pub fn state_words(data: &[u8]) {
    let mut input = Input::new(data);
    let variant = Arc::new(input.listed_variant());
    let num_cells = variant.board().num_cells();
    let num_words = PositionWords::num_words(&variant);
    assert_eq!(num_words == 1, num_cells <= 16);
    let LaidStones { stones, last, ply } = input.laid_stones(&variant);
    let mut words: Vec<u64> = match input.below(3) {
        0 => (0..num_words).map(|_| input.word()).collect(),
        1 => vec![0; num_words],
        _ => {
            let Ok(position) = mijnlieff::game::Position::from_stones(&variant, &stones, last, ply)
            else {
                return;
            };
            let illegal = input.below(2) == 1 && !position.is_over(&variant);
            let state = PositionWords { position, illegal };
            check_state(&variant, &state, &mut input);
            let mut words = vec![0; num_words];
            state.write(&variant, &mut words);
            words
        }
    };
    // A few bits of a state that is right say more than random words, which hardly ever are one.
    for _ in 0..input.below(4) {
        let word = input.below(num_words);
        words[word] ^= 1 << input.below(64);
    }
    let mut masks = vec![0; MANY * num_actions(&variant)];
    let run = Run {
        num_threads: 1,
        stop: &AtomicBool::new(false),
    };
    let many = write_masks(&variant, &words.repeat(MANY), &mut masks, run);
    assert_eq!(many.is_ok(), PositionWords::read(&variant, &words).is_ok());
    match PositionWords::read(&variant, &words) {
        Ok(state) => {
            let mut written = vec![0; num_words];
            state.write(&variant, &mut written);
            assert_eq!(written, words);
            if let Some(Move::Place { cell, .. }) = state.position.last_move() {
                assert!(cell.index() < num_cells);
            }
            check_state(&variant, &state, &mut input);
        }
        Err(WordsError::Impossible(error)) => assert!(!error.reasons.is_empty()),
        Err(_) => {}
    }
}
