//! Memory pressure as the kernel measures it: `memory.pressure` of a cgroup, or `/proc/pressure/memory`.
//!
//! In: the file's bytes. Out: the share of the last ten seconds in which every task waited for memory.

use crate::field::lines;

/// The percentage after `full avg10=`; `None` if the kernel does not report it.
pub fn full_avg10(text: &[u8]) -> Option<f64> {
    let (_, rest) = lines(text, b' ').find(|(kind, _)| *kind == b"full")?;
    let (_, value) = lines_of_words(rest).find(|(name, _)| *name == b"avg10")?;
    std::str::from_utf8(value).ok()?.parse().ok().filter(|share: &f64| share.is_finite())
}

fn lines_of_words(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(u8::is_ascii_whitespace).filter_map(|word| {
        let at = word.iter().position(|byte| *byte == b'=')?;
        Some((word.get(..at)?, word.get(at + 1..)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_all_tasks_is_read() {
        let text = b"some avg10=31.20 avg60=9.00 avg300=2.00 total=1\nfull avg10=5.25 avg60=1.00 avg300=0.10 total=2\n";
        assert_eq!(full_avg10(text), Some(5.25));
        for text in [&b""[..], b"some avg10=1.0", b"full avg60=1.0", b"full avg10=x", b"full avg10=nan"] {
            assert_eq!(full_avg10(text), None);
        }
    }
}
