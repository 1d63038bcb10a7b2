//! Trials under all orders of steps that the memory model allows: what is in the filter is in a place.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../src/trials.rs"]
#[allow(dead_code, reason = "what is packed into words is tested beside it")]
mod trials;

mod atomics {
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64};
}

#[path = "../src/alloc_class.rs"]
#[allow(dead_code, reason = "what is told apart is tested beside it")]
mod alloc_class;

mod filter {
    use loom::sync::atomic::AtomicUsize;
    use loom::sync::atomic::Ordering::Relaxed;

    /// One counter for each of the addresses in these tests.
    pub(crate) struct Filter([AtomicUsize; 8]);

    loom::lazy_static! {
        pub(crate) static ref FILTER: Filter = Filter(std::array::from_fn(|_| AtomicUsize::new(0)));
    }

    impl Filter {
        pub(crate) fn may_hold(&self, address: usize) -> bool {
            self.count(address) != 0
        }

        pub(crate) fn count(&self, address: usize) -> usize {
            self.0[address >> 4].load(Relaxed)
        }

        pub(crate) fn add_trial(&self, address: usize) -> bool {
            self.0[address >> 4].fetch_add(1, Relaxed);
            true
        }

        pub(crate) fn remove_trial(&self, address: usize) {
            assert_ne!(self.0[address >> 4].fetch_sub(1, Relaxed), 0, "what was never added is removed");
        }
    }
}

mod pages {
    use loom::sync::atomic::AtomicU64;

    pub(crate) fn prefetch<T>(_at: Option<&T>) {}

    /// One bucket.
    pub(crate) struct Pages<T>(Vec<T>);

    impl Pages<[[AtomicU64; 2]; 4]> {
        #[expect(clippy::unnecessary_wraps, reason = "as those it stands for")]
        pub(crate) fn new(_len: usize) -> Option<Self> {
            let place = |_| std::array::from_fn(|_| AtomicU64::new(0));
            Some(Self(vec![std::array::from_fn(place)]))
        }

        pub(crate) fn all(&self) -> &[[[AtomicU64; 2]; 4]] {
            &self.0
        }
    }
}

use alloc_class::AllocClass;
use filter::FILTER;
use loom::sync::Arc;
use trials::{Trial, Trials};

const TRIAL: Trial = Trial { key: AllocClass { place: 1, size: 8000 }, generation: 1, bytes: 1 };

/// Trials at the first so many addresses.
fn trials(count: u64) -> Arc<Trials> {
    let trials = Trials::new().unwrap();
    (1..=count).for_each(|n| trials.insert(n << 4, TRIAL));
    Arc::new(trials)
}

/// What is in the filter is what is found and forgotten.
fn agree(trials: &Trials) {
    let mut found = 0;
    trials.each(|_| {
        found += 1;
        true
    });
    let counted: usize = (1..8).map(|n| FILTER.count(n << 4)).sum();
    assert_eq!(counted, found);
    trials.each(|_| false);
    assert!((1..8).all(|n| FILTER.count(n << 4) == 0));
}

#[test]
fn threads_with_addresses_of_their_own_keep_apart() {
    loom::model(|| {
        let trials = trials(0);
        let other = Arc::clone(&trials);
        let thread = loom::thread::spawn(move || {
            other.insert(16, TRIAL);
            other.remove(16);
        });
        trials.insert(32, TRIAL);
        thread.join().unwrap();
        assert_eq!(FILTER.count(16), 0, "what was given back is gone");
        agree(&trials);
    });
}

#[test]
fn who_takes_a_place_from_another_and_who_gives_back_agree() {
    loom::model(|| {
        let trials = trials(4);
        let other = Arc::clone(&trials);
        let thread = loom::thread::spawn(move || other.remove(16));
        trials.insert(5 << 4, TRIAL);
        thread.join().unwrap();
        assert_eq!(FILTER.count(16), 0);
        agree(&trials);
    });
}

#[test]
fn a_look_that_forgets_disturbs_nobody() {
    loom::model(|| {
        let trials = trials(2);
        let other = Arc::clone(&trials);
        let thread = loom::thread::spawn(move || {
            other.remove(16);
            other.insert(16, TRIAL);
        });
        trials.each(|_| false);
        thread.join().unwrap();
        agree(&trials);
    });
}
