//! The newest elements of a container.
//!
//! In: a container and the number of new elements. Out: their addresses, oldest first. What must not happen
//! here: iteration by Python, because a subclass may have replaced it.

use crate::layout::{SIZE, deque, lru, set};
use crate::memory;
use crate::object::{Object, Python};
use crate::shape::{Shape, shape_of};

/// A set's table may be large and nearly empty; no more slots than this are read.
const MAX_SET_SLOTS: u64 = 1 << 18;

/// Elements of a container. The container refers to each item once; keys of dicts are kept apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    /// Values, items.
    pub(crate) items: Vec<Object>,
    /// Keys of a dict.
    pub(crate) keys: Vec<Object>,
    /// The items are a sample, not the newest: a set has no order.
    pub(crate) sampled: bool,
}

/// At most `limit` elements, beginning `skip` before the end. If `skip` elements are new, the first of them
/// comes first.
pub(crate) fn newest(python: &Python, o: Object, skip: u64, limit: usize) -> Elements {
    let mut found = Elements::default();
    match shape_of(python, python.type_of(o)) {
        Shape::List | Shape::Tuple => {
            if let Some((items, length)) = python.items_of(o) {
                let from = length.saturating_sub(skip);
                for index in (from..length).take(limit) {
                    push(&mut found.items, memory::word(items + 8 * index, 0));
                }
            }
        }
        Shape::Dict => dict(python, o, skip, limit, &mut found),
        Shape::Deque => newest_of_deque(o, skip, limit, &mut found.items),
        Shape::Set => {
            found.sampled = true;
            let slots = memory::word(o.0, set::MASK).saturating_add(1);
            let table = memory::word(o.0, set::TABLE);
            for slot in 0..slots.min(MAX_SET_SLOTS) {
                let key = memory::word(table + slot * set::ENTRY, 0);
                if key != python.known.dummy {
                    push(&mut found.items, key);
                }
                if found.items.len() >= limit {
                    break;
                }
            }
        }
        Shape::Other => {}
    }
    found
}

fn push(items: &mut Vec<Object>, address: u64) {
    if memory::usable(address) {
        items.push(Object(address));
    }
}

/// The entries inserted last stand last, whatever was deleted before them.
fn dict(python: &Python, o: Object, skip: u64, limit: usize, found: &mut Elements) {
    let Some(view) = python.dict_view(o) else { return };
    let (mut index, mut live) = (view.table.entries, 0);
    while index > 0 && live < skip {
        index -= 1;
        live += u64::from(view.entry(index).is_some());
    }
    while index < view.table.entries && found.items.len() < limit {
        if let Some((key, value)) = view.entry(index) {
            found.keys.push(key);
            found.items.push(cached_result(python, value));
        }
        index += 1;
    }
}

/// The value behind a link of an `lru_cache`. The collector does not know these links.
fn cached_result(python: &Python, value: Object) -> Object {
    if python.type_of(value).raw_name() != lru::LINK {
        return value;
    }
    let cached_result = memory::word(value.0, lru::RESULT);
    if memory::usable(cached_result) { Object(cached_result) } else { value }
}

/// Elements at the right end. A deque that grows to the left has the same kind of elements there.
fn newest_of_deque(o: Object, skip: u64, limit: usize, items: &mut Vec<Object>) {
    let wanted = skip.min(memory::word(o.0, SIZE)).min(limit as u64);
    let mut block = memory::word(o.0, deque::RIGHT_BLOCK);
    let mut index = memory::word(o.0, deque::RIGHT_INDEX);
    for _ in 0..wanted {
        if index >= deque::PER_BLOCK || !memory::usable(block) {
            break;
        }
        push(items, memory::word(block + 8 + 8 * index, 0));
        if index == 0 {
            block = memory::word(block, 0);
            index = deque::PER_BLOCK;
        }
        index -= 1;
    }
    items.reverse();
}
