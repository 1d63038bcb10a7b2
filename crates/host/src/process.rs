//! One process, read from outside.
//!
//! In: its pid. Out: [`Status`] and [`Stat`] on request, without allocation after the first reading.

use std::path::Path;

use crate::file::{KernelFile, read_once};
use crate::private_memory;
use crate::stat::Stat;
use crate::status::Status;

/// The open files of one process. They refer to that process even if its pid is reused.
#[derive(Debug)]
pub struct Process {
    pid: u32,
    status: KernelFile,
    stat: KernelFile,
}

impl Process {
    /// Opens the process; `None` if there is none with this pid.
    pub fn open(pid: u32) -> Option<Self> {
        let status = KernelFile::open(Path::new(&format!("/proc/{pid}/status")))?;
        let stat = KernelFile::open(Path::new(&format!("/proc/{pid}/stat")))?;
        Some(Self { pid, status, stat })
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its memory now; `None` once it is gone.
    pub fn status(&self, buffer: &mut Vec<u8>) -> Option<Status> {
        self.status.read(buffer).map(Status::parse)
    }

    /// Bytes of anonymous memory that it shares with no other process; `None` once it is gone, or without
    /// permission.
    ///
    /// The kernel walks all of its pages for this: milliseconds, not microseconds.
    pub fn private(&self, buffer: &mut Vec<u8>) -> Option<u64> {
        read_once(Path::new(&format!("/proc/{}/smaps_rollup", self.pid)), buffer)
            .and_then(private_memory::parse)
    }

    /// Its state and CPU time now; `None` once it is gone.
    pub fn stat(&self, buffer: &mut Vec<u8>) -> Option<Stat> {
        self.stat.read(buffer).and_then(Stat::parse)
    }
}

/// The words of a process's command line, as started or as since rewritten by the process.
pub fn command_line(pid: u32, buffer: &mut Vec<u8>) -> Option<Vec<String>> {
    let text = read_once(Path::new(&format!("/proc/{pid}/cmdline")), buffer)?;
    let text = text.strip_suffix(b"\0").unwrap_or(text);
    Some(text.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn this_very_process_has_memory_and_a_parent() {
        let process = Process::open(std::process::id()).unwrap();
        let mut buffer = Vec::new();
        let status = process.status(&mut buffer).unwrap();
        assert!(status.rss_anon.unwrap() > 0);
        assert!(status.vm_peak.unwrap() >= status.vm_size.unwrap());
        assert!(process.private(&mut buffer).unwrap() > 0);
        let stat = process.stat(&mut buffer).unwrap();
        assert_eq!(Some(stat.parent), status.parent);
        assert_eq!(u32::try_from(stat.parent).unwrap(), std::os::unix::process::parent_id());
    }

    #[test]
    fn a_process_that_is_gone_reads_as_none() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Process::open(child.id()).unwrap();
        let mut buffer = Vec::new();
        assert!(process.status(&mut buffer).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(process.status(&mut buffer), None);
        assert_eq!(process.stat(&mut buffer), None);
    }
}
