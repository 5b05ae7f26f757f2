//! One tree: nodes and edges in flat memory, and how a simulation goes through it.

use std::ops::Range;

use super::super::state::State;
use super::config::TreeConfig;
use super::evaluate::Exact;
use super::rule::Rule;
use super::softmax::softmax;
use crate::random::SplitMix64;
use crate::search::Halt;

/// The child of an edge that no simulation has taken yet.
pub(super) const NONE: u32 = u32::MAX;

/// Room that is made for the edges of a node: more than there are on average.
const EDGES_PER_NODE: usize = 16;

/// A position in the tree, forced passes behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<S> {
    pub(super) state: S,
    /// Where its edges start.
    pub(super) first: u32,
    /// Its edges; none if its value is exact.
    pub(super) count: u32,
    /// What the network, or the rules, say it is worth for the side to move.
    pub(super) value: f32,
}

/// The actions of all nodes; those of a node follow each other.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub(super) actions: Vec<u16>,
    pub(super) children: Vec<u32>,
    pub(super) visits: Vec<f32>,
    /// Sums of the values found, for the side to move at the node.
    pub(super) sums: Vec<f32>,
    /// Less the largest of the node.
    pub(super) logits: Vec<f32>,
    /// Their softmax.
    pub(super) priors: Vec<f32>,
}

impl Edges {
    fn reserve(&mut self, edges: usize) {
        self.actions.reserve(edges);
        self.children.reserve(edges);
        self.visits.reserve(edges);
        self.sums.reserve(edges);
        self.logits.reserve(edges);
        self.priors.reserve(edges);
    }

    fn clear(&mut self) {
        self.actions.clear();
        self.children.clear();
        self.visits.clear();
        self.sums.clear();
        self.logits.clear();
        self.priors.clear();
    }

    /// Copies the edges of a node from another tree, with the numbers that children have there.
    fn extend(&mut self, from: &Self, range: Range<usize>) {
        self.actions.extend(&from.actions[range.clone()]);
        self.children.extend(&from.children[range.clone()]);
        self.visits.extend(&from.visits[range.clone()]);
        self.sums.extend(&from.sums[range.clone()]);
        self.logits.extend(&from.logits[range.clone()]);
        self.priors.extend(&from.priors[range]);
    }
}

/// The edges of one node, as the rules that choose among them see them.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    /// What the node itself is worth.
    pub(super) value: f32,
    pub(super) visits: &'a [f32],
    pub(super) sums: &'a [f32],
    pub(super) logits: &'a [f32],
    pub(super) priors: &'a [f32],
}

/// What all trees of a batch read.
pub(super) struct Shared<'a, S: State> {
    pub(super) rules: &'a S::Rules,
    pub(super) config: &'a TreeConfig,
    pub(super) rule: &'a Rule,
    pub(super) exact: Exact<'a>,
}

/// A search tree and the state of its search.
#[derive(Debug)]
pub(super) struct Tree<S> {
    root: S,
    nodes: Vec<Node<S>>,
    edges: Edges,
    /// Nodes and edges from the root to the leaf.
    path: Vec<(u32, u32)>,
    /// The position that waits to be evaluated.
    leaf: Option<S>,
    /// The simulations of this search that have come to their end.
    done: usize,
    /// Chance at the root, one number for each of its edges; what it means is up to the rule.
    noise: Vec<f32>,
    /// Visits of the root's edges before this search.
    before: Vec<f32>,
    /// The margins of all actions, when the root itself has been solved.
    solved: Option<Solved>,
    stream: SplitMix64,
    /// Decides the last choice of this search.
    luck: u64,
    scratch: Vec<f32>,
}

/// A root about which everything is known.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    pub(super) actions: Vec<usize>,
    /// What each of them is worth for the side to move.
    pub(super) values: Vec<f32>,
}

/// Tells the draws of a search from those of an environment with the same seed.
const TREE_STREAM: u64 = 0x7472_6565;

impl<S: State + PartialEq> Tree<S> {
    pub(super) fn new(root: S, seed: u64) -> Self {
        let mut stream = SplitMix64::stream(seed, TREE_STREAM);
        Self {
            luck: stream.next_u64(),
            root,
            nodes: Vec::new(),
            edges: Edges::default(),
            path: Vec::new(),
            leaf: None,
            done: 0,
            noise: Vec::new(),
            before: Vec::new(),
            solved: None,
            stream,
            scratch: Vec::new(),
        }
    }

    pub(super) fn root(&self) -> &S {
        &self.root
    }

    pub(super) fn leaf(&self) -> Option<&S> {
        self.leaf.as_ref()
    }

    pub(super) fn nodes(&self) -> &[Node<S>] {
        &self.nodes
    }

    pub(super) fn edges(&self) -> &Edges {
        &self.edges
    }

    pub(super) fn solved(&self) -> Option<&Solved> {
        self.solved.as_ref()
    }

    pub(super) fn noise(&self) -> &[f32] {
        &self.noise
    }

    pub(super) fn is_done(&self, config: &TreeConfig) -> bool {
        self.solved.is_some() || self.done >= config.num_simulations
    }

