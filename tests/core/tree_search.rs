//! Tree searches: what stops and starts them, what they refuse, and mixed variants.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mijnlieff::encode::{Canvas, Layout, VariantSet, action_of, num_actions};
use mijnlieff::game::{Board, Opening, Position, Variant};
use mijnlieff::policy::opening;
use mijnlieff::search::solver::Solver;
use mijnlieff::search::{Halt, Limits};
use mijnlieff::tree_search::{
    Backup, LeafValues, NextRoot, Root, RootPosition, TreeConfig, TreeSearch, UpdateError,
    tree_search,
};
use mijnlieff::vector::Observations;

pub(crate) const TREES: usize = 10;

pub(crate) const GUMBEL: Root = Root::Gumbel {
    max_considered: 16,
    c_visit: 50.0,
    c_scale: 0.5,
    backup: Backup::Mean,
};

pub(crate) const CONFIG: TreeConfig = TreeConfig {
    num_simulations: 20,
    root: GUMBEL,
    temperature: 1.0,
    margin_weight: 0.0,
    solve_roots_below: 0,
    solve_leaves_below: 0,
    seed: 1,
};

pub(crate) fn positions(variant: &Variant, plies: usize) -> Vec<Position> {
    let seeds = 0..TREES as u64;
    seeds
        .map(|seed| opening(variant, plies, seed).unwrap())
        .collect()
}

/// A search of one variant.
pub(crate) fn start(
    variant: &Arc<Variant>,
    roots: &[Position],
    config: TreeConfig,
    solver: Option<Arc<Solver>>,
    num_threads: usize,
) -> Box<dyn TreeSearch> {
    let set = Arc::new(VariantSet::one(variant.clone()));
    let roots = config.seeded(roots.iter().copied()).unwrap();
    let solvers = solver.into_iter().collect();
    let search = tree_search(&set, &roots, config, Layout::Flat, solvers, num_threads);
    search.unwrap()
}

pub(crate) fn search(variant: &Arc<Variant>, root: Root) -> Box<dyn TreeSearch> {
    let config = TreeConfig { root, ..CONFIG };
    start(variant, &positions(variant, 3), config, None, 1)
}

/// Starts the next searches in the same trees.
pub(crate) fn restart(
    search: &mut dyn TreeSearch,
    positions: &[Position],
    limits: Limits<'_>,
) -> Result<(), Halt> {
    let follow = |&position: &Position| NextRoot::Follow(position.into());
    let next: Vec<NextRoot> = positions.iter().map(follow).collect();
    search.restart_each(&next, limits)
}

/// Takes an evaluation, and the trees grow.
fn update(search: &mut dyn TreeSearch, logits: &[f32], values: &[f32]) -> Result<(), UpdateError> {
    search.store_evaluations(logits, LeafValues::Values(values))?;
    search.backpropagate(Limits::default()).unwrap();
    Ok(())
}

/// An evaluation of every leaf, the same whatever the position.
fn evaluation(variant: &Variant, leaves: usize) -> (Vec<f32>, Vec<f32>) {
    let row = |action| (action % 7) as f32 / 3.0;
    let logits = (0..leaves).flat_map(|_| (0..num_actions(variant)).map(row));
    (logits.collect(), vec![0.25; leaves])
}

/// Searches to the end; `evaluate` makes the logits and the values of so many leaves.
pub(crate) fn run_with(
    search: &mut dyn TreeSearch,
    mut evaluate: impl FnMut(&mut dyn TreeSearch, usize) -> (Vec<f32>, Vec<f32>),
) {
    loop {
        let leaves = search.select(Limits::default()).unwrap();
        if leaves == 0 {
            return;
        }
        let (logits, values) = evaluate(search, leaves);
        update(search, &logits, &values).unwrap();
    }
}

pub(crate) fn run(variant: &Variant, search: &mut dyn TreeSearch) {
    run_with(search, |_, leaves| evaluation(variant, leaves));
}

/// A search that is done.
pub(crate) fn searched(
    variant: &Arc<Variant>,
    roots: &[Position],
    config: TreeConfig,
    solver: Option<Arc<Solver>>,
) -> Box<dyn TreeSearch> {
    let mut search = start(variant, roots, config, solver, 1);
    run(variant, &mut *search);
    search
}

/// All that a search has found.
fn found(search: &dyn TreeSearch) -> impl PartialEq + std::fmt::Debug {
    let results = search.results(Limits::default()).unwrap();
    let nodes: Vec<_> = (0..TREES)
        .map(|tree| search.nodes(tree, Limits::default()).unwrap())
        .collect();
    (
        results.actions,
        results.visit_counts,
        results.policy_targets,
        nodes,
    )
}

