//! What the machine says about a process and what surrounds it, as records of a capture have it.
//!
//! In: files of `/proc` and of cgroups. Out: a reading of one process, a reading of limits and counters. What must not happen
//! here: a decision about when to read. The supervisor and a process that records itself decide that.

use nilometer_capture::{ProcessReading, Surroundings};
use nilometer_host::cgroup::Cgroup;
use nilometer_host::memory::Machine;
use nilometer_host::process::Process;
use nilometer_host::stat::ticks_per_second;

/// The memory of a process now; `None` once it has none.
pub fn process_reading(process: &Process, buffer: &mut Vec<u8>) -> Option<ProcessReading> {
    let status = process.status(buffer)?;
    // A zombie and a process between fork and exec of its own end have no memory to tell of.
    status.vm_size?;
    let cpu_ns = process.stat(buffer).map(|stat| stat.cpu_ns(ticks_per_second()));
    Some(ProcessReading {
        pid: Some(u64::from(process.pid())),
        rss_anon: status.rss_anon,
        rss_file: status.rss_file,
        rss_shmem: status.rss_shmem,
        swap: status.swap,
        vm_size: status.vm_size,
        vm_peak: status.vm_peak,
        vm_data: status.vm_data,
        rss_peak: status.rss_peak,
        threads: status.threads,
        cpu_ns,
        private: None,
    })
}

/// The limits and counters now; a `thorough` look reads all of them, also those that are dear.
pub fn surroundings(
    machine: &Machine,
    group: Option<&mut Cgroup>,
    thorough: bool,
    buffer: &mut Vec<u8>,
) -> Surroundings {
    let meminfo = machine.meminfo(buffer);
    let group = group.map(|group| group.read(buffer, thorough)).unwrap_or_default();
    Surroundings {
        ram_total: meminfo.total,
        ram_available: meminfo.available,
        cgroup_limit: group.limit,
        cgroup_current: group.current,
        cgroup_peak: group.peak,
        cgroup_oom_kills: group.oom_kills,
        cgroup_limit_hits: group.limit_hits,
        cgroup_file: group.file,
        system_oom_kills: if thorough { machine.oom_kills(buffer) } else { None },
    }
}
