//! Dominators and retained bytes: how much each object alone would free.
//!
//! In: a graph, the nodes held from outside, the bytes of each node. Out: each node's immediate dominator,
//! which every path to it passes, and the bytes that are freed with a node. Semi-NCA: nearly linear, six
//! numbers per node. What must not happen here: recursion; a linked list of a million elements is a chain of
//! a million nodes.

use super::csr::Graph;

const NONE: u32 = u32::MAX;

/// The dominator tree.
#[derive(Debug)]
pub(crate) struct Dominators {
    /// By node: its immediate dominator. [`NONE`]: held from outside, from several such nodes, or unreached.
    above: Vec<u32>,
    /// Nodes in depth-first order: a dominator comes before the nodes that it dominates.
    order: Vec<u32>,
}

impl Dominators {
    /// The immediate dominator: the nearest node on every path to this one.
    pub(crate) fn immediate_dominator(&self, node: u32) -> Option<u32> {
        self.above.get(node as usize).copied().filter(|above| *above != NONE)
    }

    /// By node: its own bytes plus those of all nodes that it dominates.
    pub(crate) fn retained(&self, own: &[u64]) -> Vec<u64> {
        let mut retained = own.to_vec();
        for &node in self.order.iter().rev() {
            let bytes = retained.get(node as usize).copied().unwrap_or(0);
            if let Some(sum) =
                self.immediate_dominator(node).and_then(|above| retained.get_mut(above as usize))
            {
                *sum = sum.saturating_add(bytes);
            }
        }
        retained
    }
}

/// Depth-first numbers are one higher than indexes into `order`; 0 is a virtual root above all starts.
struct Search {
    /// By number: the node.
    order: Vec<u32>,
    /// By node: its number; [`NONE`] if the search did not reach it.
    number: Vec<u32>,
    /// By number: the number it was reached from.
    parent: Vec<u32>,
}

fn depth_first(graph: &Graph, nodes: usize, starts: &[u32]) -> Search {
    let mut search = Search { order: Vec::new(), number: vec![NONE; nodes], parent: vec![0] };
    // (node, how many of its edges were followed)
    let mut stack: Vec<(u32, u32)> = Vec::new();
    for &start in starts {
        search.visit(start, 0, &mut stack);
        while let Some((node, followed)) = stack.last_mut() {
            let from = *node;
            if let Some(&target) = graph.targets(from).get(*followed as usize) {
                *followed += 1;
                let number = search.number.get(from as usize).copied().unwrap_or(0);
                search.visit(target, number, &mut stack);
            } else {
                stack.pop();
            }
        }
    }
    search
}

impl Search {
    fn visit(&mut self, node: u32, parent: u32, stack: &mut Vec<(u32, u32)>) {
        if let Some(number @ &mut NONE) = self.number.get_mut(node as usize) {
            self.order.push(node);
            *number = self.order.len() as u32;
            self.parent.push(parent);
            stack.push((node, 0));
        }
    }
}

/// The dominators of every node that the starts reach. `back` is the reversed graph.
pub(crate) fn dominators(graph: &Graph, back: &Graph, nodes: usize, starts: &[u32]) -> Dominators {
    let Search { order, number, parent } = depth_first(graph, nodes, starts);
    let count = parent.len();
    let mut is_start = vec![false; nodes];
    for &start in starts {
        if let Some(flag) = is_start.get_mut(start as usize) {
            *flag = true;
        }
    }
    let mut forest = Forest {
        ancestor: parent.clone(),
        best: (0..count as u32).collect(),
        semi: (0..count as u32).collect(),
        path: Vec::new(),
    };
    for vertex in (1..count).rev() {
        let node = order.get(vertex - 1).copied().unwrap_or(NONE);
        let mut least = parent.get(vertex).copied().unwrap_or(0);
        if is_start.get(node as usize).copied().unwrap_or(false) {
            least = 0;
        }
        for &from in back.targets(node) {
            let from = number.get(from as usize).copied().unwrap_or(NONE);
            if from != NONE {
                least = least.min(forest.evaluate(from, vertex as u32));
            }
        }
        if let Some(semi) = forest.semi.get_mut(vertex) {
            *semi = least;
        }
    }
    // The nearest common ancestor of the parent and the semidominator, in the tree made so far.
    let mut above: Vec<u32> = parent;
    for vertex in 1..count {
        let semi = forest.semi.get(vertex).copied().unwrap_or(0);
        let mut candidate = above.get(vertex).copied().unwrap_or(0);
        while candidate > semi {
            candidate = above.get(candidate as usize).copied().unwrap_or(0);
        }
        if let Some(place) = above.get_mut(vertex) {
            *place = candidate;
        }
    }
    drop(forest);
    let mut by_node = vec![NONE; nodes];
    for (place, &node) in order.iter().enumerate() {
        let number = above.get(place + 1).copied().unwrap_or(0);
        if let (Some(slot), Some(&dominator)) =
            (by_node.get_mut(node as usize), (number as usize).checked_sub(1).and_then(|at| order.get(at)))
        {
            *slot = dominator;
        }
    }
    Dominators { above: by_node, order }
}

