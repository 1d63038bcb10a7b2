//! Stacks as nodes of one tree: each node is written once, before anything refers to it.
//!
//! In: a spliced stack, innermost frame first. Out: the id of its innermost node. What must not happen here: a node in the
//! tree whose record is not in the capture, since a birth that refers to it may be the last thing that is written.

pub(crate) mod map;
mod names;
mod seen;

use nilometer_capture::{Cut, Sampling, StackFrame, Writer};
use nilometer_pyframes::Python;

use crate::latch::Latch;
use crate::scratch::ITEMS;
use crate::splice::Item;
use map::{Map, mix};
use names::{LINE_BITS, Names};
use seen::Seen;

pub(crate) struct Stacks {
    seen: Seen,
    tree: Latch<Tree>,
}

/// What the holder of the lock works on.
struct Tree {
    /// Parent and frame -> node.
    nodes: Map,
    last: u64,
    names: Names,
    modules: usize,
    /// The new frames of one stack, outermost first.
    fresh: [StackFrame; ITEMS],
    hashes: [u64; ITEMS],
}

/// How a frame is told apart: its kind in the two high bits.
const PYTHON: u64 = 1 << 62;
const CUT: u64 = 2 << 62;

impl Stacks {
    pub(crate) fn new() -> Option<Box<Self>> {
        Some(Box::new(Self {
            seen: Seen::new()?,
            tree: Latch::new(Tree {
                nodes: Map::new(1 << 18),
                last: 0,
                names: Names::new(),
                modules: 0,
                fresh: [StackFrame::Cut(Cut::Other); ITEMS],
                hashes: [0; ITEMS],
            }),
        }))
    }

    /// The innermost node of this stack; `None` if the stack could not be written.
    pub(crate) fn node(
        &self,
        items: &[Item],
        python: Option<&Python>,
        at_ns: u64,
        writer: &Writer,
    ) -> Option<u64> {
        let hash = items.iter().fold(0, |hash, item| match item {
            Item::Nothing => hash,
            Item::Native(address) => mix(hash, *address),
            Item::Python(frame) => {
                mix(mix(hash, identity(python, frame.code)), PYTHON | u64::from(frame.instruction))
            }
            Item::Cut(why) => mix(hash, CUT | *why as u64),
        });
        if let Some(node) = self.seen.get(hash) {
            return Some(node);
        }
        let node = self.tree.hold()?.grow(items, python, at_ns, writer)?;
        self.seen.set(hash, node);
        Some(node)
    }

    /// How many nodes there are; 0 if that is not known just now.
    pub(crate) fn count(&self) -> u64 {
        self.tree.try_hold().map_or(0, |tree| tree.last)
    }
}

fn identity(python: Option<&Python>, code: u64) -> u64 {
    python.map_or(0, |python| python.identity(code))
}

impl Tree {
    fn grow(&mut self, items: &[Item], python: Option<&Python>, at_ns: u64, writer: &Writer) -> Option<u64> {
        self.tell_modules(at_ns, writer)?;
        let mut outermost_first = items.iter().rev().filter(|item| **item != Item::Nothing);
        let mut parent = 0;
        let mut pending = None;
        // Down the tree as far as it goes.
        for item in outermost_first.by_ref() {
            let (word, frame) = self.frame(*item, python, at_ns, writer);
            let Some(node) = self.nodes.get(mix(parent, word)) else {
                pending = Some((word, frame));
                break;
            };
            parent = node;
        }
        let Some((word, frame)) = pending else { return Some(parent) };
        let first = self.last + 1;
        let mut count = 0;
        let mut next = Some((word, frame));
        while let Some((word, frame)) = next {
            let above = if count == 0 { parent } else { first + count as u64 - 1 };
            *self.hashes.get_mut(count)? = mix(above, word);
            *self.fresh.get_mut(count)? = frame;
            count += 1;
            next = outermost_first.next().map(|item| self.frame(*item, python, at_ns, writer));
        }
        if !self.nodes.has_room(count) {
            // The stack as far as it is known: better than none.
            return (parent != 0).then_some(parent);
        }
        let frames = self.fresh.get(..count)?;
        if !writer.append_sampling(at_ns, &Sampling::Stack { first, parent, frames: frames.into() }) {
            return None;
        }
        for (node, hash) in (first..).zip(self.hashes.get(..count)?) {
            self.nodes.insert(*hash, node);
        }
        self.last = first + count as u64 - 1;
        Some(self.last)
    }

    /// The word that tells this frame apart, and the frame as it is written.
    fn frame(
        &mut self,
        item: Item,
        python: Option<&Python>,
        at_ns: u64,
        writer: &Writer,
    ) -> (u64, StackFrame) {
        let cut = |why: Cut| (CUT | why as u64, StackFrame::Cut(why));
        match (item, python) {
            (Item::Native(address), _) => (address, StackFrame::Native { address }),
            (Item::Python(frame), Some(python)) => {
                let identity = python.identity(frame.code);
                let Some(place) = self.names.place(python, identity, frame, at_ns, writer) else {
                    return cut(Cut::PythonUnknown);
                };
                let line = (place & ((1 << LINE_BITS) - 1)) as u32;
                (PYTHON | place, StackFrame::Python { code: place >> LINE_BITS, line })
            }
            (Item::Cut(why), _) => cut(why),
            (Item::Python(_) | Item::Nothing, _) => cut(Cut::Other),
        }
    }

    /// Writes the objects that were met for the first time.
    fn tell_modules(&mut self, at_ns: u64, writer: &Writer) -> Option<()> {
        let mut told = self.modules;
        let mut failed = false;
        nilometer_unwind::modules(self.modules, &mut |index, module| {
            let path = valid(module.path);
            let said = Sampling::Module {
                start: module.start,
                end: module.end,
                bias: module.bias,
                path: path.into(),
            };
            failed |= !writer.append_sampling(at_ns, &said);
            told = if failed { told } else { index + 1 };
        });
        self.modules = told;
        (!failed).then_some(())
    }
}

/// As much of a path as is text.
fn valid(path: &[u8]) -> &str {
    match std::str::from_utf8(path) {
        Ok(path) => path,
        Err(error) => {
            path.get(..error.valid_up_to()).and_then(|path| std::str::from_utf8(path).ok()).unwrap_or("?")
        }
    }
}
