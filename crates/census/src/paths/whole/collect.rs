//! The first step: every object becomes a node, every reference an edge.
//!
//! In: the heap, under the GIL. Out: [`Collected`], plain numbers that outlive it. What must not happen here: naming, or any work
//! that could be done later; each microsecond is one that the program waits.

use crate::clock::Moment;

use super::super::PathLimits;
use super::super::edges::each_child;
use super::super::weights::Weights;
use crate::graph::csr::Graph;
use crate::graph::search::Start;
use crate::graph::table::Table;
use crate::layout::TYPE;
use crate::memory::{prefetch, word};
use crate::naming::{Kind, Look};
use crate::object::{Object, Python, Type};
use crate::roots::{Root, Roots};
use crate::sizes::ByAddress;

/// How many objects are looked at between two looks at the clock.
const BETWEEN: usize = 512;
/// Memory of a single object that is larger than this was misread.
const LARGEST: u64 = 1 << 42;

/// A type that was met.
#[derive(Clone, Debug)]
pub(super) struct Met {
    pub(super) address: u64,
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Memory of an object outside of its own block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    pub(super) node: u32,
    pub(super) address: u64,
    pub(super) bytes: u64,
}

/// The heap as numbers. Needs no GIL and no Python any more.
#[derive(Debug)]
pub struct Collected {
    pub(super) nodes: Table,
    pub(super) graph: Graph,
    /// By node: references to it, what it costs to enter it, its type, its own bytes and how many of them stand before it.
    pub(super) counts: Vec<u32>,
    pub(super) enters: Vec<u8>,
    pub(super) kinds: Vec<u32>,
    pub(super) own: Vec<u32>,
    pub(super) before: Vec<u8>,
    pub(super) types: Vec<Met>,
    pub(super) outside: Vec<Outside>,
    pub(super) starts: Vec<Start>,
    /// The root behind each start.
    pub(super) roots: Vec<Root>,
    pub(super) frames: Vec<u64>,
    pub(super) modules: Vec<String>,
    pub(super) pause_ns: u64,
    pub(super) cut: bool,
}

/// Walks the heap. The caller holds the GIL, and Python code does not run until this returns.
pub fn collect(python: &Python, limits: &PathLimits) -> Collected {
    let began = Moment::now();
    let mut collected = Collected::new();
    match Look::new(python) {
        Ok(look) => collected.walk(&look, limits, began),
        Err(_) => collected.cut = true,
    }
    collected.pause_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    collected
}

impl Collected {
    fn new() -> Collected {
        const NODES: usize = 1 << 16;
        // Zeroed memory that is not touched costs nothing.
        const SLOTS: usize = 1 << 20;
        Collected {
            nodes: Table::with_capacity(SLOTS),
            graph: Graph::with_capacity(NODES, 4 * NODES),
            counts: Vec::new(),
            enters: Vec::new(),
            kinds: Vec::new(),
            own: Vec::new(),
            before: Vec::new(),
            types: Vec::new(),
            outside: Vec::new(),
            starts: Vec::new(),
            roots: Vec::new(),
            frames: Vec::new(),
            modules: Vec::new(),
            pause_ns: 0,
            cut: false,
        }
    }

    fn walk(&mut self, look: &Look<'_>, limits: &PathLimits, began: Moment) {
        let most = limits.max_nodes.min(1 << 31);
        let roots = Roots::collect(look);
        let mut starts = roots.starts.clone();
        for root in &starts {
            self.nodes.insert(root.object);
        }
        let late = || began.elapsed().as_nanos() > u128::from(limits.max_pause_ns);
        let (nodes, cut) = (&mut self.nodes, &mut self.cut);
        look.python.visit_tracked_while(&mut |object| {
            nodes.insert(object.address());
            *cut = nodes.len() > most || nodes.len().is_multiple_of(BETWEEN) && late();
            !*cut
        });
        let mut kinds: ByAddress<u64, u32> = ByAddress::default();
        let weights = Weights::new(look, &roots);
        self.process(look, &weights, &mut kinds, most, &late);
        if !self.cut {
            // Classes that no module's dict and no instance showed: only their own instances know them.
            starts.append(&mut Roots::types(look, self.types.iter().map(|met| met.address)));
            for root in &starts {
                self.nodes.insert(root.object);
            }
            self.process(look, &weights, &mut kinds, most, &late);
        }
        for root in starts {
            if let Some(node) = self.nodes.get(root.object) {
                self.starts.push(Start { node, cost: root.cost });
                self.roots.push(root);
            }
        }
        self.frames = roots.frames.iter().map(|frame| frame.running.code).collect();
        self.modules = roots.modules.into_iter().map(|module| module.name).collect();
    }

    /// Closes every node that is open, and those that come up meanwhile.
    fn process(
        &mut self,
        look: &Look<'_>,
        weights: &Weights<'_>,
        kinds: &mut ByAddress<u64, u32>,
        most: usize,
        late: &dyn Fn() -> bool,
    ) {
        /// How far ahead memory is asked for, and how many objects are done together so that it has time to come.
        const AHEAD: u32 = 8;
        const BATCH: u32 = 16;
        let mut children: Vec<u64> = Vec::new();
        let mut ends: Vec<usize> = Vec::new();
        let mut since = 0;
        loop {
            if self.cut || self.nodes.len() > most || since >= BETWEEN && late() {
                self.cut = true;
                return;
            }
            since = if since >= BETWEEN { 0 } else { since + BATCH as usize };
            children.clear();
            ends.clear();
            let first = self.graph.nodes() as u32;
            for node in first..first.saturating_add(BATCH) {
                let Some(object) = self.nodes.address(node) else { break };
                prefetch(self.nodes.address(node + AHEAD).unwrap_or(0));
                self.facts(look, weights, kinds, node, object);
                let nodes = &self.nodes;
                each_child(look, object, &mut |child| {
                    // One container alone may have more elements than there may be nodes.
                    if children.len() <= most {
                        nodes.expect(child);
                        children.push(child);
                    }
                });
                ends.push(children.len());
            }
            if ends.is_empty() {
                return;
            }
            self.cut |= children.len() > most;
            for child in &children {
                self.nodes.expect_address(*child);
            }
            let mut done = 0;
            for end in &ends {
                for child in children.get(done..*end).unwrap_or_default() {
                    let (target, _) = self.nodes.insert(*child);
                    self.graph.push_edge(target);
                }
                self.graph.close_node();
                done = *end;
            }
        }
    }

    fn facts(
        &mut self,
        look: &Look<'_>,
        weights: &Weights<'_>,
        kinds: &mut ByAddress<u64, u32>,
        node: u32,
        object: u64,
    ) {
        let class = word(object, TYPE);
        let types = &mut self.types;
        let kind = *kinds.entry(class).or_insert_with(|| {
            let name = look.python.type_name(Type(class));
            types.push(Met { address: class, name, kind: look.kinds.of_type(class) });
            types.len() as u32 - 1
        });
        let (start, bytes) = look.python.block(Object(object));
        self.kinds.push(kind);
        self.counts.push(u32::try_from(look.python.references(Object(object))).unwrap_or(u32::MAX));
        self.enters.push(u8::try_from(weights.enter(object)).unwrap_or(u8::MAX));
        self.own.push(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.before.push(u8::try_from(object.wrapping_sub(start)).unwrap_or(0));
        let outside = &mut self.outside;
        look.sizes.buffers(Object(object), &mut |buffer| {
            if buffer.owner && buffer.bytes < LARGEST {
                outside.push(Outside { node, address: buffer.address, bytes: buffer.bytes });
            }
        });
    }
}
