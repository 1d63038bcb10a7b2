//! Lines that come faster than anything that a person would call a cycle: they are counted, not read.
//!
//! In: the beginning of each line, and what the line was when it was read. Out: whether this one needs no reading, and how many such
//! came. Pure, in constant memory. What must not happen here: a line that is passed over while lines come slowly, or whose
//! beginning is not that of one of the lines of the flood.

/// Lines in a row that came within [`FLOOD_NS`] are a flood: more than 1,000 a second.
const FLOOD_LINES: u32 = 64;
const FLOOD_NS: u64 = 64_000_000;
/// Bytes of a beginning that are compared, up to the first digit, and how many must be there.
const PREFIX_BYTES: usize = 8;
const MIN_PREFIX_BYTES: usize = 3;
/// Kinds of lines that a flood may be made of.
const KINDS: usize = 4;
/// So many lines of a flood are counted at once.
const BATCH_LINES: u32 = 64;

/// What is to be done with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Read it.
    Read,
    /// It is one more of a flood.
    Over,
    /// So many of a flood have come, of the kind with this hash.
    Count(u64, u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    prefix: u64,
    hash: u64,
    pending: u32,
}

/// The lines of one stream.
#[derive(Debug)]
pub(crate) struct Flood {
    lines: u32,
    since_ns: u64,
    is_on: bool,
    kinds: [Kind; KINDS],
    next: usize,
}

impl Flood {
    pub(crate) const fn new() -> Self {
        let none = Kind { prefix: 0, hash: 0, pending: 0 };
        Self { lines: 0, since_ns: 0, is_on: false, kinds: [none; KINDS], next: 0 }
    }

    /// A whole line comes; `now` is only asked every so many lines.
    pub(crate) fn comes(&mut self, line: &[u8], now: impl FnOnce() -> u64) -> Pass {
        self.lines += 1;
        if self.lines >= FLOOD_LINES {
            let now = now();
            self.is_on = now.saturating_sub(self.since_ns) < FLOOD_NS;
            (self.lines, self.since_ns) = (0, now);
        }
        let Some(prefix) = prefix(line).filter(|_| self.is_on) else { return Pass::Read };
        let Some(kind) = self.kinds.iter_mut().find(|kind| kind.prefix == prefix) else { return Pass::Read };
        kind.pending += 1;
        if kind.pending < BATCH_LINES {
            return Pass::Over;
        }
        kind.pending = 0;
        Pass::Count(kind.hash, BATCH_LINES)
    }

    /// A line was read and is of the kind with this hash.
    pub(crate) fn was(&mut self, line: &[u8], hash: u64) {
        let Some(prefix) = prefix(line).filter(|_| self.is_on) else { return };
        if let Some(place) = self.kinds.get_mut(self.next % KINDS) {
            *place = Kind { prefix, hash, pending: 0 };
            self.next += 1;
        }
    }
}

/// The beginning of a line up to its first digit, as one word; nothing if it is too short to tell lines apart.
fn prefix(line: &[u8]) -> Option<u64> {
    let mut word = [0; PREFIX_BYTES];
    let mut count = 0;
    for (place, byte) in word.iter_mut().zip(line.iter().take_while(|byte| !byte.is_ascii_digit())) {
        *place = *byte;
        count += 1;
    }
    (count >= MIN_PREFIX_BYTES).then(|| u64::from_le_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// Lines so far apart; gives how many were read, and how many were counted.
    fn drive(apart_ns: u64, lines: u64, line: impl Fn(u64) -> String) -> (u64, u64) {
        let (mut flood, mut now, mut read, mut counted) = (Flood::new(), 0, 0, 0);
        for n in 0..lines {
            now += apart_ns;
            let line = line(n);
            match flood.comes(line.as_bytes(), || now) {
                Pass::Read => {
                    flood.was(line.as_bytes(), 7);
                    read += 1;
                }
                Pass::Over => {}
                Pass::Count(_, count) => counted += u64::from(count),
            }
        }
        (read, counted)
    }

    #[test]
    fn ten_thousand_lines_a_second_are_counted_and_not_read() {
        let (read, counted) = drive(MS / 10, 10_000, |n| format!("item {n} done"));
        assert!(read < 100, "{read}");
        assert!(read + counted > 9_900, "{read} and {counted}");
    }

    #[test]
    fn slow_lines_are_all_read() {
        assert_eq!(drive(2 * MS, 1000, |n| format!("item {n} done")), (1000, 0));
    }

    #[test]
    fn a_line_among_the_flood_that_begins_otherwise_is_read() {
        let line = |n: u64| if n.is_multiple_of(500) { format!("epoch {n}") } else { format!("item {n}") };
        let (read, _) = drive(MS / 10, 10_000, line);
        assert!(read >= 19, "{read}");
        let (read, _) = drive(MS / 10, 1000, |n| format!("{n} items"));
        assert_eq!(read, 1000, "a number tells nothing of what follows it");
    }
}
