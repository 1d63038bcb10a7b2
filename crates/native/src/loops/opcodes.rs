//! What instructions of `CPython` 3.10 and 3.11 do to the flow: the few that jump, and those after which nothing comes.
//!
//! In: a version, an instruction. Out: where it may go. Pure. The numbers are those of `opcode.py`; they are fixed within a
//! version. What must not happen here: a jump that is missed.

/// Versions whose bytecode is read; later ones have events for jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V310,
    V311,
}

pub(crate) const CACHE: u8 = 0;
pub(crate) const FOR_ITER: u8 = 93;
pub(crate) const CALL_FUNCTION_EX: u8 = 142;
/// 3.10 alone.
pub(crate) const CALL_FUNCTION: u8 = 131;
pub(crate) const CALL_FUNCTION_KW: u8 = 141;
pub(crate) const CALL_METHOD: u8 = 161;
pub(crate) const EXTENDED_ARG: u8 = 144;

const JUMP_FORWARD: u8 = 110;
const RETURN_VALUE: u8 = 83;
const RERAISE: u8 = 119;
const RAISE_VARARGS: u8 = 130;

impl Version {
    /// The instruction that this one may jump to; `next` is the one behind it. `Err` for a place before the code.
    pub(super) fn target(self, op: u8, arg: usize, next: usize) -> Result<Option<usize>, ()> {
        Ok(Some(match (self, op) {
            (Self::V310, FOR_ITER | JUMP_FORWARD | 122 | 143 | 154)
            | (Self::V311, FOR_ITER | JUMP_FORWARD | 111 | 112 | 114 | 115 | 123 | 128 | 129) => next + arg,
            (Self::V310, 111..=115 | 121) => arg,
            (Self::V311, 134 | 140 | 173..=176) => next.checked_sub(arg).ok_or(())?,
            _ => return Ok(None),
        }))
    }

    /// Whether the next instruction may follow.
    pub(super) fn falls_through(self, op: u8) -> bool {
        let always_jumps = match self {
            Self::V310 => op == 113,
            Self::V311 => op == 134 || op == 140,
        };
        !always_jumps && !matches!(op, RETURN_VALUE | RERAISE | RAISE_VARARGS | JUMP_FORWARD)
    }

    /// `SETUP_FINALLY` and its kin, 3.10: what stands until their target is handled there.
    pub(super) fn guards(self, op: u8) -> bool {
        self == Self::V310 && matches!(op, 122 | 143 | 154)
    }

    /// How many of the topmost values change their places.
    pub(super) fn mixes(self, op: u8, arg: usize) -> usize {
        match (self, op) {
            (Self::V310, 2) => 2,
            (Self::V310, 3) => 3,
            (Self::V310, 6) => 4,
            (_, 99) => arg,
            _ => 0,
        }
    }
}
