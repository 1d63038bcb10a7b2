//! The size that a container cannot exceed.
//!
//! In: a container and its holder. Out: the largest number of elements where a field states it: the `maxlen`
//! of a deque, the `maxsize` of an `lru_cache` or of a queue; else the numbers that the program may bound it
//! by. What must not happen here: a guess; an unknown bound is `None`.

use crate::layout::{TYPE, types};
use crate::memory::word;
use crate::naming::{DEQUE_MAX, HeapView, Kind, LRU_CACHE, LRU_MAX};

/// Attributes of an object that are looked at, and those of them that are kept.
const MAX_ATTRIBUTES: usize = 200;
const MAX_NUMBERS: usize = 16;
const MAX_NAME_CHARS: usize = 60;

/// The bound of a container. `holder` is the object before it on the path, 0 if there is none.
pub(crate) fn bound(heap: &HeapView<'_>, container: u64, holder: u64) -> Option<u64> {
    let limit = |number: u64| u64::try_from(number.cast_signed()).ok();
    match heap.kinds.of(container) {
        Kind::Deque => limit(word(container, DEQUE_MAX)).or_else(|| queue(heap, holder)),
        Kind::LruCache => lru(heap, container),
        Kind::Dict if heap.kinds.of(holder) == Kind::LruCache && word(holder, LRU_CACHE) == container => {
            lru(heap, holder)
        }
        Kind::List => queue(heap, holder),
        _ => None,
    }
}

/// Numbers and `None` among the attributes of an object that has a container: the program may bound it by one of them.
pub(crate) fn numbers(heap: &HeapView<'_>, holder: u64) -> Vec<(String, Option<u64>)> {
    let mut found = Vec::new();
    if holder == 0 || heap.kinds.of(holder) != Kind::Other {
        return found;
    }
    let mut left = MAX_ATTRIBUTES;
    let mut visit = |name: u64, value: u64| {
        left -= 1;
        let is_integer = heap.kinds.of(value) == Kind::Integer;
        // A negative one, or one of more than 60 bits, bounds nothing.
        let number = is_integer.then(|| heap.short(value)).and_then(|text| text.parse().ok());
        if number.is_some() || heap.is_none(value) {
            found.extend(heap.text(name, MAX_NAME_CHARS).map(|name| (name, number)));
        }
        left > 0 && found.len() < MAX_NUMBERS
    };
    match heap.own_dict(holder) {
        0 => heap.inline_values(holder, &mut visit),
        dict => heap.items(dict, &mut visit),
    }
    found
}

/// `maxsize` of an `lru_cache`; -1 means none. A wrapper whose cache is not a dict has an unknown layout.
fn lru(heap: &HeapView<'_>, wrapper: u64) -> Option<u64> {
    let large = word(word(wrapper, TYPE), types::BASIC_SIZE) >= LRU_MAX + 8;
    let sound = large && heap.kinds.of(word(wrapper, LRU_CACHE)) == Kind::Dict;
    if sound { u64::try_from(word(wrapper, LRU_MAX).cast_signed()).ok() } else { None }
}

/// `maxsize` of the standard library's queues, which keep their elements in a deque or list named `queue`; 0
/// means none.
fn queue(heap: &HeapView<'_>, holder: u64) -> Option<u64> {
    if holder == 0 || heap.kinds.of(holder) != Kind::Other {
        return None;
    }
    let class = word(holder, TYPE);
    let known = ["Queue", "LifoQueue", "PriorityQueue"];
    if heap.module_of_class(class) != "queue" || !known.contains(&heap.type_name(class).as_str()) {
        return None;
    }
    let size = heap.attribute(holder, "maxsize");
    if size == 0 { None } else { heap.short(size).parse().ok().filter(|size| *size > 0) }
}
