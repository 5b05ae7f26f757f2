//! Batches on any boards, alone and mixed, against games that are played plainly.

#![allow(clippy::float_cmp)] // rewards and features are small whole numbers and quotients of them

use std::env;
use std::sync::Arc;

use mijnlieff::encode::{Canvas, Layout, LayoutError, VariantSet};
use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::policy::Policy;
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::vector::{
    Autoreset, Config, IllegalAction, Observations, Opponent, Reward, Seeds, Weights, batch_env,
};

use super::batch::{Batch, assert_same};
use super::plain::PlainGame;

/// Plays a batch beside plain games, and returns how many games ended.
pub(super) fn compare(
    config: &Config,
    layout: Layout,
    games: usize,
    steps: usize,
    rng: &mut SplitMix64,
) -> usize {
    let seed = rng.below(1 << 40);
    let threads = 1 + rng.below(2) as usize;
    let mut batch = Batch::started(config, layout, games, threads, seed);
    let mut plain: Vec<PlainGame<'_>> = (0..games as u64)
        .map(|game| PlainGame::new(config, seed + game))
        .collect();
    let mut ended = 0;
    for step in 0..steps {
        let mut actions = batch.sample();
        let drawn: Vec<i64> = plain.iter_mut().map(PlainGame::sample).collect();
        assert_eq!(actions, drawn);
        if config.illegal_action == IllegalAction::Lose && step % 4 == 0 {
            let game = rng.below(games as u64) as usize;
            actions[game] = rng.below(config.variants.num_actions() as u64) as i64;
        }
        let is_uint8 = step % 2 == 0;
        batch.step(&actions, is_uint8).unwrap();
        let endings = plain.iter_mut().zip(&actions).enumerate();
        let endings = endings.filter_map(|(number, (game, &action))| {
            let (mut ending, last) = game.step(action)?;
            ending.game = number as u32;
            Some((ending, last))
        });
        let (endings, lasts): (Vec<_>, Vec<_>) = endings.unzip();
        assert_eq!(batch.env.endings(), endings);
        let width = config.variants.observation_len(layout);
        let mut finals = vec![9.0; endings.len() * width];
        let mut rows = Observations::Float32(layout, &mut finals);
        batch.env.write_finals(&mut rows);
        for ((ending, last), found) in endings.iter().zip(&lasts).zip(finals.chunks(width)) {
            let mut row = vec![9.0; width];
            let variant = usize::from(ending.variant);
            config.variants.of(variant).observe(last, layout, &mut row);
            assert_eq!(found, row);
        }
        ended += endings.len();
        let saved = batch.env.save().unwrap();
        for (number, game) in plain.iter().enumerate() {
            assert_eq!(batch.env.variant(number), game.index);
            assert_same(&batch.env.position(number), &game.position, game.variant());
            assert_eq!(saved[number].over, game.over);
            let (floats, mask, to_play, reward, is_ended) = batch.row(number);
            if is_uint8 {
                let expected = game.byte_observation(layout);
                let first = number * expected.len();
                assert_eq!(batch.bytes[first..][..expected.len()], expected);
            } else {
                assert_eq!(floats, game.observation(layout));
            }
            assert_eq!(mask, game.mask());
            assert_eq!(to_play, game.position.side_to_move().index() as i8);
            let ending = endings.iter().find(|ending| ending.game == number as u32);
            assert_eq!(reward, ending.map_or(0.0, |ending| ending.reward));
            assert_eq!(is_ended, ending.is_some());
        }
        if config.autoreset == Autoreset::Disabled {
            let over: Vec<bool> = plain.iter().map(|game| game.over).collect();
            batch.env.reset(Seeds::Keep, Some(&over)).unwrap();
            let over = plain.iter_mut().filter(|game| game.over);
            over.for_each(PlainGame::reset);
        }
    }
    let saved = batch.env.save().unwrap();
    for (game, saved) in plain.iter().zip(&saved) {
        assert_eq!(saved.streams, game.streams.map(|stream| stream.state()));
    }
    ended
}

/// A board of 1 to 64 cells: a rectangle, blocks, or scattered cells.
fn random_board(rng: &mut SplitMix64) -> Board {
    loop {
        let (width, height) = (1 + rng.below(11) as i32, 1 + rng.below(11) as i32);
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let density = rng.below(4);
        let cells: Vec<_> = match density {
            0 => places.collect(),
            1 => {
                let blocks = places.filter(|(x, y)| (x / 2 * 7 + y / 2 * 3) % 5 < 3);
                blocks.collect()
            }
            _ => places.filter(|_| rng.below(4) < density).collect(),
        };
        if let Ok(board) = Board::from_cells(cells) {
            return board;
        }
    }
}

fn random_variant(rng: &mut SplitMix64) -> Arc<Variant> {
    let opening = Opening::ALL[rng.below(4) as usize];
    let copies = [1, 2, 3, 4, 8, 127][rng.below(6) as usize];
    Arc::new(Variant::new(random_board(rng), opening, copies).unwrap())
}

