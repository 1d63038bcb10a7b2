//! Objects that were unloaded: what was learned about their addresses must not be applied to what comes there next.
//!
//! The loader's counters tell at every walk whether an object was unloaded since the last. If so, the rules of objects
//! that are gone are forgotten before the walk begins. An object that was loaded again at the same place cannot be told
//! from one that stayed, so those of the others are forgotten too: at once where they are few, at most four times a
//! second where they are many, as learning them anew costs. Programs that unload often do so with small objects.
//! Without the counters the same is done every 256 walks: then rules may be out of date that long, not for ever.
#![expect(unsafe_code, reason = "reads the clock")]

use crate::{counters, modules, walk};
use std::sync::atomic::{
    AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

const EVERY: u32 = 256;
const PAUSE_NS: u64 = 250_000_000;

static WALKS: AtomicU32 = AtomicU32::new(1);
/// The count of unloaded objects up to which rules were forgotten, and up to which all were.
static HANDLED: AtomicU64 = AtomicU64::new(0);
static ALL_HANDLED: AtomicU64 = AtomicU64::new(0);
/// When all rules were last forgotten.
static LAST: AtomicU64 = AtomicU64::new(0);

/// To be called before rules are used.
#[inline(always)]
pub(crate) fn notice() {
    match counters::unloaded() {
        Some(unloaded) => {
            if unloaded > ALL_HANDLED.load(Acquire) {
                forget(unloaded);
            }
        }
        None => now_and_then(),
    }
}

#[cold]
#[inline(never)]
fn now_and_then() {
    let walks = WALKS.fetch_add(1, Relaxed);
    if walks.is_multiple_of(EVERY) {
        forget(u64::from(walks / EVERY));
    }
}

#[cold]
#[inline(never)]
fn forget(unloaded: u64) {
    let now = now();
    let also_many = now.saturating_sub(LAST.load(Acquire)) >= PAUSE_NS;
    if !also_many && unloaded <= HANDLED.load(Acquire) {
        return;
    }
    modules::sweep(|learned, (start, end), gone| {
        if (gone || also_many || !learned.are_many())
            && learned.take(|address| walk::RULES.forget_one(address))
        {
            walk::RULES.forget(start, end);
        }
    });
    // Afterwards: a walk on another thread must not pass before the rules are gone.
    HANDLED.fetch_max(unloaded, AcqRel);
    if also_many {
        LAST.store(now, Release);
        ALL_HANDLED.fetch_max(unloaded, AcqRel);
    }
}

fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer; the coarse clock is read without a system call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
