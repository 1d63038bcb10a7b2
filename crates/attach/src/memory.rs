//! Reads and writes another process's memory, by system calls.
//!
//! In: addresses there. Out: bytes, or `None` if nothing is mapped or the process is gone. Writes reach only
//! pages that are writable in that process.
#![expect(unsafe_code, reason = "process_vm_readv and process_vm_writev")]

use libc::{iovec, pid_t};

/// The memory of one process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pid: pid_t,
}

impl Memory {
    pub(crate) fn of(pid: u32) -> Self {
        Self { pid: pid.cast_signed() }
    }

    /// Fills `bytes` from `address` on; `None` if a part is missing.
    pub(crate) fn read(self, address: u64, bytes: &mut [u8]) -> Option<()> {
        let local = iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        let remote = iovec { iov_base: address as *mut _, iov_len: bytes.len() };
        // SAFETY: the local part is ours to write; the kernel checks the remote one.
        let count = unsafe { libc::process_vm_readv(self.pid, &raw const local, 1, &raw const remote, 1, 0) };
        (usize::try_from(count).ok()? == bytes.len()).then_some(())
    }

    /// Writes all of `bytes` to `address`; `None` on failure.
    pub(crate) fn write(self, address: u64, bytes: &[u8]) -> Option<()> {
        let local = iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let remote = iovec { iov_base: address as *mut _, iov_len: bytes.len() };
        let pid = self.pid;
        // SAFETY: the local part is only read; the caller argues for the remote write.
        let count = unsafe { libc::process_vm_writev(pid, &raw const local, 1, &raw const remote, 1, 0) };
        (usize::try_from(count).ok()? == bytes.len()).then_some(())
    }

    /// `length` bytes.
    pub(crate) fn bytes(self, address: u64, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.read(address, &mut bytes)?;
        Some(bytes)
    }

    /// Eight bytes as a number.
    pub(crate) fn word(self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Some(u64::from_le_bytes(bytes))
    }

    /// Four bytes as a number.
    pub(crate) fn int(self, address: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Some(u32::from_le_bytes(bytes))
    }

    /// One byte.
    pub(crate) fn byte(self, address: u64) -> Option<u8> {
        let mut bytes = [0; 1];
        self.read(address, &mut bytes)?;
        Some(bytes[0])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn our_own_memory_is_read_and_written() {
        let memory = Memory::of(std::process::id());
        let mut place = vec![7_u64, 8];
        let at = place.as_mut_ptr() as u64;
        assert_eq!((memory.word(at), memory.int(at + 8), memory.byte(at)), (Some(7), Some(8), Some(7)));
        memory.write(at, &9_u64.to_le_bytes()).unwrap();
        assert_eq!(memory.word(at), Some(9));
        // Unmapped memory is not read.
        assert_eq!(memory.word(8), None);
        assert_eq!(memory.write(8, &[1]), None);
    }
}
