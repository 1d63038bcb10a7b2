//! Values that lead nowhere: text, numbers, code. Half of all objects and of all references are these.
//!
//! In: the children of objects, the recorder's samples. Out: which of them need a node. One does if it is a sample: somebody
//! asks who holds it; or if it is long. The others add their bytes to what refers to them, where nothing else does. What must not
//! happen here: a value left out that has memory outside of its own block, or one of a class that builds on these.

use std::ffi::CStr;

use super::Block;
use crate::api::symbol;
use crate::graph::table::Table;
use crate::layout::{SIZE, TYPE};
use crate::memory::{prefetch, word};
use crate::object::{Object, Python};

/// Types whose objects are one block and refer to nothing that is looked at; beside them `str` and that of `None`, which CPython
/// does not export.
const SIMPLE: [&CStr; 5] = [c"PyCode_Type", c"PyBool_Type", c"PyLong_Type", c"PyFloat_Type", c"PyBytes_Type"];
const BYTES: usize = 4;
/// Longer bytes and text weigh enough to ask who holds them, also where several do.
const LONG: u64 = 4096;
/// No object's address.
const NOWHERE: u64 = 1;
/// Characters of a text that is short.
const SHORT: u64 = 64;
/// Plain values that are remembered; a power of two, 64 KiB.
const MET: usize = 1 << 13;
/// Bits of the filter for each sample: one value in so many gets a node that needs none.
const BITS: usize = 16;

/// Tells plain values.
#[derive(Debug)]
pub(super) struct Plain<'a> {
    python: &'a Python,
    text: u64,
    none: u64,
    simple: [u64; SIMPLE.len()],
    filter: Filter,
    /// Plain values that were met lately, by their addresses: the same few names and numbers stand everywhere.
    met: Vec<u64>,
}

