//! The part of the search tree that leads to samples.
//!
//! In: nodes with samples, and the path to each from the roots. Out: [`Trie`]: each object on a path once,
//! with its children. Pure; addresses are only carried.

use std::collections::HashMap;

use crate::graph::search::{Predecessor, Tree};
use crate::naming::Kind;

/// An object on the path to a sample.
#[derive(Clone, Debug)]
pub(super) struct TrieEntry {
    pub(super) object: u64,
    pub(super) class: u64,
    pub(super) kind: Kind,
    /// The object above it; none at a root.
    pub(super) before: Option<usize>,
    pub(super) below: Vec<usize>,
    /// Its samples and their bytes, its retained size, and the part of that which its container alone holds.
    pub(super) samples: Vec<u64>,
    pub(super) bytes: u64,
    pub(super) retained: u64,
    pub(super) alone: u64,
}

/// Objects on the paths to samples.
#[derive(Clone, Debug, Default)]
pub(super) struct Trie {
    pub(super) entries: Vec<TrieEntry>,
    /// Entries at roots, with the index of the start.
    pub(super) tops: Vec<(usize, u32)>,
    places: HashMap<u32, usize>,
}

impl Trie {
    /// The entry of a node, with all entries above it. `None`: the search did not reach the node.
    pub(super) fn place(
        &mut self,
        tree: &Tree,
        node: u32,
        facts: &dyn Fn(u32) -> (u64, u64, Kind),
    ) -> Option<usize> {
        let mut way = Vec::new();
        let mut at = node;
        let mut above = loop {
            if let Some(place) = self.places.get(&at) {
                break Some(*place);
            }
            way.push(at);
            match tree.predecessor(at) {
                Predecessor::Node(before) => at = before,
                Predecessor::Start(start) => {
                    self.tops.push((self.entries.len(), start));
                    break None;
                }
                Predecessor::Unreached => return None,
            }
        };
        for node in way.into_iter().rev() {
            let (object, class, kind) = facts(node);
            let place = self.entries.len();
            self.entries.push(TrieEntry {
                object,
                class,
                kind,
                before: above,
                below: Vec::new(),
                samples: Vec::new(),
                bytes: 0,
                retained: 0,
                alone: 0,
            });
            if let Some(entry) = above.and_then(|above| self.entries.get_mut(above)) {
                entry.below.push(place);
            }
            self.places.insert(node, place);
            above = Some(place);
        }
        above
    }

    /// The objects from the root to an entry.
    pub(super) fn way(&self, place: usize) -> Vec<u64> {
        let mut way = Vec::new();
        let mut at = Some(place);
        while let Some(entry) = at.and_then(|at| self.entries.get(at)) {
            way.push(entry.object);
            at = entry.before;
        }
        way.reverse();
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::csr::tests::graph;
    use crate::graph::search::{Start, tree};

    #[test]
    fn shared_ways_are_kept_once() {
        let graph = graph(&[&[1], &[2, 3], &[], &[], &[]]);
        let tree = tree(&graph, 5, &[Start { node: 0, cost: 1 }], |_| 1);
        let facts = |node: u32| (u64::from(node) * 16 + 4096, 0, Kind::Other);
        let mut ways = Trie::default();
        let places = [2, 3, 2, 4].map(|node| ways.place(&tree, node, &facts));
        assert_eq!(places, [Some(2), Some(3), Some(2), None]);
        assert_eq!(ways.entries.len(), 4);
        assert_eq!(ways.way(3), [4096, 4112, 4144]);
        assert_eq!(ways.tops, [(0, 0)]);
    }
}
