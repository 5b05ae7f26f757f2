//! What searches have found out.

use ndarray::{Array1, Array2};

use crate::random::Draw;
use crate::simd::{LANES, Lanes};
use crate::tree_search::config::TreeConfig;
use crate::tree_search::memory::edges::{NONE, groups};
use crate::tree_search::memory::store::Store;
use crate::tree_search::search::rule::SelectionRule;
use crate::tree_search::search::tree::Tree;
use crate::vector::step::state::GameState;

/// What the searches of a batch have found out about their roots, a row for each.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The policy to learn of one root, by its edges.
    targets: Vec<Lanes>,
    /// The action chosen.
    pub actions: Array1<i64>,
    /// The policy to learn, `(roots, num_actions)`.
    pub policy_targets: Array2<f32>,
    /// What the root is worth for its side to move.
    pub root_values: Array1<f32>,
    /// Visits of each action, those before this search included, `(roots, num_actions)`.
    pub visit_counts: Array2<i32>,
    /// The chance that was added at the root, `(roots, num_actions)`: noise on the logits (Gumbel),
    /// or the policy with noise in it (PUCT).
    pub root_noise: Array2<f32>,
    /// Whether the root has been solved: there are no visits then, and target and value are exact.
    pub solved: Array1<bool>,
}

impl Results {
    pub(crate) fn new(rows: usize, num_actions: usize) -> Self {
        Self {
            targets: vec![[0.0; LANES]; groups(num_actions)],
            actions: Array1::zeros(rows),
            policy_targets: Array2::zeros((rows, num_actions)),
            root_values: Array1::zeros(rows),
            visit_counts: Array2::zeros((rows, num_actions)),
            root_noise: Array2::zeros((rows, num_actions)),
            solved: Array1::from_elem(rows, false),
        }
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
        let conclusion = rule.conclude(choice, count, lanes, temperature, final_draw, targets);
        let chosen = root.state.nth_legal(rules, conclusion.chosen);
        self.actions[row] = chosen as i64;
        self.root_values[row] = conclusion.value;
        for place in 0..count {
            let at = [row, root.state.nth_legal(rules, place)];
            let (group, lane) = (place / LANES, place % LANES);
            self.policy_targets[at] = self.targets[group][lane];
            self.visit_counts[at] = choice.tallies[group].visits[lane] as i32;
            self.root_noise[at] = lanes[group].noise[lane];
        }
    }
}

/// A position in a search tree, as people look at it.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// The actions that lead here from the root, forced passes left out.
    pub actions: Vec<usize>,
    /// Simulations that came through or ended here.
    pub visits: u32,
    /// The mean of what they found, for the side to move at the node before (at the root itself, for
    /// its own).
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
    ) -> Vec<Self> {
        let Some(root) = store.nodes.get(tree.first as usize) else {
            return Vec::new();
        };
        let mut found = vec![Self {
            actions: Vec::new(),
            visits: root.visits as u32,
            value: (root.value + root.sum) / (1.0 + root.visits),
            prior: 1.0,
            exact: false,
        }];
        let mut waiting = vec![(tree.first, 0_usize)];
        while let Some((node, above)) = waiting.pop() {
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
                let mut actions = found[above].actions.clone();
                actions.push(node.state.nth_legal(rules, place));
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
        found
    }
}
