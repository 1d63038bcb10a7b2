//! The table's bucket under all orders of steps that the memory model allows.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../src/bucket.rs"]
mod bucket;

mod atomics {
    pub(crate) use loom::sync::atomic::AtomicU64;
}

use atomics::AtomicU64;
use bucket::{Place, put, take, taken};
use loom::sync::Arc;
use loom::sync::atomic::AtomicU64 as Passed;
use loom::sync::atomic::Ordering::{Acquire, Release};

fn places(count: usize) -> Arc<Vec<Place>> {
    Arc::new((0..count).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect())
}

#[test]
fn addresses_of_two_threads_keep_apart() {
    loom::model(|| {
        let bucket = places(2);
        let other = Arc::clone(&bucket);
        let work = |bucket: &[Place], address: u64, id: u64| {
            assert!(put(bucket, address, id));
            assert_eq!(take(bucket, address), Some(id));
            assert_eq!(take(bucket, address), None);
        };
        let thread = loom::thread::spawn(move || work(&other, 16, 1));
        work(&bucket, 32, 2);
        thread.join().unwrap();
        assert_eq!(taken(&bucket), 0);
    });
}

#[test]
fn memory_that_is_passed_on_is_found_by_the_one_who_frees_it() {
    loom::model(|| {
        let (bucket, passed) = (places(2), Arc::new(Passed::new(0)));
        let (other, from) = (Arc::clone(&bucket), Arc::clone(&passed));
        let thread = loom::thread::spawn(move || {
            let address = from.load(Acquire);
            if address != 0 {
                assert_eq!(take(&other, address), Some(7));
            }
            // Meanwhile this thread has memory of its own.
            assert!(put(&other, 48, 8));
        });
        assert!(put(&bucket, 16, 7));
        passed.store(16, Release);
        thread.join().unwrap();
        assert_eq!(take(&bucket, 48), Some(8));
    });
}

#[test]
fn memory_that_two_threads_give_back_at_once_dies_once() {
    loom::model(|| {
        let bucket = places(1);
        assert!(put(&bucket, 16, 7));
        let other = Arc::clone(&bucket);
        let thread = loom::thread::spawn(move || take(&other, 16));
        let deaths = [take(&bucket, 16), thread.join().unwrap()];
        assert_eq!(deaths.iter().flatten().count(), 1);
    });
}
