//! Games, exact values, evaluations and self-play of seeds have the same bits with every compiler,
//! on every processor and on every system. `make test-aarch64` runs these tests under emulation.

use std::sync::Arc;

use mijnlieff::encode::{Layout, VariantSet};
use mijnlieff::game::Variant;
use mijnlieff::policy::{Policy, opening};
use mijnlieff::search::Limits;
use mijnlieff::search::solver::Solver;
use mijnlieff::self_play::{Samples, SelfPlayConfig};
use mijnlieff::tree_search::{Root, TreeConfig};
use mijnlieff::vector::{Config, IllegalAction, ObservationRows, Opponent, Reward};
use ndarray::ArrayRef2;

use crate::batch::Batch;
use crate::fuzz::bodies::files::checksum;
use crate::network::{evaluate, game, network, variants};
use crate::self_play::{config, self_play_of};

fn bits<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> impl Iterator<Item = u8> {
    numbers.into_iter().flat_map(|number| number.to_le_bytes())
}

/// A hash of everything that the steps of a batch write.
fn games(variant: Variant, opponent: Opponent) -> u64 {
    let config = Config {
        opponent,
        illegal_action: IllegalAction::Lose,
        reward: Reward::Margin,
        ..Config::new(Arc::new(variant))
    };
    let mut batch = Batch::started(&config, Layout::Flat, 100, 2, 7);
    let mut found = Vec::new();
    for _ in 0..40 {
        let actions = batch.sample();
        batch.step(&actions, false).unwrap();
        found.extend(actions.into_iter().flat_map(i64::to_le_bytes));
        for game in 0..100 {
            let (observation, mask, to_play, reward, ended) = batch.row(game);
            found.extend(bits(observation).chain(bits([&reward])));
            found.extend(mask.iter().map(|&legal| legal as u8));
            found.extend([to_play as u8, u8::from(ended)]);
        }
    }
    checksum(&found)
}

#[test]
fn games_keep_their_bits() {
    let [standard, larger] = [0, 4].map(|number| variants().swap_remove(number));
    let found = [
        games(standard.clone(), Opponent::SelfPlay),
        games(standard, Opponent::Policy(Policy::Greedy)),
        games(larger, Opponent::Policy(Policy::Random)),
    ];
    let expected = [
        0x3198_0F9D_21FC_1EBF,
        0x5CC1_62D6_8689_216A,
        0x2371_7CCD_64B8_EF2B,
    ];
    assert_eq!(found, expected);
}

#[test]
fn exact_values_keep_their_bits() {
    let variant = Variant::default();
    let solver = Solver::new(&variant);
    let mut found = Vec::new();
    for seed in 0..100 {
        let position = opening(&variant, 6, seed).unwrap();
        let solution = solver.solve(&position, Limits::default()).unwrap();
        found.extend(
            solution
                .moves
                .iter()
                .flat_map(|(_, margin)| margin.to_le_bytes()),
        );
    }
    assert_eq!(checksum(&found), 0x00B4_A38D_F2EB_3111);
}

#[test]
fn evaluations_keep_their_bits() {
    let mut found = Vec::new();
    for variant in variants() {
        let evaluations = evaluate(&network(&variant), &game(&variant, 1));
        found.extend(bits(&evaluations.logits).chain(bits(&evaluations.values)));
    }
    assert_eq!(checksum(&found), 0x54F9_38EE_75C0_22EA);
}

fn hash(samples: &Samples) -> u64 {
    let ObservationRows::Uint8(_, observations) = &samples.observations else {
        panic!("bytes were asked for");
    };
    let targets: &ArrayRef2<f32> = &samples.policy_targets;
    let mut found = observations.clone();
    found.extend(bits(targets).chain(bits(&samples.root_values)));
    found.extend(
        samples
            .margins
            .iter()
            .flat_map(|margin| margin.to_le_bytes()),
    );
    checksum(&found)
}

/// Self-play with a network, whose searches draw noise and solve endings.
#[test]
fn self_play_keeps_its_bits() {
    let variant = Variant::default();
    let network = Arc::new(network(&variant).on(&variant).unwrap());
    let set = Arc::new(VariantSet::one(Arc::new(variant)));
    let puct = Root::Puct {
        c_puct: 1.25,
        dirichlet_share: 0.25,
        dirichlet_alpha: 0.5,
    };
    let found = [config().tree.root, puct].map(|root| {
        let tree = TreeConfig {
            root,
            ..config().tree
        };
        let config = SelfPlayConfig { tree, ..config() };
        let mut games = self_play_of(&set, config, 2);
        let evaluator = [network.clone()];
        hash(&games.play(&evaluator[..], 30, Limits::default()).unwrap())
    });
    assert_eq!(found, [0xB905_9DCB_4608_C8AA, 0xF4B2_2950_0111_F1C2]);
}
