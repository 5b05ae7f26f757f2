//! Layers: the positions after a number of plies, and where their moves lead.

use rustc_hash::FxHashMap;

use super::node::{Node, key};
use crate::game::{Position, Variant};
use crate::memory::{OutOfMemory, make_room, make_room_in_map};

/// Named in the error if memory does not suffice.
pub(super) const POSITIONS: &str = "the positions of a best-response search";

/// Where a move leads: to a position of the next layer, or to the end of the game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge(u32);

/// An edge without its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The place of the position in the next layer.
    Node(usize),
    /// The margin of the finished game.
    End(i8),
}

impl Edge {
    const END: u32 = 1 << 31;

    /// The most positions of a layer.
    pub(super) const MAX_NODES: usize = Self::END as usize;

    fn new(target: Target) -> Self {
        match target {
            Target::Node(place) => Self(place as u32),
            Target::End(margin) => Self(Self::END | u32::from(margin as u8)),
        }
    }

    pub(super) fn target(self) -> Target {
        if self.0 & Self::END == 0 {
            Target::Node(self.0 as usize)
        } else {
            Target::End(self.0 as u8 as i8)
        }
    }
}

/// The positions after a number of plies.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) nodes: Vec<Node>,
    /// The end of each node's edges; those of the first node begin at 0.
    ends: Vec<usize>,
    edges: Vec<Edge>,
    /// The action of each edge, in the layers of the policy. The opponent's edges are all moves.
    actions: Vec<u8>,
    /// The margin that the policy is guaranteed from each node; at first only for solved nodes.
    pub(super) values: Vec<i8>,
    /// Whether the policy keeps the exact margin from each node on, in the layers of the policy.
    pub(super) solved: Vec<bool>,
}

impl Layer {
    pub(super) fn edges(&self, node: usize) -> &[Edge] {
        &self.edges[self.range(node)]
    }

    pub(super) fn actions(&self, node: usize) -> &[u8] {
        &self.actions[self.range(node)]
    }

    fn range(&self, node: usize) -> std::ops::Range<usize> {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[node]
    }

    pub(super) fn num_edges(&self) -> usize {
        self.edges.len()
    }

    /// Makes room for the edges of this many more nodes.
    pub(super) fn make_room(&mut self, nodes: usize) -> Result<(), OutOfMemory> {
        make_room(&mut self.ends, POSITIONS, nodes)
    }

    pub(super) fn add_edge(&mut self, target: Target) -> Result<(), OutOfMemory> {
        make_room(&mut self.edges, POSITIONS, 1)?;
        self.edges.push(Edge::new(target));
        Ok(())
    }

    pub(super) fn add_action(&mut self, action: u8) -> Result<(), OutOfMemory> {
        make_room(&mut self.actions, POSITIONS, 1)?;
        self.actions.push(action);
        Ok(())
    }

    /// Ends the edges of a node. There must be room for it.
    pub(super) fn end_edges(&mut self) {
        self.ends.push(self.edges.len());
    }

    /// Frees memory that no edge uses.
    pub(super) fn shrink(&mut self) {
        self.edges.shrink_to_fit();
        self.actions.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// The positions of one layer by their keys.
#[derive(Debug, Default)]
pub(super) struct Index(FxHashMap<u128, u32>);

impl Index {
    /// Indexes the positions that are already in a layer.
    pub(super) fn of(variant: &Variant, layer: &Layer, ply: usize) -> Result<Self, OutOfMemory> {
        let mut index = Self::default();
        index.make_room(layer.nodes.len())?;
        for (place, node) in layer.nodes.iter().enumerate() {
            let key = key(&node.position(variant, ply));
            index.0.insert(key, place as u32);
        }
        Ok(index)
    }

    fn make_room(&mut self, more: usize) -> Result<(), OutOfMemory> {
        make_room_in_map(&mut self.0, POSITIONS, more)
    }

    /// Finds or adds a position: its place in the layer, and whether it is new.
    pub(super) fn place(
        &mut self,
        variant: &Variant,
        layer: &mut Layer,
        position: &Position,
        parent: u32,
    ) -> Result<(usize, bool), OutOfMemory> {
        let key = key(position);
        if let Some(&place) = self.0.get(&key) {
            return Ok((place as usize, false));
        }
        self.make_room(1)?;
        make_room(&mut layer.nodes, POSITIONS, 1)?;
        let place = layer.nodes.len();
        layer.nodes.push(Node::new(variant, position, parent));
        self.0.insert(key, place as u32);
        Ok((place, true))
    }
}
