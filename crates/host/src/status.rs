//! `/proc/<pid>/status`: the memory of one process.
//!
//! In: the file's bytes. Out: [`Status`]. Never allocates: it also runs inside the user's process.

use crate::field::{kibibytes, lines, number};

/// The fields of `/proc/<pid>/status`, in bytes unless stated otherwise; `None` if absent (kernel threads,
/// zombies).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Parent process id.
    pub parent: Option<u64>,
    /// Largest address space so far (`VmPeak`).
    pub vm_peak: Option<u64>,
    /// Address space (`VmSize`).
    pub vm_size: Option<u64>,
    /// Private data (`VmData`).
    pub vm_data: Option<u64>,
    /// Largest resident memory so far (`VmHWM`).
    pub rss_peak: Option<u64>,
    /// Resident anonymous memory (`RssAnon`).
    pub rss_anon: Option<u64>,
    /// Resident file-backed memory (`RssFile`).
    pub rss_file: Option<u64>,
    /// Resident shared memory (`RssShmem`).
    pub rss_shmem: Option<u64>,
    /// Swapped out (`VmSwap`).
    pub swap: Option<u64>,
    /// Threads (a count).
    pub threads: Option<u64>,
}

impl Status {
    /// Parses the file's bytes, even if they are cut short.
    pub fn parse(text: &[u8]) -> Self {
        let mut status = Self::default();
        for (name, value) in lines(text, b':') {
            match name {
                b"PPid" => status.parent = number(value),
                b"VmPeak" => status.vm_peak = kibibytes(value),
                b"VmSize" => status.vm_size = kibibytes(value),
                b"VmData" => status.vm_data = kibibytes(value),
                b"VmHWM" => status.rss_peak = kibibytes(value),
                b"RssAnon" => status.rss_anon = kibibytes(value),
                b"RssFile" => status.rss_file = kibibytes(value),
                b"RssShmem" => status.rss_shmem = kibibytes(value),
                b"VmSwap" => status.swap = kibibytes(value),
                b"Threads" => {
                    status.threads = number(value);
                    break; // the last one wanted; the rest of the file is masks
                }
                _ => {}
            }
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"Name:\tpython: Threads\nState:\tS (sleeping)\nPPid:\t41\nVmPeak:\t 3000 kB\nVmSize:\t 2000 kB\n\
        VmHWM:\t  70 kB\nRssAnon:\t  50 kB\nRssFile:\t  16 kB\nRssShmem:\t   4 kB\nVmData:\t 360 kB\nVmSwap:\t   8 kB\n\
        Threads:\t9\nSigQ:\t0/96365\n";

    #[test]
    fn every_wanted_line_is_read() {
        let status = Status::parse(TEXT);
        assert_eq!(status.parent, Some(41));
        assert_eq!(status.vm_peak, Some(3000 << 10));
        assert_eq!(status.vm_size, Some(2000 << 10));
        assert_eq!(status.vm_data, Some(360 << 10));
        assert_eq!(status.rss_peak, Some(70 << 10));
        assert_eq!(status.rss_anon, Some(50 << 10));
        assert_eq!(status.rss_file, Some(16 << 10));
        assert_eq!(status.rss_shmem, Some(4 << 10));
        assert_eq!(status.swap, Some(8 << 10));
        assert_eq!(status.threads, Some(9));
    }

    #[test]
    fn a_zombie_has_no_memory_but_a_parent() {
        let status = Status::parse(b"Name:\tx\nState:\tZ (zombie)\nPPid:\t7\nThreads:\t1\n");
        assert_eq!(status, Status { parent: Some(7), threads: Some(1), ..Status::default() });
    }
}
