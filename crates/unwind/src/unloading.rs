//! Forgets rules of unloaded objects, so that they are not applied to the next object at the same addresses.
//!
//! At every walk the loader's counters tell whether an object was unloaded. If so, rules of objects that are
//! gone are forgotten before the walk. An object that was loaded again at the same place looks like one that
//! stayed. So other objects' rules are forgotten too: at once if they are few, at most four times a second if
//! they are many, because learning them again costs. Programs that unload often do so with small objects.
//! Without the counters this is done every 256 walks; rules are out of date at most that long.
#![expect(unsafe_code, reason = "reads the clock")]

use crate::{counters, modules, walk};
use std::sync::atomic::{
    AtomicU32, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

const WALKS_PER_SWEEP: u32 = 256;
const MIN_FULL_SWEEP_INTERVAL_NS: u64 = 250_000_000;

static WALKS: AtomicU32 = AtomicU32::new(1);
/// The number of unloaded objects after which rules were last forgotten, and after which all were.
static HANDLED: AtomicU64 = AtomicU64::new(0);
static ALL_HANDLED: AtomicU64 = AtomicU64::new(0);
/// When all rules were last forgotten.
static LAST_FULL_SWEEP_NS: AtomicU64 = AtomicU64::new(0);

/// Call this before rules are used.
#[inline(always)]
pub(crate) fn check() {
    match counters::unloaded() {
        Some(unloaded) => {
            if unloaded > ALL_HANDLED.load(Acquire) {
                forget(unloaded);
            }
        }
        None => check_periodically(),
    }
}

#[cold]
#[inline(never)]
fn check_periodically() {
    let walks = WALKS.fetch_add(1, Relaxed);
    if walks.is_multiple_of(WALKS_PER_SWEEP) {
        forget(u64::from(walks / WALKS_PER_SWEEP));
    }
}

#[cold]
#[inline(never)]
fn forget(unloaded: u64) {
    let now = now();
    let also_many = now.saturating_sub(LAST_FULL_SWEEP_NS.load(Acquire)) >= MIN_FULL_SWEEP_INTERVAL_NS;
    if !also_many && unloaded <= HANDLED.load(Acquire) {
        return;
    }
    modules::sweep(|rules, (start, end), gone| {
        if (gone || also_many || !rules.has_overflowed())
            && rules.take(|address| walk::RULES.forget_one(address))
        {
            walk::RULES.forget(start, end);
        }
    });
    // Only now: a walk on another thread must not pass before the rules are gone.
    HANDLED.fetch_max(unloaded, AcqRel);
    if also_many {
        LAST_FULL_SWEEP_NS.store(now, Release);
        ALL_HANDLED.fetch_max(unloaded, AcqRel);
    }
}

fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer; the coarse clock is read without a system call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
