//! Functions on states: each state is a single game, whatever represents it and however many threads.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::encode::{
    Layout, PositionWords, action_of, exchange_packed, exchange_sides, num_actions, observe, pack,
    write_mask,
};
use mijnlieff::functional::{self, FunctionalError, Run, Stepped};
use mijnlieff::game::{Board, Opening, Player, Position, Variant, format_position};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::vector::{IllegalAction, Observations, Reward};

static GO_ON: AtomicBool = AtomicBool::new(false);

const ONE_THREAD: Run<'static> = Run {
    num_threads: 1,
    stop: &GO_ON,
};

/// Boards of 16 cells and fewer, with gaps, and of 20, 32 and 64 cells, under every opening.
fn variants() -> Vec<Arc<Variant>> {
    let boards = [
        "####\n####\n####\n####",
        "##..\n####\n..##\n.#.#",
        "#",
        "####\n####\n####\n####\n####",
        "########\n########\n########\n########",
        "########\n########\n########\n########\n########\n########\n########\n########",
    ];
    let boards = boards.map(|text| Arc::new(Board::from_text(text).unwrap()));
    let openings = Opening::ALL.into_iter();
    openings
        .flat_map(|opening| {
            let boards = boards.iter();
            boards.flat_map(move |board| {
                [1, 2, 3, 127].map(|copies| {
                    Arc::new(Variant::new(Arc::clone(board), opening, copies).unwrap())
                })
            })
        })
        .collect()
}

fn step(
    variant: &Arc<Variant>,
    states: &[u64],
    actions: &[i64],
    run: Run<'_>,
) -> Result<Stepped, FunctionalError> {
    let (reward, raise) = (Reward::Margin, IllegalAction::Raise);
    functional::step(variant, states, actions, reward, raise, run)
}

fn words(variant: &Variant, position: &Position) -> Vec<u64> {
    let mut words = vec![0; PositionWords::num_words(variant)];
    let (position, illegal) = (*position, false);
    PositionWords { position, illegal }.write(variant, &mut words);
    words
}

/// The observations in every layout and dtype, one after the other, of some player.
fn observations(
    variant: &Arc<Variant>,
    states: &[u64],
    player: Option<Player>,
    run: Run<'_>,
) -> (Vec<f32>, Vec<u8>, Vec<u64>) {
    let count = states.len() / PositionWords::num_words(variant);
    let mut flat = vec![9.0; count * Layout::Flat.len(variant)];
    let memory = Observations::Float32(Layout::Flat, &mut flat);
    functional::observe(variant, states, player, memory, run).unwrap();
    let mut planes = vec![9; count * Layout::Planes.len(variant)];
    let memory = Observations::Uint8(Layout::Planes, &mut planes);
    functional::observe(variant, states, player, memory, run).unwrap();
    let mut packed = Vec::new();
    if Layout::Packed.check(variant).is_ok() {
        packed = vec![9; count];
        let memory = Observations::Packed(&mut packed);
        functional::observe(variant, states, player, memory, run).unwrap();
    }
    (flat, planes, packed)
}

/// What [`observations`] should be.
fn expected_observations(
    variant: &Variant,
    positions: &[Position],
    player: Option<Player>,
) -> (Vec<f32>, Vec<u8>, Vec<u64>) {
    let (mut flat, mut planes, mut packed) = (Vec::new(), Vec::new(), Vec::new());
    for position in positions {
        let off_turn = player.is_some_and(|player| player != position.side_to_move());
        let mut row = vec![9.0; Layout::Flat.len(variant)];
        observe(variant, position, Layout::Flat, &mut row);
        let mut plane_row = vec![9; Layout::Planes.len(variant)];
        observe(variant, position, Layout::Planes, &mut plane_row);
        if off_turn {
            exchange_sides(variant, Layout::Flat, &mut row);
            exchange_sides(variant, Layout::Planes, &mut plane_row);
        }
        flat.append(&mut row);
        planes.append(&mut plane_row);
        if Layout::Packed.check(variant).is_ok() {
            let word = pack(variant, position);
            packed.push(if off_turn {
                exchange_packed(word)
            } else {
                word
            });
        }
    }
    (flat, planes, packed)
}

