//! Self-play: its games do not depend on how they are played, and errors change nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mijnlieff::encode::{Layout, VariantSet, action_of, num_actions, pack, write_mask};
use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::network::Evaluations;
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Halt, Limits};
use mijnlieff::self_play::{
    Evaluator, Progress, Samples, SelfPlay, SelfPlayConfig, SelfPlayError, Statistics,
};
use mijnlieff::tree_search::{
    Backup, LeafCounts, NextRoot, Root, RootPosition, TreeConfig, UpdateError, tree_search,
};
use mijnlieff::vector::{Dtype, Format, ObservationRows, Observations};
use ndarray::{Array2, ArrayRef2};

use crate::tree_search::run_with;

/// An evaluation that depends on every number of the observation, and counts its calls.
#[derive(Default)]
pub(super) struct Sums {
    /// Set in the call of this number, if there is one.
    stop: Option<(usize, AtomicBool)>,
    calls: AtomicUsize,
    rows: AtomicUsize,
    /// What the value of every position is instead.
    value: Option<f32>,
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

    pub(super) fn of_set(set: &VariantSet) -> Self {
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
                self.value.unwrap_or(sum(row, 0.3 + head as f32).tanh())
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

pub(super) fn played_of(
    set: &Arc<VariantSet>,
    config: SelfPlayConfig,
    threads: usize,
    games: usize,
) -> Samples {
    let mut self_play = self_play_of(set, config, threads);
    play(&mut self_play, &Sums::of_set(set), games)
}

pub(super) fn played(
    variant: &Arc<Variant>,
    config: SelfPlayConfig,
    threads: usize,
    games: usize,
) -> Samples {
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
fn samples_belong_to_their_positions() {
    let variant = Arc::new(Variant::default());
    let mut packed = config();
    packed.format.layout = Layout::Packed;
    let samples = played(&variant, packed, 2, 60);
    let ObservationRows::Packed(words) = &samples.observations else {
        panic!("{:?}", samples.observations);
    };
    let first: Vec<usize> = (0..samples.len())
        .filter(|&row| row == 0 || samples.games[row] != samples.games[row - 1])
        .collect();
    assert_eq!(first.len(), 60);
    // Games without random plies start with the first position.
    let start = Position::new(&variant);
    let mut mask = vec![0; num_actions(&variant)];
    write_mask(&variant, &start, &mut mask);
    let mut starts = 0;
    for &row in &first {
        if samples.plies[row] == 0 {
            assert_eq!(words[row], pack(&variant, &start));
            assert!(samples.action_masks.row(row).iter().eq(&mask));
            starts += 1;
        }
    }
    assert!((3..30).contains(&starts), "{starts} of 60");
    let mut exact = 0;
    for (row, &word) in words.iter().enumerate() {
        let (mask, policy) = (
            samples.action_masks.row(row),
            samples.policy_targets.row(row),
        );
        assert!((policy.sum() - 1.0).abs() < 1e-5);
        assert!(
            mask.iter()
                .zip(policy)
                .all(|(&legal, &share)| legal == 1 || share == 0.0)
        );
        let game = samples.games[row] as usize;
        let sign = if samples.to_play[row] == 0 { 1 } else { -1 };
        assert!(samples.plies[row] < samples.game_plies[game]);
        let empty = 16 - (word as u32).count_ones();
        assert_eq!(samples.exact[row], empty <= 8);
        exact += usize::from(samples.exact[row]);
        // Perfect play, but for margins that are too large to tell apart.
        if samples.game_margins[game].abs() < 8 {
            assert_eq!(samples.margins[row], sign * samples.game_margins[game]);
        }
    }
    let Statistics {
        solved_roots,
        searched_roots,
        simulations,
        plies,
        ..
    } = samples.statistics;
    assert_eq!(
        (solved_roots, searched_roots),
        (exact, samples.len() - exact)
    );
    assert_eq!(simulations, 12 * searched_roots);
    let turns: i16 = samples.game_plies.sum();
    assert_eq!(plies, turns as usize);
}

#[test]
fn solved_roots_are_those_of_the_solver() {
    // Everything is solved on a board of six cells.
    let board = Board::from_text("###\n###").unwrap();
    let variant = Arc::new(Variant::new(board, Opening::Anywhere, 1).unwrap());
    let (mut config, solver) = (config(), Solver::new(&variant));
    config.random_plies = 0;
    config.tree.solve_roots_below = 6;
    let samples = played(&variant, config, 1, 20);
    assert!(samples.exact.iter().all(|&exact| exact));
    assert_eq!(samples.statistics.simulations, 0);
    let start = Position::new(&variant);
    let solution = solver.solve(&start, Limits::default()).unwrap();
    let best: Vec<usize> = solution
        .best_moves()
        .map(|mv| action_of(&variant, mv))
        .collect();
    for row in (0..samples.len()).filter(|&row| samples.plies[row] == 0) {
        assert_eq!(i32::from(samples.margins[row]), solution.margin);
        for (action, &share) in samples.policy_targets.row(row).iter().enumerate() {
            let expected = if best.contains(&action) {
                1.0 / best.len() as f32
            } else {
                0.0
            };
            assert!((share - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn searched_roots_learn_from_the_solved_ones_that_follow() {
    let variant = Arc::new(Variant::default());
    let mut config = config();
    config.solved_temperature = 4.0;
    let samples = played(&variant, config, 2, 50);
    assert_eq!(samples, played(&variant, config, 1, 50));
    let mut strayed = 0;
    let mut light = 0;
    for row in (0..samples.len()).rev() {
        let sign = if samples.to_play[row] == 0 { 1 } else { -1 };
        if samples.games.get(row) != samples.games.get(row + 1) {
            light = samples.game_margins[samples.games[row] as usize];
        }
        if samples.exact[row] {
            strayed += i32::from(light != sign * samples.margins[row]);
            light = sign * samples.margins[row];
        }
        assert_eq!(samples.margins[row], sign * light);
    }
    assert!(strayed > 20, "{strayed}");
    // Without a temperature, solved games end with the margin they had.
    config.solved_temperature = 0.0;
    assert_ne!(samples, played(&variant, config, 1, 50));
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
        assert_eq!(games.progress().samples, whole.len() as u64);
    }
}

#[test]
fn evaluations_that_cannot_be_used_are_an_error() {
    let variant = Arc::new(Variant::default());
    let mut evaluator = Sums::of(&variant);
    evaluator.value = Some(f32::NAN);
    let mut games = self_play(&variant, config(), 2);
    let refused = games.play(&evaluator, 9, Limits::default());
    let Err(SelfPlayError::Evaluation(UpdateError::Value { row: 0, value })) = refused else {
        panic!("{refused:?}");
    };
    assert!(value.is_nan());
    assert_eq!(games.progress(), Progress::default());
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
