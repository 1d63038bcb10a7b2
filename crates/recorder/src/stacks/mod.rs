//! Stacks as nodes of one tree: each node is written once, before anything refers to it.
//!
//! In: a spliced stack, innermost frame first. Out: the id of its innermost node. What must not happen here: a node in the
//! tree whose record is not in the capture, since a birth that refers to it may be the last thing that is written.

pub(crate) mod map;
mod names;
mod stack_cache;

use nilometer_capture::{Cut, Sampling, StackFrame, Writer};
use nilometer_pyframes::Python;

use crate::bounded_lock::BoundedLock;
use crate::losses::Loss;
use crate::scratch::ITEMS;
use crate::splice::Item;
use map::{Map, mix};
use names::{LINE_BITS, Names};
use stack_cache::StackCache;

pub(crate) struct Stacks {
    seen: StackCache,
    tree: BoundedLock<Tree>,
}

/// Nodes are no more than three quarters of this.
const MAX_NODES: usize = 1 << 20;
/// Nodes that are kept for what comes after the imports: their stacks are the deepest, each seen once, and would fill the
/// tree where samples are fine.
const RESERVED: usize = MAX_NODES / 8 * 3;

/// What the holder of the lock works on.
struct Tree {
    /// Hash of a frame and all further out -> node.
    nodes: Map,
    last: u64,
    names: Names,
    modules: usize,
    /// The new frames of one stack, outermost first.
    fresh: [StackFrame; ITEMS],
}

/// How a frame is told apart in a hash: its kind in the two high bits.
const PYTHON: u64 = 1 << 62;
const TRUNCATED: u64 = 2 << 62;

impl Stacks {
    pub(crate) fn new() -> Option<Box<Self>> {
        Some(Box::new(Self {
            seen: StackCache::new()?,
            tree: BoundedLock::new(Tree {
                nodes: Map::new(MAX_NODES),
                last: 0,
                names: Names::new(),
                modules: 0,
                fresh: [StackFrame::Cut(Cut::Other); ITEMS],
            }),
        }))
    }

    /// The innermost node of this stack, 0 if there is no room for it; or why it could not be written. `hashes` is room for as many hashes as
    /// there are items.
    pub(crate) fn node(
        &self,
        items: &[Item],
        hashes: &mut [u64],
        python: Option<&Python>,
        at_ns: u64,
        writer: &Writer,
    ) -> Result<u64, Loss> {
        let hashes = hashes.get_mut(..items.len()).ok_or(Loss::ScratchFull)?;
        let mut hash = 0;
        for (item, place) in items.iter().zip(hashes.iter_mut()).rev() {
            hash = match item {
                Item::Nothing => mix(hash, 0),
                Item::Native(address) => mix(hash, *address),
                Item::Python(frame) => {
                    let identity = python.map_or(0, |python| python.identity(frame.code));
                    mix(mix(hash, identity), PYTHON | u64::from(frame.instruction))
                }
                Item::Cut(why) => mix(hash, TRUNCATED | *why as u64),
            };
            *place = hash;
        }
        if let Some(node) = self.seen.get(hash) {
            return Ok(node);
        }
        let mut tree = self.tree.hold().ok_or(Loss::StacksBusy)?;
        let node = tree.grow(items, hashes, python, at_ns, writer).ok_or(Loss::CaptureRefused)?;
        drop(tree);
        if node != 0 {
            self.seen.set(hash, node);
        }
        Ok(node)
    }

    /// How many nodes there are; 0 if that is not known just now.
    pub(crate) fn count(&self) -> u64 {
        self.tree.try_hold().map_or(0, |tree| tree.last)
    }
}

impl Tree {
    fn grow(
        &mut self,
        items: &[Item],
        hashes: &[u64],
        python: Option<&Python>,
        at_ns: u64,
        writer: &Writer,
    ) -> Option<u64> {
        self.tell_modules(at_ns, writer)?;
        // Where a node is, all nodes further out are.
        let unknown = hashes.partition_point(|hash| self.nodes.get(*hash).is_none());
        let parent = hashes.get(unknown).and_then(|hash| self.nodes.get(*hash)).unwrap_or(0);
        let (items, hashes) = (items.get(..unknown)?, hashes.get(..unknown)?);
        if items.is_empty() {
            return Some(parent);
        }
        let board = writer.board();
        let reserved = if board.steps() > 0 || board.all_cycles() > 0 { 0 } else { RESERVED };
        if !self.nodes.has_room(items.len() + reserved) {
            // None at all: one that ends too early would name a place that made nothing.
            return Some(0);
        }
        for (index, item) in items.iter().rev().enumerate() {
            let frame = self.frame(*item, python, at_ns, writer);
            *self.fresh.get_mut(index)? = frame;
        }
        let (first, frames) = (self.last + 1, self.fresh.get(..items.len())?);
        if !writer.append_sampling(at_ns, &Sampling::Stack { first, parent, frames: frames.into() }) {
            return None;
        }
        for (node, hash) in (first..).zip(hashes.iter().rev()) {
            self.nodes.insert(*hash, node);
            self.last = node;
        }
        Some(self.last)
    }

    /// The frame as it is written.
    fn frame(&mut self, item: Item, python: Option<&Python>, at_ns: u64, writer: &Writer) -> StackFrame {
        match (item, python) {
            (Item::Native(address), _) => StackFrame::Native { address },
            (Item::Python(frame), Some(python)) => {
                let identity = python.identity(frame.code);
                let place = self.names.place(python, identity, frame, at_ns, writer);
                place.map_or(StackFrame::Cut(Cut::PythonUnknown), |place| StackFrame::Python {
                    code: place >> LINE_BITS,
                    line: (place & ((1 << LINE_BITS) - 1)) as u32,
                })
            }
            (Item::Cut(why), _) => StackFrame::Cut(why),
            (Item::Python(_) | Item::Nothing, _) => StackFrame::Cut(Cut::Other),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;
    use nilometer_capture::CycleUnit;

    #[test]
    #[cfg_attr(miri, ignore = "needs files, and hundreds of thousands of nodes")]
    fn imports_leave_room_for_the_stacks_of_the_training() {
        const MAX_DEPTH: u64 = 500;
        let folder = tempfile::tempdir().unwrap();
        let writer = Writer::create(&folder.path().join("x.nilo"), false).unwrap();
        let stacks = Stacks::new().unwrap();
        let mut hashes = [0; ITEMS];
        let mut node = |stack: u64| {
            let items: Vec<_> = (0..MAX_DEPTH).map(|frame| Item::Native(stack << 20 | frame)).collect();
            stacks.node(&items, &mut hashes, None, 0, &writer).unwrap()
        };
        let told = (0..2000).take_while(|stack| node(*stack) != 0).count();
        assert_eq!(told, (MAX_NODES / 4 * 3 - RESERVED) / MAX_DEPTH as usize);
        assert_eq!((node(1900), node(1)), (0, 2 * MAX_DEPTH), "nothing new, but what is there");
        writer.board().count_cycle(CycleUnit::Epoch);
        let more = (1900..4000).take_while(|stack| node(*stack) != 0).count();
        assert_eq!(told + more, MAX_NODES / 4 * 3 / MAX_DEPTH as usize);
    }
}
