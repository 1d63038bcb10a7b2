//! Three classes of objects: reachable from the program's roots, held by native code alone, or garbage.
//!
//! In: the graph, the search tree of the roots, each object's reference count. Out: the class of each node.
//! An unreached object with more references than the graph shows is held from outside the graph, by a C
//! structure. All below it is native-held too. The rest are cycles that nobody holds: garbage that a
//! collection would free.

use super::csr::Graph;
use super::search::Tree;

/// How an object is kept alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reachability {
    /// A root reaches it.
    Reachable,
    /// Native code holds it, directly or through other objects.
    NativeHeld,
    /// Nobody holds it: a cycle that the collector has not freed yet.
    Garbage,
}

/// The class of each node, and the objects that native code holds directly.
#[derive(Debug)]
pub(crate) struct NodeReachability {
    by_node: Vec<Reachability>,
    /// Native-held objects with references from outside the graph.
    pub(crate) tops: Vec<u32>,
}

impl NodeReachability {
    /// The class of a node.
    pub(crate) fn of(&self, node: u32) -> Reachability {
        self.by_node.get(node as usize).copied().unwrap_or(Reachability::Garbage)
    }
}

/// Classifies every node. `counts` are the objects' reference counts.
pub(crate) fn node_reachability(graph: &Graph, tree: &Tree, counts: &[u32]) -> NodeReachability {
    let nodes = counts.len();
    let references = graph.references(nodes);
    let mut by_node = vec![Reachability::Garbage; nodes];
    let mut tops = Vec::new();
    for (node, reachability) in by_node.iter_mut().enumerate() {
        if tree.reached(node as u32) {
            *reachability = Reachability::Reachable;
        } else if counts.get(node) > references.get(node) {
            *reachability = Reachability::NativeHeld;
            tops.push(node as u32);
        }
    }
    let mut waiting = tops.clone();
    while let Some(node) = waiting.pop() {
        for &target in graph.targets(node) {
            if let Some(reachability @ Reachability::Garbage) = by_node.get_mut(target as usize) {
                *reachability = Reachability::NativeHeld;
                waiting.push(target);
            }
        }
    }
    NodeReachability { by_node, tops }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Reachability::{Garbage, NativeHeld, Reachable};
    use super::*;
    use crate::graph::csr::tests::graph;
    use crate::graph::search::{Start, tree};

    #[test]
    fn one_of_each() {
        // 0 -> 1; 2 <-> 3 garbage; 4 held by C, 4 -> 5
        let graph = graph(&[&[1], &[], &[3], &[2], &[5], &[]]);
        let tree = tree(&graph, 6, &[Start { node: 0, cost: 0 }], |_| 1);
        let node_reachability = node_reachability(&graph, &tree, &[1, 1, 1, 1, 1, 1]);
        let all: Vec<Reachability> = (0..6).map(|node| node_reachability.of(node)).collect();
        assert_eq!(all, [Reachable, Reachable, Garbage, Garbage, NativeHeld, NativeHeld]);
        assert_eq!(node_reachability.tops, [4]);
    }

    proptest! {
        /// Against the collector's own method: subtract the references inside; objects with a count above
        /// zero live.
        #[test]
        fn garbage_is_what_a_collection_would_free(
            edges in prop::collection::vec(prop::collection::vec(0_u32..20, 0..3), 20),
            held in prop::collection::vec(any::<bool>(), 20),
            root in 0_u32..20,
        ) {
            let lists: Vec<&[u32]> = edges.iter().map(Vec::as_slice).collect();
            let graph = graph(&lists);
            let mut counts = graph.references(20);
            for (count, held) in counts.iter_mut().zip(&held) {
                *count += u32::from(*held);
            }
            counts[root as usize] += 1;
            let tree = tree(&graph, 20, &[Start { node: root, cost: 0 }], |_| 1);
            let node_reachability = node_reachability(&graph, &tree, &counts);
            let mut alive: Vec<bool> = held.clone();
            alive[root as usize] = true;
            for _ in 0..20 {
                for (node, targets) in edges.iter().enumerate() {
                    if alive[node] {
                        for target in targets {
                            alive[*target as usize] = true;
                        }
                    }
                }
            }
            for node in 0..20_u32 {
                prop_assert_eq!(node_reachability.of(node) != Garbage, alive[node as usize]);
                prop_assert_eq!(node_reachability.of(node) == Reachable, tree.reached(node));
            }
        }
    }
}
