//! Deaths that could not be written at once: a short list without locks.
//!
//! In: ids of samples that were given back while the recorder was at work on the same thread (a signal handler frees),
//! when writing might wait for what it has interrupted. Out: the ids, a little later, to whoever writes next.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU64, AtomicUsize};

const ROOM: usize = 1024;

pub(crate) struct Pending {
    waiting: AtomicUsize,
    ids: [AtomicU64; ROOM],
}

impl Pending {
    pub(crate) const fn new() -> Self {
        Self { waiting: AtomicUsize::new(0), ids: [const { AtomicU64::new(0) }; ROOM] }
    }

    /// False if there is no room.
    pub(crate) fn push(&self, id: u64) -> bool {
        let free = |place: &&AtomicU64| place.compare_exchange(0, id, SeqCst, Relaxed).is_ok();
        let done = self.ids.iter().find(free).is_some();
        if done {
            self.waiting.fetch_add(1, SeqCst);
        }
        done
    }

    /// Hands out what waits.
    pub(crate) fn drain(&self, mut write: impl FnMut(u64)) {
        if self.waiting.load(Relaxed) == 0 {
            return;
        }
        for place in &self.ids {
            let id = if place.load(Relaxed) == 0 { 0 } else { place.swap(0, SeqCst) };
            if id != 0 {
                self.waiting.fetch_sub(1, SeqCst);
                write(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_handed_out_once() {
        let pending = Pending::new();
        assert!((1..=ROOM as u64).all(|id| pending.push(id)));
        assert!(!pending.push(9999));
        let mut seen = Vec::new();
        pending.drain(|id| seen.push(id));
        assert_eq!(seen, (1..=ROOM as u64).collect::<Vec<_>>());
        pending.drain(|id| seen.push(id));
        assert_eq!(seen.len(), ROOM);
        assert!(pending.push(1));
    }
}
