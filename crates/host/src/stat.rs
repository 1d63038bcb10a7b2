//! `/proc/<pid>/stat`: state, process groups and CPU time of one process.
//!
//! In: the file's bytes. Out: [`Stat`]. The process name in it may contain blanks, brackets and newlines; the
//! fields begin after the last closing bracket.

use crate::field::number;

/// The fields of `/proc/<pid>/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// State letter: `R`, `S`, `D`, `T` (stopped), `Z` (zombie), ...
    pub state: u8,
    /// Parent process id.
    pub parent: u64,
    /// CPU time of the process itself, user and system together, in clock ticks ([`ticks_per_second`]).
    pub cpu_ticks: u64,
    /// Start time in clock ticks since boot; together with the pid it identifies a process uniquely.
    pub started_ticks: u64,
}

impl Stat {
    /// From the file's bytes.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let name_end = text.iter().rposition(|byte| *byte == b')')?;
        let mut fields =
            text.get(name_end + 1..)?.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let state = *fields.next()?.first()?;
        let parent = number(fields.next()?)?;
        // Counted from the field after `ppid`, number 4 in proc(5): utime 14, stime 15, starttime 22.
        let user = number(fields.nth(14 - 5)?)?;
        let system = number(fields.next()?)?;
        let started_ticks = number(fields.nth(22 - 16)?)?;
        Some(Self { state, parent, cpu_ticks: user.saturating_add(system), started_ticks })
    }

    /// CPU time in nanoseconds.
    pub fn cpu_ns(&self, ticks_per_second: u64) -> u64 {
        self.cpu_ticks.saturating_mul(1_000_000_000 / ticks_per_second.max(1))
    }
}

/// Clock ticks per second in the kernel's interface. 100 on every Linux for our targets, because `USER_HZ` is
/// part of that interface.
pub const fn ticks_per_second() -> u64 {
    100
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let text =
            b"42 (a) S (1 2\n) R 7 8 9 0 -1 4194304 122 0 0 0 250 50 0 0 20 0 3 0 111328 3133440 383 184";
        let stat = Stat::parse(text).unwrap();
        assert_eq!(stat, Stat { state: b'R', parent: 7, cpu_ticks: 300, started_ticks: 111_328 });
        assert_eq!(stat.cpu_ns(100), 3_000_000_000);
    }

    #[test]
    fn a_torn_file_says_nothing() {
        assert_eq!(Stat::parse(b"42 (python) R 7 8 9"), None);
        assert_eq!(Stat::parse(b""), None);
        assert_eq!(Stat::parse(b")"), None);
    }
}
