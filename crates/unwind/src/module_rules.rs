//! The rules in the table that belong to one object, so that they can be forgotten without a pass over the
//! table.
//!
//! Most objects have few rules. For an object with many, only that fact is kept.

use std::sync::atomic::{
    AtomicBool, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

const MAX_LISTED_RULES: usize = 24;

/// The addresses of an object's rules.
#[derive(Debug, Default)]
pub(crate) struct ModuleRules {
    addresses: [AtomicU64; MAX_LISTED_RULES],
    overflowed: AtomicBool,
}

impl ModuleRules {
    /// Call this after the rule is in the table. A rule must not stay unlisted for longer than its walk,
    /// which keeps the object loaded.
    pub(crate) fn add(&self, address: u64) {
        let free = |place: &AtomicU64| {
            place.compare_exchange(0, address, AcqRel, Relaxed).is_err_and(|it| it != address)
        };
        if !self.overflowed.load(Relaxed) && self.addresses.iter().all(free) {
            self.overflowed.store(true, Release);
        }
    }

    pub(crate) fn has_overflowed(&self) -> bool {
        self.overflowed.load(Acquire)
    }

    /// Empties the list and calls `each` with every address in it. True: there were more rules than the list
    /// holds.
    pub(crate) fn take(&self, mut each: impl FnMut(u64)) -> bool {
        let overflowed = self.overflowed.swap(false, AcqRel);
        for place in &self.addresses {
            match place.swap(0, AcqRel) {
                0 => {}
                address => each(address),
            }
        }
        overflowed
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LISTED_RULES, ModuleRules};

    #[test]
    fn few_are_kept_one_by_one() {
        let rules = ModuleRules::default();
        for address in (1..=MAX_LISTED_RULES as u64).chain(1..=MAX_LISTED_RULES as u64) {
            rules.add(address);
        }
        assert!(!rules.has_overflowed());
        let mut taken = Vec::new();
        assert!(!rules.take(|it| taken.push(it)));
        assert_eq!(taken, (1..=MAX_LISTED_RULES as u64).collect::<Vec<_>>());
        assert!(!rules.take(|_| panic!("empty")));
    }

    #[test]
    fn one_more_makes_many() {
        let rules = ModuleRules::default();
        (1..=MAX_LISTED_RULES as u64 + 1).for_each(|it| rules.add(it));
        assert!(rules.has_overflowed());
        assert!(rules.take(|_| ()));
        assert!(!rules.has_overflowed());
    }
}
