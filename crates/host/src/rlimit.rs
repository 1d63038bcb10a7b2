//! Resource limits of a process that make its allocations fail.
#![expect(unsafe_code, reason = "prlimit has no safe face in std")]

/// The soft limits in bytes; `None` is unlimited or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rlimits {
    /// Address space (`ulimit -v`).
    pub address_space: Option<u64>,
    /// Private data (`ulimit -d`).
    pub data: Option<u64>,
}

impl Rlimits {
    /// The soft limits of process `pid`, 0 for this one.
    pub fn of(pid: u32) -> Self {
        Self { address_space: soft(pid, libc::RLIMIT_AS), data: soft(pid, libc::RLIMIT_DATA) }
    }
}

fn soft(pid: u32, resource: libc::__rlimit_resource_t) -> Option<u64> {
    let pid = libc::pid_t::try_from(pid).ok()?;
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the new limit is null, so nothing is set; `limit` is valid for the write.
    let failed = unsafe { libc::prlimit(pid, resource, std::ptr::null(), &raw mut limit) };
    (failed == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_limit_of_another_process_is_seen() {
        let mut child = Command::new("sh")
            .args(["-c", "ulimit -v 4000000; exec cat"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let comm = format!("/proc/{}/comm", child.id());
        while std::fs::read_to_string(&comm).unwrap().trim() != "cat" {
            std::thread::yield_now();
        }
        let limits = Rlimits::of(child.id());
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(limits, Rlimits { address_space: Some(4_000_000 << 10), data: None });
    }
}
