//! The second step: owners of samples, classes, dominators. Nobody waits for it.
//!
//! In: [`Collected`] and the samples. Out: [`Analysed`]: only what is still to be named. What must not happen here: a read of
//! Python's memory; the addresses are only numbers by now.

use crate::clock::Moment;
use std::collections::BTreeMap;

use super::collect::Collected;
use super::join::Join;
use super::trie::Trie;
use super::{Block, Class, OfType, WholeCounts};
use crate::graph::classes::{Classes, classes};
use crate::graph::dominators::{Dominators, dominators};
use crate::graph::search::{Before, Start, Tree, tree};
use crate::naming::Kind;
use crate::roots::Root;

/// Samples below what nobody can name.
#[derive(Clone, Debug)]
pub(super) struct Unnamed {
    pub(super) class: Class,
    pub(super) kind: String,
    pub(super) samples: Vec<u64>,
    pub(super) bytes: u64,
    pub(super) retained: u64,
}

/// What is left to be named.
#[derive(Debug)]
pub struct Analysed {
    pub(super) counts: WholeCounts,
    pub(super) trie: Trie,
    pub(super) roots: Vec<Root>,
    pub(super) frames: Vec<u64>,
    pub(super) modules: Vec<String>,
    pub(super) unnamed: Vec<Unnamed>,
    pub(super) loose: Vec<u64>,
    pub(super) native: Vec<OfType>,
    pub(super) garbage: Vec<OfType>,
}

/// Dominators are walked up so far to see whether a container is among them.
const HIGHEST: usize = 10_000;
/// Types that are told per class.
const MOST_TYPES: usize = 50;

impl Collected {
    /// Finds owners and classes. Needs no GIL.
    pub fn analyse(self, blocks: &[Block]) -> Analysed {
        let began = Moment::now();
        let nodes = self.nodes.len();
        let mut join = Join::new(blocks);
        let mut bytes = vec![0_u64; nodes];
        for (node, sum) in bytes.iter_mut().enumerate() {
            let own = u64::from(self.own.get(node).copied().unwrap_or(0));
            let before = u64::from(self.before.get(node).copied().unwrap_or(0));
            *sum = own + u64::from(self.beside.get(node).copied().unwrap_or(0));
            let address = self.nodes.address(node as u32).unwrap_or(0);
            join.extent(node as u32, address.wrapping_sub(before), own);
        }
        for outside in &self.outside {
            if let Some(sum) = bytes.get_mut(outside.node as usize) {
                *sum = sum.saturating_add(outside.bytes);
            }
            join.extent(outside.node, outside.address, outside.bytes);
        }
        let enter = |node: u32| self.enters.get(node as usize).map_or(1, |cost| u32::from(*cost));
        let tree = tree(&self.graph, nodes, &self.starts, enter);
        let mut counts = self.counts.clone();
        counts.resize(nodes, 0);
        let classes = classes(&self.graph, &tree, &counts);
        drop(counts);
        let above = {
            let back = self.graph.reversed(nodes);
            let held = self.starts.iter().map(|start| start.node).chain(classes.tops.iter().copied());
            dominators(&self.graph, &back, nodes, &held.collect::<Vec<_>>())
        };
        let retained = above.retained(&bytes);
        let mut analysed = self.summary(&classes, &bytes);
        self.samples(&mut analysed, join, &Found { tree, classes, above, retained });
        analysed.roots = self.roots;
        analysed.frames = self.frames;
        analysed.modules = self.modules;
        let cost = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        analysed.counts.cost_ns = self.pause_ns.saturating_add(cost);
        analysed
    }

