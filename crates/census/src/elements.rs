//! The elements of a container that were added last.
//!
//! In: a container and how many are new. Out: addresses of elements, oldest first. What must not happen here: iteration by
//! Python, which a subclass could have replaced.

use crate::layout::{SIZE, deque, lru, set};
use crate::memory;
use crate::object::{Object, Python};
use crate::types::{Shape, shape_of};

/// Places of a set's table that are looked at: it may be large and nearly empty.
const MOST_SLOTS: u64 = 1 << 18;

/// Elements of a container: each is referred to once by it, but for the keys of dicts, which stand apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Elements {
    /// Values, items.
    pub(crate) items: Vec<Object>,
    /// Keys of a dict.
    pub(crate) keys: Vec<Object>,
    /// They are not the newest, but any: a set has no order.
    pub(crate) sampled: bool,
}

/// At most `most` of the elements from `skip` before the end on: with `skip` new ones, the first of them.
pub(crate) fn newest(python: &Python, o: Object, skip: u64, most: usize) -> Elements {
    let mut found = Elements::default();
    match shape_of(python, python.type_of(o)) {
        Shape::List | Shape::Tuple => {
            if let Some((items, length)) = python.items_of(o) {
                let from = length.saturating_sub(skip);
                for index in (from..length).take(most) {
                    push(&mut found.items, memory::word(items + 8 * index, 0));
                }
            }
        }
        Shape::Dict => dict(python, o, skip, most, &mut found),
        Shape::Deque => newest_of_deque(o, skip, most, &mut found.items),
        Shape::Set => {
            found.sampled = true;
            let slots = memory::word(o.0, set::MASK).saturating_add(1);
            let table = memory::word(o.0, set::TABLE);
            for slot in 0..slots.min(MOST_SLOTS) {
                let key = memory::word(table + slot * set::ENTRY, 0);
                if key != python.known.dummy {
                    push(&mut found.items, key);
                }
                if found.items.len() >= most {
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

/// The entries that were inserted last stand last, whatever was deleted before them.
fn dict(python: &Python, o: Object, skip: u64, most: usize, found: &mut Elements) {
    let Some(view) = python.dict_view(o) else { return };
    let (mut index, mut live) = (view.table.entries, 0);
    while index > 0 && live < skip {
        index -= 1;
        live += u64::from(view.entry(index).is_some());
    }
    while index < view.table.entries && found.items.len() < most {
        if let Some((key, value)) = view.entry(index) {
            found.keys.push(key);
            found.items.push(answer(python, value));
        }
        index += 1;
    }
}

/// The cache of an `lru_cache` leads to links, which the collector does not know and which have what was answered.
fn answer(python: &Python, value: Object) -> Object {
    if python.type_of(value).raw_name() != lru::LINK {
        return value;
    }
    let answer = memory::word(value.0, lru::RESULT);
    if memory::usable(answer) { Object(answer) } else { value }
}

/// From the right end; a deque that grows to the left has elements of the same kind there.
fn newest_of_deque(o: Object, skip: u64, most: usize, items: &mut Vec<Object>) {
    let wanted = skip.min(memory::word(o.0, SIZE)).min(most as u64);
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
