//! What searches have found out.

use super::super::state::State;
use super::config::TreeConfig;
use super::rule::Rule;
use super::tree::{NONE, Tree};

/// What the searches of a batch have found out about their roots, a row for each.
#[derive(Clone, Debug, Default)]
pub struct Results {
    num_actions: usize,
    /// The action chosen.
    pub actions: Vec<i64>,
    /// The policy to learn, `num_actions` a row.
    pub policy_targets: Vec<f32>,
    /// What the root is worth for its side to move.
    pub root_values: Vec<f32>,
    /// Visits of each action, those before this search included, `num_actions` a row.
    pub visit_counts: Vec<i32>,
    /// The chance that was added at the root, `num_actions` a row: noise on the logits (Gumbel), or
    /// the policy with noise in it (PUCT).
    pub root_noise: Vec<f32>,
    /// Whether the root has been solved: there are no visits then, and target and value are exact.
    pub solved: Vec<bool>,
}

impl Results {
    pub(super) fn new(rows: usize, num_actions: usize) -> Self {
        Self {
            num_actions,
            actions: vec![0; rows],
            policy_targets: vec![0.0; rows * num_actions],
            root_values: vec![0.0; rows],
            visit_counts: vec![0; rows * num_actions],
            root_noise: vec![0.0; rows * num_actions],
            solved: vec![false; rows],
        }
    }

    #[allow(clippy::float_cmp)] // the largest is one of them
    pub(super) fn write<S: State + PartialEq>(
        &mut self,
        row: usize,
        tree: &Tree<S>,
        rule: &Rule,
        config: &TreeConfig,
    ) {
        let start = row * self.num_actions;
        if let Some(solved) = tree.solved() {
            let best = solved.values.iter().copied().fold(f32::MIN, f32::max);
            let actions = solved.actions.iter().zip(&solved.values);
            let actions = actions.filter(|&(_, &value)| value == best);
            let actions: Vec<usize> = actions.map(|(&action, _)| action).collect();
            for action in &actions {
                self.policy_targets[start + action] = 1.0 / actions.len() as f32;
            }
            let chosen = tree.luck().below(actions.len() as u64) as usize;
            self.actions[row] = actions[chosen] as i64;
            self.root_values[row] = best;
            self.solved[row] = true;
            return;
        }
        let (choice, before) = tree.root_choice();
        let mut targets = Vec::new();
        let conclusion = rule.conclude(
            choice,
            tree.noise(),
            before,
            config.temperature,
            tree.luck(),
            &mut targets,
        );
        let actions = tree.root_actions();
        self.actions[row] = i64::from(actions[conclusion.chosen]);
        self.root_values[row] = conclusion.value;
        for (place, &action) in actions.iter().enumerate() {
            let at = start + usize::from(action);
            self.policy_targets[at] = targets[place];
            self.visit_counts[at] = choice.visits[place] as i32;
            self.root_noise[at] = tree.noise()[place];
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
    pub(super) fn of<S: State + PartialEq>(tree: &Tree<S>) -> Vec<Self> {
        let (nodes, edges) = (tree.nodes(), tree.edges());
        let Some(root) = nodes.first() else {
            return Vec::new();
        };
        let own = 0..root.count as usize;
        let visits: f32 = edges.visits[own.clone()].iter().sum();
        let sum: f32 = edges.sums[own].iter().sum();
        let mut found = vec![Self {
            actions: Vec::new(),
            visits: visits as u32,
            value: (root.value + sum) / (1.0 + visits),
            prior: 1.0,
            exact: false,
        }];
        let mut waiting = vec![(0_u32, 0_usize)];
        while let Some((node, place)) = waiting.pop() {
            let node = &nodes[node as usize];
            for edge in node.first as usize..(node.first + node.count) as usize {
                let child = edges.children[edge];
                if child == NONE {
                    continue;
                }
                let mut actions = found[place].actions.clone();
                actions.push(usize::from(edges.actions[edge]));
                waiting.push((child, found.len()));
                found.push(Self {
                    actions,
                    visits: edges.visits[edge] as u32,
                    value: edges.sums[edge] / edges.visits[edge],
                    prior: edges.priors[edge],
                    exact: nodes[child as usize].count == 0,
                });
            }
        }
        found
    }
}
