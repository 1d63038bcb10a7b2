//! The collector's lists, walked from many places at once.
//!
//! In: the heads of the lists, and objects somewhere on them. Out: every object on the lists, once; or those younger than one. Each step
//! along a list waits for memory before the next address is known. So the lists are split into segments at
//! the given objects, and many segments are walked in turn. What must not happen here: a given object that is
//! on another list; an endless segment.

use crate::layout::{Collector, GC_BITS, GC_HEAD, TYPE};
use crate::memory::{prefetch, word};
use crate::object::Object;

/// Segments that are walked in turn.
const INTERLEAVED_SEGMENTS: usize = 16;

/// Visits every object on the lists until `visit` says false. The `splits` are on the lists now.
pub(crate) fn walk(heads: [u64; 4], splits: &[Object], visit: &mut dyn FnMut(Object) -> bool) {
    let mut splits: Vec<u64> = splits.iter().map(|split| split.address().wrapping_sub(GC_HEAD)).collect();
    splits.sort_unstable();
    splits.dedup();
    let ends = Ends::new(heads.into_iter().chain(splits.iter().copied()));
    let mut starts = heads.into_iter().chain(splits).map(|start| (start, heads.contains(&start)));
    // The current link of each segment.
    let mut walked = Vec::with_capacity(INTERLEAVED_SEGMENTS);
    loop {
        while walked.len() < INTERLEAVED_SEGMENTS {
            let Some((start, is_head)) = starts.next() else { break };
            if !is_head && !visit(Object(start + GC_HEAD)) {
                return;
            }
            walked.push(next(start));
        }
        if walked.is_empty() {
            return;
        }
        walked.retain_mut(|link| !ends.has(*link));
        for link in &mut walked {
            let object = Object(*link + GC_HEAD);
            *link = next(*link);
            prefetch(*link);
            prefetch(*link + GC_HEAD + TYPE);
            if !visit(object) {
                return;
            }
        }
    }
}

/// Objects that stand behind another one on the oldest generation's list, and all that are younger.
#[derive(Debug)]
pub(crate) struct Behind {
    /// Those on the oldest generation's list first, in its order.
    pub(crate) objects: Vec<Object>,
    /// How many of them are on the oldest generation's list.
    pub(crate) old: usize,
}

/// What stands behind `from`. `None` where that is not on the oldest generation's list, or where these are more than `limit`.
pub(crate) fn behind(heads: [u64; 4], from: Object, limit: usize) -> Option<Behind> {
    let [youngest, middle, oldest, _] = heads;
    let mut objects = Vec::new();
    let mut follow = |mut link: u64, head: u64| {
        // A list of a collection that is under way has another head: it must not be taken for an object.
        while link != head {
            if heads.contains(&link) || link == 0 || objects.len() >= limit {
                return None;
            }
            objects.push(Object(link + GC_HEAD));
            link = next(link);
        }
        Some(objects.len())
    };
    let old = follow(next(from.address().wrapping_sub(GC_HEAD)), oldest)?;
    follow(next(middle), middle)?;
    follow(next(youngest), youngest)?;
    Some(Behind { objects, old })
}

fn next(link: u64) -> u64 {
    word(link, 0) & !GC_BITS
}

/// The ends of segments: a head, the beginning of another segment, or null.
struct Ends {
    all: Vec<u64>,
    /// A small Bloom filter, so that a step usually reads one word.
    bits: [u64; 64],
}

impl Ends {
    fn new(links: impl Iterator<Item = u64>) -> Ends {
        let mut ends = Ends { all: links.chain([0]).collect(), bits: [0; 64] };
        for at in 0..ends.all.len() {
            let (place, bit) = place(ends.all.get(at).copied().unwrap_or(0));
            if let Some(bits) = ends.bits.get_mut(place) {
                *bits |= bit;
            }
        }
        ends
    }

    #[inline]
    fn has(&self, link: u64) -> bool {
        let (place, bit) = place(link);
        self.bits.get(place).is_some_and(|bits| bits & bit != 0) && self.all.contains(&link)
    }
}

