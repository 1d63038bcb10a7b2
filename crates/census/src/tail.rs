//! What the new elements of a container weigh, and what they are.
//!
//! In: a container and how many of its elements are new. Out: the bytes that would be free if the container let go of them, and
//! words for them. Objects that anything else holds, and what hangs below these, do not count: found by taking the
//! references among what can be reached away from the counts of references. What must not happen here: a walk without
//! end (types, modules and TensorFlow's context lead everywhere), or a sum over what cannot be known.

use std::collections::HashMap;

use crate::elements::{Elements, newest};
use crate::growth::Rise;
use crate::layout::flags;
use crate::memory;
use crate::object::{Object, Python};
use crate::reached::Reached;
use crate::shared::Shared;
use crate::sizes::{Addresses, Sizes};

/// Elements that are looked at; the rest is taken to be alike.
const MOST_ELEMENTS: usize = 4096;
/// Elements that are looked at where all of them are more than may be walked: two models are, where fifteen are not.
const FEW: usize = 2;
/// References that are followed for each object that may be walked.
const EDGES_PER_NODE: usize = 10;
/// References of one object that are followed.
const MOST_CHILDREN: u32 = 1 << 17;
/// Objects that are walked to see what a container has in common with others.
const MOST_SHARED: usize = 1500;
/// Elements that are put into words.
const MOST_WORDS: usize = 256;
/// `func_globals` and `func_builtins`.
const GLOBALS: [u64; 2] = [16, 24];
/// `md_dict` of a module.
const MODULE_DICT: u64 = 16;

/// New elements, weighed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    /// Bytes that only they keep.
    pub(crate) bytes: u64,
    /// What they are: `12 x ndarray (2000, 500) float64`.
    pub(crate) elements: String,
    /// Native memory that nothing here can size hangs below some of them.
    pub(crate) native: bool,
    /// Each of them is held elsewhere, too: `bytes` is what this and those other references keep.
    pub(crate) shared: bool,
    /// The walk ended early: at least `bytes`.
    pub(crate) partial: bool,
}

/// Weighs tails during one look.
#[derive(Debug)]
pub(crate) struct Scales<'a> {
    python: &'a Python,
    sizes: Sizes<'a>,
    shared: Shared,
    /// Dictionaries of modules.
    namespaces: Addresses,
}