/// The forest of linked vertices, with path compression.
struct Forest {
    ancestor: Vec<u32>,
    /// By number: the number with the least semidominator on the compressed path.
    best: Vec<u32>,
    semi: Vec<u32>,
    path: Vec<u32>,
}

impl Forest {
    /// The least semidominator on the path from `from` up to the linked vertices, whose numbers are above
    /// `linked`.
    fn evaluate(&mut self, from: u32, linked: u32) -> u32 {
        if from <= linked {
            return from;
        }
        self.path.clear();
        let mut at = from;
        while self.ancestor_of(at) > linked {
            self.path.push(at);
            at = self.ancestor_of(at);
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestor_of(below);
            let (upper, lower) = (self.best_of(above), self.best_of(below));
            let (farther, best) = (
                self.ancestor_of(above),
                if self.semi_of(upper) < self.semi_of(lower) { upper } else { lower },
            );
            if let (Some(ancestor), Some(place)) =
                (self.ancestor.get_mut(below as usize), self.best.get_mut(below as usize))
            {
                *ancestor = farther;
                *place = best;
            }
        }
        self.semi_of(self.best_of(from))
    }

    fn ancestor_of(&self, vertex: u32) -> u32 {
        self.ancestor.get(vertex as usize).copied().unwrap_or(0)
    }

    fn best_of(&self, vertex: u32) -> u32 {
        self.best.get(vertex as usize).copied().unwrap_or(0)
    }

    fn semi_of(&self, vertex: u32) -> u32 {
        self.semi.get(vertex as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::csr::tests::graph;

    fn of(edges: &[&[u32]], starts: &[u32]) -> Dominators {
        let graph = graph(edges);
        dominators(&graph, &graph.reversed(edges.len()), edges.len(), starts)
    }

    #[test]
    fn two_holders_of_one() {
        // 0 -> 1, 2; both -> 3 -> 4; 2 -> 5
        let found = of(&[&[1, 2], &[3], &[3, 5], &[4], &[], &[]], &[0]);
        let above: Vec<_> = (0..6).map(|node| found.immediate_dominator(node)).collect();
        assert_eq!(above, [None, Some(0), Some(0), Some(0), Some(3), Some(2)]);
        assert_eq!(found.retained(&[1, 1, 1, 10, 100, 1000]), [1113, 1, 1001, 110, 100, 1000]);
    }

    #[test]
    fn a_start_is_held_from_outside() {
        let found = of(&[&[1], &[2], &[]], &[0, 1]);
        assert_eq!(found.immediate_dominator(1), None);
        assert_eq!(found.immediate_dominator(2), Some(1));
    }

    #[test]
    fn a_chain_of_a_million() {
        let count = 1_000_000_u32;
        let mut chain = Graph::with_capacity(count as usize, count as usize);
        for node in 0..count {
            if node + 1 < count {
                chain.push_edge(node + 1);
            }
            chain.close_node();
        }
        let found = dominators(&chain, &chain.reversed(count as usize), count as usize, &[0]);
        assert_eq!(found.retained(&vec![1; count as usize])[0], u64::from(count));
    }

    proptest! {
        /// A dominates B if B cannot be reached without A: tested node by node.
        #[test]
        fn as_by_leaving_nodes_out(
            edges in prop::collection::vec(prop::collection::vec(0_u32..14, 0..3), 14),
            starts in prop::collection::vec(0_u32..14, 1..3),
        ) {
            let lists: Vec<&[u32]> = edges.iter().map(Vec::as_slice).collect();
            let found = of(&lists, &starts);
            let reached = |without: Option<u32>| {
                let mut seen = [false; 14];
                let mut stack: Vec<u32> = starts.iter().copied().filter(|start| Some(*start) != without).collect();
                while let Some(node) = stack.pop() {
                    if !std::mem::replace(&mut seen[node as usize], true) {
                        stack.extend(edges[node as usize].iter().filter(|target| Some(**target) != without));
                    }
                }
                seen
            };
            let all = reached(None);
            let retained = found.retained(&[1; 14]);
            for node in (0..14_u32).filter(|node| all[*node as usize]) {
                let without = reached(Some(node));
                let lost = (0..14).filter(|other| all[*other] && !without[*other]).count() as u64;
                prop_assert_eq!(retained[node as usize], lost, "node {}", node);
            }
        }
    }
}
