//! The first step: every object becomes a node, every reference an edge.
//!
//! In: the heap, under the GIL. Out: [`Collected`], plain numbers that outlive it. What must not happen here: naming, or any work
//! that could be done later; each microsecond is one that the program waits.

use crate::clock::Moment;

use super::super::PathLimits;
use super::super::edges::each_child;
use super::super::weights::Weights;
use super::Block;
use super::pass::Pass;
use super::plain::{Batch, Child, Plain};
use crate::graph::csr::Graph;
use crate::graph::search::Start;
use crate::graph::table::{self, Table};
use crate::memory::prefetch;
use crate::naming::{Kind, Look};
use crate::object::{Object, Python};
use crate::roots::{Root, Roots};
use crate::traits::Types;

/// How many objects are looked at between two looks at the clock.
const BETWEEN: usize = 512;
/// What is read in front of an object lies so far before it: the head of the collector, attributes without a dict.
const BEFORE: u64 = 32;
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
    /// By node: bytes of plain values that only it refers to.
    pub(super) beside: Vec<u32>,
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

/// Walks the heap for these samples. The caller holds the GIL, and Python code does not run until this returns.
pub fn collect(python: &Python, blocks: &[Block], limits: &PathLimits) -> Collected {
    let began = Moment::now();
    let mut collected = Collected::new();
    match Look::new(python) {
        Ok(look) => collected.walk(&look, Plain::new(python, blocks), limits, began),
        Err(_) => collected.cut = true,
    }
    collected.pause_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    collected
}

