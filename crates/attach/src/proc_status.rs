//! The facts of a process in `/proc`, before anything touches it: its user, its tracer, the rules that hold
//! for it.
//!
//! In: a process id. Out: nothing, or the first [`Refusal`]. Only reads files.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use nilometer_host::field::{lines, number};

use crate::refusal::Refusal;

/// The bit of `CAP_SYS_PTRACE`.
const SYS_PTRACE: u64 = 1 << 19;
const YAMA: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// The used fields of `/proc/PID/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcStatus {
    pub(crate) name: String,
    pub(crate) state: u8,
    pub(crate) process: u64,
    pub(crate) tracer: u64,
    /// Real, effective and saved user; all three must be the caller's.
    pub(crate) users: [u64; 3],
    pub(crate) capabilities: u64,
    pub(crate) seccomp: u64,
    pub(crate) filters: u64,
}

impl ProcStatus {
    /// Parses the file's bytes.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let mut about = Self::default();
        let hexadecimal = |value: &[u8]| {
            std::str::from_utf8(value).ok().and_then(|text| u64::from_str_radix(text.trim(), 16).ok())
        };
        for (name, value) in lines(text, b':') {
            let count = || number(value).unwrap_or_default();
            match name {
                b"Name" => String::from_utf8_lossy(value).trim().clone_into(&mut about.name),
                b"State" => about.state = value.trim_ascii().first().copied().unwrap_or_default(),
                b"Tgid" => about.process = count(),
                b"TracerPid" => about.tracer = count(),
                b"Uid" => {
                    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
                    for (user, word) in about.users.iter_mut().zip(words) {
                        *user = number(word).unwrap_or(u64::MAX);
                    }
                }
                b"CapEff" => about.capabilities = hexadecimal(value).unwrap_or_default(),
                b"Seccomp" => about.seccomp = count(),
                b"Seccomp_filters" => about.filters = count(),
                _ => {}
            }
        }
        about
    }

    /// The status of a process, or of this one (`self`).
    pub(crate) fn of(pid: &str) -> Option<Self> {
        fs::read(format!("/proc/{pid}/status")).ok().map(|text| Self::parse(&text))
    }
}

/// The first reason in these files not to attach.
pub(crate) fn refusal(pid: u32) -> Option<Refusal> {
    if pid == std::process::id() {
        return Some(Refusal::Own);
    }
    let Some(target) = ProcStatus::of(&pid.to_string()) else { return Some(Refusal::NoProcess) };
    let own = ProcStatus::of("self").unwrap_or_default();
    let tracer = ProcStatus::of(&target.tracer.to_string()).unwrap_or_default().name;
    judge(pid, &target, &own, scope(), tracer)
}

/// Applies the rules to the fields.
fn judge(pid: u32, target: &ProcStatus, own: &ProcStatus, yama: u64, tracer: String) -> Option<Refusal> {
    let may_all = own.capabilities & SYS_PTRACE != 0;
    let user = own.users[1];
    if target.process != u64::from(pid) {
        return Some(Refusal::Thread(u32::try_from(target.process).unwrap_or_default()));
    }
    match target.state {
        b'Z' | b'X' => return Some(Refusal::Zombie),
        b'T' if target.tracer == 0 => return Some(Refusal::Stopped),
        _ => {}
    }
    if target.tracer != 0 {
        return Some(Refusal::Traced(u32::try_from(target.tracer).unwrap_or_default(), tracer));
    }
    if !may_all && let Some(other) = target.users.iter().find(|other| **other != user) {
        return Some(Refusal::OtherUser(u32::try_from(*other).unwrap_or(u32::MAX)));
    }
    // A scope of 1 admits ancestors. This command is none: the process was there before it.
    if yama >= 3 || (yama >= 1 && !may_all) {
        return Some(Refusal::Yama(yama));
    }
    match target.seccomp {
        1 => Some(Refusal::Strict),
        // A container's filters apply to this command, too; additional ones are the program's own.
        2 if target.filters > own.filters => Some(Refusal::Filtered),
        _ => None,
    }
}

