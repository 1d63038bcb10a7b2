//! The retained size of a container's new elements, and their description.
//!
//! In: a container and its number of new elements. Out: the bytes that would be free if the container let go
//! of them, and a description. Objects that something else holds, and objects below those, do not count. To
//! find them, references inside the reachable subgraph are subtracted from the reference counts. What must
//! not happen here: an endless walk (types, modules and TensorFlow's context lead everywhere), or a sum over
//! unknown sizes.

use std::collections::HashMap;

use crate::elements::{Elements, newest};
use crate::growth_table::ContainerGrowth;
use crate::layout::flags;
use crate::memory;
use crate::object::{Object, Python};
use crate::reachable::Reachable;
use crate::shared_elements::SharedElements;
use crate::sizes::{Addresses, Sizes};

/// Elements that are weighed; the rest is taken to be alike.
const MAX_WEIGHED_ELEMENTS: usize = 4096;
/// Elements that are weighed if all of them exceed the walk limit: two models fit, fifteen do not.
const FALLBACK_ELEMENTS: usize = 2;
/// Edges that are followed per object that may be walked.
const MAX_EDGES_PER_OBJECT: usize = 10;
/// Children of one object that are followed.
const MAX_CHILDREN: u32 = 1 << 17;
/// Objects that are walked to find elements shared with other containers.
const MAX_SHARED_WALK_OBJECTS: usize = 1500;
/// Elements that are described.
const MAX_DESCRIBED_ELEMENTS: usize = 256;
/// `func_globals` and `func_builtins`.
const GLOBALS: [u64; 2] = [16, 24];
/// `md_dict` of a module.
const MODULE_DICT: u64 = 16;

/// The retained size of new elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Retained {
    /// Bytes that only they keep alive.
    pub(crate) bytes: u64,
    /// Their description: `12 x ndarray (2000, 500) float64`.
    pub(crate) elements: String,
    /// Some of them own native memory that cannot be sized.
    pub(crate) native: bool,
    /// Each of them is held elsewhere, too: `bytes` is retained by all these references together.
    pub(crate) shared: bool,
    /// The walk ended early: `bytes` is a lower bound.
    pub(crate) partial: bool,
}

/// Computes retained sizes during one look.
#[derive(Debug)]
pub(crate) struct Weigher<'a> {
    python: &'a Python,
    sizes: Sizes<'a>,
    shared: SharedElements,
    /// Dicts of modules.
    namespaces: Addresses,
}

