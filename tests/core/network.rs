//! Networks: batches, boards of a canvas, what they choose.

use mijnlieff::encode::{Canvas, Layout, num_actions, observe, write_mask};
use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::network::{Architecture, Choice, Evaluations, Network, NetworkWeights, Scope};
use mijnlieff::random::{Draw, SplitMix64};
use mijnlieff::search::Limits;
use ndarray::Array2;

use super::fuzz::bodies::files::num_weights;
use super::solver::random_game;

pub(super) const SIZES: Architecture = Architecture {
    units: 10,
    blocks: 2,
    heads: 5,
};

pub(super) fn variant(board: &str, copies: i64) -> Variant {
    Variant::new(Board::from_text(board).unwrap(), Opening::Anywhere, copies).unwrap()
}

pub(super) fn variants() -> Vec<Variant> {
    vec![
        Variant::default(),
        variant("####\n####", 1),
        variant("##..\n##..\n..##\n..##", 3),
        variant(".#..\n.###\n###.\n..#.", 1),
        variant(".##\n.#.\n##.", 2),
        variant("###.\n#...", 1),
        variant("#", 2),
    ]
}

/// Weights, none of them 0.
pub(super) fn numbers(variant: &Variant) -> Vec<f32> {
    let mut rng = SplitMix64::new(11);
    (0..num_weights(&variant.clone().into(), SIZES))
        .map(|_| (rng.unit() as f32 - 0.5) * 0.8)
        .collect()
}

pub(super) fn network(variant: &Variant) -> Network {
    let numbers = numbers(variant);
    let weights = NetworkWeights::new(variant.clone(), SIZES, numbers).unwrap();
    Network::new(&weights).unwrap()
}

/// Every position of a random game but the last.
pub(super) fn game(variant: &Variant, seed: u64) -> Vec<Position> {
    let mut game = random_game(variant, &mut SplitMix64::new(seed));
    game.pop();
    game
}

fn only_variant(network: &Network) -> &Variant {
    network.scope().variant().unwrap()
}

pub(super) fn evaluate(network: &Network, positions: &[Position]) -> Evaluations {
    evaluate_on(network, only_variant(network), positions)
}

fn evaluate_on(network: &Network, variant: &Variant, positions: &[Position]) -> Evaluations {
    let network = network.on(variant).unwrap();
    let mut observations = Array2::<f32>::zeros((positions.len(), Layout::Flat.len(variant)));
    for (position, row) in positions.iter().zip(observations.outer_iter_mut()) {
        observe(variant, position, Layout::Flat, row.into_slice().unwrap());
    }
    let whole = network.evaluate(&observations, 1, Limits::default());
    // Neither the order of the numbers in memory nor the number of threads matters.
    let turned = observations.t().as_standard_layout().into_owned();
    assert_eq!(network.evaluate(&turned.t(), 2, Limits::default()), whole);
    whole.unwrap()
}

#[test]
fn a_batch_is_its_positions_to_the_last_bit() {
    for variant in variants() {
        let positions: Vec<Position> = (0..60).flat_map(|seed| game(&variant, seed)).collect();
        assert!(positions.len() >= 60);
        let network = network(&variant);
        let whole = evaluate(&network, &positions);
        assert_eq!(whole.logits.dim(), (positions.len(), num_actions(&variant)));
        assert_eq!(whole.values.dim(), (positions.len(), 2));
        for (i, &position) in positions.iter().enumerate().step_by(7) {
            let alone = evaluate(&network, &[position]);
            assert_eq!(alone.logits.row(0), whole.logits.row(i));
            assert_eq!(alone.values.row(0), whole.values.row(i));
        }
    }
}

fn choose(network: &Network, positions: &[Position], temperature: f64, first: u64) -> Vec<usize> {
    let choice = Choice {
        temperature,
        seed: 7,
        first,
    };
    let variant = only_variant(network);
    let positions: Vec<_> = positions.iter().copied().enumerate().collect();
    let network = network.on(variant).unwrap();
    let chosen = network.choose(variant, &positions, choice, 2, Limits::default());
    chosen.unwrap()
}

#[test]
fn draws_follow_the_softmax_and_do_not_depend_on_batches() {
    let variant = Variant::default();
    let network = network(&variant);
    let position = game(&variant, 2)[9];
    let count = 20_000;
    let drawn = choose(&network, &vec![position; count], 0.5, 0);
    assert_eq!(choose(&network, &[position; 3], 0.5, 40), drawn[40..43]);
    let logits = evaluate(&network, &[position]).logits.row(0).to_owned();
    let mut mask = vec![0; 65];
    write_mask(&variant, &position, &mut mask);
    let weight = |action: usize| f64::from(mask[action]) * (f64::from(logits[action]) / 0.5).exp();
    let total: f64 = (0..65).map(weight).sum();
    for action in 0..65 {
        let expected = count as f64 * weight(action) / total;
        let found = drawn.iter().filter(|&&other| other == action).count() as f64;
        assert!(
            (found - expected).abs() <= 5.0 * expected.sqrt(),
            "action {action}: {found}, not {expected}"
        );
    }
}

/// A network for a canvas plays each board as one for that board does, whose kernels are a part of
/// its own.
#[test]
fn a_network_for_a_canvas_plays_every_board_that_fits() {
    let Architecture {
        units,
        blocks,
        heads,
    } = SIZES;
    let (height, width) = (5, 6);
    let canvas = Canvas::new(height, width).unwrap();
    for board in [".#..\n.###\n###.\n..#.", "######", "#"] {
        let variant = variant(board, 2);
        let full = Variant::new(
            Board::from_text(&"######\n".repeat(5)).unwrap(),
            Opening::Anywhere,
            2,
        );
        let weights = numbers(&full.unwrap());
        let (rows, columns) = (variant.board().height(), variant.board().width());
        let (before, kernels) = weights.split_at(units * 26);
        let (kernels, after) =
            kernels.split_at(2 * (2 * height - 1) * (2 * width - 1) * blocks * heads);
        let mut own = before.to_vec();
        for dy in 0..2 * rows - 1 {
            for dx in 0..2 * columns - 1 {
                let (y, x) = (dy + height - rows, dx + width - columns);
                let first = 2 * (y * (2 * width - 1) + x) * blocks * heads;
                own.extend(&kernels[first..first + 2 * blocks * heads]);
            }
        }
        own.extend(after);
        let own = NetworkWeights::new(variant.clone(), SIZES, own).unwrap();
        let alone = Network::new(&own).unwrap();

        let scope = Scope::Canvas { canvas, copies: 2 };
        let weights = NetworkWeights::new(scope.clone(), SIZES, weights).unwrap();
        let written = Network::new(&weights).unwrap();
        let network = Network::parse(written.file()).unwrap();
        assert_eq!((network.scope(), &network), (&scope, &written));
        let positions = game(&variant, 8);
        assert_eq!(
            evaluate_on(&network, &variant, &positions),
            evaluate(&alone, &positions)
        );
        let (opening, copies) = (Opening::Outside, 2);
        assert!(scope.contains(&Variant::new(variant.board().clone(), opening, copies).unwrap()));
        assert!(!scope.contains(&Variant::new(variant.board().clone(), opening, 1).unwrap()));
    }
    assert!(!Scope::Canvas { canvas, copies: 2 }.contains(&variant("#\n#\n#\n#\n#\n#", 2)));
}
