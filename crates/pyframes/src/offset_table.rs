//! The table of offsets that CPython 3.13 carries for debuggers at the head of its `_PyRuntime`.
//!
//! In: its words. Out: the [`Layout`], or the reason why it cannot be believed. Pure.

use crate::layout::{BYTES, Chain, CodeFields, FrameFields, LENGTH, Layout, OBJECT_TYPE};
use crate::layout::{TEXT_STATE, TextFields, Thread, Types};
use crate::lines::Format;

impl Layout {
    /// The layout of 3.13, from `table`, the head of its `_PyRuntime` in words.
    pub(crate) fn of_table(
        table: &[u64; TABLE_WORDS],
        hex_version: u32,
        types: Types,
    ) -> Result<Self, &'static str> {
        let [minor, major] = [(hex_version >> 16) as u8, (hex_version >> 24) as u8];
        if table[0] != u64::from_le_bytes(*b"xdebugpy") || table[1] != u64::from(hex_version) {
            return Err("its table of offsets is not there");
        }
        if table[2] != 0 {
            return Err("a build without the GIL");
        }
        let offset = |index: usize, align: u64| -> Result<u16, &'static str> {
            let offset = table.get(index).copied().unwrap_or(u64::MAX);
            if offset > 1024 || !offset.is_multiple_of(align) {
                return Err("its table of offsets cannot be right");
            }
            Ok(offset as u16)
        };
        if offset(at::OBJECT_TYPE, 8)? != OBJECT_TYPE
            || offset(at::BYTES_SIZE, 8)? != LENGTH
            || offset(at::BYTES_CONTENT, 8)? != BYTES
            || offset(at::TEXT_LENGTH, 8)? != LENGTH
            || offset(at::TEXT_STATE, 4)? != TEXT_STATE
        {
            return Err("its objects have unknown heads");
        }
        Ok(Self {
            version: (major, minor),
            chain: Chain::Shims,
            thread: Thread {
                identity: offset(at::THREAD_ID, 8)?,
                cframe: None,
                frame: offset(at::CURRENT_FRAME, 8)?,
            },
            frame: FrameFields {
                code: offset(at::EXECUTABLE, 8)?,
                previous: offset(at::PREVIOUS, 8)?,
                instruction: offset(at::INSTRUCTION, 8)?,
                owner: offset(at::OWNER, 1)?,
            },
            code: CodeFields {
                first_line: offset(at::FIRST_LINE, 4)?,
                file: offset(at::FILE, 8)?,
                name: offset(at::QUALIFIED_NAME, 8)?,
                line_table: offset(at::LINE_TABLE, 8)?,
                instructions: offset(at::INSTRUCTIONS, 8)?,
            },
            // A `str` of any kind is a compact one and a pointer to characters elsewhere.
            text: TextFields {
                ascii: offset(at::ASCII_HEAD, 8)?,
                other: offset(at::TEXT_SIZE, 8)?.saturating_sub(8),
            },
            lines: Format::Locations,
            types,
        })
    }
}

/// Words of `_Py_DebugOffsets` that are read.
pub(crate) const TABLE_WORDS: usize = 73;

/// Indices in words of `_Py_DebugOffsets` of 3.13.
mod at {
    pub(super) const CURRENT_FRAME: usize = 23;
    pub(super) const THREAD_ID: usize = 24;
    pub(super) const PREVIOUS: usize = 29;
    pub(super) const EXECUTABLE: usize = 30;
    pub(super) const INSTRUCTION: usize = 31;
    pub(super) const OWNER: usize = 33;
    pub(super) const FILE: usize = 35;
    pub(super) const QUALIFIED_NAME: usize = 37;
    pub(super) const LINE_TABLE: usize = 38;
    pub(super) const FIRST_LINE: usize = 39;
    pub(super) const INSTRUCTIONS: usize = 43;
    pub(super) const OBJECT_TYPE: usize = 45;
    pub(super) const BYTES_SIZE: usize = 65;
    pub(super) const BYTES_CONTENT: usize = 66;
    pub(super) const TEXT_SIZE: usize = 67;
    pub(super) const TEXT_STATE: usize = 68;
    pub(super) const TEXT_LENGTH: usize = 69;
    pub(super) const ASCII_HEAD: usize = 70;
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const TYPES: Types = Types { code: 8, bytes: 16, text: 24 };
    const HEX: u32 = 0x030d_00f0;

    /// The table as 3.13.0 has it.
    fn table() -> [u64; TABLE_WORDS] {
        let mut table = [0; TABLE_WORDS];
        table[0] = u64::from_le_bytes(*b"xdebugpy");
        table[1] = u64::from(HEX);
        let known = [
            (at::CURRENT_FRAME, 72),
            (at::THREAD_ID, 152),
            (at::PREVIOUS, 8),
            (at::INSTRUCTION, 56),
            (at::OWNER, 70),
            (at::FILE, 112),
            (at::QUALIFIED_NAME, 128),
            (at::LINE_TABLE, 136),
            (at::FIRST_LINE, 68),
            (at::INSTRUCTIONS, 200),
            (at::OBJECT_TYPE, 8),
            (at::BYTES_SIZE, 16),
            (at::BYTES_CONTENT, 32),
            (at::TEXT_SIZE, 64),
            (at::TEXT_STATE, 32),
            (at::TEXT_LENGTH, 16),
            (at::ASCII_HEAD, 40),
        ];
        for (index, offset) in known {
            table[index] = offset;
        }
        table
    }

    #[test]
    fn the_table_of_3_13() {
        let layout = Layout::of_table(&table(), HEX, TYPES).unwrap();
        assert_eq!(layout.version, (3, 13));
        assert_eq!(layout.thread, Thread { identity: 152, cframe: None, frame: 72 });
        assert_eq!(layout.frame, FrameFields { code: 0, previous: 8, instruction: 56, owner: 70 });
        assert_eq!(layout.text, TextFields { ascii: 40, other: 56 });
    }

    #[test]
    fn a_table_that_cannot_be_believed() {
        for (index, word) in [
            (0, 0),           // no cookie
            (1, 0x030d_01f0), // of another version
            (2, 1),           // no GIL
            (at::CURRENT_FRAME, 1 << 40),
            (at::LINE_TABLE, 137), // not aligned
            (at::OBJECT_TYPE, 24), // another object head
            (at::TEXT_STATE, 36),
        ] {
            let mut table = table();
            table[index] = word;
            assert!(Layout::of_table(&table, HEX, TYPES).is_err(), "word {index} is {word}");
        }
    }
}
