//! What the machine says about this process, read in it where no supervisor does.
//!
//! In: the clock. Out: the process' memory, the machine's and the cgroup's, now and then. What must not happen here: a descriptor
//! that stays open, memory of ours taken for the program's, a wait.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{ProcessReading, Record, Surroundings, Writer};
use nilometer_host::cgroup::Cgroup;
use nilometer_host::memory::Machine;
use nilometer_host::process::Process;

use super::SECOND_NS;
use crate::recorder::Ours;

/// Between two readings, in nanoseconds: files are opened anew for each.
const PAUSE_NS: u64 = 2 * SECOND_NS;

/// When it was read.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    last_ns: AtomicU64,
}

impl Outside {
    /// Reads, if the last time is long ago.
    pub(super) fn read_if_due(&self, writer: &Writer) {
        if writer.now().saturating_sub(self.last_ns.load(Relaxed)) >= PAUSE_NS {
            self.read(writer);
        }
    }

    /// Reads now.
    pub(super) fn read(&self, writer: &Writer) {
        let _ours = Ours::begin();
        self.last_ns.store(writer.now(), Relaxed);
        let mut buffer = Vec::new();
        let pid = std::process::id();
        if let Some(status) = Process::open(pid).and_then(|process| process.status(&mut buffer)) {
            let reading = ProcessReading {
                pid: Some(u64::from(pid)),
                rss_anon: status.rss_anon,
                rss_file: status.rss_file,
                rss_shmem: status.rss_shmem,
                swap: status.swap,
                vm_size: status.vm_size,
                vm_peak: status.vm_peak,
                vm_data: status.vm_data,
                rss_peak: status.rss_peak,
                threads: status.threads,
                cpu_ns: None,
                private: None,
            };
            writer.append(&Record::Process(Box::new(reading)));
        }
        let meminfo = Machine::open().meminfo(&mut buffer);
        let group = Cgroup::of(pid).map(|mut group| group.read(&mut buffer, true)).unwrap_or_default();
        writer.append(&Record::Surroundings(Surroundings {
            ram_total: meminfo.total,
            ram_available: meminfo.available,
            cgroup_limit: group.limit,
            cgroup_current: group.current,
            cgroup_peak: group.peak,
            cgroup_oom_kills: group.oom_kills,
            cgroup_limit_hits: group.limit_hits,
            cgroup_file: group.file,
            system_oom_kills: None,
        }));
    }
}
