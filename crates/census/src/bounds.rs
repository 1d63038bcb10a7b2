//! The size that a container cannot grow past.
//!
//! In: a container and what holds it. Out: the number of elements where the structure says so: a deque's `maxlen`, an
//! `lru_cache`'s `maxsize`, the `maxsize` of a queue. What is not known is `None`, never a guess.

use crate::layout::{TYPE, types};
use crate::memory::word;
use crate::naming::{DEQUE_MAX, Kind, LRU_CACHE, LRU_MAX, Look};

/// The bound of a container, given the object before it on the path (0 without).
pub(crate) fn bound(look: &Look<'_>, container: u64, holder: u64) -> Option<u64> {
    let limit = |number: u64| u64::try_from(number.cast_signed()).ok();
    match look.kinds.of(container) {
        Kind::Deque => limit(word(container, DEQUE_MAX)).or_else(|| queue(look, holder)),
        Kind::LruCache => lru(look, container),
        Kind::Dict if look.kinds.of(holder) == Kind::LruCache && word(holder, LRU_CACHE) == container => {
            lru(look, holder)
        }
        Kind::List => queue(look, holder),
        _ => None,
    }
}

/// `maxsize` of an `lru_cache`; -1 is none. A wrapper whose cache is no dict is of another layout.
fn lru(look: &Look<'_>, wrapper: u64) -> Option<u64> {
    let large = word(word(wrapper, TYPE), types::BASIC_SIZE) >= LRU_MAX + 8;
    let sound = large && look.kinds.of(word(wrapper, LRU_CACHE)) == Kind::Dict;
    if sound { u64::try_from(word(wrapper, LRU_MAX).cast_signed()).ok() } else { None }
}

/// `maxsize` of the standard library's queues, whose elements are in a deque or list named `queue`; 0 is none.
fn queue(look: &Look<'_>, holder: u64) -> Option<u64> {
    if holder == 0 || look.kinds.of(holder) != Kind::Other {
        return None;
    }
    let class = word(holder, TYPE);
    let known = ["Queue", "LifoQueue", "PriorityQueue"];
    if look.module_of_class(class) != "queue" || !known.contains(&look.type_name(class).as_str()) {
        return None;
    }
    let size = look.attribute(holder, "maxsize");
    if size == 0 { None } else { look.short(size).parse().ok().filter(|size| *size > 0) }
}
