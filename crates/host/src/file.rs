//! A kernel file that is read repeatedly.
//!
//! It is opened once and read from its start each time. That costs half as much as opening it again, and in
//! `/proc/<pid>/` it never shows another process that got the same pid.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Kernel files here are a few kilobytes (`memory.stat` has about 2 KiB); longer ones are cut.
const MAX_FILE_BYTES: usize = 1 << 20;

/// An open kernel file.
#[derive(Debug)]
pub struct KernelFile(File);

impl KernelFile {
    /// Opens the file; `None` if it is missing or may not be read.
    pub fn open(path: &Path) -> Option<Self> {
        File::open(path).ok().map(Self)
    }

    /// Reads the file from its start into `buffer`, which is overwritten, and returns the bytes read. `None`
    /// once its process or group is gone.
    pub fn read<'b>(&self, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        if buffer.len() < 4096 {
            buffer.resize(4096, 0);
        }
        let mut filled = 0;
        loop {
            if filled == buffer.len() {
                if filled >= MAX_FILE_BYTES {
                    break;
                }
                buffer.resize(filled * 2, 0);
            }
            match self.0.read_at(buffer.get_mut(filled..)?, filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        buffer.get(..filled)
    }
}

/// Reads a kernel file once.
pub fn read_once<'b>(path: &Path, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
    KernelFile::open(path)?.read(buffer)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_file_longer_than_the_buffer_is_read_whole_and_again() {
        let path = std::env::temp_dir().join(format!("nilometer-watched-{}", std::process::id()));
        std::fs::write(&path, vec![b'x'; 10_000]).unwrap();
        let file = KernelFile::open(&path).unwrap();
        let mut buffer = Vec::new();
        assert_eq!(file.read(&mut buffer).unwrap().len(), 10_000);
        std::fs::write(&path, b"short").unwrap();
        assert_eq!(file.read(&mut buffer).unwrap(), b"short");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_not_there_is_none() {
        assert!(KernelFile::open(Path::new("/proc/0/status")).is_none());
    }
}
