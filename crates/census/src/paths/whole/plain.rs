//! Values that lead nowhere: text, numbers, code. Half of all objects and of all references are these.
//!
//! In: the children of objects, the recorder's samples. Out: which of them need a node. One does if it is a sample: somebody
//! asks who holds it. The others add their bytes to what refers to them, where nothing else does. What must not happen here: a
//! value left out that has memory outside of its own block, or one of a class that builds on these.

use std::ffi::CStr;

use super::Block;
use crate::api::symbol;
use crate::layout::{SIZE, TYPE};
use crate::memory::word;
use crate::object::{Object, Python};

/// Types whose objects are one block and refer to nothing that is looked at; beside them `str` and that of `None`, which CPython
/// does not export.
const SIMPLE: [&CStr; 5] = [c"PyCode_Type", c"PyBool_Type", c"PyLong_Type", c"PyFloat_Type", c"PyBytes_Type"];
/// No object's address.
const NOWHERE: u64 = 1;
/// Characters of a text that is short.
const SHORT: u64 = 64;
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
        }
    }

    /// Whether an object needs no node. Reads its head.
    #[inline]
    pub(super) fn is(&self, object: u64) -> bool {
        let class = word(object, TYPE);
        let is_text = class == self.text;
        (is_text || class == self.none || self.simple.contains(&class))
            // The collector does not manage these: a block begins with its object.
            && !self.filter.may_have(object)
            // The end of a text's head may be in memory that nobody has asked for; what short ones keep elsewhere is no more than they.
            && !(is_text && word(object, SIZE) > SHORT && self.python.has_text_buffers(Object(object)))
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

impl Batch {
    /// Keeps the children that need a node; what plain ones add to each object goes to `beside`.
    pub(super) fn leave_out(&mut self, plain: &Plain<'_>, beside: &mut Vec<u32>) {
        let (mut from, mut kept) = (0, 0);
        for end in &mut self.ends {
            let mut bytes = 0_u64;
            for at in from..*end {
                let Some(child) = self.children.get(at).copied() else { break };
                if plain.is(child) {
                    bytes = bytes.saturating_add(plain.bytes(child));
                } else if let Some(place) = self.children.get_mut(kept) {
                    *place = child;
                    kept += 1;
                }
            }
            beside.push(u32::try_from(bytes).unwrap_or(u32::MAX));
            (from, *end) = (*end, kept);
        }
        self.children.truncate(kept);
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
