//! Self-play: its games do not depend on how they are played, and errors change nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mijnlieff::encode::{Canvas, Layout, VariantSet, num_actions};
use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::network::Evaluations;
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Halt, Limits};
use mijnlieff::self_play::{Evaluator, Progress, Samples, SelfPlay, SelfPlayConfig, SelfPlayError};
use mijnlieff::tree_search::{
    Backup, LeafCounts, NextRoot, Root, RootPosition, TreeConfig, tree_search,
};
use mijnlieff::vector::{Dtype, Format, Observations};
use ndarray::{Array2, ArrayRef2};

use crate::tree_search::run_with;

/// An evaluation that depends on every number of the observation, and counts its calls.
#[derive(Default)]
struct Sums {
    /// Set in the call of this number, if there is one.
    stop: Option<(usize, AtomicBool)>,
    calls: AtomicUsize,
    rows: AtomicUsize,
    /// By variant.
    actions: Vec<usize>,
}

impl Sums {
    fn of(variant: &Variant) -> Self {
        Self {
            actions: vec![num_actions(variant)],
            ..Self::default()
        }
    }

    fn of_set(set: &VariantSet) -> Self {
        Self {
            actions: set.all().iter().map(|it| num_actions(it)).collect(),
            ..Self::default()
        }
    }
}

impl Evaluator for Sums {
    fn evaluate(
        &self,
        variant: usize,
        observations: &ArrayRef2<f32>,
        limits: Limits<'_>,
    ) -> Result<Evaluations, Halt> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(observations.nrows(), Ordering::Relaxed);
        if let Some((number, stop)) = &self.stop
            && call == *number
        {
            stop.store(true, Ordering::Relaxed);
        }
        if limits.is_stopped() {
            return Err(Halt::Stopped);
        }
        let sum = |row: usize, factor: f32| -> f32 {
            let numbers = observations.row(row);
            let terms = numbers.iter().zip(1_u16..);
            terms
                .map(|(&number, at)| number * (f32::from(at) * factor).sin())
                .sum()
        };
        let rows = observations.nrows();
        Ok(Evaluations {
            logits: Array2::from_shape_fn((rows, self.actions[variant]), |(row, action)| {
                sum(row, 1.0 + action as f32)
            }),
            values: Array2::from_shape_fn((rows, 2), |(row, head)| {
                sum(row, 0.3 + head as f32).tanh()
            }),
        })
    }
}

pub(super) fn config() -> SelfPlayConfig {
    SelfPlayConfig {
        num_games: 5,
        random_plies: 4,
        format: Format {
            layout: Layout::Flat,
            dtype: Dtype::Uint8,
        },
        solve_book_roots: false,
        solved_temperature: 0.0,
        tree: TreeConfig {
            num_simulations: 12,
            root: Root::Gumbel {
                max_considered: 8,
                c_visit: 50.0,
                c_scale: 0.2,
                backup: Backup::Mean,
            },
            temperature: 1.0,
            margin_weight: 0.5,
            solve_roots_below: 8,
            solve_leaves_below: 7,
            seed: 3,
        },
    }
}

fn variants() -> [Arc<Variant>; 2] {
    let board = Board::from_blocks(&[(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)]).unwrap();
    let large = Variant::new(board, Opening::Anywhere, 2).unwrap();
    [Arc::new(Variant::default()), Arc::new(large)]
}

fn self_play(variant: &Arc<Variant>, config: SelfPlayConfig, num_threads: usize) -> SelfPlay {
    let set = Arc::new(VariantSet::one(variant.clone()));
    self_play_of(&set, config, num_threads)
}

pub(super) fn self_play_of(
    set: &Arc<VariantSet>,
    config: SelfPlayConfig,
    num_threads: usize,
) -> SelfPlay {
    let solvers = set.all().iter().filter(|_| config.solves());
    let solvers = solvers.map(|variant| Arc::new(Solver::new(variant)));
    SelfPlay::new(set, config, solvers.collect(), num_threads)
}

