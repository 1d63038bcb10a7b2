//! Step one: every object becomes a node, every reference an edge.
//!
//! In: the heap, under the GIL. Out: [`Collected`]: plain numbers that outlive the GIL. What must not happen
//! here: naming, or other work that could be done later; the program waits for every microsecond.

use std::cell::Cell;

use crate::clock::CpuInstant;

use super::super::PathLimits;
use super::super::edges::each_child;
use super::super::entry_costs::EntryCosts;
use super::Block;
use super::leaf_values::{Batch, Child, LeafValues};
use super::pass::{Owns, Pass};
use crate::graph::csr::Graph;
use crate::graph::node_table::{self, NodeTable};
use crate::graph::search::Start;
use crate::memory::prefetch;
use crate::naming::{HeapView, Kind};
use crate::object::{Object, Python};
use crate::pack::Walked;
use crate::roots::{Root, Roots};
use crate::sizes::KeptGraph;
use crate::type_info::TypeTable;

/// Objects between two clock reads.
const COLLECTED_PER_CLOCK_CHECK: usize = 512;
/// The collector's head and attributes without a dict stand up to this far before an object.
const PREFETCH_BYTES_BEFORE: u64 = 32;
/// Bytes of a single buffer; a larger number was misread.
const MAX_BUFFER_BYTES: u64 = 1 << 42;
/// Share of the pause after which autograd graphs are walked, if there are any.
const BEFORE_GRAPHS_PERCENT: u128 = 75;

/// A type in the heap.
#[derive(Clone, Debug)]
pub(super) struct HeapType {
    pub(super) address: u64,
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Memory of an object outside its own block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    pub(super) node: u32,
    pub(super) address: u64,
    pub(super) bytes: u64,
}

/// The heap as numbers. Needs no GIL and no Python any more.
#[derive(Debug)]
pub struct Collected {
    pub(super) nodes: NodeTable,
    pub(super) graph: Graph,
    /// By node: its references, the cost to enter it, its type, its own bytes, and how many of these stand
    /// before it.
    pub(super) counts: Vec<u32>,
    pub(super) enters: Vec<u8>,
    pub(super) kinds: Vec<u32>,
    pub(super) own: Vec<u32>,
    pub(super) before: Vec<u8>,
    /// By node: bytes of leaf values that only it refers to.
    pub(super) beside: Vec<u32>,
    pub(super) types: Vec<HeapType>,
    pub(super) outside: Vec<Outside>,
    /// Memory of autograd graphs, by the tensor that keeps the graph.
    pub(super) saved: Vec<Outside>,
    pub(super) starts: Vec<Start>,
    /// The root behind each start.
    pub(super) roots: Vec<Root>,
    pub(super) frames: Vec<u64>,
    pub(super) modules: Vec<String>,
    pub(super) pause_ns: u64,
    pub(super) cut: bool,
    /// Autograd graphs were not walked to their ends. All objects of Python are there all the same.
    pub(super) graphs_cut: bool,
}

/// Walks the heap for these samples. The caller holds the GIL, and Python code must not run until this
/// returns.
pub fn collect(python: &Python, blocks: &[Block], limits: &PathLimits) -> Collected {
    let began = CpuInstant::now();
    let mut collected = Collected::new();
    match HeapView::new(python) {
        Ok(heap) => collected.walk(&heap, LeafValues::new(python, blocks), limits, began),
        Err(_) => collected.cut = true,
    }
    collected.pause_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    collected
}

impl Collected {
    fn new() -> Collected {
        // Enough for a heap with TensorFlow. Memory that is not touched costs nothing.
        const INITIAL_NODES: usize = 1 << 19;
        Collected {
            nodes: NodeTable::with_capacity(INITIAL_NODES),
            graph: Graph::with_capacity(INITIAL_NODES, 4 * INITIAL_NODES),
            counts: Vec::with_capacity(INITIAL_NODES),
            enters: Vec::with_capacity(INITIAL_NODES),
            kinds: Vec::with_capacity(INITIAL_NODES),
            own: Vec::with_capacity(INITIAL_NODES),
            before: Vec::with_capacity(INITIAL_NODES),
            beside: Vec::with_capacity(INITIAL_NODES),
            types: Vec::new(),
            outside: Vec::new(),
            saved: Vec::new(),
            starts: Vec::new(),
            roots: Vec::new(),
            frames: Vec::new(),
            modules: Vec::new(),
            pause_ns: 0,
            cut: false,
            graphs_cut: false,
        }
    }