/// One variant alone, or up to five on a canvas.
fn random_variants(rng: &mut SplitMix64) -> (VariantSet, Layout) {
    if rng.below(2) == 0 {
        let layout = [Layout::Flat, Layout::Planes][rng.below(2) as usize];
        return (VariantSet::one(random_variant(rng)), layout);
    }
    let count = 1 + rng.below(5);
    let variants: Vec<_> = (0..count).map(|_| random_variant(rng)).collect();
    let around = Canvas::around(variants.iter().map(|it| &**it)).unwrap();
    let larger = rng.below(3) as usize;
    let canvas = Canvas::new(around.height() + larger, around.width()).unwrap();
    (
        VariantSet::on_canvas(variants, canvas).unwrap(),
        Layout::Planes,
    )
}

fn random_config(rng: &mut SplitMix64) -> (Config, Layout) {
    let (variants, layout) = random_variants(rng);
    let pick = |rng: &mut SplitMix64| rng.below(2) == 0;
    let shortest = variants.min_game_length();
    let config = Config {
        opponent: match rng.below(6) {
            0 => Opponent::Policy(Policy::Greedy),
            1 | 2 => Opponent::Policy(Policy::Random),
            _ => Opponent::SelfPlay,
        },
        autoreset: [Autoreset::SameStep, Autoreset::NextStep][rng.below(2) as usize],
        auto_pass: pick(rng),
        illegal_action: [IllegalAction::Raise, IllegalAction::Lose][rng.below(2) as usize],
        reward: [Reward::Outcome, Reward::Margin][rng.below(2) as usize],
        random_plies: if pick(rng) { shortest.min(4) - 1 } else { 0 },
        ..Config::of(variants)
    };
    (config, layout)
}

/// Steps that the comparison below takes; `make test-boards` takes a million.
fn wanted_steps() -> usize {
    let steps = env::var("MIJNLIEFF_COMPARED_STEPS").ok();
    steps.map_or(20_000, |steps| steps.parse().unwrap())
}

#[test]
fn games_on_random_boards_are_those_that_are_played_plainly() {
    const GAMES: usize = 70; // more than a tile, and not a multiple of one
    let mut rng = SplitMix64::new(2026);
    let (mut compared, mut ended) = (0, 0);
    while compared < wanted_steps() {
        let (config, layout) = random_config(&mut rng);
        ended += compare(&config, layout, GAMES, 30, &mut rng);
        compared += GAMES * 30;
    }
    assert!(ended > compared / 200, "{ended} of {compared}");
}

fn four() -> (Vec<Arc<Variant>>, Canvas) {
    let variants = [
        "standard",
        "..####/######/####.. corner 3",
        "standard corner_straight 2",
        "##..##/##..##/.####./.####. anywhere 1",
    ];
    let variants = variants.map(|text| Arc::new(text.parse::<Variant>().unwrap()));
    let canvas = Canvas::around(variants.iter().map(|it| &**it)).unwrap();
    (variants.to_vec(), canvas)
}

#[test]
fn a_mixed_batch_is_games_of_its_variants_side_by_side() {
    let (variants, canvas) = four();
    let mixed = VariantSet::on_canvas(variants, canvas).unwrap();
    let mut rng = SplitMix64::new(5);
    for opponent in [Opponent::SelfPlay, Opponent::Policy(Policy::Greedy)] {
        for autoreset in [Autoreset::SameStep, Autoreset::Disabled] {
            let config = Config {
                opponent: opponent.clone(),
                autoreset,
                ..Config::of(mixed.clone())
            };
            assert!(compare(&config, Layout::Planes, 200, 30, &mut rng) > 100);
        }
    }
}

#[test]
fn a_mixed_batch_is_the_same_on_any_number_of_threads_and_in_any_size() {
    let (variants, canvas) = four();
    let variants = VariantSet::on_canvas(variants, canvas).unwrap();
    let config = Config {
        weights: Weights::new(&[1.0, 2.0, 0.0, 0.5], 4).unwrap(),
        ..Config::of(variants)
    };
    let games = 1500;
    let mut batches = [(games, 1), (games, 3), (700, 2)]
        .map(|(games, threads)| Batch::started(&config, Layout::Planes, games, threads, 9));
    let mut drawn = [0; 4];
    for _ in 0..40 {
        let actions = batches.each_mut().map(Batch::sample);
        assert_eq!(actions[0], actions[1]);
        assert_eq!(actions[0][..700], actions[2]);
        for (batch, actions) in batches.iter_mut().zip(&actions) {
            batch.step(actions, true).unwrap();
        }
        let [one, three, fewer] = &batches;
        assert_eq!(one.env.endings(), three.env.endings());
        assert_eq!(one.bytes, three.bytes);
        assert_eq!(one.masks, three.masks);
        assert_eq!(one.bytes[..fewer.bytes.len()], fewer.bytes);
        for ending in one.env.endings() {
            drawn[usize::from(ending.variant)] += 1;
        }
    }
    assert!(drawn[1] > drawn[0] && drawn[0] > drawn[3], "{drawn:?}");
    assert_eq!(drawn[2], 0);
}