#[inline]
fn place(link: u64) -> (usize, u64) {
    let spread = (link >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((spread >> 58) as usize, 1 << (spread >> 52 & 63))
}

/// The heads of the collector's lists, if the interpreter's state has them at the expected offset.
pub(crate) fn lists(interpreter: u64, fields: Collector) -> Option<[u64; 4]> {
    let state = interpreter + fields.state;
    let first = state + Collector::GENERATIONS;
    if word(state, fields.youngest) != first {
        return None;
    }
    let heads =
        [first, first + Collector::GENERATION, first + 2 * Collector::GENERATION, state + fields.permanent];
    let sound = heads.iter().all(|head| {
        let (next, previous) = (word(*head, 0), word(*head, 8));
        word(next & !GC_BITS, 8) & !GC_BITS == *head && word(previous & !GC_BITS, 0) & !GC_BITS == *head
    });
    sound.then_some(heads)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists with the given numbers of objects, linked as the collector does; the heads come first.
    fn linked_lists(sizes: [usize; 4]) -> (Vec<[u64; 4]>, [u64; 4], Vec<u64>) {
        let mut links = vec![[0_u64; 4]; 4 + sizes.iter().sum::<usize>()];
        let address = |links: &[[u64; 4]], at: usize| std::ptr::from_ref(&links[at]) as u64;
        let (mut at, mut heads, mut objects) = (4, [0; 4], Vec::new());
        for (head, size) in sizes.into_iter().enumerate() {
            let list: Vec<usize> = std::iter::once(head).chain(at..at + size).collect();
            for (place, one) in list.iter().enumerate() {
                links[*one][0] = address(&links, list[(place + 1) % list.len()]);
            }
            heads[head] = address(&links, head);
            objects.extend((at..at + size).map(|one| address(&links, one) + GC_HEAD));
            at += size;
        }
        (links, heads, objects)
    }

    #[test]
    fn each_object_once_wherever_it_begins() {
        for sizes in [[0, 0, 0, 0], [1, 0, 2, 0], [3, 40, 5000, 7]] {
            let (_links, heads, objects) = linked_lists(sizes);
            for step in [1, 2, 7, 100, 10_000] {
                // Each twice, the last objects of a list among them.
                let mut splits: Vec<Object> = objects.iter().step_by(step).map(|at| Object(*at)).collect();
                splits.extend(objects.iter().rev().step_by(step).map(|at| Object(*at)));
                let mut seen = Vec::new();
                walk(heads, &splits, &mut |object| {
                    seen.push(object.address());
                    true
                });
                seen.sort_unstable();
                assert_eq!(seen, objects, "{sizes:?} {step}");
            }
        }
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let (_links, heads, objects) = linked_lists([10, 0, 100, 0]);
        for limit in 1..110 {
            let mut count = 0;
            walk(heads, &[Object(objects[50])], &mut |_| {
                count += 1;
                count < limit
            });
            assert_eq!(count, limit);
        }
    }

    #[test]
    fn what_stands_behind_an_old_object_and_all_that_is_younger() {
        let (mut links, heads, objects) = linked_lists([2, 3, 5, 0]);
        // The third of the five old ones: two are behind it, then the three of the middle and the two youngest.
        let seen = |heads, from| {
            let found = behind(heads, Object(from), 100)?;
            Some((found.objects.iter().map(|one| one.address()).collect::<Vec<u64>>(), found.old))
        };
        let addresses = [&objects[8..10], &objects[2..5], &objects[..2]].concat();
        assert_eq!(seen(heads, objects[7]), Some((addresses, 2)));
        assert!(behind(heads, Object(objects[7]), 6).is_none(), "a limit");
        assert!(behind(heads, Object(objects[3]), 100).is_none(), "it is not old yet");
        links[4 + 9][0] = 0;
        assert!(behind(heads, Object(objects[7]), 100).is_none(), "torn");
        let (_links, heads, objects) = linked_lists([0, 0, 2, 1]);
        assert_eq!(seen(heads, objects[0]), Some((vec![objects[1]], 1)), "frozen ones are not old");
    }

    #[test]
    fn a_torn_list_ends_it() {
        let (mut links, heads, objects) = linked_lists([5, 0, 0, 0]);
        links[6][0] = 0;
        let mut seen = 0;
        walk(heads, &[Object(objects[4])], &mut |_| {
            seen += 1;
            true
        });
        assert_eq!(seen, 4);
    }
}