impl<'a> Weigher<'a> {
    /// A weigher for these containers.
    pub(crate) fn new(python: &'a Python, growths: &[ContainerGrowth]) -> Weigher<'a> {
        let mut namespaces = Addresses::default();
        if let Some(modules) = python.dict_view(Object(python.api.modules())) {
            modules.each(&mut |_, module| {
                if python.type_of(module).chain().any(|part| part.0 == python.known.module) {
                    namespaces.insert(memory::word(module.0, MODULE_DICT));
                }
                true
            });
        }
        let alone =
            Weigher { python, sizes: Sizes::new(python), shared: SharedElements::default(), namespaces };
        let shared =
            SharedElements::of(python, growths, |container, elements| alone.reachable(container, elements));
        Weigher { shared, ..alone }
    }

    /// The subgraph below a few elements of a container.
    fn reachable(&self, container: Object, elements: &Elements) -> Reachable {
        let mut graph = Reachable::default();
        for element in elements.items.iter().filter(|element| !self.ends_walk(**element)) {
            graph.add_reference(*element);
        }
        self.walk(&mut graph, container, MAX_SHARED_WALK_OBJECTS);
        graph
    }

    /// The retained size of the last `new` elements of a container of `length`; at most `limit` objects are
    /// walked.
    pub(crate) fn retained(&self, container: Object, new: u64, length: u64, limit: usize) -> Retained {
        let elements = newest(self.python, container, new, MAX_WEIGHED_ELEMENTS);
        let retained = self.retained_by(&elements, container, new, length, limit);
        if !retained.partial || elements.items.len() <= FALLBACK_ELEMENTS {
            return retained;
        }
        let few = newest(self.python, container, new, FALLBACK_ELEMENTS);
        let by_few = self.retained_by(&few, container, new, length, limit);
        // A walk that was cut short misses references, so all elements together may seem to retain nothing.
        if by_few.partial { retained } else { Retained { elements: retained.elements, ..by_few } }
    }

    /// The same for some of these elements.
    fn retained_by(
        &self,
        elements: &Elements,
        container: Object,
        new: u64,
        length: u64,
        limit: usize,
    ) -> Retained {
        let taken = elements.items.len() as u64;
        if taken == 0 {
            return Retained::default();
        }
        let mut weighed = self.weigh(container, elements, false, limit);
        let mut counted = taken;
        let mut shared = false;
        if weighed.held >= taken
            && elements.items.iter().any(|one| self.shared.is_counted_elsewhere(container, *one))
        {
            shared = true;
        } else if weighed.held >= taken {
            // The loop that appended the element still has it in a variable. The elements before are alike
            // and have been let go.
            let few = new <= 2 && length >= new + 2 && !elements.sampled;
            let older = if few { newest(self.python, container, new + 2, 2) } else { Elements::default() };
            let before = self.weigh(container, &older, false, limit);
            let free = (older.items.len() as u64).saturating_sub(before.held);
            if free > 0 {
                weighed = before;
                counted = free;
            } else {
                weighed = self.weigh(container, elements, true, limit);
                shared = true;
            }
        } else if weighed.held > 0 && weighed.held <= 2 && weighed.last_is_held {
            counted = taken - weighed.held;
        }
        Retained {
            bytes: scale(weighed.bytes, new, counted),
            elements: self.description(elements, new),
            native: weighed.native,
            shared,
            partial: weighed.partial,
        }
    }

    /// The three most frequent descriptions, with their numbers.
    fn description(&self, elements: &Elements, new: u64) -> String {
        let mut kinds: HashMap<String, u64> = HashMap::new();
        for element in elements.items.iter().take(MAX_DESCRIBED_ELEMENTS) {
            *kinds.entry(self.sizes.describe(*element)).or_default() += 1;
        }
        let looked = elements.items.len().min(MAX_DESCRIBED_ELEMENTS) as u64;
        let mut kinds: Vec<(String, u64)> = kinds.into_iter().collect();
        kinds.sort_by(|(left, fewer), (right, more)| more.cmp(fewer).then_with(|| left.cmp(right)));
        let more = kinds.len() > 3;
        let mut descriptions: Vec<String> = kinds
            .iter()
            .take(3)
            .map(|(kind, count)| format!("{} x {kind}", grouped(scale(*count, new, looked))))
            .collect();
        if more {
            descriptions.push("more".to_string());
        }
        descriptions.join(", ")
    }

    /// Walks from the elements and sums the objects that nothing else holds. `alone`: as if the container
    /// alone held the elements themselves.
    fn weigh(&self, container: Object, elements: &Elements, alone: bool, limit: usize) -> Weighed {
        let mut graph = Reachable::default();
        for root in elements.items.iter().chain(&elements.keys) {
            if !self.ends_walk(*root) {
                graph.add_reference(*root);
            }
        }
        let roots = graph.nodes.len();
        for key in &elements.keys {
            for _ in 1..self.sizes.key_references(container) {
                if !self.ends_walk(*key) {
                    graph.add_reference(*key);
                }
            }
        }
        let partial = self.walk(&mut graph, container, limit);
        let mut external: Vec<u32> = Vec::new();
        let mut held = 0;
        let items: Addresses = elements.items.iter().map(|item| item.0).collect();
        for (node, (object, inside)) in graph.nodes.iter().enumerate() {
            let references = self.python.references(*object);
            if references > u64::from(*inside) {
                let item = node < roots && items.contains(&object.0);
                if item
                    && references <= u64::from(*inside) + self.other_references(&graph, container, *object)
                {
                    continue;
                }
                held += u64::from(item && references != u64::MAX);
                if !(alone && item) {
                    external.push(node as u32);
                }
            }
        }
        let last = elements.items.last().and_then(|last| graph.index.get(&last.0));
        let last_is_held =
            last.and_then(|node| graph.nodes.get(*node as usize)).is_some_and(|(object, inside)| {
                let others = self.other_references(&graph, container, *object);
                self.python.references(*object) > u64::from(*inside) + others
            });
        let kept = graph.unreachable_from(&external);
        let (mut bytes, mut native) = (0_u64, false);
        let mut buffers = Addresses::default();
        for (object, _) in kept.iter().filter_map(|node| graph.nodes.get(*node)) {
            bytes = bytes.saturating_add(allocated(self.python.block(*object).1));
            native |= self.sizes.is_opaque(*object);
            self.sizes.buffers(*object, &mut |buffer| {
                if buffer.owner && (buffer.address == 0 || buffers.insert(buffer.address)) {
                    bytes = bytes.saturating_add(allocated(buffer.bytes));
                }
            });
        }
        native |= elements.items.iter().take(MAX_DESCRIBED_ELEMENTS).any(|item| self.sizes.is_opaque(*item));
        Weighed { bytes, held, last_is_held, native, partial }
    }

    /// References from other growing containers to an element, if it is counted for this one.
    fn other_references(&self, graph: &Reachable, container: Object, element: Object) -> u64 {
        self.shared.other_references(container, element, |other| graph.index.contains_key(&other))
    }

    /// Follows references until nothing is new or a limit is reached. True: a limit was reached.
    fn walk(&self, graph: &mut Reachable, container: Object, limit: usize) -> bool {
        let mut next = 0;
        while let Some((object, _)) = graph.nodes.get(next).copied() {
            if graph.nodes.len() >= limit || graph.edges.len() >= limit * MAX_EDGES_PER_OBJECT {
                return true;
            }
            let kind = self.python.type_of(object);
            let skipped = if kind.0 == self.python.known.function {
                GLOBALS.map(|field| memory::word(object.0, field))
            } else {
                [0; 2]
            };
            let mut follow = |child: Object| {
                if child != container
                    && !skipped.contains(&child.0)
                    && graph.edges.len() < 2 * limit * MAX_EDGES_PER_OBJECT
                    && !self.ends_walk(child)
                {
                    let node = graph.add_reference(child);
                    graph.edges.push(node);
                }
            };
            let mut room = MAX_CHILDREN;
            self.python.traverse_while(object, &mut |child| {
                follow(child);
                room -= 1;
                room > 0
            });
            self.sizes.hidden(object, &mut follow);
            graph.ends.push(graph.edges.len() as u32);
            next += 1;
        }
        false
    }

    /// Where the walk ends: at objects that lead everywhere, and at immortal ones.
    fn ends_walk(&self, o: Object) -> bool {
        if !memory::usable(o.0) || self.python.references(o) == u64::MAX {
            return true;
        }
        let kind = self.python.type_of(o);
        if kind.has(flags::TYPE) || kind.0 == self.python.known.module || kind.0 == self.python.known.code {
            return true;
        }
        if kind.0 == self.python.known.dict {
            return self.namespaces.contains(&o.0);
        }
        self.sizes.leads_everywhere(kind)
    }
}

/// The result of a walk.
#[derive(Clone, Copy, Debug)]
struct Weighed {
    bytes: u64,
    /// Elements that something else holds, too.
    held: u64,
    last_is_held: bool,
    native: bool,
    partial: bool,
}

/// Bytes that an allocator takes for a request: pymalloc rounds small blocks up, the C library adds a header
/// word. A float of 24 bytes takes 32; a dict of three floats takes an eighth more than its sizes add up to.
pub(crate) fn allocated(bytes: u64) -> u64 {
    const ALIGNMENT_BYTES: u64 = 16;
    /// Largest block that pymalloc serves.
    const MAX_PYMALLOC_BYTES: u64 = 512;
    const MALLOC_HEADER_BYTES: u64 = 8;
    let with_header =
        if bytes > MAX_PYMALLOC_BYTES { bytes.saturating_add(MALLOC_HEADER_BYTES) } else { bytes };
    with_header.checked_next_multiple_of(ALIGNMENT_BYTES).unwrap_or(with_header)
}

/// Scales `part` of `counted` things up to `all` of them.
fn scale(part: u64, all: u64, counted: u64) -> u64 {
    if counted == 0 || counted == all {
        return part;
    }
    u64::try_from(u128::from(part) * u128::from(all) / u128::from(counted)).unwrap_or(u64::MAX)
}

/// The number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_people_read() {
        assert_eq!(
            [7, 999, 1000, 20_000, 1_234_567].map(grouped),
            ["7", "999", "1,000", "20,000", "1,234,567"].map(String::from)
        );
        assert_eq!((scale(10, 4, 2), scale(10, 0, 0), scale(u64::MAX, 4, 2)), (20, 10, u64::MAX));
    }
}
