//! Offsets of the CPython fields that are read, by version, in bytes.
//!
//! In: a version. Out: a [`Layout`]; the ones of 3.13 and 3.14 come from [`crate::offset_table`]. Pure.
//! `docs/design/python-frames.md` names the header of every offset.

use crate::lines::Format;

/// How the end of an evaluator run is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// 3.10: frame objects; each has a run of its own. Offsets of `f_gen`, `f_stackdepth` and `f_state`.
    Objects { generator: u16, depth: u16, state: u16 },
    /// 3.11: the outermost frame of a run has a flag. Offsets of `is_entry` and `stacktop`.
    Flags { is_entry: u16, depth: u16 },
    /// 3.12 on: a frame that belongs to C lies below the outermost frame of a run.
    Shims,
}

/// Offsets in a thread state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread {
    /// `thread_id`.
    pub(crate) identity: u16,
    /// 3.11 and 3.12: the `_PyCFrame`, which holds the frame pointer. Otherwise the thread state holds it.
    pub(crate) cframe: Option<u16>,
    pub(crate) frame: u16,
}

/// Offsets in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameFields {
    pub(crate) code: u16,
    /// Tag bits of that word, which are not part of the address; 3.14 on.
    pub(crate) tag: u64,
    pub(crate) previous: u16,
    /// 3.10: an index of type `int`; 3.11 on: a pointer.
    pub(crate) instruction: u16,
    /// Who owns the frame; 3.11 on.
    pub(crate) owner: u16,
}

/// Offsets in a code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeFields {
    pub(crate) first_line: u16,
    pub(crate) file: u16,
    /// The qualified name; 3.10: the name.
    pub(crate) name: u16,
    pub(crate) line_table: u16,
    /// Where the instructions begin; 3.11 on.
    pub(crate) instructions: u16,
}

/// Sizes of the heads before the characters of a `str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextFields {
    pub(crate) ascii: u16,
    pub(crate) other: u16,
}

/// Addresses of the types that a pointer is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types {
    pub(crate) code: u64,
    pub(crate) bytes: u64,
    pub(crate) text: u64,
}

/// All offsets that differ between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) version: (u8, u8),
    pub(crate) chain: Chain,
    pub(crate) thread: Thread,
    pub(crate) frame: FrameFields,
    pub(crate) code: CodeFields,
    pub(crate) text: TextFields,
    pub(crate) lines: Format,
    pub(crate) types: Types,
}

/// `ob_type` of every object of a build without extra object heads.
pub(crate) const OBJECT_TYPE: u16 = 8;
/// `ob_size` of `bytes` and, 3.11 on, of code objects (in instructions), and `length` of `str`.
pub(crate) const LENGTH: u16 = 16;
/// `ob_sval` of `bytes`.
pub(crate) const BYTES: u16 = 32;
/// `state` of `str`.
pub(crate) const TEXT_STATE: u16 = 32;
/// `tracing` of a thread state, 3.10 and 3.11.
pub(crate) const TRACING: u16 = 44;
/// `f_state` of a running frame, 3.10.
pub(crate) const EXECUTING: u8 = 0;
/// `_frameowner` of a generator's frame, 3.11 on.
pub(crate) const OWNED_BY_GENERATOR: u8 = 1;
/// `_frameowner` of a frame that belongs to C, 3.12 on. 3.14 calls it the interpreter's; its next value, 4,
/// ends a walk.
pub(crate) const OWNED_BY_C: u8 = 3;

impl Layout {
    /// The layout of a version without a table of offsets for debuggers.
    pub(crate) fn of_version(version: (u8, u8), types: Types) -> Option<Self> {
        let layout = match version {
            (3, 10) => Self {
                version,
                chain: Chain::Objects { generator: 88, depth: 80, state: 108 },
                thread: Thread { identity: 176, cframe: None, frame: 24 },
                frame: FrameFields { code: 32, tag: 0, previous: 24, instruction: 96, owner: 0 },
                code: CodeFields { first_line: 40, file: 104, name: 112, line_table: 120, instructions: 0 },
                text: TextFields { ascii: 48, other: 72 },
                lines: Format::Pairs,
                types,
            },
            (3, 11) => Self {
                version,
                chain: Chain::Flags { is_entry: 68, depth: 64 },
                thread: Thread { identity: 152, cframe: Some(56), frame: 8 },
                frame: FrameFields { code: 32, tag: 0, previous: 48, instruction: 56, owner: 69 },
                code: CodeFields { first_line: 72, file: 112, name: 128, line_table: 136, instructions: 184 },
                text: TextFields { ascii: 48, other: 72 },
                lines: Format::Locations,
                types,
            },
            (3, 12) => Self {
                version,
                chain: Chain::Shims,
                thread: Thread { identity: 136, cframe: Some(56), frame: 0 },
                frame: FrameFields { code: 0, tag: 0, previous: 8, instruction: 56, owner: 70 },
                code: CodeFields { first_line: 68, file: 112, name: 128, line_table: 136, instructions: 192 },
                text: TextFields { ascii: 40, other: 56 },
                lines: Format::Locations,
                types,
            },
            _ => return None,
        };
        Some(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: Types = Types { code: 8, bytes: 16, text: 24 };

    #[test]
    fn versions_without_a_layout() {
        for version in [(3, 9), (3, 13), (3, 14), (2, 7), (4, 10)] {
            assert_eq!(Layout::of_version(version, TYPES), None);
        }
    }
}
