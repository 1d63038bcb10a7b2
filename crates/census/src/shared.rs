//! New elements that several growing containers have in common.
//!
//! In: containers that grow, with how many of their elements are new. Out: for an element, how many references the others have to it. What
//! must not happen here: an element that is counted for two containers, or for none because each of them holds what the other one holds.
//!
//! A record that each of eight handlers keeps, or an array that stands in a list of all and in a list of the best: neither list alone
//! keeps it, both together do. It is counted for the one that comes first.

use crate::elements::{Elements, newest};
use crate::growth::Rise;
use crate::object::{Object, Python};
use crate::reached::Reached;
use crate::sizes::ByAddress;

/// New elements of one container that are looked at, and of all.
const MOST_OF_ONE: usize = 4096;
const MOST: usize = 1 << 15;
/// Containers of one element that are known: `None` and small numbers are in many.
const MOST_HOLDERS: usize = 64;
/// So few new elements are containers themselves perhaps.
const FEW: usize = 4;

/// For an element the containers that have it among their new ones, in the order in which they are weighed.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    holders: ByAddress<u64, Vec<u64>>,
}

impl Shared {
    /// What these have in common, those that are told before others. `reached` tells what a few elements of one lead to.
    pub(crate) fn of(
        python: &Python,
        rises: &[Rise],
        reached: impl Fn(Object, &Elements) -> Reached,
    ) -> Self {
        let mut first = ByAddress::<u64, u64>::default();
        let mut all = Self::default();
        let mut room = MOST;
        let mut few = Vec::new();
        for rise in rises {
            let elements = newest(python, rise.object, rise.length - rise.before, MOST_OF_ONE.min(room));
            if elements.sampled {
                continue;
            }
            room = room.saturating_sub(elements.items.len());
            for element in &elements.items {
                let before = *first.entry(element.0).or_insert(rise.object.0);
                all.add(*element, before, rise.object);
            }
            if elements.items.len() <= FEW {
                few.push((rise.object, elements));
            }
        }
        // The newest of eight handlers is not seen to grow: it is an element of what does.
        for (container, elements) in few {
            let below = reached(container, &elements);
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

    /// One more container that has an element which is counted for the `first` one.
    fn add(&mut self, element: Object, first: u64, container: Object) {
        if first != container.0 {
            let holders = self.holders.entry(element.0).or_insert_with(|| vec![first]);
            if holders.len() < MOST_HOLDERS && !holders.contains(&container.0) {
                holders.push(container.0);
            }
        }
    }

    /// Whether an element is counted for another container than this one.
    pub(crate) fn is_of_another(&self, container: Object, element: Object) -> bool {
        self.holders.get(&element.0).and_then(|all| all.first()).is_some_and(|first| *first != container.0)
    }

    /// References to an element from containers other than this one, if it is counted for this one. Not from those that are `reached`
    /// from here anyway.
    pub(crate) fn others(&self, container: Object, element: Object, reached: impl Fn(u64) -> bool) -> u64 {
        let Some(holders) = self.holders.get(&element.0) else { return 0 };
        match holders.split_first() {
            Some((first, others)) if *first == container.0 => {
                others.iter().filter(|other| !reached(**other)).count() as u64
            }
            _ => 0,
        }
    }
}