impl<'a> Plain<'a> {
    /// For one look that seeks these samples.
    pub(super) fn new(python: &'a Python, blocks: &[Block]) -> Plain<'a> {
        let address = |name| symbol(name).map_or(NOWHERE, |at| at as u64);
        let none = word(address(c"_Py_NoneStruct"), TYPE).max(NOWHERE);
        Plain {
            python,
            text: python.known.text,
            none,
            simple: SIMPLE.map(address),
            filter: Filter::of(blocks),
            met: vec![0; MET],
        }
    }

    /// Whether an object needs no node. Reads its head.
    #[inline]
    pub(super) fn is(&self, object: u64) -> bool {
        let class = word(object, TYPE);
        let is_text = class == self.text;
        let length = || word(object, SIZE);
        (is_text || class == self.none || self.simple.contains(&class))
            // The collector does not manage these: a block begins with its object.
            && !self.filter.may_have(object)
            // The end of a text's head may be in memory that nobody has asked for; what short ones keep elsewhere is no more than they.
            && !((is_text || class == self.simple[BYTES]) && length() > LONG)
            && !(is_text && length() > SHORT && self.python.has_text_buffers(Object(object)))
    }

    /// Adds those keys of a dict that may be samples and are not among its children, which begin at `from`: CPython shows no keys of a
    /// table with text alone. Looks at so many keys at most, and reads nothing of them.
    #[inline]
    pub(super) fn sought_keys(&self, dict: Object, from: usize, children: &mut Vec<u64>, most: usize) {
        // A table that instances share has names of attributes.
        let Some(view) = self.python.dict_view(dict).filter(|view| view.values == 0) else { return };
        for index in 0..view.table.entries.min(most as u64) {
            let (key, _) = view.table.entry(index);
            if key != 0
                && self.filter.may_have(key)
                && !children.get(from..).unwrap_or_default().contains(&key)
            {
                children.push(key);
            }
        }
    }

    /// Whether it is one of those that were remembered lately. Reads nothing of the object.
    #[inline]
    fn was_met(&self, object: u64) -> bool {
        self.met.get(place_of(object)) == Some(&object)
    }

    /// Remembers a plain value, until another comes to its place.
    #[inline]
    pub(super) fn remember(&mut self, object: u64) {
        if let Some(place) = self.met.get_mut(place_of(object)) {
            *place = object;
        }
    }

    /// The bytes of a plain value that nothing else refers to; of a short text as if it were ASCII.
    #[inline]
    pub(super) fn bytes(&self, object: u64) -> u64 {
        let object = Object(object);
        if self.python.references(object) != 1 {
            return 0;
        }
        let class = self.python.type_of(object);
        let length = word(object.0, SIZE);
        if class.0 == self.text && length <= SHORT {
            return self.python.layout.text.ascii + length + 1;
        }
        self.python.size(object, class)
    }
}

#[inline]
fn place_of(object: u64) -> usize {
    ((object >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % MET
}

/// Addresses, of which it says "perhaps" or "no".
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
}

impl Filter {
    fn of(blocks: &[Block]) -> Filter {
        let words = (blocks.len() * BITS / 64).max(64).next_power_of_two();
        let mut filter = Filter { words: vec![0; words] };
        for block in blocks {
            let (at, bit) = filter.place(block.address);
            if let Some(word) = filter.words.get_mut(at) {
                *word |= bit;
            }
        }
        filter
    }

    #[inline]
    fn may_have(&self, address: u64) -> bool {
        let (at, bit) = self.place(address);
        self.words.get(at).is_some_and(|word| word & bit != 0)
    }

    #[inline]
    fn place(&self, address: u64) -> (usize, u64) {
        // Twice: addresses lie in rows, and one product of a row is a row again.
        let once = (address >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let spread = (once ^ once >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((spread >> 32) as usize & (self.words.len() - 1), 1 << (spread >> 58))
    }
}

/// Children of some objects, and where those of each end.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) children: Vec<u64>,
    pub(super) ends: Vec<usize>,
}

/// A child whose node's number is known stands as that number with this bit; no address has it.
const NUMBERED: u64 = 1 << 63;

/// A child, as far as it is known by now.
pub(super) enum Child {
    Node(u32),
    At(u64),
}

impl Batch {
    /// Leaves out plain values that were met lately, and asks for the others' places in the table.
    pub(super) fn expect(&mut self, plain: &Plain<'_>, nodes: &Table) {
        let (mut from, mut kept) = (0, 0);
        for end in &mut self.ends {
            for at in from..*end {
                let Some(child) = self.children.get(at).copied() else { break };
                if plain.was_met(child) {
                    continue;
                }
                nodes.expect(child);
                if let Some(place) = self.children.get_mut(kept) {
                    *place = child;
                    kept += 1;
                }
            }
            (from, *end) = (*end, kept);
        }
        self.children.truncate(kept);
    }

    /// Looks up those that have a node, and asks for the heads of the others: only these are read.
    pub(super) fn look_up(&mut self, nodes: &Table) {
        for child in &mut self.children {
            if let Some(node) = nodes.get(*child) {
                *child = NUMBERED | u64::from(node);
            } else {
                prefetch(*child);
                prefetch(child.wrapping_add(SIZE));
            }
        }
    }

    /// The children from one place to another.
    pub(super) fn between(&self, from: usize, to: usize) -> impl Iterator<Item = Child> {
        self.children
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .map(|child| if child & NUMBERED == 0 { Child::At(*child) } else { Child::Node(*child as u32) })
    }

    /// Empties it.
    pub(super) fn clear(&mut self) {
        self.children.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sample_is_left_out() {
        let blocks: Vec<Block> =
            (0..5000).map(|id| Block { id, address: 0x7f00_0000_0000 + id * 48, size: 48 }).collect();
        for blocks in [&blocks[..0], &blocks[..1], &blocks] {
            let filter = Filter::of(blocks);
            assert!(blocks.iter().all(|block| filter.may_have(block.address)));
            let others = (0..100_000).filter(|id| filter.may_have(0x5500_0000_0000 + id * 16)).count();
            assert!(others < 10_000, "{others}");
        }
    }
}
