//! Leaf values, which lead nowhere: text, numbers, code. They are half of all objects and of all references.
//!
//! In: the children of objects, the recorder's samples. Out: which of them need a node. A leaf does if it is
//! a sample (somebody asks who holds it) or if it is large. Others add their bytes to the only object that
//! refers to them. What must not happen here: a leaf left out that owns memory outside its block, or whose
//! class is a subclass.

use std::ffi::CStr;

use super::Block;
use crate::c_api::symbol;
use crate::graph::node_table::NodeTable;
use crate::layout::{SIZE, TYPE};
use crate::memory::{prefetch, word};
use crate::object::{Object, Python};

/// Types whose objects are one block without children; besides these, `str` and the type of `None`, which
/// CPython does not export.
const LEAF_TYPES: [&CStr; 5] =
    [c"PyCode_Type", c"PyBool_Type", c"PyLong_Type", c"PyFloat_Type", c"PyBytes_Type"];
const BYTES_INDEX: usize = 4;
/// Larger bytes and text get a node, so that their holder can be found even if there are several.
const MAX_LEAF_LENGTH: u64 = 4096;
/// No object's address.
const NO_ADDRESS: u64 = 1;
/// Longest text that is taken to own nothing elsewhere.
const MAX_SHORT_TEXT_CHARS: u64 = 64;
/// Leaf values remembered as recently met; a power of two, 64 KiB.
const RECENT_VALUES: usize = 1 << 13;
/// Bits of the filter per sample: about one leaf in 16 gets a node without need.
const FILTER_BITS_PER_SAMPLE: usize = 16;

/// Recognises leaf values.
#[derive(Debug)]
pub(super) struct LeafValues<'a> {
    python: &'a Python,
    text: u64,
    none: u64,
    leaf_types: [u64; LEAF_TYPES.len()],
    filter: Filter,
    /// Recently met leaf values by address: the same few names and numbers stand everywhere.
    recent: Vec<u64>,
}

impl<'a> LeafValues<'a> {
    /// For one look at these samples.
    pub(super) fn new(python: &'a Python, blocks: &[Block]) -> LeafValues<'a> {
        let address = |name| symbol(name).map_or(NO_ADDRESS, |at| at as u64);
        let none = word(address(c"_Py_NoneStruct"), TYPE).max(NO_ADDRESS);
        LeafValues {
            python,
            text: python.known.text,
            none,
            leaf_types: LEAF_TYPES.map(address),
            filter: Filter::of(blocks),
            recent: vec![0; RECENT_VALUES],
        }
    }

    /// Whether an object needs no node. Reads its head.
    #[inline]
    pub(super) fn is_leaf(&self, object: u64) -> bool {
        let class = word(object, TYPE);
        let is_text = class == self.text;
        let length = || word(object, SIZE);
        (is_text || class == self.none || self.leaf_types.contains(&class))
            // The collector does not manage these types, so a block begins with its object.
            && !self.filter.may_have(object)
            // The end of a text's head may not be prefetched yet; a short text owns at most as much again
            // elsewhere.
            && !((is_text || class == self.leaf_types[BYTES_INDEX]) && length() > MAX_LEAF_LENGTH)
            && !(is_text && length() > MAX_SHORT_TEXT_CHARS && self.python.has_text_buffers(Object(object)))
    }

    /// Appends keys of a dict that may be samples and are not among its children, which begin at `from`.
    /// CPython's traversal shows no keys of a table with `str` keys alone. At most `limit` keys are tried,
    /// none of them is read.
    #[inline]
    pub(super) fn push_sampled_keys(&self, dict: Object, from: usize, children: &mut Vec<u64>, limit: usize) {
        // A table shared by instances holds names of attributes.
        let Some(view) = self.python.dict_view(dict).filter(|view| view.values == 0) else { return };
        for index in 0..view.table.entries.min(limit as u64) {
            let (key, _) = view.table.entry(index);
            if key != 0
                && self.filter.may_have(key)
                && !children.get(from..).unwrap_or_default().contains(&key)
            {
                children.push(key);
            }
        }
    }

    /// Whether the value was met recently. Does not read the object.
    #[inline]
    fn is_recent(&self, object: u64) -> bool {
        self.recent.get(place_of(object)) == Some(&object)
    }

    /// Remembers a leaf value, until another takes its place.
    #[inline]
    pub(super) fn remember(&mut self, object: u64) {
        if let Some(place) = self.recent.get_mut(place_of(object)) {
            *place = object;
        }
    }

    /// The bytes of a leaf value with a single reference; a short text counts as ASCII.
    #[inline]
    pub(super) fn bytes(&self, object: u64) -> u64 {
        let object = Object(object);
        if self.python.references(object) != 1 {
            return 0;
        }
        let class = self.python.type_of(object);
        let length = word(object.0, SIZE);
        if class.0 == self.text && length <= MAX_SHORT_TEXT_CHARS {
            return self.python.layout.text.ascii + length + 1;
        }
        self.python.size(object, class)
    }
}

#[inline]
fn place_of(object: u64) -> usize {
    ((object >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % RECENT_VALUES
}

/// A Bloom filter of addresses: it says "perhaps" or "no".
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
}

impl Filter {
    fn of(blocks: &[Block]) -> Filter {
        let words = (blocks.len() * FILTER_BITS_PER_SAMPLE / 64).max(64).next_power_of_two();
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
        // Mixed twice: addresses lie in rows, and one product of a row is a row again.
        let once = (address >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let spread = (once ^ once >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((spread >> 32) as usize & (self.words.len() - 1), 1 << (spread >> 58))
    }
}

/// Children of some objects, and where those of each object end.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) children: Vec<u64>,
    pub(super) ends: Vec<usize>,
}

/// Marks a child whose node is known: its number stands with this bit, which no address has.
const NODE_TAG: u64 = 1 << 63;

/// A child: its node where known, else its address.
pub(super) enum Child {
    Node(u32),
    At(u64),
}

impl Batch {
    /// Drops recently met leaf values, and prefetches the table slots of the others.
    pub(super) fn prefetch_slots(&mut self, leaves: &LeafValues<'_>, nodes: &NodeTable) {
        let (mut from, mut kept) = (0, 0);
        for end in &mut self.ends {
            for at in from..*end {
                let Some(child) = self.children.get(at).copied() else { break };
                if leaves.is_recent(child) {
                    continue;
                }
                nodes.prefetch_slot(child);
                if let Some(place) = self.children.get_mut(kept) {
                    *place = child;
                    kept += 1;
                }
            }
            (from, *end) = (*end, kept);
        }
        self.children.truncate(kept);
    }

    /// Replaces children that have a node by its number, and prefetches the heads of the others: only these
    /// are read.
    pub(super) fn look_up(&mut self, nodes: &NodeTable) {
        for child in &mut self.children {
            if let Some(node) = nodes.get(*child) {
                *child = NODE_TAG | u64::from(node);
            } else {
                prefetch(*child);
                prefetch(child.wrapping_add(SIZE));
            }
        }
    }

    /// The children between two indexes.
    pub(super) fn between(&self, from: usize, to: usize) -> impl Iterator<Item = Child> {
        self.children
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .map(|child| if child & NODE_TAG == 0 { Child::At(*child) } else { Child::Node(*child as u32) })
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
