//! Small numbers for threads, so that phases of different threads do not seem to nest.
//!
//! In: the calling thread. Out: its number; the one that starts the recording has 0. No lock, nothing to drop when a
//! thread ends.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

static NEXT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static NUMBER: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The number of the calling thread.
pub(crate) fn number() -> u64 {
    NUMBER.get().unwrap_or_else(|| {
        let number = NEXT.fetch_add(1, Relaxed);
        NUMBER.set(Some(number));
        number
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::number;

    #[test]
    fn a_thread_keeps_its_number_and_shares_it_with_none() {
        let (mine, other) = (number(), std::thread::spawn(|| (number(), number())).join().unwrap());
        assert_eq!(mine, number());
        assert_eq!(other.0, other.1);
        assert_ne!(mine, other.0);
    }
}
