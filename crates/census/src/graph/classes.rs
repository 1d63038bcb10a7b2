//! Three classes: what the program can reach, what only native code holds, what waits for the garbage collector.
//!
//! In: the graph, the tree of what the roots reach, each object's reference count. Out: a class per node. An object that
//! no root reaches and that has more references than the graph shows is held by something that the graph does not show: a
//! C structure. All below it is native-held too. What is left are cycles that nobody holds: garbage that a
//! collection would free.

use super::csr::Graph;
use super::search::Tree;

/// What keeps an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A root reaches it.
    Reachable,
    /// Only native code holds it, or holds what holds it.
    NativeHeld,
    /// Nobody holds it: a cycle that is not collected yet.
    Garbage,
}

/// The class of each node, and who stands at the top of what native code holds.
#[derive(Debug)]
pub(crate) struct Classes {
    classes: Vec<Class>,
    /// Native-held objects that have references from outside the graph.
    pub(crate) tops: Vec<u32>,
}

impl Classes {
    /// The class of a node.
    pub(crate) fn of(&self, node: u32) -> Class {
        self.classes.get(node as usize).copied().unwrap_or(Class::Garbage)
    }
}

/// Classifies. `counts` are the objects' reference counts.
pub(crate) fn classes(graph: &Graph, tree: &Tree, counts: &[u32]) -> Classes {
    let nodes = counts.len();
    let references = graph.references(nodes);
    let mut classes = vec![Class::Garbage; nodes];
    let mut tops = Vec::new();
    for (node, class) in classes.iter_mut().enumerate() {
        if tree.reached(node as u32) {
            *class = Class::Reachable;
        } else if counts.get(node) > references.get(node) {
            *class = Class::NativeHeld;
            tops.push(node as u32);
        }
    }
    let mut waiting = tops.clone();
    while let Some(node) = waiting.pop() {
        for &target in graph.targets(node) {
            if let Some(class @ Class::Garbage) = classes.get_mut(target as usize) {
                *class = Class::NativeHeld;
                waiting.push(target);
            }
        }
    }
    Classes { classes, tops }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Class::{Garbage, NativeHeld, Reachable};
    use super::*;
    use crate::graph::csr::tests::graph;
    use crate::graph::search::{Start, tree};

    #[test]
    fn one_of_each() {
        // 0 -> 1; 2 <-> 3 garbage; 4 held by C, 4 -> 5
        let graph = graph(&[&[1], &[], &[3], &[2], &[5], &[]]);
        let tree = tree(&graph, 6, &[Start { node: 0, cost: 0 }], |_| 1);
        let classes = classes(&graph, &tree, &[1, 1, 1, 1, 1, 1]);
        let all: Vec<Class> = (0..6).map(|node| classes.of(node)).collect();
        assert_eq!(all, [Reachable, Reachable, Garbage, Garbage, NativeHeld, NativeHeld]);
        assert_eq!(classes.tops, [4]);
    }

    proptest! {
        /// Against the collector's own way: subtract the references inside, what stays above zero lives.
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
            let classes = classes(&graph, &tree, &counts);
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
                prop_assert_eq!(classes.of(node) != Garbage, alive[node as usize]);
                prop_assert_eq!(classes.of(node) == Reachable, tree.reached(node));
            }
        }
    }
}
