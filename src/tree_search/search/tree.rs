//! One tree, and how a simulation goes through it.

use std::mem;

use rand::Rng;

use super::evaluation::LeafEvaluation;
use super::exact::{Exact, Solved};
use super::known::Workspace;
use super::rule::SelectionRule;
use crate::memory::OutOfMemory;
use crate::random::{Draw, SplitMix64};
use crate::search::Halt;
use crate::simd::{LANES, Lanes, Simd};
use crate::tree_search::config::TreeConfig;
use crate::tree_search::memory::edges::{Logits, NONE};
use crate::tree_search::memory::store::{Node, Prediction, RootLanes, Store};
use crate::vector::step::state::GameState;

/// The data that all trees of a batch read.
pub(crate) struct SearchContext<'a, S: GameState> {
    pub(crate) rules: &'a S::Rules,
    pub(crate) config: &'a TreeConfig,
    pub(crate) rule: &'a SelectionRule,
    pub(crate) exact: Exact<'a, S>,
}

/// A search tree and the state of its search; its nodes and edges are in the [`Store`] that its
/// functions are given.
#[derive(Debug)]
pub(crate) struct Tree<S> {
    pub(crate) root: S,
    /// The node of the root; [`NONE`] before it has been evaluated.
    pub(crate) first: u32,
    /// Where the lanes of the root start.
    first_lanes: u32,
    /// The edges of the root whose probability is above 0.
    possible: u16,
    /// Nodes and the places of their edges from the root to the leaf.
    pub(crate) path: Vec<(u32, u32)>,
    /// The simulations of this search that are complete.
    done: usize,
    /// Whether there is nothing to search.
    pub(crate) idle: bool,
    /// The margins of all actions, when the root itself has been solved.
    pub(crate) solved: Option<Box<Solved>>,
    rng: SplitMix64,
    /// Seed for the final choice of an action.
    pub(crate) final_draw: u64,
}

/// Keeps the draws of a search apart from those of an environment with the same seed.
const TREE_STREAM: u64 = 0x7472_6565;

/// Visits are counted in f32, which is exact up to here.
const MOST_VISITS: usize = 1 << 24;

impl<S: GameState + PartialEq> Tree<S> {
    pub(crate) fn new(root: S, seed: u64) -> Self {
        Self::with_rng(root, SplitMix64::stream(seed, TREE_STREAM))
    }

    fn with_rng(root: S, mut rng: SplitMix64) -> Self {
        Self {
            final_draw: rng.next_u64(),
            root,
            first: NONE,
            first_lanes: 0,
            possible: 0,
            path: Vec::new(),
            done: 0,
            idle: false,
            solved: None,
            rng,
        }
    }

    pub(crate) fn is_done(&self, config: &TreeConfig) -> bool {
        self.done >= config.num_simulations || self.solved.is_some() || self.idle
    }

