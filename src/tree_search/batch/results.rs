//! The results of searches.

use ndarray::{Array1, Array2};

use crate::memory::{OutOfMemory, make_room, with_room, zeroed, zeroed_rows};
use crate::random::Draw;
use crate::search::{Halt, Limits};
use crate::simd::{LANES, Lanes};
use crate::tree_search::config::TreeConfig;
use crate::tree_search::memory::edges::{NONE, groups};
use crate::tree_search::memory::store::{Node, Store};
use crate::tree_search::search::rule::SelectionRule;
use crate::tree_search::search::tree::Tree;
use crate::vector::step::state::GameState;

/// The results of the searches of a batch, one row for each root.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The policy to learn of one root, by its edges.
    targets: Vec<Lanes>,
    /// The action chosen.
    pub actions: Array1<i64>,
    /// The policy to learn, `(roots, num_actions)`.
    pub policy_targets: Array2<f32>,
    /// The value of the root for its side to move.
    pub root_values: Array1<f32>,
    /// Visits of each action, those before this search included, `(roots, num_actions)`.
    pub visit_counts: Array2<i32>,
    /// The randomness that was added at the root, `(roots, num_actions)`: noise on the logits (Gumbel),
    /// or the policy with noise in it (PUCT); 0 for actions whose logit is minus infinity.
    pub root_noise: Array2<f32>,
    /// Whether the root is solved: then it has no visits, and its target and value are exact.
    pub solved: Array1<bool>,
}

impl Results {
    pub(crate) fn new(rows: usize, num_actions: usize) -> Result<Self, OutOfMemory> {
        const RESULTS: &str = "the results of a search";
        Ok(Self {
            targets: vec![[0.0; LANES]; groups(num_actions)],
            actions: zeroed(RESULTS, rows)?.into(),
            policy_targets: zeroed_rows(RESULTS, rows, num_actions)?,
            root_values: zeroed(RESULTS, rows)?.into(),
            visit_counts: zeroed_rows(RESULTS, rows, num_actions)?,
            root_noise: zeroed_rows(RESULTS, rows, num_actions)?,
            solved: zeroed(RESULTS, rows)?.into(),
        })
    }

    #[allow(clippy::float_cmp)] // the largest is one of them
    pub(crate) fn write<S: GameState + PartialEq>(
        &mut self,
        row: usize,
        tree: &Tree<S>,
        store: &Store<S>,
        rules: &S::Rules,
        rule: &SelectionRule,
        config: &TreeConfig,
    ) {
        if let Some(solved) = &tree.solved {
            let best = solved.values.iter().copied().fold(f32::MIN, f32::max);
            let actions = solved.actions.iter().zip(&solved.values);
            let actions = actions.filter(|&(_, &value)| value == best);
            let actions: Vec<usize> = actions.map(|(&action, _)| action).collect();
            for &action in &actions {
                self.policy_targets[[row, action]] = 1.0 / actions.len() as f32;
            }
            let chosen = tree.final_rng().below(actions.len() as u64) as usize;
            self.actions[row] = actions[chosen] as i64;
            self.root_values[row] = best;
            self.solved[row] = true;
            return;
        }
        let root = store.node(tree.first);
        let (choice, count) = (store.choice(root), usize::from(root.count));
        let lanes = tree.lanes(store);
        let targets = &mut self.targets;
        let (temperature, final_draw) = (config.temperature, &mut tree.final_rng());
        let chosen = rule.conclude(choice, count, lanes, temperature, final_draw, targets);
        self.actions[row] = root.state.nth_legal(rules, chosen) as i64;
        self.root_values[row] = root_value(root, rules);
        for place in 0..count {
            let at = [row, root.state.nth_legal(rules, place)];
            let (group, lane) = (place / LANES, place % LANES);
            self.policy_targets[at] = self.targets[group][lane];
            self.visit_counts[at] = choice.tallies[group].visits[lane] as i32;
            // What is ruled out has minus infinity in place of noise, or noise that changes nothing.
            if choice.tallies[group].priors[lane] > f32::NEG_INFINITY {
                self.root_noise[at] = lanes[group].noise[lane];
            }
        }
    }
}

/// What the simulations found, with the network's own value as one more, for the side to move at a root.
fn root_value<S: GameState>(root: &Node<S>, rules: &S::Rules) -> f32 {
    if root.state.must_pass(rules) {
        root.sum / root.visits // a forced pass has not been evaluated itself
    } else {
        (root.value + root.sum) / (1.0 + root.visits)
    }
}

/// The leaves of all searches so far, by how they got their values. Finished games are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafCounts {
    /// By the evaluation of the network.
    pub evaluated: u64,
    /// By that of another tree, which was at the same position at the same time.
    pub shared: u64,
    /// By an evaluation that was kept, see [`crate::tree_search::TreeSearch::keep_evaluations`].
    pub recalled: u64,
    /// By the exact solver.
    pub solved: u64,
}

/// A position in a search tree, for inspection.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// The actions that lead here from the root, forced passes left out.
    pub actions: Vec<usize>,
    /// Simulations that passed through or ended here.
    pub visits: u32,
    /// Its value after them, see [`crate::tree_search::Backup`], for the side to move at the parent (at the
    /// root, for its own).
    pub value: f32,
    /// The probability that the network gives the last of the actions; 1 for the root.
    pub prior: f32,
    /// Whether the value is exact: the game is over, or the position has been solved.
    pub exact: bool,
}

impl TreeNode {
    /// The nodes of a tree, each before its children; none before the root has been evaluated.
    pub(crate) fn of<S: GameState + PartialEq>(
        tree: &Tree<S>,
        store: &Store<S>,
        rules: &S::Rules,
        limits: Limits<'_>,
    ) -> Result<Vec<Self>, Halt> {
        const NODES: &str = "the nodes of a tree";
        let Some(root) = store.nodes.get(tree.first as usize) else {
            return Ok(Vec::new());
        };
        let mut found = vec![Self {
            actions: Vec::new(),
            visits: root.visits as u32,
            value: root_value(root, rules),
            prior: 1.0,
            exact: false,
        }];
        let mut waiting = vec![(tree.first, 0_usize)];
        let mut meter = limits.start();
        while let Some((node, above)) = waiting.pop() {
            meter.count()?;
            let node = store.node(node);
            if node.tallies == NONE {
                continue;
            }
            let choice = store.choice(node);
            for place in 0..usize::from(node.count) {
                let (group, lane) = (place / LANES, place % LANES);
                let tally = &choice.tallies[group];
                let child = tally.children[lane];
                if child == NONE {
                    continue;
                }
                let path = &found[above].actions;
                let mut actions = with_room(NODES, path.len() + 1)?;
                actions.extend(path);
                actions.push(node.state.nth_legal(rules, place));
                make_room(&mut waiting, NODES, 1)?;
                make_room(&mut found, NODES, 1)?;
                waiting.push((child, found.len()));
                found.push(Self {
                    actions,
                    visits: tally.visits[lane] as u32,
                    value: tally.sums[lane] / tally.visits[lane],
                    prior: tally.priors[lane],
                    exact: store.node(child).count == 0,
                });
            }
        }
        Ok(found)
    }
}
