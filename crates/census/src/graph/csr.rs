//! A directed graph in compressed sparse rows: where each node's edges begin, and where each edge leads.
//!
//! In: nodes in numeric order, each with its edges. Out: slices of targets. 4 bytes per node and per edge.
//! What must not happen here: more edges than `u32` numbers; further ones are refused, not stored.

/// Nodes are numbered from 0 in the order of [`Graph::close_node`].
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// Where each closed node's edges begin; the last entry is where they end.
    begins: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph without nodes, with capacity for this many nodes and edges.
    pub(crate) fn with_capacity(nodes: usize, edges: usize) -> Graph {
        let mut begins = Vec::with_capacity(nodes.saturating_add(1));
        begins.push(0);
        Graph { begins, targets: Vec::with_capacity(edges) }
    }

    /// Adds an edge to the open node. False: the graph is full.
    pub(crate) fn push_edge(&mut self, target: u32) -> bool {
        let fits = self.targets.len() < u32::MAX as usize;
        if fits {
            self.targets.push(target);
        }
        fits
    }

    /// Ends the edges of the open node and opens the next one.
    pub(crate) fn close_node(&mut self) {
        self.begins.push(self.targets.len() as u32);
    }

    /// Closed nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.begins.len() - 1
    }

    /// Edges, each as often as it was pushed.
    pub(crate) fn edges(&self) -> usize {
        self.targets.len()
    }

    /// Targets of a node's edges; empty for a node that was never closed.
    pub(crate) fn targets(&self, node: u32) -> &[u32] {
        let node = node as usize;
        match (self.begins.get(node), self.begins.get(node + 1)) {
            (Some(begin), Some(end)) => self.targets.get(*begin as usize..*end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// How many edges lead to each of `nodes` nodes.
    pub(crate) fn references(&self, nodes: usize) -> Vec<u32> {
        let mut counts = vec![0_u32; nodes];
        for target in &self.targets {
            if let Some(count) = counts.get_mut(*target as usize) {
                *count = count.saturating_add(1);
            }
        }
        counts
    }

    /// The graph with every edge reversed, over `nodes` nodes.
    pub(crate) fn reversed(&self, nodes: usize) -> Graph {
        let mut ends = Vec::with_capacity(nodes + 1);
        let mut total = 0_u32;
        ends.push(0);
        for count in self.references(nodes) {
            total += count;
            ends.push(total);
        }
        let mut next = ends.clone();
        let mut targets = vec![0_u32; total as usize];
        for node in 0..self.nodes() as u32 {
            for target in self.targets(node) {
                let Some(slot) = next.get_mut(*target as usize) else { continue };
                if let Some(place) = targets.get_mut(*slot as usize) {
                    *place = node;
                }
                *slot += 1;
            }
        }
        Graph { begins: ends, targets }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A graph from lists of targets.
    pub(crate) fn graph(edges: &[&[u32]]) -> Graph {
        let mut graph = Graph::with_capacity(0, 0);
        for targets in edges {
            for target in *targets {
                graph.push_edge(*target);
            }
            graph.close_node();
        }
        graph
    }

    #[test]
    fn what_went_in_comes_out() {
        let graph = graph(&[&[1, 2, 2], &[], &[0]]);
        assert_eq!((graph.nodes(), graph.edges()), (3, 4));
        assert_eq!(graph.targets(0), [1, 2, 2]);
        assert_eq!(graph.targets(1), [0_u32; 0]);
        assert_eq!(graph.targets(2), [0]);
        assert_eq!(graph.targets(3), [0_u32; 0]);
        assert_eq!(graph.references(3), [1, 1, 2]);
    }

    #[test]
    fn turned_round() {
        let back = graph(&[&[1, 2, 2], &[], &[0]]).reversed(3);
        assert_eq!(back.targets(0), [2]);
        assert_eq!(back.targets(1), [0]);
        assert_eq!(back.targets(2), [0, 0]);
    }

    #[test]
    fn nodes_that_were_cut_off_have_no_edges() {
        let back = graph(&[&[5]]).reversed(6);
        assert_eq!(back.targets(5), [0]);
        assert_eq!(back.nodes(), 6);
    }
}