impl<'a> Scales<'a> {
    /// Scales for these.
    pub(crate) fn new(python: &'a Python, rises: &[Rise]) -> Scales<'a> {
        let mut namespaces = Addresses::default();
        if let Some(modules) = python.dict_view(Object(python.api.modules())) {
            modules.each(&mut |_, module| {
                if python.type_of(module).chain().any(|part| part.0 == python.known.module) {
                    namespaces.insert(memory::word(module.0, MODULE_DICT));
                }
                true
            });
        }
        let alone = Scales { python, sizes: Sizes::new(python), shared: Shared::default(), namespaces };
        let shared = Shared::of(python, rises, |container, elements| alone.reached(container, elements));
        Scales { shared, ..alone }
    }

    /// What a few elements of a container lead to.
    fn reached(&self, container: Object, elements: &Elements) -> Reached {
        let mut graph = Reached::default();
        for element in elements.items.iter().filter(|element| !self.is_end(**element)) {
            graph.refer(*element);
        }
        self.walk(&mut graph, container, MOST_SHARED);
        graph
    }

    /// Weighs the last `new` elements of a container of `length`, walking at most so many objects.
    pub(crate) fn tail(&self, container: Object, new: u64, length: u64, most: usize) -> Tail {
        let elements = newest(self.python, container, new, MOST_ELEMENTS);
        let tail = self.tail_of(&elements, container, new, length, most);
        if !tail.partial || elements.items.len() <= FEW {
            return tail;
        }
        let few = newest(self.python, container, new, FEW);
        let by_few = self.tail_of(&few, container, new, length, most);
        // What a walk did not reach refers to what it did: cut short, all of them may seem to keep nothing.
        if by_few.partial { tail } else { Tail { elements: tail.elements, ..by_few } }
    }

    /// The same by some of these elements.
    fn tail_of(&self, elements: &Elements, container: Object, new: u64, length: u64, most: usize) -> Tail {
        let taken = elements.items.len() as u64;
        if taken == 0 {
            return Tail::default();
        }
        let mut weight = self.weigh(container, elements, false, most);
        let mut counted = taken;
        let mut shared = false;
        if weight.held >= taken && elements.items.iter().any(|one| self.shared.is_of_another(container, *one))
        {
            shared = true;
        } else if weight.held >= taken {
            // The loop that appended it has it in a variable still. Those before are alike and have been let go.
            let few = new <= 2 && length >= new + 2 && !elements.sampled;
            let older = if few { newest(self.python, container, new + 2, 2) } else { Elements::default() };
            let before = self.weigh(container, &older, false, most);
            let free = (older.items.len() as u64).saturating_sub(before.held);
            if free > 0 {
                weight = before;
                counted = free;
            } else {
                weight = self.weigh(container, elements, true, most);
                shared = true;
            }
        } else if weight.held > 0 && weight.held <= 2 && weight.last_is_held {
            counted = taken - weight.held;
        }
        Tail {
            bytes: scale(weight.bytes, new, counted),
            elements: self.words(elements, new),
            native: weight.native,
            shared,
            partial: weight.partial,
        }
    }

    /// Kinds of elements by number, the most frequent three.
    fn words(&self, elements: &Elements, new: u64) -> String {
        let mut kinds: HashMap<String, u64> = HashMap::new();
        for element in elements.items.iter().take(MOST_WORDS) {
            *kinds.entry(self.sizes.words(*element)).or_default() += 1;
        }
        let looked = elements.items.len().min(MOST_WORDS) as u64;
        let mut kinds: Vec<(String, u64)> = kinds.into_iter().collect();
        kinds.sort_by(|(left, fewer), (right, more)| more.cmp(fewer).then_with(|| left.cmp(right)));
        let more = kinds.len() > 3;
        let mut words: Vec<String> = kinds
            .iter()
            .take(3)
            .map(|(kind, count)| format!("{} x {kind}", grouped(scale(*count, new, looked))))
            .collect();
        if more {
            words.push("more".to_string());
        }
        words.join(", ")
    }

    /// Walks what can be reached from the elements and adds up what nothing else holds. `alone`: as if nothing but the
    /// container held the elements themselves.
    fn weigh(&self, container: Object, elements: &Elements, alone: bool, most: usize) -> Weight {
        let mut graph = Reached::default();
        for root in elements.items.iter().chain(&elements.keys) {
            if !self.is_end(*root) {
                graph.refer(*root);
            }
        }
        let roots = graph.nodes.len();
        for key in &elements.keys {
            for _ in 1..self.sizes.key_references(container) {
                if !self.is_end(*key) {
                    graph.refer(*key);
                }
            }
        }
        let partial = self.walk(&mut graph, container, most);
        let mut external: Vec<u32> = Vec::new();
        let mut held = 0;
        let items: Addresses = elements.items.iter().map(|item| item.0).collect();
        for (node, (object, inside)) in graph.nodes.iter().enumerate() {
            let references = self.python.references(*object);
            if references > u64::from(*inside) {
                let item = node < roots && items.contains(&object.0);
                if item && references <= u64::from(*inside) + self.others(&graph, container, *object) {
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
                let others = self.others(&graph, container, *object);
                self.python.references(*object) > u64::from(*inside) + others
            });
        let kept = graph.without(&external);
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
        native |= elements.items.iter().take(MOST_WORDS).any(|item| self.sizes.is_opaque(*item));
        Weight { bytes, held, last_is_held, native, partial }
    }

    /// References that other growing containers have to an element, if it is counted for this one.
    fn others(&self, graph: &Reached, container: Object, element: Object) -> u64 {
        self.shared.others(container, element, |other| graph.index.contains_key(&other))
    }

    /// Follows references until nothing is new or the limits are met; true: they were.
    fn walk(&self, graph: &mut Reached, container: Object, most: usize) -> bool {
        let mut next = 0;
        while let Some((object, _)) = graph.nodes.get(next).copied() {
            if graph.nodes.len() >= most || graph.edges.len() >= most * EDGES_PER_NODE {
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
                    && graph.edges.len() < 2 * most * EDGES_PER_NODE
                    && !self.is_end(child)
                {
                    let node = graph.refer(child);
                    graph.edges.push(node);
                }
            };
            let mut room = MOST_CHILDREN;
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

    /// Where the walk does not go on: what leads everywhere, and what never dies.
    fn is_end(&self, o: Object) -> bool {
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

/// What a walk found.
#[derive(Clone, Copy, Debug)]
struct Weight {
    bytes: u64,
    /// Elements that something else holds, too.
    held: u64,
    last_is_held: bool,
    native: bool,
    partial: bool,
}

/// What an allocator takes for so many bytes: Python's own rounds small blocks up, the C library adds a word before. A float of 24 bytes takes
/// 32, and a dict of three of them an eighth more than its sizes add up to.
fn allocated(bytes: u64) -> u64 {
    const ALIGNMENT: u64 = 16;
    /// Python's own serves no larger ones.
    const SMALL: u64 = 512;
    const WORD: u64 = 8;
    let with_word = if bytes > SMALL { bytes.saturating_add(WORD) } else { bytes };
    with_word.checked_next_multiple_of(ALIGNMENT).unwrap_or(with_word)
}

/// `part` of `counted` things, for `all` of them.
fn scale(part: u64, all: u64, counted: u64) -> u64 {
    if counted == 0 || counted == all {
        return part;
    }
    u64::try_from(u128::from(part) * u128::from(all) / u128::from(counted)).unwrap_or(u64::MAX)
}

/// With commas between thousands.
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
