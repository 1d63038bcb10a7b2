//! The table of offsets for debuggers at the head of CPython's `_PyRuntime`, since 3.13.
//!
//! In: its words. Out: the [`Layout`], or the reason why the table is refused. What must not happen here: one
//! version's word indexes used for another's table; they differ. Pure.

use crate::layout::{BYTES, Chain, CodeFields, FrameFields, LENGTH, Layout, OBJECT_TYPE};
use crate::layout::{TEXT_STATE, TextFields, Thread, Types};
use crate::lines::Format;
use crate::words;

impl Layout {
    /// The layout of 3.13 or 3.14, from `table`, the head of its `_PyRuntime` in words.
    pub(crate) fn of_table(
        table: &[u64; TABLE_WORDS],
        hex_version: u32,
        types: Types,
    ) -> Result<Self, &'static str> {
        let [minor, major] = [(hex_version >> 16) as u8, (hex_version >> 24) as u8];
        if table[0] != u64::from_le_bytes(*b"xdebugpy") || table[1] != u64::from(hex_version) {
            return Err(words::NO_TABLE);
        }
        if table[2] != 0 {
            return Err(words::WITHOUT_GIL);
        }
        let (at, tag) = match (major, minor) {
            (3, 13) => (&OF_3_13, 0),
            (3, 14) => (&OF_3_14, DEFERRED_TAG),
            _ => return Err(words::UNKNOWN_TABLE),
        };
        let offset = |index: usize, align: u64| -> Result<u16, &'static str> {
            let offset = table.get(index).copied().unwrap_or(u64::MAX);
            if offset > 1024 || !offset.is_multiple_of(align) {
                return Err(words::WRONG_TABLE);
            }
            Ok(offset as u16)
        };
        if offset(at.object_type, 8)? != OBJECT_TYPE
            || offset(at.bytes_size, 8)? != LENGTH
            || offset(at.bytes_content, 8)? != BYTES
            || offset(at.text_length, 8)? != LENGTH
            || offset(at.text_state, 4)? != TEXT_STATE
        {
            return Err(words::OTHER_HEADS);
        }
        Ok(Self {
            version: (major, minor),
            chain: Chain::Shims,
            thread: Thread {
                identity: offset(at.thread_id, 8)?,
                cframe: None,
                frame: offset(at.current_frame, 8)?,
            },
            frame: FrameFields {
                code: offset(at.executable, 8)?,
                tag,
                previous: offset(at.previous, 8)?,
                instruction: offset(at.instruction, 8)?,
                owner: offset(at.owner, 1)?,
            },
            code: CodeFields {
                first_line: offset(at.first_line, 4)?,
                file: offset(at.file, 8)?,
                name: offset(at.qualified_name, 8)?,
                line_table: offset(at.line_table, 8)?,
                instructions: offset(at.instructions, 8)?,
            },
            // The size of `str` is that of a compact one plus a pointer to characters elsewhere.
            text: TextFields {
                ascii: offset(at.ascii_head, 8)?,
                other: offset(at.text_size, 8)?.saturating_sub(8),
            },
            lines: Format::Locations,
            types,
        })
    }
}

/// Words at the head of `_PyRuntime` that are read: enough for the longest table.
pub(crate) const TABLE_WORDS: usize = 81;

/// The tag of a deferred reference (`_PyStackRef`), which is not counted. The next bit marks a number, which
/// no frame's code is. It is left in place: then the address is odd, and refused.
const DEFERRED_TAG: u64 = 1;

/// Indexes of words in `_Py_DebugOffsets`.
struct WordIndexes {
    current_frame: usize,
    thread_id: usize,
    previous: usize,
    executable: usize,
    instruction: usize,
    owner: usize,
    file: usize,
    qualified_name: usize,
    line_table: usize,
    first_line: usize,
    instructions: usize,
    object_type: usize,
    bytes_size: usize,
    bytes_content: usize,
    text_size: usize,
    text_state: usize,
    text_length: usize,
    ascii_head: usize,
}

const OF_3_13: WordIndexes = WordIndexes {
    current_frame: 23,
    thread_id: 24,
    previous: 29,
    executable: 30,
    instruction: 31,
    owner: 33,
    file: 35,
    qualified_name: 37,
    line_table: 38,
    first_line: 39,
    instructions: 43,
    object_type: 45,
    bytes_size: 65,
    bytes_content: 66,
    text_size: 67,
    text_state: 68,
    text_length: 69,
    ascii_head: 70,
};