    fn walk(&mut self, heap: &HeapView<'_>, leaves: LeafValues<'_>, limits: &PathLimits, began: CpuInstant) {
        let limit = limits.max_nodes.min(node_table::MAX_NODES);
        let roots = Roots::collect(heap);
        let mut starts = roots.starts.clone();
        for root in &starts {
            self.nodes.insert(root.object);
        }
        let has_graphs = Cell::new(false);
        let pause = |share| began.elapsed().as_nanos() > u128::from(limits.max_pause_ns) * share / 100;
        let late = || pause(if has_graphs.get() { BEFORE_GRAPHS_PERCENT } else { 100 });
        let (costs, types) = (EntryCosts::new(heap, &roots), TypeTable::new());
        let mut pass = Pass { costs, types, leaves, graphs: Vec::new(), has_graphs: &has_graphs };
        // First everything that roots lead to, near objects first: if time runs out, distant objects are
        // missing.
        self.process(heap, &mut pass, limit, &late);
        // Then the other tracked objects: garbage, and objects held by native code alone.
        if !self.cut {
            self.tracked(heap, limit, &late);
        }
        self.process(heap, &mut pass, limit, &late);
        if !self.cut {
            // Static types that no module's dict led to: only their instances refer to them.
            starts.append(&mut Roots::types(heap, self.types.iter().map(|met| met.address)));
            for root in &starts {
                self.nodes.insert(root.object);
            }
            self.process(heap, &mut pass, limit, &late);
        }
        self.graphs(&pass.graphs, &|| pause(100));
        for root in starts {
            if let Some(node) = self.nodes.get(root.object) {
                self.starts.push(Start { node, cost: root.cost });
                self.roots.push(root);
            }
        }
        self.nodes.free_slots();
        self.frames = roots.frames.iter().map(|frame| frame.running.code).collect();
        self.modules = roots.modules.into_iter().map(|module| module.name).collect();
    }

    /// Finds the memory of graphs of operations.
    fn graphs(&mut self, roots: &[(u32, KeptGraph)], late: &dyn Fn() -> bool) {
        let mut walked = Walked::default();
        let saved = &mut self.saved;
        for (node, graph) in roots {
            let whole = graph.walk(&mut walked, late, &mut |address, bytes| {
                if bytes < MAX_BUFFER_BYTES {
                    saved.push(Outside { node: *node, address, bytes });
                }
            });
            if !whole {
                self.graphs_cut = true;
                return;
            }
        }
    }

    /// Makes a node of each tracked object.
    fn tracked(&mut self, heap: &HeapView<'_>, limit: usize, late: &dyn Fn() -> bool) {
        /// Objects between the prefetch of a table slot and its lookup; a power of two.
        const PENDING_LOOKUPS: usize = 32;
        let mut pending = [0_u64; PENDING_LOOKUPS];
        let mut count = 0_usize;
        let (nodes, cut) = (&mut self.nodes, &mut self.cut);
        heap.python.visit_tracked_while(&mut |object| {
            nodes.prefetch_slot(object.address());
            if let Some(place) = pending.get_mut(count % PENDING_LOOKUPS) {
                let before = std::mem::replace(place, object.address());
                if before != 0 {
                    nodes.insert(before);
                }
            }
            count += 1;
            *cut = nodes.len() > limit || count.is_multiple_of(COLLECTED_PER_CLOCK_CHECK) && late();
            !*cut
        });
        for address in pending.into_iter().filter(|address| *address != 0) {
            nodes.insert(address);
        }
    }

