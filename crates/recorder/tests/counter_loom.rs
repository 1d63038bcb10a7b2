//! A counter of the filter under the orders of steps that the memory model allows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../src/counter.rs"]
mod counter;

mod atomics {
    pub(crate) use loom::sync::atomic::{AtomicU8, AtomicU64};
}

use atomics::{AtomicU8, AtomicU64};
use counter::{BITS, Counter};
use loom::sync::Arc;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Two counters in one byte, and the word with their bits.
struct Two(AtomicU64, AtomicU8);

impl Two {
    fn new() -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(0), AtomicU8::new(0)))
    }

    fn counter(&self, which: usize) -> Counter<'_> {
        Counter { flags: &self.0, flag: 1 << which, counters: &self.1, shift: which * BITS }
    }

    fn may_hold(&self, which: usize) -> bool {
        self.0.load(Relaxed) >> which & 1 != 0
    }

    fn is_empty(&self) -> bool {
        (self.0.load(Relaxed), self.1.load(Relaxed)) == (0, 0)
    }
}

/// Each order of steps with up to three turns that are not at an end.
fn model(of: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(of);
}

/// Comes and goes; if it was not refused, it must have been let through all the time.
fn work(two: &Two, which: usize) -> bool {
    let added = two.counter(which).add();
    if added {
        assert!(two.may_hold(which));
        two.counter(which).remove();
    }
    added
}

#[test]
fn what_was_added_is_let_through_until_it_is_removed() {
    for other in [0, 1] {
        model(move || {
            let two = Two::new();
            let theirs = Arc::clone(&two);
            let thread = loom::thread::spawn(move || work(&theirs, other));
            let mine = work(&two, 0);
            let their = thread.join().unwrap();
            assert!(mine || their, "one of two is never refused");
            assert!(two.is_empty());
        });
    }
}

#[test]
fn what_is_passed_on_is_let_through_where_it_is_given_back() {
    model(|| {
        let (two, passed) = (Two::new(), Arc::new(AtomicU64::new(0)));
        let (theirs, from) = (Arc::clone(&two), Arc::clone(&passed));
        let before = two.counter(0).add();
        assert!(before);
        let thread = loom::thread::spawn(move || {
            // One that lay there before dies while the next is born.
            theirs.counter(0).remove();
            if from.load(Acquire) != 0 {
                assert!(theirs.may_hold(0));
                theirs.counter(0).remove();
            }
        });
        let added = two.counter(0).add();
        if added {
            passed.store(1, Release);
        }
        thread.join().unwrap();
        two.counter(0).remove();
        assert!(two.is_empty());
    });
}
