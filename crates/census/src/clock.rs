#![expect(unsafe_code, reason = "the clock of the calling thread")]
//! CPU time of the calling thread.
//!
//! Limits count CPU time, not wall time. On a busy machine most wall time belongs to other programs, and a
//! look would be cut short just where its program is slow already.

use std::time::Duration;

/// A point on the calling thread's CPU clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuInstant(Duration);

impl CpuInstant {
    pub(crate) fn now() -> Self {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: one timespec to write to; this clock exists on every Linux.
        let refused = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) } != 0;
        if refused {
            return Self(Duration::ZERO);
        }
        let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
        Self(seconds + Duration::from_nanos(time.tv_nsec.unsigned_abs()))
    }

    /// CPU time since then, on the same thread.
    pub(crate) fn elapsed(self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleep_is_no_work() {
        let began = CpuInstant::now();
        std::thread::sleep(Duration::from_millis(30));
        assert!(began.elapsed() < Duration::from_millis(20));
        let mut sum = 0_u64;
        while began.elapsed() < Duration::from_millis(2) {
            sum = std::hint::black_box(sum + 1);
        }
    }
}
