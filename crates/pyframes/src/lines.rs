//! The line tables of code objects.
//!
//! In: a table's bytes, the code's first line, an instruction's offset in bytes. Out: its line; `None` if the
//! table has none. A table that ends early or is malformed gives `None`. Pure.

/// A version's encoding of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// 3.10: pairs of an unsigned step in bytes and a signed step in lines.
    Pairs,
    /// 3.11 on: entries of a head byte and numbers in six-bit groups.
    Locations,
}

impl Format {
    pub(crate) fn line(self, table: &[u8], first_line: i32, instruction: u32) -> Option<u32> {
        let line = match self {
            Self::Pairs => pairs(table, first_line, instruction),
            Self::Locations => locations(table, first_line, instruction),
        };
        line.and_then(|line| u32::try_from(line).ok())
    }
}

fn pairs(table: &[u8], first_line: i32, instruction: u32) -> Option<i32> {
    const NO_LINE: i8 = i8::MIN;
    let (mut line, mut end) = (first_line, 0_u32);
    let (steps, _) = table.as_chunks::<2>();
    for &[bytes, lines] in steps {
        let lines = lines.cast_signed();
        end = end.checked_add(u32::from(bytes))?;
        if lines != NO_LINE {
            line = line.checked_add(i32::from(lines))?;
        }
        if instruction < end {
            return (lines != NO_LINE).then_some(line);
        }
    }
    None
}

/// Bits of an entry's head: the mark, the kind in the middle, the length in two-byte units minus one at the
/// end.
fn locations(table: &[u8], first_line: i32, instruction: u32) -> Option<i32> {
    let (mut line, mut end) = (first_line, 0_u32);
    let mut rest = table;
    while let [head, behind @ ..] = rest {
        if head & HEAD_BIT == 0 {
            return None;
        }
        let kind = head >> 3 & 15;
        // Nearly all entries are of a kind with known length; bodies of modules have tens of thousands.
        let (step, columns) = match kind {
            0..=9 => (0, 1),
            10..=12 => (i32::from(kind) - 10, 2),
            15 => (0, 0),
            _ => (signed(number(behind)?), behind.iter().take_while(|byte| **byte & HEAD_BIT == 0).count()),
        };
        line = line.checked_add(step)?;
        end = end.checked_add(2 * (u32::from(head & 7) + 1))?;
        if instruction < end {
            return (kind != 15).then_some(line);
        }
        rest = behind.get(columns..)?;
    }
    None
}

const HEAD_BIT: u8 = 0x80;
const CONTINUATION_BIT: u8 = 0x40;

fn number(bytes: &[u8]) -> Option<u32> {
    let mut value = 0_u32;
    for (shift, byte) in (0..32).step_by(6).zip(bytes) {
        value |= u32::from(byte & 0x3f) << shift;
        if byte & CONTINUATION_BIT == 0 {
            return Some(value);
        }
    }
    None
}

fn signed(number: u32) -> i32 {
    let size = (number >> 1).cast_signed();
    if number & 1 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pairs_with_gaps_and_steps_back() {
        // 4 bytes of line 10, 2 without a line, 0 of line 15, 6 of line 8.
        let table = [4, 0, 2, 0x80, 0, 5, 6, 0xf9];
        let lines: Vec<_> = [0, 2, 4, 6, 10, 12].map(|at| Format::Pairs.line(&table, 10, at)).to_vec();
        assert_eq!(lines, [Some(10), Some(10), None, Some(8), Some(8), None]);
    }

    #[test]
    fn locations_of_every_kind() {
        let table = [
            0x80, // short, one instruction, same line
            0x21,
            0x80 | 11 << 3 | 1, // one line on, two instructions
            0x00,
            0x05,
            0x80 | 13 << 3, // no columns; 70 lines on: 140 in pieces of 6 bits is 12, 2
            0x40 | 0x0c,
            0x02,
            0x80 | 15 << 3 | 2, // no line, three instructions
            0x80 | 14 << 3,     // long; three lines back, with an end line and two columns
            0x07,
            0x00,
            0x01,
            0x01,
        ];
        let lines: Vec<_> = (0..9).map(|unit| Format::Locations.line(&table, 5, 2 * unit)).collect();
        let expected = [Some(5), Some(6), Some(6), Some(76), None, None, None, Some(73), None];
        assert_eq!(lines, expected);
    }

    #[test]
    fn tables_that_end_early() {
        assert_eq!(Format::Pairs.line(&[4], 1, 0), None);
        assert_eq!(Format::Locations.line(&[0x80 | 13 << 3, 0x40], 1, 0), None);
        assert_eq!(Format::Locations.line(&[0x12], 1, 0), None);
        assert_eq!(Format::Locations.line(&[], 1, 0), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(table in proptest::collection::vec(any::<u8>(), 0..200), first: i32, at: u32) {
            for format in [Format::Pairs, Format::Locations] {
                std::hint::black_box(format.line(&table, first, at));
            }
        }
    }
}