#[test]
fn a_stopped_search_goes_on() {
    let variant = Arc::new(Variant::default());
    let stop = AtomicBool::new(true);
    let stopped = Limits::stopped_by(&stop);
    let (mut whole, mut search) = (search(&variant, GUMBEL), search(&variant, GUMBEL));
    run(&variant, &mut *whole);
    assert!(search.bytes() > TREES * size_of::<Position>());
    assert!(whole.bytes() > search.bytes(), "its nodes take memory");
    assert!(whole.is_done() && !search.is_done());
    assert_eq!(search.select(stopped), Err(Halt::Stopped));
    while search.select(Limits::default()).unwrap() > 0 {
        let leaves = search.select(Limits::default()).unwrap();
        let (logits, values) = evaluation(&variant, leaves);
        let evaluated = search.store_evaluations(&logits, LeafValues::Values(&values));
        evaluated.unwrap();
        assert_eq!(search.backpropagate(stopped), Err(Halt::Stopped));
        // The evaluation is gone, its leaves are not.
        let refused = update(&mut *search, &logits, &values);
        assert_eq!(refused, Err(UpdateError::NothingSelected));
        assert_eq!(search.select(Limits::default()), Ok(leaves));
        update(&mut *search, &logits, &values).unwrap();
    }
    assert_eq!(search.results(stopped).unwrap_err(), Halt::Stopped);
    assert_eq!(search.nodes(0, stopped), Err(Halt::Stopped));
    assert_eq!(found(&*search), found(&*whole));

    let next = positions(&variant, 4);
    let refused = restart(&mut *search, &next, stopped);
    assert_eq!(refused, Err(Halt::Stopped));
    assert_eq!(found(&*search), found(&*whole));
    for search in [&mut search, &mut whole] {
        restart(&mut **search, &next, Limits::default()).unwrap();
        run(&variant, &mut **search);
    }
    assert_eq!(found(&*search), found(&*whole));
}

#[test]
fn no_weight_of_the_values_is_too_large() {
    for board in ["standard", &["########"; 8].join("/")] {
        let variant = Arc::new(board.parse::<Variant>().unwrap());
        for (c_visit, c_scale) in [
            (50.0, 1e30),
            (50.0, 1e37),
            (f32::MAX, f32::MAX),
            (f32::MAX, 0.0),
        ] {
            for backup in [Backup::Mean, Backup::Policy] {
                let root = Root::Gumbel {
                    max_considered: 16,
                    c_visit,
                    c_scale,
                    backup,
                };
                let mut search = search(&variant, root);
                let mut sign = 1.0;
                run_with(&mut *search, |_, leaves| {
                    let (logits, mut values) = evaluation(&variant, leaves);
                    for (number, value) in values.iter_mut().enumerate() {
                        *value = sign * number as f32 / leaves as f32;
                    }
                    sign = -sign;
                    (logits, values)
                });
                let results = search.results(Limits::default()).unwrap();
                for targets in results.policy_targets.rows() {
                    let sum: f32 = targets.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{root:?}: {sum}");
                }
                let values = &results.root_values;
                assert!(
                    values.iter().all(|it| it.abs() <= 1.0),
                    "{root:?}: {values}"
                );
            }
        }
    }
}

#[test]
fn values_out_of_range_are_refused() {
    let variant = Arc::new(Variant::default());
    let mut search = search(&variant, GUMBEL);
    let leaves = search.select(Limits::default()).unwrap();
    let (logits, mut values) = evaluation(&variant, leaves);
    let mut pairs = vec![[-1.0005, -1e30]; leaves];
    for bad in [1e30, f32::NEG_INFINITY, 1.002, -50.0] {
        (values[1], pairs[1][0]) = (bad, bad);
        for values in [LeafValues::Values(&values), in_points(&pairs)] {
            let refused = search.store_evaluations(&logits, values);
            assert_eq!(refused, Err(UpdateError::Value { row: 1, value: bad }));
        }
    }
    pairs[1] = [0.0, f32::NAN];
    let refused = search.store_evaluations(&logits, in_points(&pairs));
    assert_eq!(refused, Err(UpdateError::Margin { row: 1 }));
    pairs[1] = [1.0, f32::INFINITY];
    assert_eq!(search.store_evaluations(&logits, in_points(&pairs)), Ok(()));
    values[1] = -1.0005;
    update(&mut *search, &logits, &values).unwrap();
}

fn in_points(pairs: &[[f32; 2]]) -> LeafValues<'_> {
    LeafValues::OutcomesAndMargins { pairs, unit: 1.0 }
}

#[test]
fn a_bad_value_is_named_by_its_leaf_whatever_the_threads() {
    let variant = Arc::new(Variant::default());
    let roots: Vec<Position> = (0..1_000)
        .map(|seed| opening(&variant, 3, seed).unwrap())
        .collect();
    for num_threads in [1, 3] {
        let mut search = start(&variant, &roots, CONFIG, None, num_threads);
        let leaves = search.select(Limits::default()).unwrap();
        let (logits, good) = evaluation(&variant, leaves);
        for row in [0, leaves / 2, leaves - 1] {
            let mut values = good.clone();
            values[row] = f32::INFINITY;
            let refused = update(&mut *search, &logits, &values);
            let value = f32::INFINITY;
            assert_eq!(refused, Err(UpdateError::Value { row, value }));
        }
    }
}