#[test]
#[allow(clippy::float_cmp)] // margins and features are exact
fn every_game_is_that_of_its_positions() {
    let mut ends = 0;
    for (number, variant) in variants().iter().enumerate() {
        let mut rng = SplitMix64::stream(number as u64, 0);
        // Games that are packed, and few that are not.
        for games in [3, 129] {
            let mut positions = vec![Position::new(variant); games];
            let mut states = vec![0; games * PositionWords::num_words(variant)];
            while !positions.iter().all(|position| position.is_over(variant)) {
                let mut mask = vec![9; games * num_actions(variant)];
                functional::write_masks(variant, &states, &mut mask, ONE_THREAD).unwrap();
                let rows = mask.chunks(num_actions(variant));
                let (mut actions, mut rewards) = (Vec::new(), Vec::new());
                let mut next = positions.clone();
                for ((position, next), row) in positions.iter().zip(&mut next).zip(rows) {
                    let mut expected = vec![1; row.len()];
                    let legal = position.legal_moves(variant);
                    if legal.is_empty() {
                        actions.push(rng.below(200) as i64 - 100);
                        rewards.push(0.0);
                    } else {
                        write_mask(variant, position, &mut expected);
                        let mv = legal[rng.below(legal.len() as u64) as usize];
                        actions.push(action_of(variant, mv) as i64);
                        *next = position.play(variant, mv).unwrap();
                        let margin = next.margin(variant) as f32;
                        let sign = [1.0, -1.0][position.side_to_move().index()];
                        let ended = next.is_over(variant);
                        ends += usize::from(ended);
                        rewards.push(if ended { sign * margin } else { 0.0 });
                    }
                    assert_eq!(row, expected);
                }
                for player in [None, Some(Player::Light), Some(Player::Dark)] {
                    let seen = observations(variant, &states, player, ONE_THREAD);
                    assert_eq!(seen, expected_observations(variant, &positions, player));
                }
                let stepped = step(variant, &states, &actions, ONE_THREAD).unwrap();
                assert_eq!(stepped.rewards, rewards);
                let over = next.iter().map(|position| position.is_over(variant));
                assert!(over.eq(stepped.terminated));
                (positions, states) = (next, stepped.states);
                let read = functional::positions(variant, &states).unwrap();
                let text = |position| format_position(variant, position);
                assert!(read.iter().map(text).eq(positions.iter().map(text)));
                assert!(
                    positions
                        .iter()
                        .flat_map(|it| words(variant, it))
                        .eq(states.iter().copied())
                );
            }
        }
    }
    assert!(ends > 10_000);
}

/// Positions of many stages of a game.
fn many_states(variant: &Arc<Variant>, count: usize) -> Vec<u64> {
    let mut rng = SplitMix64::stream(5, 0);
    let game = || {
        let mut position = Position::new(variant);
        for _ in 0..rng.below(20) {
            let legal = position.legal_moves(variant);
            if !legal.is_empty() {
                let mv = legal[rng.below(legal.len() as u64) as usize];
                position = position.play_unchecked(variant, mv);
            }
        }
        words(variant, &position)
    };
    iter::repeat_with(game).take(count).flatten().collect()
}

#[test]
fn threads_change_nothing() {
    let large = Arc::new(
        Variant::new(
            Board::from_text("#####\n#####\n#####\n#####").unwrap(),
            Opening::Corner,
            2,
        )
        .unwrap(),
    );
    for variant in [Arc::new(Variant::default()), large] {
        let states = many_states(&variant, 3000);
        let one = observations(&variant, &states, Some(Player::Dark), ONE_THREAD);
        let run = Run {
            num_threads: 3,
            ..ONE_THREAD
        };
        assert_eq!(
            one,
            observations(&variant, &states, Some(Player::Dark), run)
        );
        let mut masks = [ONE_THREAD, run].map(|run| {
            let mut mask = vec![9; 3000 * num_actions(&variant)];
            functional::write_masks(&variant, &states, &mut mask, run).unwrap();
            mask
        });
        assert_eq!(masks[0], masks[1]);
        let rows = masks[0].chunks_mut(num_actions(&variant));
        let actions: Vec<i64> = rows
            .map(|row| row.iter().position(|&legal| legal == 1).unwrap() as i64)
            .collect();
        let stepped = [ONE_THREAD, run].map(|run| step(&variant, &states, &actions, run).unwrap());
        assert_eq!(stepped[0], stepped[1]);
    }
}

