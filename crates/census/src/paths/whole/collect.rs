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
        let most = limits.max_nodes.min(table::MOST);
        let roots = Roots::collect(look);
        let mut starts = roots.starts.clone();
        for root in &starts {
            self.nodes.insert(root.object);
        }
        let late = || began.elapsed().as_nanos() > u128::from(limits.max_pause_ns);
        let mut pass = Pass { weights: Weights::new(look, &roots), types: Types::new() };
        // What roots lead to, near things first: where time runs out, it is far from the user's names that something is missing.
        self.process(look, &mut pass, most, &late);
        // Then what else is tracked: garbage, and what native code alone holds.
        let (nodes, cut) = (&mut self.nodes, &mut self.cut);
        if !*cut {
            look.python.visit_tracked_while(&mut |object| {
                nodes.insert(object.address());
                *cut = nodes.len() > most || nodes.len().is_multiple_of(BETWEEN) && late();
                !*cut
            });
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

    /// Closes every node that is open, and those that come up meanwhile.
    fn process(&mut self, look: &Look<'_>, pass: &mut Pass<'_>, most: usize, late: &dyn Fn() -> bool) {
        /// How far ahead objects are asked for, and then what they lead to; memory takes some time to come.
        const AHEAD: u32 = 16;
        const NEAR: u32 = 6;
        /// How many objects are done together, so that the table's memory has time to come, too.
        const BATCH: u32 = 16;
        let (mut now, mut before) = (Batch::default(), Batch::default());
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
            if now.ends.is_empty() && before.ends.is_empty() {
                return;
            }
            self.cut |= now.children.len() > most;
            for child in &now.children {
                self.nodes.expect(*child);
            }
            // Those of the batch before: what was asked for then has come by now.
            let mut done = 0;
            for end in &before.ends {
                for child in before.children.get(done..*end).unwrap_or_default() {
                    let (target, _) = self.nodes.insert(*child);
                    self.graph.push_edge(target);
                }
                self.graph.close_node();
                done = *end;
            }
            before.children.clear();
            before.ends.clear();
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

/// Children of some objects, and where those of each end.
#[derive(Default)]
struct Batch {
    children: Vec<u64>,
    ends: Vec<usize>,
}

/// What one pass over the heap knows of types.
struct Pass<'a> {
    weights: Weights<'a>,
    types: Types<Of>,
}

/// What the graph needs to know of a type beside its traits.
#[derive(Clone, Copy)]
struct Of {
    /// What it costs to enter its objects, where it is the same for all.
    enter: Option<u32>,
    /// Traversal shows all that its objects lead to.
    plain_children: bool,
    /// Its objects may have memory outside of their own block.
    buffers: bool,
}

impl Pass<'_> {
    /// Asks for the memory behind an object whose own has come.
    #[inline]
    fn expect(&self, look: &Look<'_>, object: Object) {
        if let Some((traits, _)) = self.types.find(look.python.type_of(object)) {
            traits.expect(object);
        }
    }

    /// The number of an object's type.
    #[inline]
    fn number(&mut self, look: &Look<'_>, met: &mut Vec<Met>, object: Object) -> u32 {
        let weights = &self.weights;
        self.types.number(look.python, look.python.type_of(object), |traits| {
            let class = traits.kind();
            let kind = look.kinds.of_type(class.address());
            met.push(Met { address: class.address(), name: look.python.type_name(class), kind });
            Of {
                enter: weights.of_type(class.address()),
                plain_children: kind != Kind::Type
                    && look.shows_all(class.address())
                    && !look.sizes.hides(class),
                buffers: look.sizes.has_buffers(class),
            }
        })
    }
}