fn settings(variant: &Variant) -> SelfPlayConfig {
    let mut config = config();
    if variant.board().num_cells() > Solver::MAX_CELLS {
        (
            config.tree.solve_roots_below,
            config.tree.solve_leaves_below,
        ) = (0, 0);
    }
    config
}

/// Plays games. What is evaluated depends on which games are played together, so it is not counted.
fn play(games: &mut SelfPlay, evaluator: &Sums, count: usize) -> Samples {
    let mut samples = games.play(evaluator, count, Limits::default()).unwrap();
    samples.statistics.leaves = LeafCounts::default();
    samples
}

fn played_of(
    set: &Arc<VariantSet>,
    config: SelfPlayConfig,
    threads: usize,
    games: usize,
) -> Samples {
    let mut self_play = self_play_of(set, config, threads);
    play(&mut self_play, &Sums::of_set(set), games)
}

fn played(variant: &Arc<Variant>, config: SelfPlayConfig, threads: usize, games: usize) -> Samples {
    let set = Arc::new(VariantSet::one(variant.clone()));
    played_of(&set, config, threads, games)
}

#[test]
fn games_do_not_depend_on_threads_or_on_each_other() {
    for variant in variants() {
        let config = settings(&variant);
        let expected = played(&variant, config, 1, 40);
        assert_eq!(expected.statistics.games, 40);
        for (threads, num_games) in [(2, 5), (3, 100), (8, 1), (1, 40)] {
            let other = SelfPlayConfig {
                num_games,
                ..config
            };
            assert_eq!(played(&variant, other, threads, 40), expected);
        }
    }
}

#[test]
fn a_call_that_is_stopped_changes_nothing() {
    let variant = Arc::new(Variant::default());
    let whole = played(&variant, config(), 1, 12);
    for (number, threads) in [(0, 1), (3, 1), (20, 2)] {
        let mut games = self_play(&variant, config(), threads);
        let mut evaluator = Sums::of(&variant);
        evaluator.stop = Some((number, AtomicBool::new(false)));
        let (_, stop) = evaluator.stop.as_ref().unwrap();
        let stopped = games.play(&evaluator, 12, Limits::stopped_by(stop));
        assert_eq!(stopped.unwrap_err(), SelfPlayError::Halted(Halt::Stopped));
        assert_eq!(games.progress(), Progress::default());
        let samples = play(&mut games, &Sums::of(&variant), 12);
        assert_eq!(samples, whole);
        assert_eq!(games.progress().games, 12);
        assert_eq!(games.progress().samples, whole.num_samples() as u64);
    }
}

#[test]
fn more_games_than_memory_holds_are_an_error() {
    let variant = Arc::new(Variant::default());
    let mut games = self_play(&variant, config(), 1);
    for count in [usize::MAX, 1 << 56] {
        let refused = games.play(&Sums::of(&variant), count, Limits::default());
        let Err(SelfPlayError::Halted(Halt::OutOfMemory(_))) = refused else {
            panic!("{refused:?}");
        };
    }
}

#[test]
fn positions_are_evaluated_once() {
    let variant = Arc::new(Variant::default());
    let mut config = config();
    config.random_plies = 0;
    config.tree.temperature = 0.0;
    let evaluator = Sums::of(&variant);
    let samples = self_play(&variant, config, 1)
        .play(&evaluator, 30, Limits::default())
        .unwrap();
    let leaves = samples.statistics.leaves;
    assert_eq!(leaves.evaluated, evaluator.rows.into_inner() as u64);
    // All games are the same until they are solved. Five are played at once: each leaf is evaluated
    // once and shared by the others, and the later games find all of them.
    assert_eq!(leaves.shared, 4 * leaves.evaluated);
    assert_eq!(leaves.recalled, 25 * leaves.evaluated);
    assert!(leaves.solved > 0);
}

