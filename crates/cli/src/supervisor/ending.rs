//! How the program ended, and whether a memory limit ended it.
//!
//! In: its last change, the counters before and after, its resource limits and peaks. Out: the [`Exit`] record. Pure.
//!
//! Both kernel counters count every kill: a cgroup's also the kills by the whole machine, the machine's also those by
//! any cgroup. So neither alone says which limit it was: a kill in our group is the group's only if its limit was hit.

use nilometer_capture::{Exit, MemoryKill, Surroundings};
use nilometer_host::rlimit::Rlimits;

use super::kernel::Change;

/// What the program had and did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// The surroundings at the start and after the end.
    pub(crate) before: Surroundings,
    pub(crate) after: Surroundings,
    pub(crate) limits: Rlimits,
    /// Largest address space and private data that were seen, in bytes.
    pub(crate) vm_peak: Option<u64>,
    pub(crate) vm_data: Option<u64>,
    /// The exception that ended it, if it said one (its type's name, with or without module).
    pub(crate) exception: Option<String>,
}

/// A failed allocation is not in the peak: this near to the limit the next one may have been too large.
const NEAR_LIMIT_BYTES: u64 = 256 << 20;
const NEAR_LIMIT_DIVISOR: u64 = 10;
/// What Python and TensorFlow raise when an allocation fails.
const OUT_OF_MEMORY: [&str; 3] = ["MemoryError", "ResourceExhaustedError", "InternalError"];

/// The record of this end.
pub(crate) fn exit(change: Change, evidence: &Evidence) -> Exit {
    let (code, signal) = match change {
        Change::Exited(code) => (Some(code), None),
        Change::Killed(signal) => (None, Some(signal)),
        Change::Stopped(_) | Change::Continued => (None, None),
    };
    let memory_kill = match change {
        Change::Killed(libc::SIGKILL) => killed_by(evidence),
        Change::Killed(libc::SIGABRT | libc::SIGSEGV | libc::SIGBUS) => failed_by(evidence),
        Change::Exited(code) if code != 0 => failed_by(evidence),
        _ => MemoryKill::None,
    };
    Exit { code, signal, memory_kill }
}

fn killed_by(evidence: &Evidence) -> MemoryKill {
    let (before, after) = (&evidence.before, &evidence.after);
    let hit = rose(before.cgroup_limit_hits, after.cgroup_limit_hits);
    match (after.cgroup_limit, after.cgroup_oom_kills) {
        (Some(_), Some(_)) if hit && rose(before.cgroup_oom_kills, after.cgroup_oom_kills) => {
            MemoryKill::Cgroup
        }
        // Kernels before 4.13 do not count kills: a hit limit that was used up is then the best evidence.
        (Some(limit), None) if hit && after.cgroup_peak.is_some_and(|peak| peak >= limit / 100 * 99) => {
            MemoryKill::Cgroup
        }
        (_, Some(_)) if rose(before.cgroup_oom_kills, after.cgroup_oom_kills) => MemoryKill::System,
        (_, None) if rose(before.system_oom_kills, after.system_oom_kills) => MemoryKill::System,
        _ => MemoryKill::None,
    }
}

fn failed_by(evidence: &Evidence) -> MemoryKill {
    let limits =
        [(evidence.limits.address_space, evidence.vm_peak), (evidence.limits.data, evidence.vm_data)];
    let finite = limits.iter().any(|(limit, _)| limit.is_some());
    let near = limits.iter().any(|pair| match pair {
        (Some(limit), Some(peak)) => {
            *peak >= limit - (limit / NEAR_LIMIT_DIVISOR).max(NEAR_LIMIT_BYTES).min(*limit / 2)
        }
        _ => false,
    });
    let said = evidence
        .exception
        .as_deref()
        .is_some_and(|name| OUT_OF_MEMORY.contains(&name.rsplit('.').next().unwrap_or(name)));
    if finite && (near || said) { MemoryKill::Rlimit } else { MemoryKill::None }
}

