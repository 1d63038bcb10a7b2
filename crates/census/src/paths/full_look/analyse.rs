//! Step two: owners of samples, reachability, dominators. The program does not wait for it.
//!
//! In: [`Collected`] and the samples. Out: [`Analysed`], ready to be named. What must not happen here: a read
//! of Python's memory; addresses are mere numbers by now.

use crate::clock::CpuInstant;
use std::collections::BTreeMap;

use super::collect::{Collected, Outside};
use super::sample_owners::SampleOwners;
use super::trie::Trie;
use super::{Block, FullLookCounts, Reachability, TypeTotal};
use crate::graph::dominators::{Dominators, dominators};
use crate::graph::reachability::{NodeReachability, node_reachability};
use crate::graph::search::{Predecessor, Start, Tree, tree};
use crate::naming::Kind;
use crate::roots::Root;
use crate::sizes::Addresses;

/// Samples without a path: native-held or garbage, by type.
#[derive(Clone, Debug)]
pub(super) struct Unnamed {
    pub(super) reachability: Reachability,
    pub(super) kind: String,
    pub(super) samples: Vec<u64>,
    pub(super) bytes: u64,
    pub(super) retained: u64,
}

/// The analysis, ready to be named.
#[derive(Debug)]
pub struct Analysed {
    pub(super) counts: FullLookCounts,
    pub(super) trie: Trie,
    pub(super) roots: Vec<Root>,
    pub(super) frames: Vec<u64>,
    pub(super) modules: Vec<String>,
    pub(super) unnamed: Vec<Unnamed>,
    pub(super) unowned: Vec<u64>,
    pub(super) native: Vec<TypeTotal>,
    pub(super) garbage: Vec<TypeTotal>,
}

/// Longest walk up the dominators to find a container among them.
const MAX_DOMINATOR_STEPS: usize = 10_000;
/// Types that are reported for each reachability.
const MAX_REPORTED_TYPES: usize = 50;

impl Collected {
    /// Finds owners and reachability. Needs no GIL.
    pub fn analyse(self, blocks: &[Block]) -> Analysed {
        let began = CpuInstant::now();
        let nodes = self.nodes.len();
        let mut sample_owners = SampleOwners::new(blocks);
        let mut bytes = vec![0_u64; nodes];
        for (node, sum) in bytes.iter_mut().enumerate() {
            let own = u64::from(self.own.get(node).copied().unwrap_or(0));
            let before = u64::from(self.before.get(node).copied().unwrap_or(0));
            *sum = own + u64::from(self.beside.get(node).copied().unwrap_or(0));
            let address = self.nodes.address(node as u32).unwrap_or(0);
            sample_owners.offer_extent(node as u32, address.wrapping_sub(before), own);
        }
        for outside in &self.outside {
            if let Some(sum) = bytes.get_mut(outside.node as usize) {
                *sum = sum.saturating_add(outside.bytes);
            }
            sample_owners.offer_extent(outside.node, outside.address, outside.bytes);
        }
        let enter = |node: u32| self.enters.get(node as usize).map_or(1, |cost| u32::from(*cost));
        let tree = tree(&self.graph, nodes, &self.starts, enter);
        self.offer_saved(&mut sample_owners, &mut bytes, &tree);
        let mut counts = self.counts.clone();
        counts.resize(nodes, 0);
        let node_reachability = node_reachability(&self.graph, &tree, &counts);
        drop(counts);
        let dominators = {
            let back = self.graph.reversed(nodes);
            let held =
                self.starts.iter().map(|start| start.node).chain(node_reachability.tops.iter().copied());
            dominators(&self.graph, &back, nodes, &held.collect::<Vec<_>>())
        };
        let retained = dominators.retained(&bytes);
        let mut analysed = self.summary(&node_reachability, &bytes);
        self.samples(
            &mut analysed,
            sample_owners,
            &GraphFacts { tree, node_reachability, dominators, retained },
        );
        analysed.roots = self.roots;
        analysed.frames = self.frames;
        analysed.modules = self.modules;
        let cost = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        analysed.counts.cost_ns = self.pause_ns.saturating_add(cost);
        analysed
    }

    /// Gives what a graph saved to the tensor that keeps the graph. What an object owns that a path leads to
    /// stays its own, such as a parameter; an object that only the graph keeps is no owner.
    fn offer_saved(&self, sample_owners: &mut SampleOwners, bytes: &mut [u64], tree: &Tree) {
        if self.saved.is_empty() {
            return;
        }
        let is_reached = |outside: &&Outside| tree.reached(outside.node);
        let owned: Addresses =
            self.outside.iter().filter(is_reached).map(|outside| outside.address).collect();
        for saved in self.saved.iter().filter(|saved| !owned.contains(&saved.address)) {
            if let Some(sum) = bytes.get_mut(saved.node as usize) {
                *sum = sum.saturating_add(saved.bytes);
            }
            sample_owners.offer_instead(saved.node, saved.address, saved.bytes, |owner| !tree.reached(owner));
        }
    }