/// Runs searches from one position to another; returns the policy targets.
fn searched(
    variant: &Arc<Variant>,
    most_bytes: usize,
    (num_trees, num_threads): (usize, usize),
) -> (Vec<Array2<f32>>, LeafCounts) {
    let config = settings(variant).tree;
    let start = Position::new(variant);
    let roots: Vec<(RootPosition, u64)> = (0..num_trees as u64)
        .map(|seed| (start.into(), seed % 3))
        .collect();
    let set = Arc::new(VariantSet::one(variant.clone()));
    let solver = config.solves().then(|| Arc::new(Solver::new(variant)));
    let solvers = solver.into_iter().collect();
    let search = tree_search(&set, &roots, config, Layout::Flat, solvers, num_threads);
    let mut search = search.unwrap();
    search.keep_evaluations(most_bytes);
    let evaluator = Sums::of(variant);
    let (length, width) = (Layout::Flat.len(variant), num_actions(variant));
    let mut targets = Vec::new();
    for round in 0..3 {
        run_with(&mut *search, |search, leaves| {
            let mut observations = Array2::zeros((leaves, length));
            let rows = observations.as_slice_mut().unwrap();
            search.write_leaves(
                Observations::Float32(Layout::Flat, rows),
                &mut vec![0; leaves * width],
            );
            let found = evaluator.evaluate(0, &observations, Limits::default());
            let found = found.unwrap();
            let logits = found.logits.as_slice().unwrap().to_vec();
            (logits, found.values.column(0).to_vec())
        });
        let results = search.results(Limits::default()).unwrap();
        let next: Vec<NextRoot> = (0..num_trees)
            .map(|tree| match (tree + round) % 3 {
                0 => NextRoot::Idle,
                1 => NextRoot::Follow(start.into()),
                _ => NextRoot::Fresh {
                    root: start.into(),
                    seed: 9,
                },
            })
            .collect();
        search.restart_each(&next, Limits::default()).unwrap();
        targets.push(results.policy_targets);
    }
    (targets, search.counts())
}

#[test]
fn kept_evaluations_change_no_search() {
    for variant in variants() {
        let (plain, counts) = searched(&variant, 0, (6, 1));
        assert_eq!(counts.recalled, 0);
        // Enough for all, and so few that all are forgotten again and again.
        for most_bytes in [1 << 24, 1 << 15] {
            let (targets, fewer) = searched(&variant, most_bytes, (6, 1));
            assert_eq!(targets, plain);
            assert!(fewer.recalled > 0 && fewer.evaluated < counts.evaluated);
        }
        // Trees that rest have no result.
        assert!(plain[1].row(0).iter().all(|&share| share == 0.0));
        assert!((plain[1].row(1).sum() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn threads_share_the_memory_of_kept_evaluations() {
    let enough_for_one = 1 << 13;
    for variant in variants() {
        let (targets, all) = searched(&variant, 1 << 24, (300, 2));
        let (again, fewer) = searched(&variant, enough_for_one, (300, 2));
        assert_eq!(again, targets);
        assert!(fewer.recalled < all.recalled, "{fewer:?} and {all:?}");
    }
}

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
fn samples_of_a_set_are_counted_over_all_its_games() {
    let (set, mut config) = (set(), config());
    config.format.layout = Layout::Planes;
    let evaluator = Sums::of_set(&set);
    let mut games = self_play_of(&set, config, 2);
    let samples = games
        .play_samples(&evaluator, 300, Limits::default())
        .unwrap();
    let count = samples.num_samples();
    assert!((300..420).contains(&count), "{count}");
    let mut all = played_of(&set, config, 1, samples.statistics.games);
    all.statistics.leaves = samples.statistics.leaves;
    assert_eq!(all, samples);
    let next = play(&mut games, &evaluator, 1);
    assert_eq!(next.first_game, samples.statistics.games as i64);
}
