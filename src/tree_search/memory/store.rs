//! The memory of many trees.

#![forbid(unsafe_code)]

use super::TREES;
use super::edges::{Logits, NONE, Tally, groups};
use crate::large_pages::in_large_pages;
use crate::memory::{OutOfMemory, make_room, with_room};
use crate::simd::{LANES, Lanes, Simd};
use crate::vector::step::state::GameState;

/// The network's evaluation of one position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Prediction {
    /// For the side to move.
    pub(crate) value: f32,
    /// Its legal actions.
    pub(crate) count: u16,
    /// The place of the action with the largest logit among them, the first of equal ones.
    pub(crate) best: u16,
}

/// A node and its edges, as the rules that choose among them see them.
#[derive(Clone, Copy)]
pub(crate) struct NodeEdges<'a> {
    /// The value of the node itself.
    pub(crate) value: f32,
    /// For all edges.
    pub(crate) visits: f32,
    /// For all edges.
    pub(crate) sum: f32,
    /// Visits of the edge with the most.
    pub(crate) most: f32,
    pub(crate) logits: &'a [Logits],
    /// As many as `logits`.
    pub(crate) tallies: &'a [Tally],
}

/// The data that a search adds to eight edges of its root.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct RootLanes {
    /// For PUCT the policy with noise in it, minus infinity where the logit is; for Gumbel the noise on
    /// the logits. Lanes without an edge have minus infinity.
    pub(crate) noise: Lanes,
    /// Visits before this search.
    pub(crate) before: Lanes,
}

impl RootLanes {
    pub(crate) const NOTHING: Self = Self {
        noise: [f32::NEG_INFINITY; LANES],
        before: [0.0; LANES],
    };
}

/// A position in the tree, forced passes behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<S> {
    pub(crate) state: S,
    /// Its value for the side to move, from the network or the rules.
    pub(crate) value: f32,
    /// Simulations that went through its edges.
    pub(crate) visits: f32,
    /// The values they found, for the side to move; backed up by policy, as if all had found their mean.
    pub(crate) sum: f32,
    /// The simulations through the edge that has the most.
    pub(crate) most: f32,
    /// Where the logits of its edges start.
    pub(crate) logits: u32,
    /// Where the tallies of its edges start; [`NONE`] before the first visit.
    pub(crate) tallies: u32,
    /// Its edges, one for each legal action in ascending order; none if its value is exact.
    pub(crate) count: u16,
    /// The edge with the largest logit.
    pub(crate) best: u16,
}

impl<S> Node<S> {
    #[inline(always)]
    pub(crate) fn groups(&self) -> usize {
        groups(usize::from(self.count))
    }
}

/// Nodes and edges of all trees of one thread, in the order in which they were made.
///
/// So the data that the trees of a batch read one after the other lies side by side. With separate
/// memory for every tree, a processor spends more time on TLB misses than on calculating.
#[derive(Debug)]
pub(crate) struct Store<S> {
    pub(crate) nodes: Vec<Node<S>>,
    /// The logits of the edges; those of a node follow each other.
    pub(crate) logits: Vec<Logits>,
    /// The statistics of the edges of nodes with visits.
    pub(crate) tallies: Vec<Tally>,
    /// The lanes of the roots.
    pub(crate) lanes: Vec<RootLanes>,
    /// The number of nodes that fit in any case, even with all edges.
    room: usize,
    /// The groups that the edges of a node fill at most.
    most_groups: usize,
}

impl<S: GameState> Store<S> {
    /// Memory with room for this many nodes, which have this many edges at most.
    pub(crate) fn with_room(nodes: usize, most_edges: usize) -> Result<Self, OutOfMemory> {
        // Groups of edges on average: of a node, and of those that are visited again.
        const LOGITS: usize = 4;
        const TALLIES: usize = 2;
        Ok(Self {
            nodes: reserved(nodes)?,
            logits: reserved(nodes.saturating_mul(LOGITS))?,
            tallies: reserved(nodes.saturating_mul(TALLIES))?,
            lanes: Vec::new(),
            room: 0,
            most_groups: groups(most_edges),
        })
    }

    /// Makes room for a node with any number of edges, and for the tallies of its parent. Without it,
    /// adding them may abort the process.
    #[inline(always)]
    pub(crate) fn make_room(&mut self) -> Result<(), OutOfMemory> {
        // Called for every simulation, so it only counts a number down.
        if self.room == 0 {
            self.find_room()?;
        }
        self.room -= 1;
        Ok(())
    }

    /// Makes room for the node of a root as well as for its lanes.
    pub(crate) fn make_room_for_root(&mut self) -> Result<(), OutOfMemory> {
        grow(&mut self.lanes, self.most_groups)?;
        self.make_room()
    }

    #[cold]
    fn find_room(&mut self) -> Result<(), OutOfMemory> {
        grow(&mut self.nodes, 1)?;
        grow(&mut self.logits, self.most_groups)?;
        grow(&mut self.tallies, self.most_groups)?;
        let groups = room(&self.logits).min(room(&self.tallies));
        self.room = room(&self.nodes).min(groups / self.most_groups);
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.logits.clear();
        self.tallies.clear();
        self.lanes.clear();
        self.room = 0; // at least, and more is found when it is needed
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<S>>()
            + self.logits.capacity() * size_of::<Logits>()
            + self.tallies.capacity() * size_of::<Tally>()
            + self.lanes.capacity() * size_of::<RootLanes>()
    }

    #[inline(always)]
    pub(crate) fn node(&self, node: u32) -> &Node<S> {
        &self.nodes[node as usize]
    }

