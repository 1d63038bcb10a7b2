//! Whether there is memory enough for a look.
//!
//! In: the limits of this process and of its control group, and what is left of the machine's memory. Out: yes or no. What must not
//! happen here: a table of ours that is refused, which would end the user's program; one that brings the kernel to kill it.

use std::path::Path;

use nilometer_host::cgroup::Cgroup;
use nilometer_host::file::read_once;
use nilometer_host::memory::Meminfo;
use nilometer_host::rlimit::Rlimits;
use nilometer_host::status::Status;

/// A look over a million objects takes 80 MiB; the program must get on beside it, and goes on allocating.
const MIN_HEADROOM_BYTES: u64 = 256 << 20;

/// Whether a look leaves the program room enough. What cannot be known is no limit.
pub(super) fn is_enough() -> bool {
    let mut buffer = Vec::new();
    left(&mut buffer).into_iter().flatten().all(|left| left >= MIN_HEADROOM_BYTES)
}

/// Bytes that are left under each limit. Nothing stays open: descriptors of ours would shift those of the program.
fn left(buffer: &mut Vec<u8>) -> [Option<u64>; 4] {
    let limits = Rlimits::of(0);
    let status = read_once(Path::new("/proc/self/status"), buffer).map(Status::parse).unwrap_or_default();
    let under = |limit: Option<u64>, used: Option<u64>| Some(limit?.saturating_sub(used?));
    let machine = read_once(Path::new("/proc/meminfo"), buffer).map(Meminfo::parse).unwrap_or_default();
    let group = Cgroup::of(std::process::id()).map(|mut group| group.read(buffer, true)).unwrap_or_default();
    let used = group.current.map(|used| used.saturating_sub(group.file.unwrap_or(0)));
    [
        under(limits.address_space, status.vm_size),
        under(limits.data, status.vm_data),
        under(group.limit, used),
        machine.available,
    ]
}
