//! The way from the roots to a few objects: a search that ends when it has found them.
//!
//! In: containers that grew. Out: a [`Path`] each, or none where no root leads there or the limits end the search first.
//! Collection and naming happen in one go under the GIL, so no address can go stale between. What must not happen here:
//! Python code, work past the limits.

use crate::clock::Moment;
use std::collections::{HashMap, HashSet};

use super::Path;
use super::edges::each_child;
use super::render::{Chain, render};
use super::weights::Weights;
use crate::graph::search::{Buckets, DEAREST};
use crate::graph::table::{self, Table};
use crate::naming::{Kind, Label, Look};
use crate::object::{Object, Python};
use crate::roots::{Root, Roots};

/// Where a look ends, whatever is still to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathLimits {
    /// Objects.
    pub max_nodes: usize,
    /// How long the GIL may be held, in nanoseconds.
    pub max_pause_ns: u64,
}

impl Default for PathLimits {
    fn default() -> Self {
        PathLimits { max_nodes: 4_000_000, max_pause_ns: 150_000_000 }
    }
}

/// From so many children on paths on, a container's level is shown as `[*]`.
pub(crate) const MANY: usize = 3;

/// The path to each target, in their order. A container's path ends in `[*]`: its elements. The GIL is held.
pub fn find(python: &Python, targets: &[Object], limits: &PathLimits) -> Vec<Option<Path>> {
    let nothing = || targets.iter().map(|_| None).collect();
    let Ok(look) = Look::new(python) else { return nothing() };
    if targets.is_empty() {
        return nothing();
    }
    let roots = Roots::collect(&look);
    let mut search = Search::default();
    search.run(&look, &roots, targets, limits);
    let chains: Vec<Option<(Root, Vec<u64>)>> =
        targets.iter().map(|target| search.chain(&roots, target.address())).collect();
    let folded = folded(&look, &chains, targets);
    chains
        .into_iter()
        .map(|chain| {
            let (root, nodes) = chain?;
            let labels = nodes.windows(2).map(|edge| match edge {
                [parent, _] if folded.contains(parent) => Label::Each,
                [parent, child] => look.label(*parent, *child),
                _ => Label::Unknown,
            });
            let labels: Vec<Label> = labels.collect();
            Some(render(&look, &roots, &Chain { root, nodes: &nodes, labels: &labels, elements: true }))
        })
        .collect()
}

/// Containers with many children on the paths, and those that are targets themselves.
fn folded(look: &Look<'_>, chains: &[Option<(Root, Vec<u64>)>], targets: &[Object]) -> HashSet<u64> {
    let mut children: HashMap<u64, HashSet<u64>> = HashMap::new();
    let mut namespaces = HashSet::new();
    for (root, nodes) in chains.iter().flatten() {
        if root.place.is_namespace() {
            namespaces.insert(root.object);
        }
        for edge in nodes.windows(2) {
            if let [parent, child] = edge {
                children.entry(*parent).or_default().insert(*child);
                if look.own_dict(*parent) == *child || look.kinds.of(*parent) == Kind::Function {
                    namespaces.insert(*child);
                }
            }
        }
    }
    let targets: HashSet<u64> = targets.iter().map(|target| target.address()).collect();
    children
        .into_iter()
        .filter(|(parent, below)| {
            look.kinds.of(*parent).is_container()
                && !namespaces.contains(parent)
                && (below.len() >= MANY || targets.contains(parent))
        })
        .map(|(parent, _)| parent)
        .collect()
}

/// Dial's search over objects that become nodes when they are first seen.
#[derive(Default)]
struct Search {
    nodes: Option<Table>,
    costs: Vec<u32>,
    /// The node before; from `START` on, the index of a root.
    before: Vec<u32>,
    buckets: Buckets,
    most: usize,
}

const START: u32 = 1 << 31;

impl Search {
    fn offer(&mut self, object: u64, cost: u32, from: u32) {
        let nodes = self.nodes.get_or_insert_with(|| Table::with_capacity(1 << 12));
        // One container alone may have more elements than there may be nodes.
        if nodes.len() > self.most {
            return;
        }
        let (node, new) = nodes.insert(object);
        if new {
            self.costs.push(u32::MAX);
            self.before.push(START);
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

    fn run(&mut self, look: &Look<'_>, roots: &Roots, targets: &[Object], limits: &PathLimits) {
        /// How many objects are looked at between two looks at the clock.
        const BETWEEN: u32 = 256;
        let began = Moment::now();
        let weights = Weights::new(look, roots);
        self.most = limits.max_nodes.min(table::MOST);
        let mut missing: HashSet<u64> = targets.iter().map(|target| target.address()).collect();
        for (index, root) in roots.starts.iter().enumerate() {
            self.offer(root.object, root.cost.min(DEAREST), START + index as u32);
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
            let late = visited.is_multiple_of(BETWEEN)
                && began.elapsed().as_nanos() > u128::from(limits.max_pause_ns);
            if late || self.costs.len() > self.most {
                return;
            }
            each_child(look, object, &mut |child| {
                // Ten million numbers in a list lead nowhere.
                if weights.leads_on(child) || missing.contains(&child) {
                    self.offer(child, cost.saturating_add(weights.enter(child)), node);
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
            if before >= START {
                let root = *roots.starts.get((before - START) as usize)?;
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