impl Collected {
    fn new() -> Collected {
        // A heap with TensorFlow in it needs no more. Memory that is not touched costs nothing.
        const NODES: usize = 1 << 19;
        Collected {
            nodes: Table::with_capacity(NODES),
            graph: Graph::with_capacity(NODES, 4 * NODES),
            counts: Vec::with_capacity(NODES),
            enters: Vec::with_capacity(NODES),
            kinds: Vec::with_capacity(NODES),
            own: Vec::with_capacity(NODES),
            before: Vec::with_capacity(NODES),
            beside: Vec::with_capacity(NODES),
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

    fn walk(&mut self, look: &Look<'_>, plain: Plain<'_>, limits: &PathLimits, began: Moment) {
        let most = limits.max_nodes.min(table::MOST);
        let roots = Roots::collect(look);
        let mut starts = roots.starts.clone();
        for root in &starts {
            self.nodes.insert(root.object);
        }
        let late = || began.elapsed().as_nanos() > u128::from(limits.max_pause_ns);
        let mut pass = Pass { weights: Weights::new(look, &roots), types: Types::new(), plain };
        // What roots lead to, near things first: where time runs out, it is far from the user's names that something is missing.
        self.process(look, &mut pass, most, &late);
        // Then what else is tracked: garbage, and what native code alone holds.
        if !self.cut {
            self.tracked(look, most, &late);
        }
        self.process(look, &mut pass, most, &late);
        if !self.cut {
            // Classes that no module's dict and no instance showed: only their own instances know them.
            starts.append(&mut Roots::types(look, self.types.iter().map(|met| met.address)));
            for root in &starts {
                self.nodes.insert(root.object);
            }
            self.process(look, &mut pass, most, &late);
        }
        for root in starts {
            if let Some(node) = self.nodes.get(root.object) {
                self.starts.push(Start { node, cost: root.cost });
                self.roots.push(root);
            }
        }
        self.nodes.close();
        self.frames = roots.frames.iter().map(|frame| frame.running.code).collect();
        self.modules = roots.modules.into_iter().map(|module| module.name).collect();
    }

    /// Makes a node of each object that the collector tracks.
    fn tracked(&mut self, look: &Look<'_>, most: usize, late: &dyn Fn() -> bool) {
        /// How many are asked for in the table before the first of them is looked up; a power of two.
        const WAITING: usize = 32;
        let mut waiting = [0_u64; WAITING];
        let mut count = 0_usize;
        let (nodes, cut) = (&mut self.nodes, &mut self.cut);
        look.python.visit_tracked_while(&mut |object| {
            nodes.expect(object.address());
            if let Some(place) = waiting.get_mut(count % WAITING) {
                let before = std::mem::replace(place, object.address());
                if before != 0 {
                    nodes.insert(before);
                }
            }
            count += 1;
            *cut = nodes.len() > most || count.is_multiple_of(BETWEEN) && late();
            !*cut
        });
        for address in waiting.into_iter().filter(|address| *address != 0) {
            nodes.insert(address);
        }
    }

    /// Closes every node that is open, and those that come up meanwhile.
    fn process(&mut self, look: &Look<'_>, pass: &mut Pass<'_>, most: usize, late: &dyn Fn() -> bool) {
        /// How far ahead objects are asked for, and then what they lead to; memory takes some time to come.
        const AHEAD: u32 = 16;
        const NEAR: u32 = 6;
        /// How many objects are done together, so that the table's memory has time to come, too.
        const BATCH: u32 = 16;
        let (mut now, mut before, mut first) = (Batch::default(), Batch::default(), Batch::default());
        let mut next = self.graph.nodes() as u32;
        let mut since = 0;
        loop {
            if self.cut || self.nodes.len() > most || since >= BETWEEN && late() {
                self.cut = true;
                return;
            }
            since = if since >= BETWEEN { 0 } else { since + BATCH as usize };
            for _ in 0..BATCH {
                let node = next;
                let Some(object) = self.nodes.address(node) else { break };
                if let Some(ahead) = self.nodes.address(node + AHEAD) {
                    prefetch(ahead);
                    prefetch(ahead.wrapping_sub(BEFORE));
                }
                if let Some(near) = self.nodes.address(node + NEAR) {
                    pass.expect(look, Object(near));
                }
                self.facts(look, pass, node, object, &mut now.children, most);
                now.ends.push(now.children.len());
                next += 1;
            }
            if now.ends.is_empty() && before.ends.is_empty() && first.ends.is_empty() {
                return;
            }
            self.cut |= now.children.len() > most;
            // Of this batch the places in the table are asked for, of the one before the heads of objects that are new, and
            // the one before that is done: each by then has what it was asked for.
            now.expect(&pass.plain, &self.nodes);
            before.look_up(&self.nodes);
            let mut done = 0;
            for end in &first.ends {
                let mut beside = 0_u64;
                for child in first.between(done, *end) {
                    let target = match child {
                        Child::Node(node) => node,
                        Child::At(object) if pass.plain.is(object) => {
                            pass.plain.remember(object);
                            beside = beside.saturating_add(pass.plain.bytes(object));
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

    /// What is known of an object, and its children.
    #[inline]
    fn facts(
        &mut self,
        look: &Look<'_>,
        pass: &mut Pass<'_>,
        node: u32,
        object: u64,
        children: &mut Vec<u64>,
        most: usize,
    ) {
        let kind = pass.number(look, &mut self.types, Object(object));
        let Some((traits, of)) = pass.types.get(kind) else { return };
        let (start, bytes) = look.python.block_of(traits, Object(object));
        let enter = of.enter.unwrap_or_else(|| pass.weights.enter(object));
        self.kinds.push(kind);
        self.counts.push(u32::try_from(look.python.references(Object(object))).unwrap_or(u32::MAX));
        self.enters.push(u8::try_from(enter).unwrap_or(u8::MAX));
        self.own.push(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.before.push(u8::try_from(object.wrapping_sub(start)).unwrap_or(0));
        let from = children.len();
        if of.plain_children {
            look.python.children_of(traits, Object(object), children, most);
        } else {
            each_child(look, object, &mut |child| {
                // One container alone may have more elements than there may be nodes.
                if children.len() <= most {
                    children.push(child);
                }
            });
        }
        if of.dict && children.len() <= most {
            pass.plain.sought_keys(Object(object), from, children, most);
        }
        if of.buffers {
            let outside = &mut self.outside;
            look.sizes.buffers(Object(object), &mut |buffer| {
                if buffer.owner && buffer.bytes < LARGEST {
                    outside.push(Outside { node, address: buffer.address, bytes: buffer.bytes });
                }
            });
        }
    }
}