    /// The actions of the root.
    pub(super) fn root_actions(&self) -> &[u16] {
        &self.edges.actions[..self.nodes.first().map_or(0, |root| root.count as usize)]
    }

    /// The edges of the root, and the visits that each had before this search.
    pub(super) fn root_choice(&self) -> (Choice<'_>, &[f32]) {
        (self.choice(0), &self.before)
    }

    fn choice(&self, node: usize) -> Choice<'_> {
        let Node {
            first,
            count,
            value,
            ..
        } = self.nodes[node];
        let range = first as usize..(first + count) as usize;
        Choice {
            value,
            visits: &self.edges.visits[range.clone()],
            sums: &self.edges.sums[range.clone()],
            logits: &self.edges.logits[range.clone()],
            priors: &self.edges.priors[range],
        }
    }

    /// Starts the next search, from this position. What the tree knows of it already is kept.
    pub(super) fn restart(&mut self, root: S, shared: &Shared<'_, S>, spare: &mut Self) {
        self.leaf = None;
        self.done = 0;
        self.luck = self.stream.next_u64();
        self.solved = None;
        self.noise.clear();
        self.before.clear();
        let kept = if self.nodes.is_empty() {
            None
        } else if self.root == root {
            Some(0)
        } else {
            let edges = 0..self.nodes[0].count as usize;
            let children = self.edges.children[edges].iter().copied();
            children
                .filter(|&child| child != NONE)
                .find(|&child| self.nodes[child as usize].state == root)
        };
        self.root = root;
        match kept {
            // A solved node knows its value and no actions: it cannot be a root.
            Some(node) if self.nodes[node as usize].count > 0 => {
                if node != 0 {
                    self.keep_only(node, spare);
                }
                self.prepare_root(shared);
            }
            _ => {
                self.nodes.clear();
                self.edges.clear();
            }
        }
    }

    /// Makes a node the root and forgets what cannot be reached from it.
    fn keep_only(&mut self, node: u32, spare: &mut Self) {
        spare.nodes.clear();
        spare.edges.clear();
        spare.adopt(self, node);
        let mut at = 0;
        while at < spare.nodes.len() {
            let Node { first, count, .. } = spare.nodes[at];
            for edge in first as usize..(first + count) as usize {
                let child = spare.edges.children[edge];
                if child != NONE {
                    spare.edges.children[edge] = spare.nodes.len() as u32;
                    spare.adopt(self, child);
                }
            }
            at += 1;
        }
        std::mem::swap(&mut self.nodes, &mut spare.nodes);
        std::mem::swap(&mut self.edges, &mut spare.edges);
    }

    /// Adds a node of another tree, its edges leading to the numbers of their children there.
    fn adopt(&mut self, from: &Self, node: u32) {
        let mut node = from.nodes[node as usize];
        let range = node.first as usize..(node.first + node.count) as usize;
        node.first = self.edges.actions.len() as u32;
        self.edges.extend(&from.edges, range);
        self.nodes.push(node);
    }

    /// Draws the noise of the search that starts, and remembers where it starts from.
    #[inline(always)]
    fn prepare_root(&mut self, shared: &Shared<'_, S>) {
        let count = self.nodes[0].count as usize;
        self.before.clear();
        self.before.extend(&self.edges.visits[..count]);
        let priors = &self.edges.priors[..count];
        let temperature = shared.config.temperature;
        shared
            .rule
            .draw_noise(temperature, priors, &mut self.stream, &mut self.noise);
    }

    /// Simulates until a position has to be evaluated or the search is done.
    ///
    /// # Errors
    ///
    /// When the exact solver has been stopped. The simulation it was part of has not happened.
    #[inline(always)]
    pub(super) fn simulate(&mut self, shared: &Shared<'_, S>) -> Result<(), Halt> {
        if self.leaf.is_some() || self.is_done(shared.config) {
            return Ok(());
        }
        if self.nodes.is_empty() {
            return self.open_root(shared);
        }
        while self.done < shared.config.num_simulations {
            let (node, edge) = self.descend(shared);
            self.path.push((node, edge));
            let child = self.edges.children[edge as usize];
            if child != NONE {
                let Node { state, value, .. } = self.nodes[child as usize];
                self.back_up(&state, value);
                continue;
            }
            let action = usize::from(self.edges.actions[edge as usize]);
            let mut state = self.nodes[node as usize].state.play(shared.rules, action);
            while state.must_pass(shared.rules) {
                let pass = state.nth_legal(shared.rules, 0);
                state = state.play(shared.rules, pass);
            }
            let Some(value) = shared.exact.value::<S>(shared, &state)? else {
                self.leaf = Some(state);
                return Ok(());
            };
            self.add_node(state, value, edge);
            self.back_up(&state, value);
        }
        Ok(())
    }

    /// Solves the root, or asks for its evaluation; a forced pass needs none.
    fn open_root(&mut self, shared: &Shared<'_, S>) -> Result<(), Halt> {
        if let Some(solved) = shared.exact.solve::<S>(shared, &self.root)? {
            self.solved = Some(solved);
        } else if self.root.must_pass(shared.rules) {
            let width = self.root.nth_legal(shared.rules, 0) + 1;
            self.expand_root(shared, &vec![0.0; width], 0.0);
            return self.simulate(shared);
        } else {
            self.leaf = Some(self.root);
            self.path.clear();
        }
        Ok(())
    }

    /// Follows the tree to an edge that leads to an exact value or to nothing yet.
    #[inline(always)]
    fn descend(&mut self, shared: &Shared<'_, S>) -> (u32, u32) {
        self.path.clear();
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut node = 0;
        let found = loop {
            let choice = self.choice(node as usize);
            let chosen = if node == 0 {
                let simulation = self.done;
                let (noise, before) = (&self.noise, &self.before);
                shared
                    .rule
                    .choose_at_root(choice, noise, before, simulation, &mut scratch)
            } else {
                shared.rule.choose(choice, &mut scratch)
            };
            let edge = self.nodes[node as usize].first + chosen as u32;
            let child = self.edges.children[edge as usize];
            if child == NONE || self.nodes[child as usize].count == 0 {
                break (node, edge);
            }
            self.path.push((node, edge));
            node = child;
        };
        self.scratch = scratch;
        found
    }

    /// Takes in the evaluation of the leaf, if there is one.
    #[inline(always)]
    pub(super) fn expand(&mut self, shared: &Shared<'_, S>, logits: &[f32], value: f32) {
        let Some(state) = self.leaf.take() else {
            return;
        };
        let Some(&(_, edge)) = self.path.last() else {
            self.expand_root(shared, logits, value);
            return;
        };
        self.add_node(state, value, edge);
        self.add_edges(shared, &state, logits);
        self.back_up(&state, value);
    }

    fn expand_root(&mut self, shared: &Shared<'_, S>, logits: &[f32], value: f32) {
        let state = self.root;
        self.nodes.reserve(shared.config.num_simulations + 1);
        self.edges
            .reserve(shared.config.num_simulations * EDGES_PER_NODE);
        self.nodes.push(Node {
            state,
            first: 0,
            count: 0,
            value,
        });
        self.add_edges(shared, &state, logits);
        self.prepare_root(shared);
    }

    #[inline(always)]
    fn add_node(&mut self, state: S, value: f32, edge: u32) {
        self.edges.children[edge as usize] = self.nodes.len() as u32;
        self.nodes.push(Node {
            state,
            first: self.edges.actions.len() as u32,
            count: 0,
            value,
        });
    }

    /// Gives the newest node its edges.
    #[inline(always)]
    fn add_edges(&mut self, shared: &Shared<'_, S>, state: &S, logits: &[f32]) {
        let count = state.count_legal(shared.rules);
        let edges = &mut self.edges;
        let first = edges.actions.len();
        for rank in 0..count {
            let action = state.nth_legal(shared.rules, rank);
            edges.actions.push(action as u16);
            edges.logits.push(logits[action]);
        }
        let all = first + count;
        edges.children.resize(all, NONE);
        edges.visits.resize(all, 0.0);
        edges.sums.resize(all, 0.0);
        let own = &mut edges.logits[first..];
        let largest = own.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for logit in &mut *own {
            *logit -= largest;
        }
        edges.priors.extend_from_slice(own);
        softmax(&mut edges.priors[first..]);
        let node = self.nodes.last_mut().expect("a node has just been added");
        node.count = count as u32;
    }

    /// Adds a value, for the side to move in `state`, to every edge of the path.
    #[inline(always)]
    fn back_up(&mut self, state: &S, value: f32) {
        let side = state.to_play();
        for &(node, edge) in &self.path {
            // Turns need not alternate where passes are skipped.
            let own = self.nodes[node as usize].state.to_play() == side;
            self.edges.visits[edge as usize] += 1.0;
            self.edges.sums[edge as usize] += if own { value } else { -value };
        }
        self.done += 1;
    }

    /// What a game of random actions from the leaf pays its side to move; nothing without a leaf.
    pub(super) fn play_out(&mut self, shared: &Shared<'_, S>) -> Option<f32> {
        let leaf = self.leaf?;
        let mut state = leaf;
        while !state.is_over(shared.rules) {
            let count = state.count_legal(shared.rules);
            let rank = self.stream.below(count as u64) as usize;
            state = state.play(shared.rules, state.nth_legal(shared.rules, rank));
        }
        let score = state.score(shared.rules).map(i32::from);
        let own = leaf.to_play();
        Some(shared.config.value(score[own] - score[1 - own]))
    }

    /// The memory it takes.
    pub(super) fn bytes(&self) -> usize {
        let edges = &self.edges;
        let of_edges = 2 * edges.actions.capacity()
            + 4 * edges.children.capacity()
            + 4 * edges.visits.capacity()
            + 4 * edges.sums.capacity()
            + 4 * edges.logits.capacity()
            + 4 * edges.priors.capacity();
        size_of::<Self>() + self.nodes.capacity() * size_of::<Node<S>>() + of_edges
    }

    /// Chance for the last choice of this search.
    pub(super) fn luck(&self) -> SplitMix64 {
        SplitMix64::new(self.luck)
    }
}
