#![expect(unsafe_code, reason = "a lock of our own: one that is given up after a while")]
//! A lock that nobody waits for without a bound.
//!
//! In: a value. Out: the value, or nothing if another thread holds it for too long. What must not happen here: a
//! deadlock. The holder may be stopped by the scheduler, be gone after a fork, or be the thread itself, under a signal
//! handler.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Tries with the processor given to others in between: some hundred microseconds on a busy machine.
const MAX_YIELDS: u32 = 100;
const MAX_SPINS: u32 = 200;

#[derive(Default)]
pub(crate) struct BoundedLock<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by the holder alone.
unsafe impl<T: Send> Sync for BoundedLock<T> {}

/// The value, held.
pub(crate) struct Held<'a, T>(&'a BoundedLock<T>);

impl<T> BoundedLock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// At once or not.
    pub(crate) fn try_hold(&self) -> Option<Held<'_, T>> {
        let free = !self.held.load(Relaxed) && !self.held.swap(true, Acquire);
        free.then(|| Held(self))
    }

    /// Within a bounded time or not.
    pub(crate) fn hold(&self) -> Option<Held<'_, T>> {
        for _spin in 0..MAX_SPINS {
            if let Some(held) = self.try_hold() {
                return Some(held);
            }
            std::hint::spin_loop();
        }
        for _try in 0..MAX_YIELDS {
            // SAFETY: no arguments.
            unsafe { libc::sched_yield() };
            if let Some(held) = self.try_hold() {
                return Some(held);
            }
        }
        None
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this is the only holder.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only holder, and it is borrowed alone.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.0.held.store(false, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_and_an_end_to_the_waiting() {
        let latch = BoundedLock::new(1);
        let mut held = latch.hold();
        if let Some(held) = &mut held {
            **held += 1;
        }
        assert!(latch.hold().is_none());
        drop(held);
        assert_eq!(latch.try_hold().map(|held| *held), Some(2));
    }

    #[test]
    fn no_increment_is_lost_among_threads() {
        let latch = BoundedLock::new(0_u64);
        let rounds = if cfg!(miri) { 20 } else { 20_000 };
        let taken: u64 = std::thread::scope(|scope| {
            let work =
                || (0..rounds).filter(|_| latch.hold().map(|mut held| *held += 1).is_some()).count() as u64;
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
        });
        assert_eq!(latch.hold().map(|held| *held), Some(taken));
    }
}
