//! Memory of Python's own containers and buffers outside their blocks.
//!
//! In: objects with a recognised type. Out: addresses and bytes. What must not happen here: a buffer that
//! another object owns.

use crate::dicts::KeyTable;
use crate::layout::{SIZE, Values, deque, dict, flags, list, set};
use crate::memory;
use crate::object::{Object, Python, Type};

type Visit<'a> = &'a mut dyn FnMut(u64, u64);

pub(super) fn list(o: Object, visit: Visit<'_>) {
    let items = memory::word(o.0, list::ITEMS);
    if items != 0 {
        visit(items, memory::word(o.0, list::ALLOCATED).saturating_mul(8));
    }
}

/// The key table, unless all instances of a class share it, and values that stand apart from it.
pub(super) fn dict(python: &Python, o: Object, visit: Visit<'_>) {
    let Some(view) = python.dict_view(o) else { return };
    let values = memory::word(o.0, dict::VALUES);
    if values == 0 {
        // A single reference is the dict's own. The table of empty dicts is shared and has more.
        let (address, bytes) = view.table.block();
        if memory::word(address, 0) == 1 {
            visit(address, bytes);
        }
    } else if python.layout.values == Values::None {
        visit(values, view.table.capacity().saturating_mul(8));
    } else if python.layout.values != Values::Behind || memory::byte(values, 2) == 0 {
        // 3.13 on: the third byte says that the values stand behind their instance, inside its block.
        visit_values(python, values, view.table.capacity(), visit);
    }
}

/// Values, with their insertion order before them (3.11, 3.12) or behind (3.13 on).
fn visit_values(python: &Python, values: u64, capacity: u64, visit: Visit<'_>) {
    if python.layout.values == Values::Behind {
        let capacity = u64::from(memory::byte(values, 0));
        visit(values, 8 + capacity * 9);
        return;
    }
    let before = u64::from(memory::byte((values & !7) - 8, 7));
    visit(values.wrapping_sub(before), before + 8 * capacity);
}

/// Values of an instance without a dictionary, where they are a separate allocation.
pub(super) fn instance_values(python: &Python, o: Object, kind: Type, visit: Visit<'_>) {
    if !kind.has(flags::MANAGED_DICT) || matches!(python.layout.values, Values::None | Values::Behind) {
        return;
    }
    if let Some(view) = python.instance_values(o, kind) {
        visit_values(python, view.values, view.table.capacity(), visit);
    }
}

/// Besides the dict: the index of nodes, and one node per key.
pub(super) fn ordered_dict(python: &Python, o: Object, visit: Visit<'_>) {
    dict(python, o, visit);
    let nodes = memory::word(o.0, dict::USED);
    let table = memory::word(o.0, ordered::NODES);
    if table != 0 {
        visit(table, memory::word(o.0, ordered::SIZE).saturating_mul(8));
    }
    visit(0, nodes.saturating_mul(ordered::NODE));
}

/// `_odictobject` after the dict part, and its nodes: key, hash, next, previous.
mod ordered {
    pub(super) const NODES: u64 = 64;
    pub(super) const SIZE: u64 = 72;
    pub(super) const NODE: u64 = 32;
}

pub(super) fn set(o: Object, visit: Visit<'_>) {
    let table = memory::word(o.0, set::TABLE);
    if table != o.0 + set::SMALL_TABLE {
        visit(table, (memory::word(o.0, set::MASK).saturating_add(1)).saturating_mul(set::ENTRY));
    }
}

/// The blocks of a deque. The address 0 stands for those that are too many to follow.
pub(super) fn deque(o: Object, visit: Visit<'_>) {
    const MAX_DEQUE_BLOCKS: u64 = 1 << 14;
    let blocks =
        memory::word(o.0, deque::LEFT_INDEX).saturating_add(memory::word(o.0, SIZE)) / deque::PER_BLOCK + 1;
    let mut block = memory::word(o.0, deque::LEFT_BLOCK);
    let last = memory::word(o.0, deque::RIGHT_BLOCK);
    for _ in 0..blocks.min(MAX_DEQUE_BLOCKS) {
        if !memory::usable(block) {
            return;
        }
        visit(block, deque::BLOCK);
        if block == last {
            return;
        }
        block = memory::word(block, deque::BLOCK - 8);
    }
    visit(0, blocks.saturating_sub(MAX_DEQUE_BLOCKS).saturating_mul(deque::BLOCK));
}

/// `ob_bytes` and `ob_alloc`.
pub(super) fn bytearray(o: Object, visit: Visit<'_>) {
    visit(memory::word(o.0, 32), memory::word(o.0, 24));
}

/// `buf`, a bytes object; null once the file is closed.
pub(super) fn bytes_io(o: Object, visit: &mut dyn FnMut(Object)) {
    let bytes = memory::word(o.0, 16);
    if memory::usable(bytes) {
        visit(Object(bytes));
    }
}

/// Bytes written to a file of bytes in memory: `string_size`, which stays after closing.
pub(crate) fn bytes_io_bytes(o: Object) -> u64 {
    if memory::word(o.0, 16) == 0 { 0 } else { memory::word(o.0, 32) }
}

/// Bytes of a file of text in memory: `string_size` characters. Each takes four bytes once the file was read
/// or sought in (`state`), and at least one until then.
pub(crate) fn text_io_bytes(o: Object) -> u64 {
    const REALIZED: i32 = 1;
    let width = if memory::int(o.0, 48) == REALIZED { 4 } else { 1 };
    memory::word(o.0, 32).saturating_mul(width)
}

/// `ob_item`, `allocated`, and the item size.
pub(super) fn array(o: Object, visit: Visit<'_>) {
    visit(memory::word(o.0, 24), memory::word(o.0, 32).saturating_mul(width(o)));
}

/// Bytes in use of an `array.array`.
pub(crate) fn numbers_bytes(o: Object) -> u64 {
    memory::word(o.0, SIZE).saturating_mul(width(o))
}

/// Bytes of one item, from the array's type descriptor.
fn width(array: Object) -> u64 {
    u64::from(memory::int(memory::word(array.0, 40), 4).unsigned_abs().min(64))
}

/// `data` and `size`. Untouched pages count too, as for `len`. A closed map keeps its size and has no data.
pub(super) fn mmap(o: Object, visit: Visit<'_>) {
    let data = memory::word(o.0, 16);
    if data != 0 {
        visit(data, memory::word(o.0, 24));
    }
}

/// The keys that a class's instances share.
pub(super) fn type_(python: &Python, o: Object, visit: Visit<'_>) {
    if !Type(o.0).has(flags::HEAP) {
        return;
    }
    if let Some(table) = KeyTable::of(python, memory::word(o.0, python.layout.cached_keys)) {
        let (address, bytes) = table.block();
        visit(address, bytes);
    }
}
