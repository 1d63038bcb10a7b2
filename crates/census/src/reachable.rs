//! A subgraph of reachable objects, and what would be freed with some of them.
//!
//! In: references, in the order of a walk. Out: objects with the number of references from inside. What must
//! not happen here: the walk itself; the caller decides where it goes and ends.

use crate::object::Object;
use crate::sizes::ByAddress;

/// Reachable objects in the order of discovery, each with its references from inside, and their edges.
#[derive(Debug, Default)]
pub(crate) struct Reachable {
    pub(crate) index: ByAddress<u64, u32>,
    pub(crate) nodes: Vec<(Object, u32)>,
    pub(crate) edges: Vec<u32>,
    /// Where each walked node's edges end.
    pub(crate) ends: Vec<u32>,
}

impl Reachable {
    /// Adds one more reference to an object.
    pub(crate) fn add_reference(&mut self, o: Object) -> u32 {
        let next = self.nodes.len() as u32;
        let node = *self.index.entry(o.0).or_insert(next);
        if node == next {
            self.nodes.push((o, 0));
        }
        if let Some((_, inside)) = self.nodes.get_mut(node as usize) {
            *inside = inside.saturating_add(1);
        }
        node
    }

    /// The children of a node; empty if it was not walked.
    pub(crate) fn children(&self, node: usize) -> &[u32] {
        let from = node.checked_sub(1).map_or(Some(&0), |before| self.ends.get(before));
        let Some((from, to)) = from.zip(self.ends.get(node)) else { return &[] };
        self.edges.get(*from as usize..*to as usize).unwrap_or_default()
    }

    /// The nodes that cannot be reached from `held`.
    pub(crate) fn unreachable_from(&self, held: &[u32]) -> Vec<usize> {
        let mut reached = vec![false; self.nodes.len()];
        let mut stack = held.to_vec();
        while let Some(node) = stack.pop() {
            let Some(mark) = reached.get_mut(node as usize) else { continue };
            if !std::mem::replace(mark, true) {
                stack.extend(self.children(node as usize));
            }
        }
        (0..reached.len()).filter(|node| reached.get(*node) == Some(&false)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_elsewhere_keeps_what_is_below() {
        // 0 -> 1 -> 2, 3 -> 2, 4 alone; something else holds 3.
        let mut graph = Reachable::default();
        for (from, children) in [(0, vec![1]), (1, vec![2]), (2, vec![]), (3, vec![2]), (4, vec![])] {
            graph.nodes.push((Object(from), 0));
            graph.edges.extend(children);
            graph.ends.push(graph.edges.len() as u32);
        }
        assert_eq!(graph.unreachable_from(&[3]), [0, 1, 4]);
        assert_eq!(graph.unreachable_from(&[]), [0, 1, 2, 3, 4]);
        assert_eq!(graph.unreachable_from(&[0, 4, 9]), [3]);
    }
}
