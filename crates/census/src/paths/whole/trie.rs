//! The part of the search tree that leads to samples.
//!
//! In: nodes with samples and the way to each from the roots. Out: [`Trie`]: each object on a way once, with those below it.
//! Pure; addresses are only carried.

use std::collections::HashMap;

use crate::graph::search::{Before, Tree};
use crate::naming::Kind;

/// An object on the way to a sample.
#[derive(Clone, Debug)]
pub(super) struct Twig {
    pub(super) object: u64,
    pub(super) class: u64,
    pub(super) kind: Kind,
    /// The object before it, or none at a root.
    pub(super) before: Option<usize>,
    pub(super) below: Vec<usize>,
    /// Samples that it owns, their bytes, what it retains, and what of this its container alone holds.
    pub(super) samples: Vec<u64>,
    pub(super) bytes: u64,
    pub(super) retained: u64,
    pub(super) alone: u64,
}

/// Objects on the ways to samples.
#[derive(Clone, Debug, Default)]
pub(super) struct Trie {
    pub(super) twigs: Vec<Twig>,
    /// Objects at roots, with the index of the start.
    pub(super) tops: Vec<(usize, u32)>,
    places: HashMap<u32, usize>,
}

impl Trie {
    /// The place of a node, with all before it. `None`: the search did not come there.
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
            match tree.before(at) {
                Before::Node(before) => at = before,
                Before::Start(start) => {
                    self.tops.push((self.twigs.len(), start));
                    break None;
                }
                Before::Nowhere => return None,
            }
        };
        for node in way.into_iter().rev() {
            let (object, class, kind) = facts(node);
            let place = self.twigs.len();
            self.twigs.push(Twig {
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
            if let Some(twig) = above.and_then(|above| self.twigs.get_mut(above)) {
                twig.below.push(place);
            }
            self.places.insert(node, place);
            above = Some(place);
        }
        above
    }

    /// The objects from the root to a place.
    pub(super) fn way(&self, place: usize) -> Vec<u64> {
        let mut way = Vec::new();
        let mut at = Some(place);
        while let Some(twig) = at.and_then(|at| self.twigs.get(at)) {
            way.push(twig.object);
            at = twig.before;
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
        assert_eq!(ways.twigs.len(), 4);
        assert_eq!(ways.way(3), [4096, 4112, 4144]);
        assert_eq!(ways.tops, [(0, 0)]);
    }
}
