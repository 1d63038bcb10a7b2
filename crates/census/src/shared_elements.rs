//! New elements that several growing containers share.
//!
//! In: growing containers, each with its number of new elements. Out: for an element, the number of
//! references from the other containers. What must not happen here: an element counted for two containers; or
//! for none, because each sees the other as its holder.
//!
//! Examples: a record in each of eight handlers; an array in a list of all and a list of the best. Neither
//! list alone keeps it, both together do. It is counted for the first of them.

use crate::elements::{Elements, newest};
use crate::growth_table::ContainerGrowth;
use crate::object::{Object, Python};
use crate::reachable::Reachable;
use crate::sizes::ByAddress;

/// New elements that are read of one container, and of all together.
const MAX_ELEMENTS_EACH: usize = 4096;
const MAX_ELEMENTS_TOTAL: usize = 1 << 15;
/// Containers that are recorded per element: `None` and small numbers are in many.
const MAX_HOLDERS: usize = 64;
/// At most this many new elements are walked; they may be containers themselves.
const MAX_WALKED_ELEMENTS: usize = 4;

/// By element: the containers that have it among their new ones, in the order of weighing.
#[derive(Debug, Default)]
pub(crate) struct SharedElements {
    holders: ByAddress<u64, Vec<u64>>,
}

impl SharedElements {
    /// The elements that these share; reported containers come first. `reachable` walks from a few elements
    /// of one.
    pub(crate) fn of(
        python: &Python,
        growths: &[ContainerGrowth],
        reachable: impl Fn(Object, &Elements) -> Reachable,
    ) -> Self {
        let mut first = ByAddress::<u64, u64>::default();
        let mut all = Self::default();
        let mut room = MAX_ELEMENTS_TOTAL;
        let mut few = Vec::new();
        for growth in growths {
            let elements =
                newest(python, growth.object, growth.length - growth.before, MAX_ELEMENTS_EACH.min(room));
            if elements.sampled {
                continue;
            }
            room = room.saturating_sub(elements.items.len());
            for element in &elements.items {
                let before = *first.entry(element.0).or_insert(growth.object.0);
                all.add(*element, before, growth.object);
            }
            if elements.items.len() <= MAX_WALKED_ELEMENTS {
                few.push((growth.object, elements));
            }
        }
        // The newest of eight handlers has not been seen to grow, but it is an element of a growing
        // container.
        for (container, elements) in few {
            let below = reachable(container, &elements);
            for (node, (from, _)) in below.nodes.iter().enumerate() {
                let children =
                    below.children(node).iter().filter_map(|child| below.nodes.get(*child as usize));
                for (child, _) in children {
                    if let Some(before) = first.get(&child.0) {
                        all.add(*child, *before, *from);
                    }
                }
            }
        }
        all
    }

    /// Records another container of an element that is counted for `first`.
    fn add(&mut self, element: Object, first: u64, container: Object) {
        if first != container.0 {
            let holders = self.holders.entry(element.0).or_insert_with(|| vec![first]);
            if holders.len() < MAX_HOLDERS && !holders.contains(&container.0) {
                holders.push(container.0);
            }
        }
    }

    /// Whether the element is counted for another container.
    pub(crate) fn is_counted_elsewhere(&self, container: Object, element: Object) -> bool {
        self.holders.get(&element.0).and_then(|all| all.first()).is_some_and(|first| *first != container.0)
    }

    /// References to an element from other containers, if it is counted for this one. Containers that are
    /// reachable from here do not count.
    pub(crate) fn other_references(
        &self,
        container: Object,
        element: Object,
        reachable: impl Fn(u64) -> bool,
    ) -> u64 {
        let Some(holders) = self.holders.get(&element.0) else { return 0 };
        match holders.split_first() {
            Some((first, others)) if *first == container.0 => {
                others.iter().filter(|other| !reachable(**other)).count() as u64
            }
            _ => 0,
        }
    }
}
