#![expect(unsafe_code, reason = "shares a page with children")]
//! Which of a program's forked children record themselves.
//!
//! In: a child that may. Out: whether its turn has come. What must not happen here: a capture for each of the thousands that a pool
//! replaces in a month; nor none at all of the later ones, which a leak of last week is in.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Children that record themselves as they come.
const MAX_FIRST: u64 = 8;
/// After them one does whenever the program has become older by this share: some 40 in a month, three of them in its last half.
const MIN_AGE_RATIO: f64 = 0.25;
/// Nor sooner than that after the one before.
const MIN_PAUSE: Duration = Duration::from_mins(1);

/// What the program and its children share.
#[repr(C)]
struct Shared {
    /// How many have begun.
    begun: AtomicU64,
    /// The program's age from which on another one may, in nanoseconds.
    due_ns: AtomicU64,
}

/// The turns of one program's children.
pub(crate) struct Turns {
    /// When the program began to count; the clock is the same in its children.
    since: Instant,
    shared: &'static Shared,
}

impl Turns {
    /// `None` where the kernel gives no memory.
    pub(crate) fn new() -> Option<Self> {
        Some(Self { since: Instant::now(), shared: shared()? })
    }

    /// Whether this child records itself. It is asked once in each.
    pub(crate) fn take(&self) -> bool {
        self.shared.take(self.since.elapsed())
    }
}

impl Shared {
    fn take(&self, age: Duration) -> bool {
        let age_ns = nanoseconds(age);
        let next = nanoseconds(age + age.mul_f64(MIN_AGE_RATIO).max(MIN_PAUSE));
        let due = self.due_ns.load(Relaxed);
        if self.begun.fetch_add(1, Relaxed) < MAX_FIRST {
            self.due_ns.fetch_max(next, Relaxed);
            return true;
        }
        // Of several at once one gets it.
        age_ns >= due && self.due_ns.compare_exchange(due, next, Relaxed, Relaxed).is_ok()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Numbers in memory that forked children share with the program.
fn shared() -> Option<&'static Shared> {
    const PAGE: usize = 4096;
    const _: () = assert!(size_of::<Shared>() <= PAGE, "it fits into the page");
    let access = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let kind = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as usize;
    // Past the recorder, which would take it for the program's.
    // SAFETY: a new mapping wherever the kernel likes; arguments are full registers wide.
    let at = unsafe { libc::syscall(libc::SYS_mmap, 0_usize, PAGE, access, kind, -1_isize, 0_usize) };
    // SAFETY: zeros, which are two numbers, aligned to a page and never unmapped.
    if at == -1 { None } else { unsafe { (at as *const Shared).as_ref() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_S: u64 = 86_400;

    /// The ages in seconds at which children are recorded, where one asks every `every` seconds.
    fn recorded(every: u64, until: u64) -> Vec<u64> {
        let shared = Shared { begun: AtomicU64::new(0), due_ns: AtomicU64::new(0) };
        let ages = (1..=until / every).map(|nth| nth * every);
        ages.filter(|age| shared.take(Duration::from_secs(*age))).collect()
    }

    #[test]
    fn the_first_eight_are_and_none_in_the_minute_after_them() {
        assert_eq!(recorded(1, 67), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(recorded(1, 68).last(), Some(&68));
    }

    #[test]
    fn a_month_has_some_40_and_three_of_them_in_its_last_half() {
        let month = recorded(30, 30 * DAY_S);
        assert!((35..60).contains(&month.len()), "{}", month.len());
        assert!(month.iter().filter(|age| **age > 15 * DAY_S).count() >= 3, "{month:?}");
    }

    #[test]
    fn of_several_at_once_one_is() {
        let shared = Shared { begun: AtomicU64::new(8), due_ns: AtomicU64::new(5) };
        let now = Duration::from_secs(1);
        assert_eq!([(); 4].map(|()| shared.take(now)), [true, false, false, false]);
    }
}