    fn summary(&self, classes: &Classes, bytes: &[u64]) -> Analysed {
        let mut by_type: BTreeMap<(Class, u32), (u64, u64)> = BTreeMap::new();
        // In a look that was cut short, references are missing: what seems held by native code may be held by these.
        for (node, kind) in self.kinds.iter().enumerate().take(if self.cut { 0 } else { usize::MAX }) {
            let class = classes.of(node as u32);
            if class != Class::Reachable {
                let (count, sum) = by_type.entry((class, *kind)).or_default();
                *count += 1;
                *sum += bytes.get(node).copied().unwrap_or(0);
            }
        }
        let types = |wanted: Class| {
            let mut types: Vec<OfType> = by_type
                .iter()
                .filter(|((class, _), _)| *class == wanted)
                .map(|((_, kind), (count, bytes))| OfType {
                    name: self.types.get(*kind as usize).map_or(String::new(), |met| met.name.clone()),
                    count: *count,
                    bytes: *bytes,
                })
                .collect();
            types.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.name.cmp(&other.name)));
            types
        };
        let (mut native, mut garbage) = (types(Class::NativeHeld), types(Class::Garbage));
        let counts = WholeCounts {
            objects: self.nodes.len() as u64,
            edges: self.graph.edges() as u64,
            bytes: bytes.iter().sum(),
            native_bytes: native.iter().map(|of| of.bytes).sum(),
            garbage_bytes: garbage.iter().map(|of| of.bytes).sum(),
            pause_ns: self.pause_ns,
            cost_ns: 0,
            cut: self.cut,
        };
        native.truncate(MOST_TYPES);
        garbage.truncate(MOST_TYPES);
        Analysed {
            counts,
            trie: Trie::default(),
            roots: Vec::new(),
            frames: Vec::new(),
            modules: Vec::new(),
            unnamed: Vec::new(),
            loose: Vec::new(),
            native,
            garbage,
        }
    }

    fn samples(&self, analysed: &mut Analysed, join: Join, found: &Found) {
        let facts = |node: u32| {
            let met = self.kinds.get(node as usize).and_then(|kind| self.types.get(*kind as usize));
            let address = self.nodes.address(node).unwrap_or(0);
            met.map_or((address, 0, Kind::Other), |met| (address, met.address, met.kind))
        };
        let mut unnamed: BTreeMap<(Class, u32), Unnamed> = BTreeMap::new();
        let mut natives: Option<Tree> = None;
        for (block, owner) in join.owners() {
            let Some(owner) = owner else {
                analysed.loose.push(block.id);
                continue;
            };
            let retained = found.retained.get(owner as usize).copied().unwrap_or(0);
            let class = found.classes.of(owner);
            if class == Class::Reachable {
                let place = analysed.trie.place(&found.tree, owner, &facts);
                if let Some(twig) = place.and_then(|place| analysed.trie.twigs.get_mut(place)) {
                    if twig.samples.is_empty() {
                        twig.retained = retained;
                        twig.alone = if found.is_alone(owner) { retained } else { 0 };
                    }
                    twig.samples.push(block.id);
                    twig.bytes = twig.bytes.saturating_add(block.size);
                }
                continue;
            }
            if self.cut {
                analysed.loose.push(block.id);
                continue;
            }
            let top = if class == Class::NativeHeld {
                top(natives.get_or_insert_with(|| self.below(&found.classes)), owner, &found.classes.tops)
            } else {
                owner
            };
            let kind = self.kinds.get(top as usize).copied().unwrap_or(0);
            let group = unnamed.entry((class, kind)).or_insert_with(|| Unnamed {
                class,
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

    /// What hangs below the objects that native code holds.
    fn below(&self, classes: &Classes) -> Tree {
        let starts: Vec<Start> = classes.tops.iter().map(|node| Start { node: *node, cost: 0 }).collect();
        tree(&self.graph, self.nodes.len(), &starts, |_| 1)
    }
}

/// The object that native code holds, above another.
fn top(tree: &Tree, node: u32, tops: &[u32]) -> u32 {
    let mut at = node;
    loop {
        match tree.before(at) {
            Before::Node(before) => at = before,
            Before::Start(start) => return tops.get(start as usize).copied().unwrap_or(at),
            Before::Nowhere => return at,
        }
    }
}

/// What the graph says.
struct Found {
    tree: Tree,
    classes: Classes,
    above: Dominators,
    retained: Vec<u64>,
}

impl Found {
    /// Whether the one that holds an object on its path is on every path to it.
    fn is_alone(&self, node: u32) -> bool {
        let Before::Node(holder) = self.tree.before(node) else { return true };
        let mut at = node;
        for _ in 0..HIGHEST {
            match self.above.above(at) {
                Some(above) if above == holder => return true,
                Some(above) => at = above,
                None => return false,
            }
        }
        false
    }
}