fn rose(before: Option<u64>, after: Option<u64>) -> bool {
    after > Some(before.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KILLED: Change = Change::Killed(libc::SIGKILL);

    fn surroundings(limit: Option<u64>, hits: u64, kills: u64, system: u64) -> Surroundings {
        Surroundings {
            cgroup_limit: limit,
            cgroup_limit_hits: limit.map(|_| hits),
            cgroup_oom_kills: Some(kills),
            system_oom_kills: Some(system),
            ..Surroundings::default()
        }
    }

    fn verdict(change: Change, before: Surroundings, after: Surroundings) -> MemoryKill {
        exit(change, &Evidence { before, after, ..Evidence::default() }).memory_kill
    }

    #[test]
    fn a_kill_at_the_groups_limit_is_the_groups() {
        let limit = Some(1 << 30);
        let kill = verdict(KILLED, surroundings(limit, 5, 0, 3), surroundings(limit, 90, 1, 4));
        assert_eq!(kill, MemoryKill::Cgroup);
    }

    #[test]
    fn a_kill_away_from_the_groups_limit_is_the_machines() {
        let limit = Some(1 << 30);
        let kill = verdict(KILLED, surroundings(limit, 5, 0, 3), surroundings(limit, 5, 1, 4));
        assert_eq!(kill, MemoryKill::System);
        assert_eq!(
            verdict(KILLED, surroundings(None, 0, 0, 3), surroundings(None, 0, 1, 4)),
            MemoryKill::System
        );
    }

    #[test]
    fn a_kill_by_hand_is_nobodys_limit() {
        let limit = Some(1 << 30);
        let kill = verdict(KILLED, surroundings(limit, 5, 2, 3), surroundings(limit, 9, 2, 4));
        assert_eq!(kill, MemoryKill::None);
        let other = Change::Killed(libc::SIGTERM);
        assert_eq!(
            verdict(other, surroundings(limit, 5, 0, 3), surroundings(limit, 9, 1, 4)),
            MemoryKill::None
        );
    }

    #[test]
    fn without_a_kill_counter_a_used_up_limit_is_evidence() {
        let mut before = surroundings(Some(1000 << 20), 0, 0, 0);
        before.cgroup_oom_kills = None;
        let after =
            Surroundings { cgroup_limit_hits: Some(7), cgroup_peak: Some(1000 << 20), ..before.clone() };
        assert_eq!(verdict(KILLED, before, after), MemoryKill::Cgroup);
    }

    fn limited(change: Change, limit: Option<u64>, peak: u64, exception: Option<&str>) -> MemoryKill {
        let evidence = Evidence {
            limits: Rlimits { address_space: limit, data: None },
            vm_peak: Some(peak),
            exception: exception.map(str::to_owned),
            ..Evidence::default()
        };
        exit(change, &evidence).memory_kill
    }

    #[test]
    fn a_failure_near_a_resource_limit_is_its_doing() {
        let limit = Some(4 << 30);
        assert_eq!(limited(Change::Exited(1), limit, (4 << 30) - (300 << 20), None), MemoryKill::Rlimit);
        assert_eq!(limited(Change::Killed(libc::SIGABRT), limit, 4 << 30, None), MemoryKill::Rlimit);
        assert_eq!(limited(Change::Exited(1), limit, 2 << 30, None), MemoryKill::None);
        assert_eq!(limited(Change::Exited(0), limit, 4 << 30, None), MemoryKill::None);
        assert_eq!(limited(Change::Killed(libc::SIGTERM), limit, 4 << 30, None), MemoryKill::None);
    }

    #[test]
    fn a_tiny_limit_is_not_near_to_everything() {
        assert_eq!(limited(Change::Exited(1), Some(200 << 20), 30 << 20, None), MemoryKill::None);
    }

    #[test]
    fn memory_errors_count_only_under_a_limit() {
        let error = Some("builtins.MemoryError");
        assert_eq!(limited(Change::Exited(1), Some(4 << 30), 1 << 30, error), MemoryKill::Rlimit);
        assert_eq!(limited(Change::Exited(1), None, 1 << 30, error), MemoryKill::None);
        assert_eq!(limited(Change::Exited(1), Some(4 << 30), 1 << 30, Some("ValueError")), MemoryKill::None);
    }
}
