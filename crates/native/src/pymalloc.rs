//! The figures of Python's small-object allocator, from the text it prints about itself.
//!
//! In: the text of `_PyObject_DebugMallocStats`. Out: [`Pymalloc`]. Never panics; a table that is cut short, or not the
//! one known from Python 3.10 to 3.14, gives `None` instead of half a sum.

use nilometer_host::field::number;

/// Python's small-object allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pymalloc {
    /// Bytes in blocks that are in use.
    pub(crate) in_use: u64,
    /// Blocks in use.
    pub(crate) blocks: u64,
    /// Bytes of the arenas.
    pub(crate) system: u64,
}

impl Pymalloc {
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut lines = text.split(|byte| *byte == b'\n');
        lines.find(|line| line.starts_with(b"class") && contains(line, b"blocks in use"))?;
        lines.next().filter(|line| line.starts_with(b"-----"))?;
        let (mut in_use, mut blocks) = (0_u64, 0_u64);
        // The blank line is the only proof that the last row was the last.
        while let Some(line) = lines.next() {
            if line.is_empty() {
                let system = lines.find_map(arenas)?;
                return Some(Self { in_use, blocks, system });
            }
            let (size, used) = row(line)?;
            in_use = in_use.checked_add(size.checked_mul(used)?)?;
            blocks = blocks.checked_add(used)?;
        }
        None
    }
}

/// `class size pools in-use available`: the size and the blocks in use.
fn row(line: &[u8]) -> Option<(u64, u64)> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut next = || words.next().and_then(whole_number);
    let (_class, size, _pools, used, _available) = (next()?, next()?, next()?, next()?, next()?);
    words.next().is_none().then_some((size, used))
}

/// `4 arenas * 1048576 bytes/arena   =   4,194,304`: the product.
fn arenas(line: &[u8]) -> Option<u64> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let count = whole_number(words.next()?)?;
    if words.next()? != b"arenas" || words.next()? != b"*" {
        return None;
    }
    let size = whole_number(words.next()?)?;
    (words.next()? == b"bytes/arena").then(|| count.checked_mul(size))?
}

fn whole_number(word: &[u8]) -> Option<u64> {
    word.iter().all(u8::is_ascii_digit).then(|| number(word))?
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    line.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As printed by Python 3.10.13, 3.11.7, 3.12.1, 3.13.0 and 3.14.8 right after the start.
    const SAMPLES: [(&str, Pymalloc); 5] = [
        (include_str!("../tests/samples/pymalloc-3.10.txt"), P310),
        (include_str!("../tests/samples/pymalloc-3.11.txt"), P311),
        (include_str!("../tests/samples/pymalloc-3.12.txt"), P312),
        (include_str!("../tests/samples/pymalloc-3.13.txt"), P313),
        (include_str!("../tests/samples/pymalloc-3.14.txt"), P314),
    ];

    const P310: Pymalloc = Pymalloc { in_use: 1_512_592, blocks: 16_848, system: 2_097_152 };
    const P311: Pymalloc = Pymalloc { in_use: 3_607_840, blocks: 36_792, system: 4_194_304 };
    const P312: Pymalloc = Pymalloc { in_use: 959_728, blocks: 11_454, system: 2_097_152 };
    const P313: Pymalloc = Pymalloc { in_use: 1_515_344, blocks: 17_141, system: 2_097_152 };
    const P314: Pymalloc = Pymalloc { in_use: 1_419_568, blocks: 15_717, system: 2_097_152 };

    #[test]
    fn each_version_is_read() {
        for (text, expected) in SAMPLES {
            assert_eq!(Pymalloc::parse(text.as_bytes()), Some(expected));
        }
    }

    #[test]
    fn the_sum_is_the_one_that_the_text_gives_itself() {
        for (text, expected) in SAMPLES {
            let line = text.lines().find(|line| line.starts_with("# bytes in allocated blocks"));
            let said: String = line.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
            assert_eq!(said, expected.in_use.to_string());
        }
    }

    #[test]
    fn every_cut_gives_nothing_or_the_whole() {
        for (text, expected) in SAMPLES {
            for end in 0..text.len() {
                let found = Pymalloc::parse(&text.as_bytes()[..end]);
                assert!(found.is_none() || found == Some(expected), "cut at {end}: {found:?}");
            }
        }
    }

    #[test]
    fn hostile_text_gives_nothing() {
        let head = "class   size   num pools   blocks in use  avail blocks\n-----   ----   ---------\n";
        for tail in [
            "0 18446744073709551615 1 18446744073709551615 0\n\n1 arenas * 2 bytes/arena = 2\n",
            "0 16 1 99999999999999999999999 0\n\n1 arenas * 2 bytes/arena = 2\n",
            "0 16 1 -5 0\n\n1 arenas * 2 bytes/arena = 2\n",
            "0 16 1 5 0 7\n\n1 arenas * 2 bytes/arena = 2\n",
            "0 16 1 5\n\n1 arenas * 2 bytes/arena = 2\n",
            "0 16 1 5 0\n\n18446744073709551615 arenas * 2 bytes/arena = 2\n",
            "0 16 1 5 0\n\n1 arenas of 2 bytes/arena\n",
            "\u{0}\u{fffd}\n\n",
        ] {
            assert_eq!(Pymalloc::parse(format!("{head}{tail}").as_bytes()), None, "{tail}");
        }
        assert_eq!(Pymalloc::parse(b""), None);
        assert_eq!(Pymalloc::parse(b"mimalloc heap stats\n"), None);
    }
}
