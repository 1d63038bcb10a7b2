//! Garbage that waits for the collector, by when it was made.
//!
//! In: objects of the caller's that the collector tracks, in the order of their birth: marks. Out: for each mark the garbage behind it on
//! the oldest generation's list, and that of younger generations. What must not happen here: an object that lives counted as garbage; a walk over all objects.
//!
//! The collector appends what survives to the list of an older generation, so that list is in the order of age, but for what one collection
//! moved. What stood behind a mark at one look stands there at the next. A full collection shuffles the list, and so does `gc.unfreeze()`;
//! the caller drops its marks after a full one. Garbage is found as the collector finds it: of each young object the references from young objects are subtracted from its
//! count. A count that stays above zero is somebody else's reference, and what it reaches lives. Older garbage is somebody else, too,
//! so this finds some of the garbage, never more than there is.

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::CpuInstant;
use crate::gc_lists::{self, Behind};
use crate::memory;
use crate::object::{Object, Python};
use crate::reachable::Reachable;
use crate::retained_size::allocated;
use crate::sizes::Sizes;

/// References and objects between two clock reads.
const STEPS_PER_CLOCK_CHECK: usize = 4096;
/// References that are followed from one object. What the others lead to seems to be held from elsewhere, so it counts as live.
const MAX_CHILDREN: usize = 20_000;

/// The largest block that Python's own allocator serves.
const MAX_LEAF_BYTES: u64 = 512;

/// Limits of a look.
#[derive(Clone, Copy, Debug)]
pub struct WaitingLimits {
    /// Objects behind the oldest mark that is used.
    pub objects: usize,
    /// CPU time.
    pub pause: Duration,
}

/// Garbage behind one mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingGarbage {
    /// The place of the mark among those that were given.
    pub mark: usize,
    /// Objects behind it that are garbage.
    pub objects: u64,
    /// Bytes of these objects' blocks and tables, and of small objects that they alone hold; not of what arrays and long strings keep.
    pub bytes: u64,
    /// The part of these bytes that is of younger generations: a collection of those frees it. The rest waits for a full one.
    pub young_bytes: u64,
}

/// The garbage behind each mark, and the objects that were looked at. `None`: the lists cannot be read, no mark is old enough, or a limit
/// was reached.
pub(crate) fn waiting_garbage(
    python: &Python,
    marks: &[Object],
    limits: WaitingLimits,
) -> Option<(Vec<WaitingGarbage>, u64)> {
    let start = CpuInstant::now();
    let lists = python.lists?;
    let (oldest, Behind { objects, old }) = marks.iter().enumerate().find_map(|(at, mark)| {
        let usable = python.is_tracked(*mark) && start.elapsed() < limits.pause;
        usable.then(|| gc_lists::behind(lists, *mark, limits.objects)).flatten().map(|behind| (at, behind))
    })?;
    let looked = objects.len() as u64;
    let garbage = garbage(python, &objects, || start.elapsed() >= limits.pause)?;
    let places: HashMap<u64, usize> = objects.iter().take(old).map(|one| one.address()).zip(1..).collect();
    let mut found = Vec::new();
    for (mark, object) in marks.iter().enumerate().skip(oldest) {
        let Some(from) = places.get(&object.address()).copied().or((mark == oldest).then_some(0)) else {
            continue;
        };
        let behind = |from| garbage.iter().filter(move |(at, _)| *at >= from);
        let bytes = |from| behind(from).map(|(_, bytes)| bytes).sum();
        let objects = behind(from).count() as u64;
        found.push(WaitingGarbage { mark, objects, bytes: bytes(from), young_bytes: bytes(old) });
    }
    Some((found, looked))
}

/// Which of the objects nobody holds but each other, and the bytes of each. `None` once it `is_late`.
fn garbage(python: &Python, objects: &[Object], is_late: impl Fn() -> bool) -> Option<Vec<(usize, u64)>> {
    let mut graph = Reachable::default();
    for (node, object) in (0..).zip(objects) {
        graph.index.insert(object.address(), node);
        graph.nodes.push((*object, 0));
    }
    let mut checked = 0;
    for (done, object) in objects.iter().enumerate() {
        let enough = graph.edges.len() + MAX_CHILDREN;
        python.traverse_while(*object, &mut |child| {
            // A tracked object that is not among these is older.
            if graph.index.contains_key(&child.address())
                || memory::usable(child.address()) && !python.is_tracked(child)
            {
                let node = graph.add_reference(child);
                graph.edges.push(node);
            }
            graph.edges.len() < enough
        });
        graph.ends.push(graph.edges.len() as u32);
        let steps = done + graph.edges.len();
        if steps >= checked + STEPS_PER_CLOCK_CHECK {
            checked = steps;
            if is_late() {
                return None;
            }
        }
    }
    let held = |(node, (object, inside)): (u32, &(Object, u32))| {
        (python.references(*object) > u64::from(*inside)).then_some(node)
    };
    let held: Vec<u32> = (0..).zip(&graph.nodes).filter_map(held).collect();
    let mut free = vec![false; graph.nodes.len()];
    for node in graph.unreachable_from(&held) {
        if let Some(free) = free.get_mut(node) {
            *free = true;
        }
    }
    let sizes = Sizes::new(python);
    let mut found = Vec::new();
    for (node, object) in objects.iter().enumerate() {
        if !free.get(node).is_some_and(|free| *free) {
            continue;
        }
        let mut bytes = own_bytes(python, &sizes, *object);
        for child in graph.children(node) {
            // What the collector does not track counts once, with the oldest object that refers to it.
            let is_leaf = *child as usize >= objects.len();
            if is_leaf && free.get_mut(*child as usize).is_some_and(std::mem::take) {
                bytes = bytes.saturating_add(
                    graph.nodes.get(*child as usize).map_or(0, |(leaf, _)| leaf_bytes(python, &sizes, *leaf)),
                );
            }
        }
        found.push((node, bytes));
    }
    Some(found)
}

/// Blocks and tables of an object that the collector does not track; nothing of large ones, which may be older than the mark.
fn leaf_bytes(python: &Python, sizes: &Sizes, leaf: Object) -> u64 {
    let small = |bytes| if bytes <= MAX_LEAF_BYTES { allocated(bytes) } else { 0 };
    let mut bytes = small(python.block(leaf).1);
    if python.type_of(leaf).address() == python.known.dict {
        sizes.buffers(leaf, &mut |table| bytes = bytes.saturating_add(small(table.bytes)));
    }
    bytes
}

/// The block of an object, and what it owns outside: tables of a container, attributes of an instance; nothing of large arrays.
fn own_bytes(python: &Python, sizes: &Sizes, object: Object) -> u64 {
    let mut bytes = allocated(python.block(object).1);
    let kind = python.type_of(object).address();
    let is_table = [python.known.list, python.known.dict, python.known.set].contains(&kind);
    sizes.buffers(object, &mut |part| {
        if part.owner && (is_table || part.bytes <= MAX_LEAF_BYTES) {
            bytes = bytes.saturating_add(allocated(part.bytes));
        }
    });
    bytes
}
