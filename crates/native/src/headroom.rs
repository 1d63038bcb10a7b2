//! Whether there is memory enough for a look.
//!
//! In: the limits of this process and of its control group, what is left of the machine's memory, what the program has in use. Out:
//! yes or no. What must not happen here: a table of ours that is refused, which would end the user's program; one that brings the kernel to
//! kill it.

use std::path::Path;

use nilometer_host::cgroup::Cgroup;
use nilometer_host::file::read_once;
use nilometer_host::memory::Meminfo;
use nilometer_host::rlimit::Rlimits;
use nilometer_host::status::Status;

/// The program must get on beside a look, and goes on allocating. A service in a container of 256 MiB has workers of 50.
const RESERVE_BYTES: u64 = 24 << 20;
/// So much is enough for any heap, is needed where nobody knows the heap, and is needed of addresses: tables reserve more than they fill.
const ENOUGH_BYTES: u64 = 256 << 20;

/// Whether a look leaves the program room enough. A limit that cannot be known is none. `live`: bytes that the program has in use.
pub(crate) fn is_enough(live: Option<u64>) -> bool {
    let mut buffer = Vec::new();
    let Left { of_addresses, of_memory } = left(&mut buffer);
    of_memory.into_iter().flatten().all(|left| left >= need(live))
        && of_addresses.into_iter().flatten().all(|left| left >= ENOUGH_BYTES)
}

/// Bytes of memory that must be left. A look takes no more than what it looks at: 92 % of a heap of small tuples, 101 % of lists of ten million
/// references, half of dicts and of objects.
fn need(live: Option<u64>) -> u64 {
    live.map_or(ENOUGH_BYTES, |live| live.saturating_add(RESERVE_BYTES).min(ENOUGH_BYTES))
}

/// Bytes that are left under each limit.
struct Left {
    of_addresses: [Option<u64>; 2],
    of_memory: [Option<u64>; 2],
}

/// Nothing stays open: descriptors of ours would shift those of the program.
fn left(buffer: &mut Vec<u8>) -> Left {
    let limits = Rlimits::of(0);
    let status = read_once(Path::new("/proc/self/status"), buffer).map(Status::parse).unwrap_or_default();
    let under = |limit: Option<u64>, used: Option<u64>| Some(limit?.saturating_sub(used?));
    let machine = read_once(Path::new("/proc/meminfo"), buffer).map(Meminfo::parse).unwrap_or_default();
    let group = Cgroup::of(std::process::id()).map(|mut group| group.read(buffer, true)).unwrap_or_default();
    let used = group.current.map(|used| used.saturating_sub(group.file.unwrap_or(0)));
    Left {
        of_addresses: [under(limits.address_space, status.vm_size), under(limits.data, status.vm_data)],
        of_memory: [under(group.limit, used), machine.available],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_small_heap_needs_little_and_a_large_one_as_much_as_an_unknown_one() {
        let mib = |live: u64| need(Some(live * MIB)) / MIB;
        assert_eq!(mib(45), 69, "a worker of a service");
        assert_eq!((mib(231), mib(232), mib(5000)), (255, 256, 256));
        assert_eq!(need(Some(u64::MAX)) / MIB, 256, "it does not wrap");
        assert_eq!(need(None) / MIB, 256);
    }
}
