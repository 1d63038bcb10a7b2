//! `CPython`'s own table of its layout from 3.13 on: `_Py_DebugOffsets`, at the start of `_PyRuntime`.
//!
//! In: the address of `_PyRuntime`. Out: [`DebugOffsets`], numbers by their offset in that structure, or a
//! [`Refusal`]. What must not happen here: a number of another version, or of a build without the GIL.

use crate::memory::Memory;
use crate::refusal::Refusal;

/// `_Py_Debug_Cookie`.
pub(crate) const COOKIE: &[u8; 8] = b"xdebugpy";
const VERSION: usize = 8;
const FREE_THREADED: usize = 16;

/// The refusal for a table that is missing or wrong.
pub(crate) const UNKNOWN: Refusal = Refusal::Unknown("debug offsets");

/// The bytes of the table, of a known version.
pub(crate) struct DebugOffsets(Vec<u8>);

impl DebugOffsets {
    /// Reads `length` bytes of it, and checks that they belong to 3.`minor`.
    pub(crate) fn read(memory: Memory, runtime: u64, length: usize, minor: u64) -> Result<Self, Refusal> {
        let table = Self(memory.bytes(runtime, length).ok_or(Refusal::Gone)?);
        if table.0.get(..COOKIE.len()) != Some(COOKIE) || table.number(VERSION) >> 16 != 0x0300 | minor {
            return Err(UNKNOWN);
        }
        if table.number(FREE_THREADED) != 0 {
            return Err(Refusal::FreeThreaded);
        }
        Ok(table)
    }

    /// The number at this offset; 0 beyond the bytes read.
    pub(crate) fn number(&self, at: usize) -> u64 {
        let bytes = self.0.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u64::from_le_bytes).unwrap_or_default()
    }
}