    /// A node and its edges; it must have tallies.
    #[inline(always)]
    pub(crate) fn choice(&self, node: &Node<S>) -> NodeEdges<'_> {
        let groups = node.groups();
        NodeEdges {
            value: node.value,
            visits: node.visits,
            sum: node.sum,
            most: node.most,
            logits: &self.logits[node.logits as usize..][..groups],
            tallies: &self.tallies[node.tallies as usize..][..groups],
        }
    }

    /// The node that an edge leads to.
    #[inline(always)]
    pub(crate) fn child(&self, node: u32, place: u32) -> u32 {
        let tallies = self.node(node).tallies;
        if tallies == NONE {
            return NONE;
        }
        let (group, lane) = (place as usize / LANES, place as usize % LANES);
        self.tallies[tallies as usize + group].children[lane]
    }

    /// Adds a node, its edges having these logits; returns its number.
    #[inline(always)]
    pub(crate) fn add(&mut self, state: S, head: Prediction, logits: &[Logits]) -> u32 {
        self.nodes.push(Node {
            state,
            value: head.value,
            visits: 0.0,
            sum: 0.0,
            most: 0.0,
            logits: self.logits.len() as u32,
            tallies: NONE,
            count: head.count,
            best: head.best,
        });
        self.logits.extend_from_slice(logits);
        self.nodes.len() as u32 - 1
    }

    /// Makes an edge lead to a node.
    #[inline(always)]
    pub(crate) fn link<V: Simd>(&mut self, simd: V, node: u32, place: u32, child: u32) {
        if self.node(node).tallies == NONE {
            self.open(simd, node);
        }
        let first = self.node(node).tallies as usize;
        let (group, lane) = (place as usize / LANES, place as usize % LANES);
        self.tallies[first + group].children[lane] = child;
    }

    /// Makes room for the tallies of a node's edges.
    #[inline(always)]
    pub(crate) fn open<V: Simd>(&mut self, simd: V, node: u32) {
        let node = &mut self.nodes[node as usize];
        node.tallies = self.tallies.len() as u32;
        let logits = &self.logits[node.logits as usize..][..node.groups()];
        Tally::open(simd, &mut self.tallies, logits);
    }

    /// Copies a node and all that can be reached from it; returns its number here.
    pub(crate) fn adopt(&mut self, from: &Self, node: u32) -> Result<u32, OutOfMemory> {
        let root = self.adopt_one(from, node)?;
        let mut at = root;
        while (at as usize) < self.nodes.len() {
            let Node { tallies, .. } = *self.node(at);
            if tallies != NONE {
                for tally in tallies as usize..tallies as usize + self.node(at).groups() {
                    for lane in 0..LANES {
                        let child = self.tallies[tally].children[lane];
                        if child != NONE {
                            let child = self.adopt_one(from, child)?;
                            self.tallies[tally].children[lane] = child;
                        }
                    }
                }
            }
            at += 1;
        }
        Ok(root)
    }

    /// Copies a node, its edges leading to the numbers of their children there.
    fn adopt_one(&mut self, from: &Self, node: u32) -> Result<u32, OutOfMemory> {
        let mut node = *from.node(node);
        let groups = node.groups();
        self.make_room()?;
        let logits = &from.logits[node.logits as usize..][..groups];
        node.logits = self.logits.len() as u32;
        self.logits.extend_from_slice(logits);
        if node.tallies != NONE {
            let tallies = &from.tallies[node.tallies as usize..][..groups];
            node.tallies = self.tallies.len() as u32;
            self.tallies.extend_from_slice(tallies);
        }
        self.nodes.push(node);
        Ok(self.nodes.len() as u32 - 1)
    }
}

/// Memory with room for this many items.
fn reserved<T>(items: usize) -> Result<Vec<T>, OutOfMemory> {
    Ok(in_large_pages(with_room(TREES, items)?))
}

/// How many more items fit, with numbers below [`NONE`].
fn room<T>(memory: &Vec<T>) -> usize {
    memory.capacity().min(NONE as usize) - memory.len()
}

/// Makes room for this many more items, whose numbers must be below [`NONE`].
fn grow<T>(memory: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    let items = memory.len() + more;
    if items > NONE as usize {
        return Err(OutOfMemory::of::<T>(TREES, items));
    }
    make_room(memory, TREES, more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::step::packed_game::PackedGame;

    #[test]
    fn numbers_of_items_stay_below_none() {
        let mut items = vec![(); NONE as usize - 1];
        assert_eq!(grow(&mut items, 1), Ok(()));
        assert!(grow(&mut items, 2).is_err());
    }

    #[test]
    fn room_is_made_before_it_is_used() {
        const EDGES: usize = 65;
        let mut store = Store::<PackedGame>::with_room(0, EDGES).unwrap();
        assert_eq!(store.bytes(), 0);
        store.make_room_for_root().unwrap();
        assert!(room(&store.nodes) >= 1);
        for groups_with_room in [
            room(&store.logits),
            room(&store.tallies),
            room(&store.lanes),
        ] {
            assert!(groups_with_room >= groups(EDGES));
        }
        let of_vectors = [
            store.nodes.capacity() * size_of::<Node<PackedGame>>(),
            store.logits.capacity() * size_of::<Logits>(),
            store.tallies.capacity() * size_of::<Tally>(),
            store.lanes.capacity() * size_of::<RootLanes>(),
        ];
        assert_eq!(store.bytes(), of_vectors.iter().sum::<usize>());
    }
}
