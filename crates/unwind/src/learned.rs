//! Which rules in the table belong to one object, so that they can be forgotten without going through the table.
//!
//! Most objects have few; of one with more it is only known that they are many.

use std::sync::atomic::{
    AtomicBool, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

const FEW: usize = 24;

/// The addresses of an object's rules.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    addresses: [AtomicU64; FEW],
    many: AtomicBool,
}

impl Learned {
    /// To be called after the rule is in the table: a rule must not be there without being noted for longer than its
    /// walk, which keeps the object loaded.
    pub(crate) fn note(&self, address: u64) {
        let free = |place: &AtomicU64| {
            place.compare_exchange(0, address, AcqRel, Relaxed).is_err_and(|it| it != address)
        };
        if !self.many.load(Relaxed) && self.addresses.iter().all(free) {
            self.many.store(true, Release);
        }
    }

    pub(crate) fn are_many(&self) -> bool {
        self.many.load(Acquire)
    }

    /// Empties the note and calls `each` with every address in it; true if there were more than could be noted.
    pub(crate) fn take(&self, mut each: impl FnMut(u64)) -> bool {
        let many = self.many.swap(false, AcqRel);
        for place in &self.addresses {
            match place.swap(0, AcqRel) {
                0 => {}
                address => each(address),
            }
        }
        many
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Learned};

    #[test]
    fn few_are_kept_one_by_one() {
        let learned = Learned::default();
        for address in (1..=FEW as u64).chain(1..=FEW as u64) {
            learned.note(address);
        }
        assert!(!learned.are_many());
        let mut taken = Vec::new();
        assert!(!learned.take(|it| taken.push(it)));
        assert_eq!(taken, (1..=FEW as u64).collect::<Vec<_>>());
        assert!(!learned.take(|_| panic!("empty")));
    }

    #[test]
    fn one_more_makes_many() {
        let learned = Learned::default();
        (1..=FEW as u64 + 1).for_each(|it| learned.note(it));
        assert!(learned.are_many());
        assert!(learned.take(|_| ()));
        assert!(!learned.are_many());
    }
}