const OF_3_14: WordIndexes = WordIndexes {
    current_frame: 26,
    thread_id: 27,
    previous: 32,
    executable: 33,
    instruction: 34,
    owner: 36,
    file: 40,
    qualified_name: 42,
    line_table: 43,
    first_line: 44,
    instructions: 48,
    object_type: 51,
    bytes_size: 75,
    bytes_content: 76,
    text_size: 77,
    text_state: 78,
    text_length: 79,
    ascii_head: 80,
};

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const TYPES: Types = Types { code: 8, bytes: 16, text: 24 };
    const HEX_3_13: u32 = 0x030d_00f0;
    const HEX_3_14: u32 = 0x030e_08f0;

    /// The table of a version, given the offsets of a frame's owner and a code's instructions.
    fn table(hex: u32, at: &WordIndexes, owner: u64, instructions: u64) -> [u64; TABLE_WORDS] {
        let mut table = [0; TABLE_WORDS];
        table[0] = u64::from_le_bytes(*b"xdebugpy");
        table[1] = u64::from(hex);
        let known = [
            (at.current_frame, 72),
            (at.thread_id, 152),
            (at.previous, 8),
            (at.instruction, 56),
            (at.owner, owner),
            (at.file, 112),
            (at.qualified_name, 128),
            (at.line_table, 136),
            (at.first_line, 68),
            (at.instructions, instructions),
            (at.object_type, 8),
            (at.bytes_size, 16),
            (at.bytes_content, 32),
            (at.text_size, 64),
            (at.text_state, 32),
            (at.text_length, 16),
            (at.ascii_head, 40),
        ];
        for (index, offset) in known {
            table[index] = offset;
        }
        table
    }

    fn of_3_13() -> [u64; TABLE_WORDS] {
        table(HEX_3_13, &OF_3_13, 70, 200)
    }

    fn of_3_14() -> [u64; TABLE_WORDS] {
        table(HEX_3_14, &OF_3_14, 74, 208)
    }

    #[test]
    fn the_table_of_3_13() {
        let layout = Layout::of_table(&of_3_13(), HEX_3_13, TYPES).unwrap();
        assert_eq!(layout.version, (3, 13));
        assert_eq!(layout.thread, Thread { identity: 152, cframe: None, frame: 72 });
        let frame = FrameFields { code: 0, tag: 0, previous: 8, instruction: 56, owner: 70 };
        assert_eq!(layout.frame, frame);
        assert_eq!(layout.code.instructions, 200);
        assert_eq!(layout.text, TextFields { ascii: 40, other: 56 });
    }

    #[test]
    fn the_table_of_3_14() {
        let layout = Layout::of_table(&of_3_14(), HEX_3_14, TYPES).unwrap();
        assert_eq!(layout.version, (3, 14));
        assert_eq!(layout.thread, Thread { identity: 152, cframe: None, frame: 72 });
        let frame = FrameFields { code: 0, tag: 1, previous: 8, instruction: 56, owner: 74 };
        assert_eq!(layout.frame, frame);
        assert_eq!(layout.code.instructions, 208);
        assert_eq!(layout.text, TextFields { ascii: 40, other: 56 });
    }

    #[test]
    fn a_table_that_cannot_be_believed() {
        for (whole, at, hex) in [(of_3_13(), &OF_3_13, HEX_3_13), (of_3_14(), &OF_3_14, HEX_3_14)] {
            for (index, word) in [
                (0, 0),                         // no cookie
                (1, u64::from(hex) + (1 << 8)), // of another version
                (2, 1),                         // no GIL
                (at.current_frame, 1 << 40),
                (at.line_table, 137), // not aligned
                (at.object_type, 24), // another object head
                (at.text_state, 36),
            ] {
                let mut table = whole;
                table[index] = word;
                assert!(Layout::of_table(&table, hex, TYPES).is_err(), "word {index} is {word}");
            }
        }
    }

    #[test]
    fn a_version_whose_table_is_not_known() {
        let mut table = of_3_14();
        for hex in [0x030c_00f0, 0x030f_00f0] {
            table[1] = u64::from(hex);
            assert!(Layout::of_table(&table, hex, TYPES).is_err());
        }
    }
}
