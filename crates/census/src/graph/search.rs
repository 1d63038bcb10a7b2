//! The cheapest path from the roots to every node: Dial's algorithm, a breadth-first search with small step
//! costs.
//!
//! In: a graph, the starts with their costs, the cost to enter a node. Out: a tree, each node with its
//! predecessor. Among paths of equal cost the first found wins, so the order of the starts decides; the
//! result depends on nothing else. What must not happen here: a cost above [`MAX_STEP_COST`], which would
//! land in the wrong bucket.

use super::csr::Graph;

/// The highest cost of a single step or start.
pub(crate) const MAX_STEP_COST: u32 = 127;
/// In [`Tree`]: the search did not reach this node.
pub(crate) const UNREACHED: u32 = u32::MAX;

/// Nodes to visit, by cost. A ring of buckets suffices, because no step costs more than [`MAX_STEP_COST`].
#[derive(Debug)]
pub(crate) struct BucketQueue {
    ring: Vec<Vec<u32>>,
    /// The cost that is being visited, and how far its bucket was read.
    cost: u32,
    read: usize,
    waiting: usize,
}

impl Default for BucketQueue {
    fn default() -> Self {
        BucketQueue { ring: vec![Vec::new(); MAX_STEP_COST as usize + 1], cost: 0, read: 0, waiting: 0 }
    }
}

impl BucketQueue {
    /// Adds a node. Its cost lies between the cost of the last node popped and [`MAX_STEP_COST`] above it.
    pub(crate) fn push(&mut self, cost: u32, node: u32) {
        let at = cost as usize % self.ring.len();
        if let Some(bucket) = self.ring.get_mut(at) {
            bucket.push(node);
            self.waiting += 1;
        }
    }

    /// The cheapest node with its cost; first in, first out among equals.
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
    /// The cost to begin there.
    pub(crate) cost: u32,
}

/// The result of a search over a whole graph.
#[derive(Debug)]
pub(crate) struct Tree {
    /// By node: its predecessor; `node_count + index` for a start; or [`UNREACHED`].
    before: Vec<u32>,
    nodes: u32,
}

/// The predecessor of a node in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predecessor {
    /// Another node.
    Node(u32),
    /// The start with this index.
    Start(u32),
    /// The search did not reach the node.
    Unreached,
}

impl Tree {
    /// The predecessor of a node.
    pub(crate) fn predecessor(&self, node: u32) -> Predecessor {
        match self.before.get(node as usize) {
            None | Some(&UNREACHED) => Predecessor::Unreached,
            Some(&before) if before < self.nodes => Predecessor::Node(before),
            Some(&before) => Predecessor::Start(before - self.nodes),
        }
    }

    /// Whether the search reached a node.
    pub(crate) fn reached(&self, node: u32) -> bool {
        self.predecessor(node) != Predecessor::Unreached
    }
}

/// Searches `nodes` nodes from the starts. `enter` gives the cost of a step to a node.
pub(crate) fn tree(graph: &Graph, nodes: usize, starts: &[Start], enter: impl Fn(u32) -> u32) -> Tree {
    let mut costs = vec![u32::MAX; nodes];
    let mut before = vec![UNREACHED; nodes];
    let mut buckets = BucketQueue::default();
    let mut offer = |buckets: &mut BucketQueue, node: u32, cost: u32, from: u32| {
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
        offer(&mut buckets, start.node, start.cost.min(MAX_STEP_COST), nodes as u32 + index as u32);
    }
    // A node that got cheaper after it was pushed is popped twice; the second time improves nothing.
    while let Some((cost, node)) = buckets.pop() {
        for &target in graph.targets(node) {
            offer(&mut buckets, target, cost.saturating_add(enter(target).min(MAX_STEP_COST)), node);
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
        assert_eq!(tree.predecessor(0), Predecessor::Start(0));
        assert_eq!(tree.predecessor(3), Predecessor::Node(4));
        assert_eq!(tree.predecessor(5), Predecessor::Unreached);
        assert!(tree.reached(1) && !tree.reached(5));
    }

    #[test]
    fn among_equals_the_first_start_wins() {
        let graph = graph(&[&[2], &[2], &[]]);
        let starts = [Start { node: 1, cost: 3 }, Start { node: 0, cost: 3 }];
        assert_eq!(tree(&graph, 3, &starts, |_| 1).predecessor(2), Predecessor::Node(1));
    }

    proptest! {
        /// Against Bellman-Ford.
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
                match found.predecessor(node) {
                    Predecessor::Unreached => prop_assert_eq!(best, u32::MAX),
                    Predecessor::Start(index) => prop_assert_eq!(best, starts[index as usize].cost),
                    Predecessor::Node(before) => {
                        prop_assert!(edges[before as usize].contains(&node));
                        prop_assert_eq!(best, slow[before as usize] + enter[node as usize]);
                    }
                }
            }
        }
    }
}
