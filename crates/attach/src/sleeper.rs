//! Whether a sleeping thread may be woken: who made the system call that it sleeps in.
//!
//! Python expects that a system call ends with EINTR: it checks for signals and waits again (PEP 475). Other
//! libraries may treat that as an error. So the call must be one that Python repeats, and the first caller
//! outside the C library must be Python or one of its modules. In: the call's number, the words on top of the
//! stack, and the bytes before an address. Out: [`Sleeper`]. Pure.

use crate::maps::{self, Mapping};
use crate::words;

/// Who made the system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sleeper {
    /// Python, in a call that it repeats.
    Python,
    /// Other code, by the name of its file.
    Other(String),
}

/// Calls that Python repeats after an interruption. The last one is how the kernel resumes a sleep or poll
/// that was stopped before, for example when the call was posted.
const REPEATED: [i64; 16] = [
    libc::SYS_read,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_nanosleep,
    libc::SYS_accept,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_wait4,
    libc::SYS_futex,
    libc::SYS_clock_nanosleep,
    libc::SYS_epoll_wait,
    libc::SYS_waitid,
    libc::SYS_pselect6,
    libc::SYS_accept4,
    libc::SYS_epoll_pwait,
    libc::SYS_restart_syscall,
];

/// Longest encoding of a call through a register or memory.
const MAX_CALL_BYTES: usize = 7;

/// Who sleeps. `before` gives the seven bytes before an address.
pub(crate) fn sleeper(
    call: i64,
    stack: &[u64],
    maps: &[Mapping],
    before: impl Fn(u64) -> Option<[u8; MAX_CALL_BYTES]>,
) -> Sleeper {
    if !REPEATED.contains(&call) {
        return Sleeper::Other(format!("system call {call}"));
    }
    for address in stack {
        let Some(mapping) = maps::of(maps, *address).filter(|mapping| mapping.executable) else { continue };
        let file = mapping.file();
        if is_libc(file) || !before(*address).is_some_and(ends_in_call) {
            continue;
        }
        return if is_python(mapping) { Sleeper::Python } else { Sleeper::Other(file.to_owned()) };
    }
    Sleeper::Other(words::UNKNOWN_CODE.to_owned())
}

fn is_libc(file: &str) -> bool {
    ["libc.so", "libc-2.", "libpthread"].iter().any(|name| file.starts_with(name))
}

/// The interpreter, its library, or a module of the standard library.
fn is_python(mapping: &Mapping) -> bool {
    let file = mapping.file();
    file.starts_with("python") || file.starts_with("libpython") || mapping.name.contains("/lib-dynload/")
}

/// Whether the bytes before a return address end in a call: direct, or through a register or memory.
fn ends_in_call(bytes: [u8; MAX_CALL_BYTES]) -> bool {
    let by_register = |length: usize| {
        bytes.get(MAX_CALL_BYTES - length..).is_some_and(|tail| tail[0] == 0xff && tail[1] >> 3 & 7 == 2)
    };
    bytes[2] == 0xe8 || by_register(2) || by_register(3) || by_register(6) || by_register(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "1000-2000 r-xp 00001000 08:01 1 /lib/libc.so.6\n2000-3000 r-xp 00001000 08:01 2 /lib/libpython3.11.so.1.0\n\
        3000-4000 r-xp 00001000 08:01 3 /lib/libssl.so.3\n4000-5000 rw-p 00000000 00:00 0 [stack]\n\
        5000-6000 r-xp 00001000 08:01 3 /usr/lib/python3.11/lib-dynload/select.so\n";

    fn who(call: i64, stack: &[u64]) -> Sleeper {
        // Addresses that end in 8 have no call before them.
        let before = |at: u64| Some(if at % 16 == 8 { [0x90; 7] } else { [0x90, 0x90, 0xe8, 0, 0, 0, 0] });
        sleeper(call, stack, &maps::parse(MAPS), before)
    }

    #[test]
    fn the_first_caller_outside_of_libc_decides() {
        let sleep = libc::SYS_clock_nanosleep;
        assert_eq!(who(sleep, &[7, 0x1010, 0x4010, 0x2010, 0x3010]), Sleeper::Python);
        assert_eq!(who(sleep, &[0x1010, 0x5010]), Sleeper::Python);
        assert_eq!(who(libc::SYS_restart_syscall, &[0x1010, 0x5010]), Sleeper::Python);
        assert_eq!(who(sleep, &[0x1010, 0x3010, 0x2010]), Sleeper::Other("libssl.so.3".to_owned()));
        // A stack word that is no return address is left over from another call.
        assert_eq!(who(sleep, &[0x1010, 0x3018, 0x2010]), Sleeper::Python);
        assert!(matches!(who(sleep, &[0x1010]), Sleeper::Other(_)));
    }

    #[test]
    fn calls_that_python_does_not_repeat_are_left_alone() {
        assert!(matches!(who(libc::SYS_ioctl, &[0x2010]), Sleeper::Other(_)));
    }

    #[test]
    fn calls_are_told_by_their_bytes() {
        assert!(ends_in_call([0, 0, 0xe8, 1, 2, 3, 4]));
        assert!(ends_in_call([0, 0, 0, 0, 0, 0xff, 0xd0]));
        assert!(ends_in_call([0, 0xff, 0x15, 1, 2, 3, 4]));
        assert!(!ends_in_call([0x90; 7]));
        assert!(!ends_in_call([0, 0, 0, 0, 0, 0xff, 0xe0]));
    }
}