fn scope() -> u64 {
    fs::read(YAMA).ok().and_then(|text| number(&text)).unwrap_or(0)
}

/// Whether the process sees the same files as this one: the same mounts and the same root.
pub(crate) fn shares_files(pid: u32) -> Result<bool, Refusal> {
    let forbidden = |error: std::io::Error| Refusal::Forbidden(error.to_string());
    let space = fs::read_link(format!("/proc/{pid}/ns/mnt")).map_err(forbidden)?;
    if fs::read_link("/proc/self/ns/mnt").ok() != Some(space) {
        return Ok(false);
    }
    let place = |path: String| fs::metadata(path).map(|about| (about.dev(), about.ino()));
    let there = place(format!("/proc/{pid}/root/.")).map_err(forbidden)?;
    Ok(place("/".to_owned()).is_ok_and(|here| here == there))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"Name:\tpython\nState:\tS (sleeping)\nTgid:\t7\nPid:\t7\nTracerPid:\t0\nUid:\t5\t5\t5\t5\n\
        CapEff:\t00000000a80425fb\nSeccomp:\t2\nSeccomp_filters:\t1\n";

    fn changed(change: impl FnOnce(&mut ProcStatus, &mut ProcStatus, &mut u64)) -> Option<Refusal> {
        let mut target = ProcStatus::parse(TEXT);
        let mut own = target.clone();
        let mut yama = 0;
        change(&mut target, &mut own, &mut yama);
        judge(7, &target, &own, yama, "gdb".to_owned())
    }

    #[test]
    fn the_file_is_read() {
        let about = ProcStatus::parse(TEXT);
        let expected = ProcStatus {
            name: "python".to_owned(),
            state: b'S',
            process: 7,
            tracer: 0,
            users: [5; 3],
            capabilities: 0xa804_25fb,
            seccomp: 2,
            filters: 1,
        };
        assert_eq!(about, expected);
    }

    #[test]
    fn each_rule_refuses_and_no_rule_does_not() {
        assert_eq!(changed(|_, _, _| ()), None);
        assert_eq!(changed(|target, _, _| target.process = 3), Some(Refusal::Thread(3)));
        assert_eq!(changed(|target, _, _| target.state = b'Z'), Some(Refusal::Zombie));
        assert_eq!(changed(|target, _, _| target.state = b'T'), Some(Refusal::Stopped));
        assert_eq!(
            changed(|target, _, _| (target.state, target.tracer) = (b't', 9)),
            Some(Refusal::Traced(9, "gdb".to_owned()))
        );
        assert_eq!(changed(|target, _, _| target.users[2] = 0), Some(Refusal::OtherUser(0)));
        assert_eq!(changed(|_, _, yama| *yama = 1), Some(Refusal::Yama(1)));
        assert_eq!(changed(|target, _, _| target.seccomp = 1), Some(Refusal::Strict));
        assert_eq!(changed(|target, _, _| target.filters = 2), Some(Refusal::Filtered));
    }

    #[test]
    fn the_capability_opens_what_it_opens() {
        let able = |own: &mut ProcStatus| own.capabilities = SYS_PTRACE;
        assert_eq!(changed(|target, own, _| (target.users, ()) = ([0; 3], able(own))), None);
        let under = |scope| {
            changed(move |_, own, yama| {
                able(own);
                *yama = scope;
            })
        };
        assert_eq!((under(1), under(2), under(3)), (None, None, Some(Refusal::Yama(3))));
    }

    #[test]
    fn this_process_and_none_are_refused() {
        assert_eq!(refusal(std::process::id()), Some(Refusal::Own));
        assert_eq!(refusal(0x7fff_fff0), Some(Refusal::NoProcess));
    }
}
