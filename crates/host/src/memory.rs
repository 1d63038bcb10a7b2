//! The memory of the whole machine: `/proc/meminfo` and the kill counter of `/proc/vmstat`.

use std::path::Path;

use crate::field::{kibibytes, lines, named};
use crate::file::KernelFile;

/// The fields of `/proc/meminfo`, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meminfo {
    /// Physical memory.
    pub total: Option<u64>,
    /// Memory that can be allocated without swapping (`MemAvailable`).
    pub available: Option<u64>,
    /// Free swap.
    pub swap_free: Option<u64>,
}

impl Meminfo {
    /// From the file's bytes.
    pub fn parse(text: &[u8]) -> Self {
        let mut meminfo = Self::default();
        for (name, value) in lines(text, b':') {
            match name {
                b"MemTotal" => meminfo.total = kibibytes(value),
                b"MemAvailable" => meminfo.available = kibibytes(value),
                b"SwapFree" => {
                    meminfo.swap_free = kibibytes(value);
                    break;
                }
                _ => {}
            }
        }
        meminfo
    }
}

/// Processes killed so far for lack of memory, by the machine or by any cgroup (`oom_kill` in
/// `/proc/vmstat`).
pub fn parse_oom_kills(vmstat: &[u8]) -> Option<u64> {
    named(vmstat, "oom_kill")
}

/// The machine's files, kept open.
#[derive(Debug)]
pub struct Machine {
    meminfo: Option<KernelFile>,
    vmstat: Option<KernelFile>,
}

impl Machine {
    /// Opens the files that exist.
    pub fn open() -> Self {
        Self {
            meminfo: KernelFile::open(Path::new("/proc/meminfo")),
            vmstat: KernelFile::open(Path::new("/proc/vmstat")),
        }
    }

    /// Memory now.
    pub fn meminfo(&self, buffer: &mut Vec<u8>) -> Meminfo {
        self.meminfo.as_ref().and_then(|file| file.read(buffer)).map(Meminfo::parse).unwrap_or_default()
    }

    /// Kills so far. Reading `/proc/vmstat` gathers counters from every CPU: not for every tick.
    pub fn oom_kills(&self, buffer: &mut Vec<u8>) -> Option<u64> {
        self.vmstat.as_ref().and_then(|file| file.read(buffer)).and_then(parse_oom_kills)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn the_wanted_lines_are_read() {
        let text =
            b"MemTotal:       24000000 kB\nMemFree:   5 kB\nMemAvailable:   23000000 kB\nSwapFree: 7 kB\n";
        assert_eq!(
            Meminfo::parse(text),
            Meminfo {
                total: Some(24_000_000 << 10),
                available: Some(23_000_000 << 10),
                swap_free: Some(7 << 10)
            }
        );
        assert_eq!(parse_oom_kills(b"oom_killer 1\noom_kill 3\n"), Some(3));
    }

    #[test]
    fn this_machine_has_memory() {
        let mut buffer = Vec::new();
        let meminfo = Machine::open().meminfo(&mut buffer);
        assert!(meminfo.available.unwrap() < meminfo.total.unwrap());
    }
}
