//! Numbers and named lines in the kernel's format.
//!
//! In: bytes. Out: numbers, or `None`. Never allocates, never panics: it also runs inside the user's process.

/// The decimal number at the start of `text`, after blanks. `None` without a digit or beyond 64 bits.
pub fn number(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    text.iter()
        .take(digits)
        .try_fold(0_u64, |sum, byte| sum.checked_mul(10)?.checked_add(u64::from(byte - b'0')))
}

/// A number of kibibytes (`    123 kB`), in bytes.
pub fn kibibytes(text: &[u8]) -> Option<u64> {
    number(text)?.checked_mul(1024)
}

/// The lines of `text` as name and rest, split at the first `separator`; lines without one are skipped.
pub fn lines(text: &[u8], separator: u8) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(|byte| *byte == b'\n').filter_map(move |line| {
        let at = line.iter().position(|byte| *byte == separator)?;
        Some((line.get(..at)?, line.get(at + 1..)?))
    })
}

/// The number in the line that begins with `name` and a blank (`memory.stat`, `memory.events`, `vmstat`).
pub fn named(text: &[u8], name: &str) -> Option<u64> {
    lines(text, b' ').find(|(key, _)| *key == name.as_bytes()).and_then(|(_, value)| number(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_up_to_the_first_other_byte() {
        assert_eq!(number(b"  42 kB"), Some(42));
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(number(b"18446744073709551616"), None);
        assert_eq!(number(b"max"), None);
        assert_eq!(number(b""), None);
        assert_eq!(number(b"-3"), None);
    }

    #[test]
    fn kibibytes_do_not_overflow() {
        assert_eq!(kibibytes(b"\t    4 kB"), Some(4096));
        assert_eq!(kibibytes(b"18446744073709551615 kB"), None);
    }

    #[test]
    fn a_named_line_is_found_by_its_whole_name() {
        let text = b"oom 1\noom_kill 7\noom_group_kill 0\n";
        assert_eq!(named(text, "oom_kill"), Some(7));
        assert_eq!(named(text, "oom"), Some(1));
        assert_eq!(named(text, "kill"), None);
    }
}
