//! What memory there is for a training: what was asked for, else the lowest of the limits that stand.
//!
//! In: `--limit`, the cgroup, the machine. Out: bytes and where they come from.

use nilometer_host::cgroup::Cgroup;
use nilometer_host::memory::Machine;
use nilometer_plan::Limit;

/// The limit; none where nothing says.
pub(super) fn limit(asked: Option<u64>) -> Option<Limit> {
    if let Some(bytes) = asked {
        return Some(Limit { bytes, source: "--limit" });
    }
    let mut group = Cgroup::of(std::process::id());
    let about = crate::machine::surroundings(&Machine::open(), group.as_mut(), true, &mut Vec::new());
    lowest(about.cgroup_limit, about.ram_total)
}

fn lowest(group: Option<u64>, ram: Option<u64>) -> Option<Limit> {
    let group = group.map(|bytes| Limit { bytes, source: "the cgroup's limit" });
    let ram = ram.map(|bytes| Limit { bytes, source: "the machine's memory" });
    group.into_iter().chain(ram).min_by_key(|limit| limit.bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_counts() {
        assert_eq!(lowest(Some(2), Some(3)).unwrap().source, "the cgroup's limit");
        assert_eq!(lowest(Some(4), Some(3)).unwrap().source, "the machine's memory");
        assert_eq!(lowest(None, Some(3)).unwrap().bytes, 3);
        assert_eq!(lowest(None, None), None);
        assert_eq!(limit(Some(5)).unwrap(), Limit { bytes: 5, source: "--limit" });
    }
}
