//! What `CPython` says of its own layout from 3.13 on: `_Py_DebugOffsets`, at the start of `_PyRuntime`.
//!
//! In: the address of `_PyRuntime`. Out: [`Offsets`], numbers by their place in that structure, or a [`Refusal`]. What must not
//! happen here: a number of another version, or of a build without the GIL.

use crate::memory::Memory;
use crate::refuse::Refusal;

/// `_Py_Debug_Cookie`.
pub(crate) const COOKIE: &[u8; 8] = b"xdebugpy";
const VERSION: usize = 8;
const FREE_THREADED: usize = 16;

/// What could be wrong with it, as a refusal says it.
pub(crate) const UNKNOWN: Refusal = Refusal::Unknown("debug offsets");

/// The structure's bytes, of a version that is known.
pub(crate) struct Offsets(Vec<u8>);

impl Offsets {
    /// Reads so many bytes of it, and checks that they are those of 3.`minor`.
    pub(crate) fn read(memory: Memory, runtime: u64, length: usize, minor: u64) -> Result<Self, Refusal> {
        let said = Self(memory.bytes(runtime, length).ok_or(Refusal::Gone)?);
        if said.0.get(..COOKIE.len()) != Some(COOKIE) || said.number(VERSION) >> 16 != 0x0300 | minor {
            return Err(UNKNOWN);
        }
        if said.number(FREE_THREADED) != 0 {
            return Err(Refusal::FreeThreaded);
        }
        Ok(said)
    }

    /// The number at this place of the structure; 0 beyond what was read.
    pub(crate) fn number(&self, at: usize) -> u64 {
        let bytes = self.0.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u64::from_le_bytes).unwrap_or_default()
    }
}