    /// Closes every open node, and the nodes that come up meanwhile.
    fn process(&mut self, heap: &HeapView<'_>, pass: &mut Pass<'_>, limit: usize, late: &dyn Fn() -> bool) {
        /// How far ahead objects are prefetched, and then their tables; memory takes some time to come.
        const FAR_AHEAD_OBJECTS: u32 = 16;
        const NEAR_AHEAD_OBJECTS: u32 = 6;
        /// Objects handled together, so that prefetched table slots have time to come, too.
        const BATCH_OBJECTS: u32 = 16;
        let (mut now, mut before, mut first) = (Batch::default(), Batch::default(), Batch::default());
        let mut next = self.graph.nodes() as u32;
        let mut since = 0;
        loop {
            if self.cut || self.nodes.len() > limit || since >= COLLECTED_PER_CLOCK_CHECK && late() {
                self.cut = true;
                return;
            }
            since = if since >= COLLECTED_PER_CLOCK_CHECK { 0 } else { since + BATCH_OBJECTS as usize };
            for _ in 0..BATCH_OBJECTS {
                let node = next;
                let Some(object) = self.nodes.address(node) else { break };
                if let Some(ahead) = self.nodes.address(node + FAR_AHEAD_OBJECTS) {
                    prefetch(ahead);
                    prefetch(ahead.wrapping_sub(PREFETCH_BYTES_BEFORE));
                }
                if let Some(near) = self.nodes.address(node + NEAR_AHEAD_OBJECTS) {
                    pass.prefetch_inner(heap, Object(near));
                }
                self.facts(heap, pass, node, object, &mut now.children, limit);
                now.ends.push(now.children.len());
                next += 1;
            }
            if now.ends.is_empty() && before.ends.is_empty() && first.ends.is_empty() {
                return;
            }
            self.cut |= now.children.len() > limit;
            // A pipeline of three batches: prefetch slots for this one, look up nodes and prefetch heads for
            // the one before, finish the one before that.
            now.prefetch_slots(&pass.leaves, &self.nodes);
            before.look_up(&self.nodes);
            let mut done = 0;
            for end in &first.ends {
                let mut beside = 0_u64;
                for child in first.between(done, *end) {
                    let target = match child {
                        Child::Node(node) => node,
                        Child::At(object) if pass.leaves.is_leaf(object) => {
                            pass.leaves.remember(object);
                            beside = beside.saturating_add(pass.leaves.bytes(object));
                            continue;
                        }
                        Child::At(object) => self.nodes.insert(object).0,
                    };
                    self.graph.push_edge(target);
                }
                self.beside.push(u32::try_from(beside).unwrap_or(u32::MAX));
                self.graph.close_node();
                done = *end;
            }
            first.clear();
            std::mem::swap(&mut before, &mut first);
            std::mem::swap(&mut now, &mut before);
        }
    }

    /// Records the facts of an object and collects its children.
    #[inline]
    fn facts(
        &mut self,
        heap: &HeapView<'_>,
        pass: &mut Pass<'_>,
        node: u32,
        object: u64,
        children: &mut Vec<u64>,
        limit: usize,
    ) {
        let kind = pass.number(heap, &mut self.types, Object(object));
        let Some((info, of)) = pass.types.get(kind) else { return };
        let (start, bytes) = heap.python.block_of(info, Object(object));
        let enter = of.enter.unwrap_or_else(|| pass.costs.enter(object));
        self.kinds.push(kind);
        self.counts.push(u32::try_from(heap.python.references(Object(object))).unwrap_or(u32::MAX));
        self.enters.push(u8::try_from(enter).unwrap_or(u8::MAX));
        self.own.push(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.before.push(u8::try_from(object.wrapping_sub(start)).unwrap_or(0));
        let from = children.len();
        if of.shows_all_children {
            heap.python.children_of(info, Object(object), children, limit);
        } else {
            each_child(heap, object, &mut |child| {
                // A single container may have more elements than the node limit.
                if children.len() <= limit {
                    children.push(child);
                }
            });
        }
        if of.dict && children.len() <= limit {
            pass.leaves.push_sampled_keys(Object(object), from, children, limit);
        }
        if of.owns == Owns::BuffersAndGraph
            && let Some(graph) = heap.sizes.graph_of(Object(object))
        {
            pass.graphs.push((node, graph));
            pass.has_graphs.set(true);
        }
        if of.owns != Owns::Nothing {
            let outside = &mut self.outside;
            heap.sizes.buffers(Object(object), &mut |buffer| {
                if buffer.owner && buffer.bytes < MAX_BUFFER_BYTES {
                    outside.push(Outside { node, address: buffer.address, bytes: buffer.bytes });
                }
            });
        }
    }
}