#[test]
fn a_bad_logit_is_named_by_its_leaf_and_action() {
    let variant = Arc::new(Variant::default());
    let mut search = search(&variant, GUMBEL);
    let roots = positions(&variant, 3);
    let leaves = search.select(Limits::default()).unwrap();
    assert_eq!(leaves, roots.len());
    let (logits, values) = evaluation(&variant, leaves);
    let width = num_actions(&variant);
    for row in [1, leaves - 1] {
        let mut logits = logits.clone();
        // The first leaves are the roots.
        let legal = roots[row].legal_moves(&variant).into_iter();
        let action = legal.map(|mv| action_of(&variant, mv)).max().unwrap();
        logits[row * width + action] = f32::INFINITY;
        let refused = update(&mut *search, &logits, &values);
        let logit = f32::INFINITY;
        assert_eq!(refused, Err(UpdateError::Logit { row, action, logit }));
        logits[row * width..][..width].fill(f32::NEG_INFINITY);
        let refused = update(&mut *search, &logits, &values);
        assert_eq!(refused, Err(UpdateError::NoLegalAction { row }));
    }
}

/// Boards of four blocks with several numbers of copies, and the canvas around them.
pub(crate) fn mixed_variants() -> Arc<VariantSet> {
    let boards = Board::arrangements(4, false).into_iter().step_by(7);
    let variants = boards.zip([1, 2, 4].into_iter().cycle());
    let variants: Vec<Arc<Variant>> = variants
        .map(|(board, copies)| Arc::new(Variant::new(board, Opening::default(), copies).unwrap()))
        .collect();
    let canvas = Canvas::around(variants.iter().map(|it| &**it)).unwrap();
    Arc::new(VariantSet::on_canvas(variants, canvas).unwrap())
}

/// Searches to the end with an evaluation made from the legal actions of each leaf.
pub(crate) fn run_on_canvas(variants: &VariantSet, search: &mut dyn TreeSearch) {
    let canvas = variants.canvas().unwrap();
    run_with(search, |search, leaves| {
        let mut observations = vec![0.0; leaves * canvas.observation_len()];
        let mut masks = vec![0; leaves * canvas.num_actions()];
        let memory = Observations::Float32(Layout::Planes, &mut observations);
        search.write_leaves(memory, &mut masks);
        let rows = masks.chunks(canvas.num_actions());
        let sums = rows.map(|row| {
            row.iter()
                .zip(0_i32..)
                .map(|(&bit, at)| i32::from(bit) * at)
        });
        let values = sums.map(|row| (row.sum::<i32>() as f32).sin());
        let logits = masks
            .iter()
            .zip(0_u32..)
            .map(|(_, at)| ((at % canvas.num_actions() as u32) as f32).cos());
        (logits.collect(), values.collect())
    });
}

#[test]
fn trees_of_mixed_variants_are_those_of_searches_of_one() {
    let variants = mixed_variants();
    let canvas = variants.canvas().unwrap();
    let indices = 0..variants.all().len();
    let roots: Vec<RootPosition> = indices
        .map(|variant| RootPosition {
            variant,
            position: opening(variants.get(variant), 3, variant as u64).unwrap(),
        })
        .collect();
    for solve_leaves_below in [0, 8] {
        let config = TreeConfig {
            num_simulations: 24,
            solve_leaves_below,
            ..CONFIG
        };
        let solver = |variant: &Arc<Variant>| Arc::new(Solver::within(variant, 1 << 19).unwrap());
        let solvers = variants.all().iter().map(solver).collect();
        let layout = Layout::Planes;
        let seeded = config.seeded(roots.iter().copied()).unwrap();
        let mut mixed = tree_search(&variants, &seeded, config, layout, solvers, 2).unwrap();
        run_on_canvas(&variants, &mut *mixed);
        let results = mixed.results(Limits::default()).unwrap();
        for (tree, root) in roots.iter().enumerate() {
            let variant = variants.get(root.variant).clone();
            let solvers = vec![solver(&variant)];
            let own = Arc::new(VariantSet::on_canvas(vec![variant], canvas).unwrap());
            let roots = [(root.position.into(), config.seed + tree as u64)];
            let mut alone = tree_search(&own, &roots, config, layout, solvers, 1).unwrap();
            run_on_canvas(&own, &mut *alone);
            let expected = alone.results(Limits::default()).unwrap();
            assert_eq!(results.actions[tree], expected.actions[0]);
            assert_eq!(
                results.policy_targets.row(tree),
                expected.policy_targets.row(0)
            );
            assert_eq!(
                mixed.nodes(tree, Limits::default()),
                alone.nodes(0, Limits::default())
            );
        }
    }
}
