//! The cheapest way from the roots to every node: Dial's algorithm, a breadth-first search whose steps have small costs.
//!
//! In: a graph, the starts with their costs, what it costs to enter a node. Out: a tree, each node with the one before it.
//! Among ways of equal cost the one that was found first wins, so the order of the starts decides; the outcome depends on
//! nothing else. What must not happen here: a cost above [`DEAREST`], it would land in the wrong bucket.

use super::csr::Graph;

/// The highest cost of a single step or start.
pub(crate) const DEAREST: u32 = 127;
/// In [`Tree`]: the search did not come here.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// What is to be visited, by cost. A ring of buckets suffices, as no step costs more than [`DEAREST`].
#[derive(Debug)]
pub(crate) struct Buckets {
    ring: Vec<Vec<u32>>,
    /// The cost that is being visited, and how far its bucket has been read.
    cost: u32,
    read: usize,
    waiting: usize,
}

impl Default for Buckets {
    fn default() -> Self {
        Buckets { ring: vec![Vec::new(); DEAREST as usize + 1], cost: 0, read: 0, waiting: 0 }
    }
}

impl Buckets {
    /// A node at a cost, not below the cost of the last one popped and at most [`DEAREST`] above it.
    pub(crate) fn push(&mut self, cost: u32, node: u32) {
        let at = cost as usize % self.ring.len();
        if let Some(bucket) = self.ring.get_mut(at) {
            bucket.push(node);
            self.waiting += 1;
        }
    }

    /// The cheapest, first in first out among equals, with its cost.
    pub(crate) fn pop(&mut self) -> Option<(u32, u32)> {
        while self.waiting > 0 {
            let at = self.cost as usize % self.ring.len();
            let bucket = self.ring.get_mut(at)?;
            if let Some(node) = bucket.get(self.read) {
                self.read += 1;
                self.waiting -= 1;
                return Some((self.cost, *node));
            }
            *bucket = Vec::new(); // a wide level's memory is given back at once
            self.read = 0;
            self.cost += 1;
        }
        None
    }
}

/// Where a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The node.
    pub(crate) node: u32,
    /// What it costs to begin there.
    pub(crate) cost: u32,
}

/// The outcome of a search over a whole graph.
#[derive(Debug)]
pub(crate) struct Tree {
    /// By node: the node before it; `node_count + index` for the start with that index; [`NOWHERE`].
    before: Vec<u32>,
    nodes: u32,
}

/// What stands before a node in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Another node.
    Node(u32),
    /// The start with this index.
    Start(u32),
    /// The search did not come here.
    Nowhere,
}

impl Tree {
    /// What stands before a node.
    pub(crate) fn before(&self, node: u32) -> Before {
        match self.before.get(node as usize) {
            None | Some(&NOWHERE) => Before::Nowhere,
            Some(&before) if before < self.nodes => Before::Node(before),
            Some(&before) => Before::Start(before - self.nodes),
        }
    }

    /// Whether the search came to a node.
    pub(crate) fn reached(&self, node: u32) -> bool {
        self.before(node) != Before::Nowhere
    }
}

/// Searches `nodes` nodes from the starts. `enter` says what a step to a node costs.
pub(crate) fn tree(graph: &Graph, nodes: usize, starts: &[Start], enter: impl Fn(u32) -> u32) -> Tree {
    let mut costs = vec![u32::MAX; nodes];
    let mut before = vec![NOWHERE; nodes];
    let mut buckets = Buckets::default();
    let mut offer = |buckets: &mut Buckets, node: u32, cost: u32, from: u32| {
        let (Some(best), Some(place)) = (costs.get_mut(node as usize), before.get_mut(node as usize)) else {
            return;
        };
        if cost < *best {
            *best = cost;
            *place = from;
            buckets.push(cost, node);
        }
    };
    for (index, start) in starts.iter().enumerate() {
        offer(&mut buckets, start.node, start.cost.min(DEAREST), nodes as u32 + index as u32);
    }
    // A node that got cheaper after it was pushed comes out twice; the second time improves nothing.
    while let Some((cost, node)) = buckets.pop() {
        for &target in graph.targets(node) {
            offer(&mut buckets, target, cost.saturating_add(enter(target).min(DEAREST)), node);
        }
    }
    Tree { before, nodes: nodes as u32 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::csr::tests::graph;

    #[test]
    fn the_dear_edge_loses() {
        // 0 -> 1 (dear) -> 3, 0 -> 2 -> 4 -> 3
        let graph = graph(&[&[1, 2], &[3], &[4], &[], &[3]]);
        let tree = tree(&graph, 6, &[Start { node: 0, cost: 1 }], |node| if node == 1 { 20 } else { 1 });
        assert_eq!(tree.before(0), Before::Start(0));
        assert_eq!(tree.before(3), Before::Node(4));
        assert_eq!(tree.before(5), Before::Nowhere);
        assert!(tree.reached(1) && !tree.reached(5));
    }

    #[test]
    fn among_equals_the_first_start_wins() {
        let graph = graph(&[&[2], &[2], &[]]);
        let starts = [Start { node: 1, cost: 3 }, Start { node: 0, cost: 3 }];
        assert_eq!(tree(&graph, 3, &starts, |_| 1).before(2), Before::Node(1));
    }

    proptest! {
        /// Against Bellman and Ford's slow way.
        #[test]
        fn costs_are_the_least(
            edges in prop::collection::vec(prop::collection::vec(0_u32..30, 0..4), 30),
            enter in prop::collection::vec(0_u32..40, 30),
            starts in prop::collection::vec((0_u32..30, 0_u32..100), 1..4),
        ) {
            let lists: Vec<&[u32]> = edges.iter().map(Vec::as_slice).collect();
            let graph = graph(&lists);
            let starts: Vec<Start> = starts.iter().map(|(node, cost)| Start { node: *node, cost: *cost }).collect();
            let found = tree(&graph, 30, &starts, |node| enter[node as usize]);
            let mut slow = [u32::MAX; 30];
            for start in &starts {
                slow[start.node as usize] = slow[start.node as usize].min(start.cost);
            }
            for _ in 0..30 {
                for (node, targets) in edges.iter().enumerate() {
                    for target in targets {
                        let way = slow[node].saturating_add(enter[*target as usize]);
                        slow[*target as usize] = slow[*target as usize].min(way);
                    }
                }
            }
            for node in 0..30_u32 {
                let best = slow[node as usize];
                match found.before(node) {
                    Before::Nowhere => prop_assert_eq!(best, u32::MAX),
                    Before::Start(index) => prop_assert_eq!(best, starts[index as usize].cost),
                    Before::Node(before) => {
                        prop_assert!(edges[before as usize].contains(&node));
                        prop_assert_eq!(best, slow[before as usize] + enter[node as usize]);
                    }
                }
            }
        }
    }
}