#[test]
fn the_first_error_is_told() {
    let variant = Arc::new(Variant::default());
    let run = Run {
        num_threads: 3,
        ..ONE_THREAD
    };
    let (mut states, mut actions) = (vec![0; 5000], vec![0; 5000]);
    (states[4000], actions[4500]) = (7, 65);
    let error = step(&variant, &states, &actions, run)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("state 4000 (0x7): impossible position: "),
        "{error}"
    );
    (actions[2000], actions[1500]) = (-1, 64);
    let error = step(&variant, &states, &actions, run)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("game 1500: action 64: illegal pass"),
        "{error}"
    );
    for action in [65, 128, 1 << 40, i64::MAX, i64::MIN] {
        actions[1000] = action;
        let error = step(&variant, &states, &actions, run).unwrap_err();
        let message = format!("game 1000: action {action} does not exist");
        assert_eq!(error.to_string(), message);
    }
    let stopped = Run {
        num_threads: 1,
        stop: &AtomicBool::new(true),
    };
    let found = step(&variant, &states, &actions, stopped);
    assert_eq!(found, Err(FunctionalError::Stopped));
}

#[test]
#[allow(clippy::float_cmp)] // rewards are exact
fn an_illegal_action_can_lose() {
    for variant in variants() {
        let (pass, words) = (
            num_actions(&variant) as i64 - 1,
            PositionWords::num_words(&variant),
        );
        let states = vec![0; 2 * words];
        for illegal in [pass, -1, pass + 1] {
            let lose = |states: &[u64], actions: &[i64]| {
                let (reward, lose) = (Reward::Margin, IllegalAction::Lose);
                functional::step(&variant, states, actions, reward, lose, ONE_THREAD).unwrap()
            };
            let opening = Position::new(&variant).legal_moves(&variant)[0];
            let opening = action_of(&variant, opening) as i64;
            let stepped = lose(&states, &[illegal, opening]);
            assert_eq!(stepped.rewards[0], -1.0);
            assert!(stepped.terminated[0]);
            let ended = &stepped.states[..words];
            let state = PositionWords::read(&variant, ended).unwrap();
            assert_eq!(
                (state.position, state.illegal),
                (Position::new(&variant), true)
            );
            let again = step(&variant, ended, &[opening], ONE_THREAD).unwrap();
            assert_eq!((&again.states[..], &again.rewards[..]), (ended, &[0.0][..]));
            assert!(again.terminated[0]);
            let mut mask = vec![9; num_actions(&variant)];
            functional::write_masks(&variant, ended, &mut mask, ONE_THREAD).unwrap();
            assert!(mask.iter().all(|&legal| legal == 1));
            let found = functional::position(&variant, ended);
            assert_eq!(found, Err(FunctionalError::IllegalEnd { index: 0 }));
        }
    }
}

#[test]
fn the_words_are_as_documented() {
    let variant = Arc::new(Variant::default());
    // a1+ is a Straight of Light on cell 0, a3>< a Puller of Dark on cell 8.
    let stepped = step(&variant, &[0], &[0], ONE_THREAD).unwrap();
    assert_eq!(stepped.states, [1 | 1 << 52 | 2 << 58]);
    let stepped = step(&variant, &stepped.states, &[3 * 16 + 8], ONE_THREAD).unwrap();
    assert_eq!(stepped.states, [1 | 8 << 26 | 2 << 52 | 10 << 58]);
    let board = Board::from_text("#####\n#####\n#####\n#####").unwrap();
    let variant = Arc::new(Variant::new(board, Opening::Corner, 2).unwrap());
    let stepped = step(&variant, &[0; 5], &[0], ONE_THREAD).unwrap();
    assert_eq!(stepped.states, [1, 0, 0, 0, 1 | 2 << 8]);
    let stepped = step(&variant, &stepped.states, &[3 * 20 + 10], ONE_THREAD).unwrap();
    assert_eq!(stepped.states, [1, 1 << 10, 1 << 10, 1 << 10, 2 | 12 << 8]);
}