/// One variant on a canvas plays the games that it plays without one.
#[test]
fn a_canvas_changes_no_game() {
    let (variants, _) = four();
    let canvas = Canvas::new(7, 9).unwrap();
    for variant in variants {
        let plain = Config {
            opponent: Opponent::Policy(Policy::Random),
            ..Config::new(variant.clone())
        };
        let with_canvas = Config {
            variants: Arc::new(VariantSet::on_canvas(vec![variant.clone()], canvas).unwrap()),
            ..plain.clone()
        };
        let mut plain = Batch::started(&plain, Layout::Flat, 50, 1, 3);
        let mut with_canvas = Batch::started(&with_canvas, Layout::Planes, 50, 1, 3);
        for _ in 0..30 {
            let (actions, on_canvas) = (plain.sample(), with_canvas.sample());
            for (&action, &on_canvas) in actions.iter().zip(&on_canvas) {
                assert_eq!(
                    canvas.action(&variant, action as usize),
                    Some(on_canvas as usize)
                );
            }
            plain.step(&actions, false).unwrap();
            with_canvas.step(&on_canvas, false).unwrap();
            assert_eq!(plain.env.save().unwrap(), with_canvas.env.save().unwrap());
            assert_eq!(plain.rewards, with_canvas.rewards);
        }
    }
}

/// Outside opponents answer games of their own variants, which are those of a built-in opponent.
#[test]
fn outside_opponents_play_mixed_games() {
    const GAMES: usize = 80;
    let (variants, canvas) = four();
    let variants = VariantSet::on_canvas(variants, canvas).unwrap();
    let config = Config {
        opponent: Opponent::Policy(Policy::Random),
        ..Config::of(variants.clone())
    };
    let outside = Config {
        opponent: Opponent::Outside,
        ..config.clone()
    };
    let inside = Batch::started(&config, Layout::Planes, GAMES, 1, 21);
    let mut env = batch_env(outside, Layout::Planes, GAMES, 1).unwrap();
    env.start_reset(Seeds::From(21), None).unwrap();
    let mut rng = SplitMix64::new(0);
    let mut answered = 0;
    for _ in 0..40 {
        while !env.pending().is_empty() {
            let choose = |&game: &usize| {
                let (index, position) = (env.variant(game), env.position(game));
                let mv = Policy::Greedy.choose(variants.get(index), &position, &mut rng);
                variants.of(index).action_of(mv) as i64
            };
            let actions: Vec<i64> = env.pending().iter().map(choose).collect();
            answered += actions.len();
            env.answer(&actions).unwrap();
        }
        let variants_now = (0..GAMES).map(|game| env.variant(game)).collect::<Vec<_>>();
        let mut actions = vec![0; GAMES];
        env.sample_actions(&mut actions);
        let legal = actions.iter().zip(&variants_now).enumerate();
        for (game, (&action, &index)) in legal {
            let mv = variants.of(index).move_of(action as usize).unwrap();
            assert!(env.position(game).is_legal(variants.get(index), mv));
        }
        env.start_step(&actions).unwrap();
    }
    assert!(answered > 20 * GAMES);
    // The first games are of the variants that a built-in opponent meets, too.
    let starts = inside.env.save().unwrap();
    env.roll_back();
    env.start_reset(Seeds::From(21), None).unwrap();
    for (game, start) in starts.iter().enumerate() {
        assert_eq!(env.variant(game), start.variant);
    }
}

#[test]
fn games_are_put_at_positions_of_their_variants() {
    let (variants, canvas) = four();
    let variants = VariantSet::on_canvas(variants, canvas).unwrap();
    let config = Config::of(variants.clone());
    let mut batch = Batch::new(&config, Layout::Planes, 4, 1);
    let positions: Vec<(usize, Position)> = (0..4)
        .map(|index| {
            let variant = variants.get(index);
            let start = Position::new(variant);
            let mv = start.legal_moves(variant)[0];
            (index, start.play(variant, mv).unwrap())
        })
        .collect();
    batch.env.set_positions(&positions, None);
    for (game, (index, position)) in positions.iter().enumerate() {
        assert_eq!(batch.env.variant(game), *index);
        assert_same(&batch.env.position(game), position, variants.get(*index));
    }
    let saved = batch.env.save().unwrap();
    let mut other = Batch::new(&config, Layout::Planes, 4, 1);
    other.env.restore(true, &saved);
    let actions = batch.sample();
    assert_eq!(other.sample(), actions);
    batch.step(&actions, false).unwrap();
    other.step(&actions, false).unwrap();
    assert_eq!(batch.floats, other.floats);
}

#[test]
fn positions_on_a_canvas_are_laid_out_as_planes() {
    let variant = Arc::new(Variant::default());
    let canvas = Canvas::new(4, 4).unwrap();
    let one = VariantSet::one(Arc::clone(&variant));
    let on_canvas = VariantSet::on_canvas(vec![variant], canvas).unwrap();
    for layout in [Layout::Flat, Layout::Planes] {
        assert_eq!(one.check(layout), Ok(()));
    }
    assert_eq!(on_canvas.check(Layout::Planes), Ok(()));
    let found = Layout::Flat;
    assert_eq!(on_canvas.check(found), Err(LayoutError::OnCanvas { found }));
}
