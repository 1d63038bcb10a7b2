//! `/proc/<pid>/smaps_rollup`: the memory that a process shares with no other.
//!
//! In: the file's bytes. Out: bytes of private anonymous memory. After a fork both processes share all pages;
//! a page that is written to is copied and counts here from then on. Resident memory does not change by that.

use crate::field::{kibibytes, lines};

/// Private anonymous bytes, swapped out or not; `None` if the kernel does not report them.
pub fn parse(text: &[u8]) -> Option<u64> {
    let (mut dirty, mut anonymous, mut swapped) = (None, None, 0);
    for (name, value) in lines(text, b':') {
        match name {
            b"Private_Dirty" => dirty = kibibytes(value),
            b"Anonymous" => anonymous = kibibytes(value),
            b"SwapPss" => swapped = kibibytes(value).unwrap_or(0),
            _ => {}
        }
    }
    // The kernel also counts shared memory as "private" if only this process maps it.
    let own = dirty?.min(anonymous.unwrap_or(u64::MAX));
    own.checked_add(swapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_other_process_shares_counts() {
        let text = b"55d0-7ffc ---p 00000000 00:00 0    [rollup]\nRss:  9000 kB\nShared_Dirty:  700 kB\n\
            Private_Clean:  50 kB\nPrivate_Dirty:  300 kB\nAnonymous:  900 kB\nSwap:  40 kB\nSwapPss:  20 kB\n";
        assert_eq!(parse(text), Some(320 << 10));
    }

    #[test]
    fn shared_memory_that_nobody_else_maps_does_not() {
        assert_eq!(parse(b"Private_Dirty:  300 kB\nAnonymous:  100 kB\n"), Some(100 << 10));
    }

    #[test]
    fn a_kernel_that_does_not_say_is_not_guessed_for() {
        assert_eq!(parse(b"Rss:  9000 kB\n"), None);
        assert_eq!(parse(b""), None);
    }
}
