//! Fetching memory before it is needed.
//!
//! A pass over a thousand trees reads each once, from more memory than the first caches hold. The
//! addresses that a tree will read are known while the trees before it are still at work.

use crate::simd::{LANES, fetch};
use crate::tree_search::memory::edges::NONE;
use crate::tree_search::memory::store::Store;
use crate::tree_search::search::tree::Tree;
use crate::vector::step::state::GameState;

/// Distances, in trees, from the tree at work to those whose memory is fetched: first the trees
/// themselves, then their roots, then the path of their last simulation. Each needs the one before.
const AHEAD: [usize; 4] = [16, 12, 8, 4];

/// Fetches the memory that the trees after this one will read.
#[inline(always)]
pub(crate) fn fetch_ahead<S: GameState + PartialEq>(
    trees: &[Tree<S>],
    at: usize,
    store: &Store<S>,
) {
    let [tree, root, edges, path] = AHEAD.map(|ahead| trees.get(at + ahead));
    if let Some(tree) = tree {
        fetch(tree);
        fetch(&tree.final_draw);
    }
    if let Some(tree) = root
        && let Some(root) = store.nodes.get(tree.first as usize)
    {
        fetch(root);
        tree.path.first().into_iter().for_each(fetch);
    }
    if let Some(tree) = edges
        && tree.first != NONE
    {
        let choice = store.choice(store.node(tree.first));
        let groups = choice.logits.iter().zip(choice.tallies);
        for ((logits, tally), lanes) in groups.zip(tree.lanes(store)) {
            fetch(logits);
            fetch(&tally.visits);
            fetch(&tally.priors);
            fetch(lanes);
        }
        for &(node, _) in tree.path.iter().skip(1) {
            fetch(store.node(node));
        }
    }
    if let Some(tree) = path {
        for &(node, place) in tree.path.iter().skip(1) {
            let node = store.node(node);
            if node.tallies == NONE {
                // Its tallies will be opened.
                let logits = &store.logits[node.logits as usize..];
                logits.iter().take(node.groups()).for_each(fetch);
            } else {
                let group = place as usize / LANES;
                let tally = &store.tallies[node.tallies as usize + group];
                fetch(&tally.visits);
                fetch(&tally.priors);
            }
        }
    }
}
