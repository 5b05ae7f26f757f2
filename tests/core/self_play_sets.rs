//! Self-play on sets of variants.

use std::sync::Arc;

use mijnlieff::encode::{Canvas, Layout, VariantSet};
use mijnlieff::game::{Board, Opening, Variant};
use mijnlieff::search::Limits;
use mijnlieff::self_play::SelfPlayConfig;
use mijnlieff::vector::ObservationRows;

use crate::self_play::{Sums, config, played, played_of, self_play_of};

fn set() -> Arc<VariantSet> {
    let boards = [
        "###\n###",
        "##..\n##..\n..##\n..##",
        "####\n####\n####\n####",
    ];
    let variant = |board| Variant::new(Board::from_text(board).unwrap(), Opening::Anywhere, 2);
    let variants = boards.map(|board| Arc::new(variant(board).unwrap()));
    let canvas = Canvas::new(4, 5).unwrap();
    Arc::new(VariantSet::on_canvas(variants.to_vec(), canvas).unwrap())
}

#[test]
fn each_game_draws_its_variant() {
    let mut config = config();
    config.format.layout = Layout::Planes;
    let set = set();
    let samples = played_of(&set, config, 1, 90);
    for (threads, num_games) in [(2, 5), (3, 100), (1, 1)] {
        let other = SelfPlayConfig {
            num_games,
            ..config
        };
        assert_eq!(played_of(&set, other, threads, 90), samples);
    }
    let mut games = [0; 3];
    let ObservationRows::Uint8(Layout::Planes, all) = &samples.observations else {
        panic!("{:?}", samples.observations);
    };
    let canvas = set.canvas().unwrap();
    for row in 0..samples.len() {
        let index = samples.variants[row] as usize;
        let planes = &all[row * canvas.observation_len()..][..canvas.observation_len()];
        let cells = planes[3 * canvas.area()..][..canvas.area()].iter();
        let variant = set.get(index);
        assert_eq!(
            cells.map(|&cell| usize::from(cell)).sum::<usize>(),
            variant.board().num_cells()
        );
        let (mask, policy) = (
            samples.action_masks.row(row),
            samples.policy_targets.row(row),
        );
        assert_eq!(mask.len(), canvas.num_actions());
        assert!((policy.sum() - 1.0).abs() < 1e-5);
        for (action, (&legal, &share)) in mask.iter().zip(policy).enumerate() {
            assert!(legal == 0 || canvas.move_of(variant, action).is_some());
            assert!(legal == 1 || share == 0.0);
        }
        if row == 0 || samples.games[row] != samples.games[row - 1] {
            games[index] += 1;
        }
    }
    // 90 draws of three: each count is within five deviations of 30.
    assert_eq!(games.iter().sum::<i32>(), 90);
    assert!(
        games.iter().all(|count| (8..53).contains(count)),
        "{games:?}"
    );
}

#[test]
fn a_set_of_one_plays_the_games_of_its_variant() {
    let variant = Arc::new(Variant::default());
    let mut config = config();
    config.format.layout = Layout::Planes;
    let canvas = Canvas::around([&*variant]).unwrap();
    let set = Arc::new(VariantSet::on_canvas(vec![variant.clone()], canvas).unwrap());
    assert_eq!(
        played_of(&set, config, 1, 20),
        played(&variant, config, 1, 20)
    );
}

#[test]
fn samples_of_a_set_are_counted_over_all_its_games() {
    let (set, mut config) = (set(), config());
    config.format.layout = Layout::Planes;
    let evaluator = Sums::of_set(&set);
    let mut games = self_play_of(&set, config, 2);
    let samples = games
        .play_samples(&evaluator, 300, Limits::default())
        .unwrap();
    assert!((300..420).contains(&samples.len()), "{}", samples.len());
    let mut all = played_of(&set, config, 1, samples.statistics.games);
    all.statistics.leaves = samples.statistics.leaves;
    assert_eq!(all, samples);
}