    /// The lanes of the root; it must have been evaluated.
    #[inline(always)]
    pub(crate) fn lanes<'a>(&self, store: &'a Store<S>) -> &'a [RootLanes] {
        &store.lanes[self.first_lanes as usize..][..store.node(self.first).groups()]
    }

    /// A tree without a search.
    pub(crate) fn idle(&self) -> Self {
        Self {
            idle: true,
            ..Self::with_rng(self.root, self.rng)
        }
    }

    /// The tree for the next search from this position, without a path. Its nodes below the position
    /// are copied to the new store, unless it will be solved, or their visits and those of another search
    /// are too many.
    pub(crate) fn restarted<V: Simd>(
        &self,
        simd: V,
        root: S,
        context: &SearchContext<'_, S>,
        old: &Store<S>,
        new: &mut Store<S>,
    ) -> Result<Self, OutOfMemory> {
        let mut tree = Self::with_rng(root, self.rng);
        if !context.exact.solves(&root)
            && let Some(node) = self.find(&root, old)
            // A solved node knows its value and no actions: it cannot be a root.
            && old.node(node).count > 0
            && old.node(node).visits as usize + context.config.num_simulations <= MOST_VISITS
        {
            tree.first = new.adopt(old, node)?;
            new.make_room_for_root()?;
            if new.node(tree.first).tallies == NONE {
                new.open(simd, tree.first);
            }
            tree.prepare_root(context, new);
        }
        Ok(tree)
    }

    /// Replaces the tree by the one that [`Tree::restarted`] returned.
    pub(crate) fn replace(&mut self, restarted: Self) {
        let mut path = mem::take(&mut self.path);
        path.clear();
        *self = Self { path, ..restarted };
    }

    /// The root, or the child of the root, that is at this position.
    fn find(&self, position: &S, store: &Store<S>) -> Option<u32> {
        if self.first == NONE {
            return None;
        }
        if self.root == *position {
            return Some(self.first);
        }
        let tallies = store.choice(store.node(self.first)).tallies.iter();
        let mut children = tallies.flat_map(|tally| tally.children);
        children.find(|&child| child != NONE && store.node(child).state == *position)
    }

    /// Simulates until a position has to be evaluated or the search is done; returns the position.
    /// Not to be called again before that has been handed to [`Tree::expand`].
    ///
    /// # Errors
    ///
    /// When the exact solver has been stopped or memory does not suffice. The simulation it was part
    /// of has not happened.
    #[inline(always)]
    pub(crate) fn simulate<V: Simd>(
        &mut self,
        simd: V,
        context: &SearchContext<'_, S>,
        store: &mut Store<S>,
        workspace: &mut Workspace<S>,
    ) -> Result<Option<S>, Halt> {
        if self.is_done(context.config) {
            return Ok(None);
        }
        if self.first == NONE
            && let Some(leaf) = self.open_root(simd, context, store)?
        {
            let Some(known) = workspace.known.get(&leaf) else {
                return Ok(Some(leaf));
            };
            store.make_room_for_root()?;
            self.expand_root(simd, context, store, known);
            workspace.recalled += 1;
        }
        while !self.is_done(context.config) {
            // Where the game is nearly over, all simulations are made here.
            context.exact.limits.check_stop()?;
            let (node, place) = self.descend(simd, context, store, &mut workspace.scratch);
            let child = store.child(node, place);
            if child != NONE {
                let Node { state, value, .. } = *store.node(child);
                self.back_up(context, store, &state, value);
                continue;
            }
            let parent = &store.node(node).state;
            let action = parent.nth_legal(context.rules, place as usize);
            let mut state = parent.play(context.rules, action);
            while state.must_pass(context.rules) {
                let pass = state.nth_legal(context.rules, 0);
                state = state.play(context.rules, pass);
            }
            let Some(value) = context.exact.value(&state)? else {
                let Some(known) = workspace.known.get(&state) else {
                    return Ok(Some(state));
                };
                store.make_room()?;
                self.add(simd, context, store, state, known);
                workspace.recalled += 1;
                continue;
            };
            workspace.solved += u64::from(!state.is_over(context.rules));
            let head = Prediction {
                value,
                ..Prediction::default()
            };
            store.make_room()?;
            let evaluation = LeafEvaluation { head, logits: &[] };
            self.add(simd, context, store, state, evaluation);
        }
        Ok(None)
    }

    /// Solves the root, or asks for its evaluation; a forced pass needs none.
    #[inline(always)]
    fn open_root<V: Simd>(
        &mut self,
        simd: V,
        context: &SearchContext<'_, S>,
        store: &mut Store<S>,
    ) -> Result<Option<S>, Halt> {
        if let Some(solved) = context.exact.solve(&self.root)? {
            self.solved = Some(Box::new(solved));
        } else if self.root.must_pass(context.rules) {
            let mut pass = Logits::NOTHING;
            pass.numbers[0] = 0.0;
            let head = Prediction {
                count: 1,
                ..Prediction::default()
            };
            let logits = &[pass];
            store.make_room_for_root()?;
            self.expand_root(simd, context, store, LeafEvaluation { head, logits });
        } else {
            return Ok(Some(self.root));
        }
        Ok(None)
    }

    /// Descends to an edge that leads to an exact value or has no child yet.
    #[inline(always)]
    fn descend<V: Simd>(
        &mut self,
        simd: V,
        context: &SearchContext<'_, S>,
        store: &Store<S>,
        scratch: &mut [Lanes],
    ) -> (u32, u32) {
        self.path.clear();
        let mut at = self.first;
        loop {
            let node = store.node(at);
            let place = if at == self.first {
                let (choice, lanes) = (store.choice(node), self.lanes(store));
                let possible = usize::from(self.possible);
                context
                    .rule
                    .choose_at_root(simd, choice, lanes, possible, self.done, scratch)
            } else if node.tallies == NONE {
                usize::from(node.best)
            } else {
                context.rule.choose(simd, store.choice(node), scratch)
            };
            let place = place as u32;
            self.path.push((at, place));
            let child = store.child(at, place);
            if child == NONE || store.node(child).count == 0 {
                return (at, place);
            }
            at = child;
        }
    }

    /// Makes room in the store for the leaf.
    #[inline(always)]
    pub(crate) fn make_room(&self, store: &mut Store<S>) -> Result<(), OutOfMemory> {
        if self.first == NONE {
            store.make_room_for_root()
        } else {
            store.make_room()
        }
    }

    /// Takes in the evaluation of the leaf, for which there must be room.
    #[inline(always)]
    pub(crate) fn expand<V: Simd>(
        &mut self,
        simd: V,
        context: &SearchContext<'_, S>,
        store: &mut Store<S>,
        leaf: &S,
        evaluation: LeafEvaluation<'_>,
    ) {
        if self.first == NONE {
            self.expand_root(simd, context, store, evaluation);
        } else {
            self.add(simd, context, store, *leaf, evaluation);
        }
    }

    #[inline(always)]
    fn expand_root<V: Simd>(
        &mut self,
        simd: V,
        context: &SearchContext<'_, S>,
        store: &mut Store<S>,
        evaluation: LeafEvaluation<'_>,
    ) {
        self.first = store.add(self.root, evaluation.head, evaluation.logits);
        store.open(simd, self.first);
        self.prepare_root(context, store);
    }

    /// Draws the noise of the search that starts, and remembers where it starts from.
    fn prepare_root(&mut self, context: &SearchContext<'_, S>, store: &mut Store<S>) {
        let root = &store.nodes[self.first as usize];
        let logits = &store.logits[root.logits as usize..][..root.groups()];
        let logits = logits.iter().flat_map(|it| it.numbers);
        self.possible = logits.filter(|&it| it > f32::NEG_INFINITY).count() as u16;
        let tallies = &store.tallies[root.tallies as usize..][..root.groups()];
        self.first_lanes = store.lanes.len() as u32;
        let before = tallies.iter().map(|tally| RootLanes {
            before: tally.visits,
            ..RootLanes::NOTHING
        });
        store.lanes.extend(before);
        context.rule.draw_noise(
            context.config.temperature,
            tallies,
            usize::from(root.count),
            usize::from(self.possible),
            &mut self.rng,
            &mut store.lanes[self.first_lanes as usize..],
        );
    }

    /// Adds a node where the path leads, and its value to the path.
    #[inline(always)]
    fn add<V: Simd>(
        &mut self,
        simd: V,
        context: &SearchContext<'_, S>,
        store: &mut Store<S>,
        state: S,
        evaluation: LeafEvaluation<'_>,
    ) {
        let child = store.add(state, evaluation.head, evaluation.logits);
        if let Some(&(node, place)) = self.path.last() {
            store.link(simd, node, place, child);
        }
        self.back_up(context, store, &state, evaluation.head.value);
    }

    /// Counts a simulation in every edge of the path, and its value for the side to move in `state`.
    #[inline(always)]
    fn back_up(
        &mut self,
        context: &SearchContext<'_, S>,
        store: &mut Store<S>,
        state: &S,
        value: f32,
    ) {
        let (mut side, mut value) = (state.to_play(), value);
        for &(at, place) in self.path.iter().rev() {
            let node = &mut store.nodes[at as usize];
            // Turns need not alternate where passes are skipped.
            let own = if node.state.to_play() == side {
                value
            } else {
                -value
            };
            let (group, lane) = (place as usize / LANES, place as usize % LANES);
            let tally = &mut store.tallies[node.tallies as usize + group];
            tally.visits[lane] += 1.0;
            node.visits += 1.0;
            node.most = node.most.max(tally.visits[lane]);
            if !context.rule.backs_up_by_policy() {
                tally.sums[lane] += own;
                node.sum += own;
                continue;
            }
            tally.sums[lane] = own * tally.visits[lane];
            let mean = context.rule.mean_by_policy(store.choice(store.node(at)));
            let node = &mut store.nodes[at as usize];
            node.sum = mean * node.visits;
            side = node.state.to_play();
            value = (node.value + node.sum) / (1.0 + node.visits);
        }
        self.done += 1;
    }

    /// The value of a game of random actions from a leaf, for its side to move.
    pub(crate) fn rollout_value(&mut self, context: &SearchContext<'_, S>, leaf: &S) -> f32 {
        let mut state = *leaf;
        while !state.is_over(context.rules) {
            let count = state.count_legal(context.rules);
            let rank = self.rng.below(count as u64) as usize;
            state = state.play(context.rules, state.nth_legal(context.rules, rank));
        }
        let score = state.score(context.rules).map(i32::from);
        let own = leaf.to_play();
        context.config.value(score[own] - score[1 - own])
    }

    /// The memory it takes beside the store.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.path.capacity() * size_of::<(u32, u32)>()
    }

    /// The generator for the final choice of an action.
    pub(crate) fn final_rng(&self) -> SplitMix64 {
        SplitMix64::new(self.final_draw)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::encode::VariantSet;
    use crate::game::Variant;
    use crate::vector::step::packed_game::PackedGame;

    #[test]
    fn the_memory_of_a_tree_is_that_of_itself_and_its_path() {
        let variants = Arc::new(VariantSet::one(Arc::new(Variant::default())));
        let rules = PackedGame::rules(&variants).unwrap();
        let mut tree = Tree::new(PackedGame::start(&rules, 0), 0);
        assert_eq!(tree.bytes(), size_of_val(&tree));
        tree.path.reserve_exact(5);
        assert_eq!(tree.bytes(), size_of_val(&tree) + tree.path.capacity() * 8);
    }
}
