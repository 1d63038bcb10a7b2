//! A kernel file that is read again and again.
//!
//! It is opened once and read from its beginning each time: half the cost of opening it anew, and in `/proc/<pid>/` it
//! can never show another process that got the same pid.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Kernel files here are a few kilobytes; whatever is longer than this is cut (`memory.stat` has about 2 KiB).
const LONGEST: usize = 1 << 20;

/// An open kernel file.
#[derive(Debug)]
pub struct Watched(File);

impl Watched {
    /// Opens it; `None` if it is not there or may not be read.
    pub fn open(path: &Path) -> Option<Self> {
        File::open(path).ok().map(Self)
    }

    /// Reads it from its beginning into `buffer` (what was in there is gone) and gives back what was read; `None` once
    /// the process or group it belongs to is gone.
    pub fn read<'b>(&self, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        if buffer.len() < 4096 {
            buffer.resize(4096, 0);
        }
        let mut filled = 0;
        loop {
            if filled == buffer.len() {
                if filled >= LONGEST {
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
    Watched::open(path)?.read(buffer)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_file_longer_than_the_buffer_is_read_whole_and_again() {
        let path = std::env::temp_dir().join(format!("nilometer-watched-{}", std::process::id()));
        std::fs::write(&path, vec![b'x'; 10_000]).unwrap();
        let watched = Watched::open(&path).unwrap();
        let mut buffer = Vec::new();
        assert_eq!(watched.read(&mut buffer).unwrap().len(), 10_000);
        std::fs::write(&path, b"short").unwrap();
        assert_eq!(watched.read(&mut buffer).unwrap(), b"short");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_not_there_is_none() {
        assert!(Watched::open(Path::new("/proc/0/status")).is_none());
    }
}