    fn summary(&self, node_reachability: &NodeReachability, bytes: &[u64]) -> Analysed {
        let mut by_type: BTreeMap<(Reachability, u32), (u64, u64)> = BTreeMap::new();
        // A look that was cut short lacks references, so objects would seem to be held by native code.
        for (node, kind) in self.kinds.iter().enumerate().take(if self.cut { 0 } else { usize::MAX }) {
            let reachability = node_reachability.of(node as u32);
            if reachability != Reachability::Reachable {
                let (count, sum) = by_type.entry((reachability, *kind)).or_default();
                *count += 1;
                *sum += bytes.get(node).copied().unwrap_or(0);
            }
        }
        let types = |wanted: Reachability| {
            let mut types: Vec<TypeTotal> = by_type
                .iter()
                .filter(|((reachability, _), _)| *reachability == wanted)
                .map(|((_, kind), (count, bytes))| TypeTotal {
                    name: self.types.get(*kind as usize).map_or(String::new(), |met| met.name.clone()),
                    count: *count,
                    bytes: *bytes,
                })
                .collect();
            types.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.name.cmp(&other.name)));
            types
        };
        let (mut native, mut garbage) = (types(Reachability::NativeHeld), types(Reachability::Garbage));
        // A graph holds no object of Python. Where some object is garbage, a graph that it keeps may be missing from its bytes.
        let cut = self.cut || self.graphs_cut && !garbage.is_empty();
        if cut {
            native.clear();
            garbage.clear();
        }
        let counts = FullLookCounts {
            objects: self.nodes.len() as u64,
            edges: self.graph.edges() as u64,
            bytes: bytes.iter().sum(),
            native_bytes: native.iter().map(|of| of.bytes).sum(),
            garbage_bytes: garbage.iter().map(|of| of.bytes).sum(),
            garbage_objects: garbage.iter().map(|of| of.count).sum(),
            pause_ns: self.pause_ns,
            cost_ns: 0,
            cut,
            graphs_cut: self.graphs_cut,
        };
        native.truncate(MAX_REPORTED_TYPES);
        garbage.truncate(MAX_REPORTED_TYPES);
        Analysed {
            counts,
            trie: Trie::default(),
            roots: Vec::new(),
            frames: Vec::new(),
            modules: Vec::new(),
            unnamed: Vec::new(),
            unowned: Vec::new(),
            native,
            garbage,
        }
    }

    fn samples(&self, analysed: &mut Analysed, sample_owners: SampleOwners, found: &GraphFacts) {
        let facts = |node: u32| {
            let met = self.kinds.get(node as usize).and_then(|kind| self.types.get(*kind as usize));
            let address = self.nodes.address(node).unwrap_or(0);
            met.map_or((address, 0, Kind::Other), |met| (address, met.address, met.kind))
        };
        let mut unnamed: BTreeMap<(Reachability, u32), Unnamed> = BTreeMap::new();
        let mut natives: Option<Tree> = None;
        for (block, owner) in sample_owners.owners() {
            let Some(owner) = owner else {
                analysed.unowned.push(block.id);
                continue;
            };
            let retained = found.retained.get(owner as usize).copied().unwrap_or(0);
            let reachability = found.node_reachability.of(owner);
            if reachability == Reachability::Reachable {
                let place = analysed.trie.place(&found.tree, owner, &facts);
                if let Some(entry) = place.and_then(|place| analysed.trie.entries.get_mut(place)) {
                    if entry.samples.is_empty() {
                        entry.retained = retained;
                        entry.alone = if found.is_alone(owner) { retained } else { 0 };
                    }
                    entry.samples.push(block.id);
                    entry.bytes = entry.bytes.saturating_add(block.size);
                }
                continue;
            }
            if self.cut {
                analysed.unowned.push(block.id);
                continue;
            }
            let top = if reachability == Reachability::NativeHeld {
                top(
                    natives.get_or_insert_with(|| self.below(&found.node_reachability)),
                    owner,
                    &found.node_reachability.tops,
                )
            } else {
                owner
            };
            let kind = self.kinds.get(top as usize).copied().unwrap_or(0);
            let group = unnamed.entry((reachability, kind)).or_insert_with(|| Unnamed {
                reachability,
                kind: self.types.get(kind as usize).map_or(String::new(), |met| met.name.clone()),
                samples: Vec::new(),
                bytes: 0,
                retained: 0,
            });
            group.samples.push(block.id);
            group.bytes = group.bytes.saturating_add(block.size);
            group.retained = group.retained.saturating_add(retained);
        }
        analysed.unnamed = unnamed.into_values().collect();
    }

    /// The search tree below the objects that native code holds.
    fn below(&self, node_reachability: &NodeReachability) -> Tree {
        let starts: Vec<Start> =
            node_reachability.tops.iter().map(|node| Start { node: *node, cost: 0 }).collect();
        tree(&self.graph, self.nodes.len(), &starts, |_| 1)
    }
}

/// The object held directly by native code above another.
fn top(tree: &Tree, node: u32, tops: &[u32]) -> u32 {
    let mut at = node;
    loop {
        match tree.predecessor(at) {
            Predecessor::Node(before) => at = before,
            Predecessor::Start(start) => return tops.get(start as usize).copied().unwrap_or(at),
            Predecessor::Unreached => return at,
        }
    }
}

/// Results over the whole graph.
struct GraphFacts {
    tree: Tree,
    node_reachability: NodeReachability,
    dominators: Dominators,
    retained: Vec<u64>,
}

impl GraphFacts {
    /// Whether the holder of an object on its path is on every path to it.
    fn is_alone(&self, node: u32) -> bool {
        let Predecessor::Node(holder) = self.tree.predecessor(node) else { return true };
        let mut at = node;
        for _ in 0..MAX_DOMINATOR_STEPS {
            match self.dominators.immediate_dominator(at) {
                Some(above) if above == holder => return true,
                Some(above) => at = above,
                None => return false,
            }
        }
        false
    }
}
