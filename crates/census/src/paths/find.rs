//! The path from the roots to a few objects, by a search that ends when it has found them.
//!
//! In: containers that grew. Out: a [`Path`] each; none where no root leads there, or the limits end the
//! search first. Collection and naming happen in one hold of the GIL, so no address can go stale. What must
//! not happen here: Python code, work past the limits.

use crate::clock::CpuInstant;
use std::collections::{HashMap, HashSet};

use super::Path;
use super::edges::each_child;
use super::entry_costs::EntryCosts;
use super::render::{Chain, render};
use crate::graph::node_table::{self, NodeTable};
use crate::graph::search::{BucketQueue, MAX_STEP_COST};
use crate::naming::{HeapView, Kind, Label};
use crate::object::{Object, Python};
use crate::roots::{Root, Roots};

/// Limits that end a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathLimits {
    /// Objects that may be visited.
    pub max_nodes: usize,
    /// Longest hold of the GIL, in nanoseconds.
    pub max_pause_ns: u64,
}

impl Default for PathLimits {
    fn default() -> Self {
        PathLimits { max_nodes: 4_000_000, max_pause_ns: 150_000_000 }
    }
}

/// Steps of a path that is named. Nobody reads more, and a chain of 100,000 objects has as many.
pub(crate) const MAX_NAMED_STEPS: usize = 32;

/// With this many children on paths, a container's level is shown as `[*]`.
pub(crate) const MIN_FOLDED_CHILDREN: usize = 3;

/// The path to each target, in their order. A container's path ends in `[*]`: its elements. The GIL must be
/// held.
pub fn find(python: &Python, targets: &[Object], limits: &PathLimits) -> Vec<Option<Path>> {
    let nothing = || targets.iter().map(|_| None).collect();
    let Ok(heap) = HeapView::new(python) else { return nothing() };
    if targets.is_empty() {
        return nothing();
    }
    let roots = Roots::collect(&heap);
    let mut search = Search::default();
    search.run(&heap, &roots, targets, limits);
    let chains: Vec<Option<(Root, Vec<u64>)>> =
        targets.iter().map(|target| search.chain(&roots, target.address())).collect();
    let folded = folded(&heap, &chains, targets);
    chains
        .into_iter()
        .map(|chain| {
            let (root, nodes) = chain.filter(|(_, nodes)| nodes.len() <= MAX_NAMED_STEPS)?;
            let labels = nodes.windows(2).map(|edge| match edge {
                [parent, _] if folded.contains(parent) => Label::Each,
                [parent, child] => heap.label(*parent, *child),
                _ => Label::Unknown,
            });
            let labels: Vec<Label> = labels.collect();
            Some(render(&heap, &roots, &Chain { root, nodes: &nodes, labels: &labels, elements: true }))
        })
        .collect()
}

/// Containers with many children on the paths, and containers that are targets.
fn folded(heap: &HeapView<'_>, chains: &[Option<(Root, Vec<u64>)>], targets: &[Object]) -> HashSet<u64> {
    let mut children: HashMap<u64, HashSet<u64>> = HashMap::new();
    let mut namespaces = HashSet::new();
    for (root, nodes) in chains.iter().flatten() {
        if root.kind.is_namespace() {
            namespaces.insert(root.object);
        }
        for edge in nodes.windows(2) {
            if let [parent, child] = edge {
                children.entry(*parent).or_default().insert(*child);
                if heap.own_dict(*parent) == *child || heap.kinds.of(*parent) == Kind::Function {
                    namespaces.insert(*child);
                }
            }
        }
    }
    let targets: HashSet<u64> = targets.iter().map(|target| target.address()).collect();
    children
        .into_iter()
        .filter(|(parent, below)| {
            heap.kinds.of(*parent).is_container()
                && !namespaces.contains(parent)
                && (below.len() >= MIN_FOLDED_CHILDREN || targets.contains(parent))
        })
        .map(|(parent, _)| parent)
        .collect()
}

/// Dial's search over objects, which become nodes when they are first seen.
#[derive(Default)]
struct Search {
    nodes: Option<NodeTable>,
    costs: Vec<u32>,
    /// By node: its predecessor; from `ROOT_BASE` on, the index of a root.
    before: Vec<u32>,
    buckets: BucketQueue,
    limit: usize,
}

const ROOT_BASE: u32 = 1 << 31;

impl Search {
    fn offer(&mut self, object: u64, cost: u32, from: u32) {
        let nodes = self.nodes.get_or_insert_with(|| NodeTable::with_capacity(1 << 12));
        // A single container may have more elements than the node limit.
        if nodes.len() > self.limit {
            return;
        }
        let (node, new) = nodes.insert(object);
        if new {
            self.costs.push(u32::MAX);
            self.before.push(ROOT_BASE);
        }
        if let (Some(best), Some(before)) =
            (self.costs.get_mut(node as usize), self.before.get_mut(node as usize))
            && cost < *best
        {
            *best = cost;
            *before = from;
            self.buckets.push(cost, node);
        }
    }

    fn run(&mut self, heap: &HeapView<'_>, roots: &Roots, targets: &[Object], limits: &PathLimits) {
        /// Objects visited between two clock reads.
        const SEARCHED_PER_CLOCK_CHECK: u32 = 256;
        let began = CpuInstant::now();
        let costs = EntryCosts::new(heap, roots);
        self.limit = limits.max_nodes.min(node_table::MAX_NODES);
        let mut missing: HashSet<u64> = targets.iter().map(|target| target.address()).collect();
        for (index, root) in roots.starts.iter().enumerate() {
            self.offer(root.object, root.cost.min(MAX_STEP_COST), ROOT_BASE + index as u32);
        }
        let mut visited = 0_u32;
        while let Some((cost, node)) = self.buckets.pop() {
            if self.costs.get(node as usize) != Some(&cost) {
                continue;
            }
            let Some(object) = self.nodes.as_ref().and_then(|nodes| nodes.address(node)) else { continue };
            if missing.remove(&object) && missing.is_empty() {
                return;
            }
            visited += 1;
            let late = visited.is_multiple_of(SEARCHED_PER_CLOCK_CHECK)
                && began.elapsed().as_nanos() > u128::from(limits.max_pause_ns);
            if late || self.costs.len() > self.limit {
                return;
            }
            each_child(heap, object, &mut |child| {
                // Values without children lead nowhere: a list may hold ten million numbers.
                if costs.may_have_children(child) || missing.contains(&child) {
                    self.offer(child, cost.saturating_add(costs.enter(child)), node);
                }
            });
        }
    }

    /// The root and the objects from it to the target.
    fn chain(&self, roots: &Roots, target: u64) -> Option<(Root, Vec<u64>)> {
        let nodes = self.nodes.as_ref()?;
        let mut node = nodes.get(target)?;
        let mut chain = vec![target];
        loop {
            let before = *self.before.get(node as usize)?;
            if before >= ROOT_BASE {
                let root = *roots.starts.get((before - ROOT_BASE) as usize)?;
                chain.reverse();
                return Some((root, chain));
            }
            chain.push(nodes.address(before)?);
            node = before;
            if chain.len() > nodes.len() {
                return None;
            }
        }
    }
}
