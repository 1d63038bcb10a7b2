//! The bytes of an object: a file, or memory for tests and the fuzzer.
//!
//! Files are read in pieces, not mapped. So a file that is truncated meanwhile gives a short read instead of
//! SIGBUS, and a symbol table of 30 MB passes through one small buffer.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Something with bytes at offsets.
pub(crate) trait Source {
    /// Length in bytes.
    fn length(&self) -> u64;

    /// Reads into `into` from `offset` on. Fewer bytes are read only at the end or on a read error.
    fn read(&self, offset: u64, into: &mut [u8]) -> usize;

    /// `N` bytes at `offset`; `None` if the source is shorter.
    fn array<const N: usize>(&self, offset: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        (self.read(offset, &mut bytes) == N).then_some(bytes)
    }
}

/// An open file, with its length at opening.
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) bytes: u64,
}

impl Source for OpenFile {
    fn length(&self) -> u64 {
        self.bytes
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> usize {
        let mut done = 0;
        while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, offset.saturating_add(done as u64)) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        done
    }
}

impl Source for &[u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, offset: u64, into: &mut [u8]) -> usize {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let read = rest.len().min(into.len());
        if let (Some(to), Some(from)) = (into.get_mut(..read), rest.get(..read)) {
            to.copy_from_slice(from);
        }
        read
    }
}
