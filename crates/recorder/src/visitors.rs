//! Who is at work with a recorder that may be stopped: so that it can be freed once nobody is.
//!
//! In: threads that come and go. Out: whether all who had come by some moment have gone. What must not happen here: a cost
//! for a recorder that is never stopped, a line of memory that all threads write to, or a wait without a bound. Nobody comes
//! twice without going: a visit ends on the thread that began it.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

/// Counters; threads are spread over them by where their blocks lie.
const PLACES: usize = 64;

/// How long those who are inside are waited for: microseconds, unless the scheduler has stopped one of them.
const MAX_SPINS: u32 = 100;
const PAUSES: u32 = 200;
const PAUSE_INTERVAL: Duration = Duration::from_micros(500);

/// A cache line of its own.
#[repr(align(64))]
struct Place(AtomicU32);

static ALL: [Place; PLACES] = [const { Place(AtomicU32::new(0)) }; PLACES];

/// One visit.
pub(crate) struct Visitor(&'static AtomicU32);

impl Visitor {
    /// To be followed by a look at whether there is still something to visit.
    pub(crate) fn enter() -> Self {
        let block = std::ptr::from_ref(crate::tls::block()) as usize;
        let hash = (block >> 6).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        let place = &ALL.get(hash).unwrap_or(&ALL[0]).0;
        place.fetch_add(1, SeqCst);
        Self(place)
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// Whether all who came before this call have gone, within a tenth of a second.
pub(crate) fn all_went() -> bool {
    // One after the other: who comes from now on does not matter, and nobody moves from one place to another.
    ALL.iter().all(|place| {
        (0..MAX_SPINS + PAUSES).any(|turn| {
            let is_empty = place.0.load(SeqCst) == 0;
            if !is_empty {
                if turn < MAX_SPINS { std::thread::yield_now() } else { std::thread::sleep(PAUSE_INTERVAL) }
            }
            is_empty
        })
    })
}

/// A forked child has one thread, which visits nothing.
pub(crate) fn forget_in_child() {
    for place in &ALL {
        place.0.store(0, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_waited_for_and_given_up() {
        let visitor = Visitor::enter();
        let inner = Visitor::enter();
        drop(inner);
        assert!(!all_went());
        drop(visitor);
        assert!(all_went());
        let (come, go) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _visitor = Visitor::enter();
                come.wait();
                go.wait();
            });
            come.wait();
            assert!(!all_went());
            go.wait();
        });
        assert!(all_went());
    }
}
