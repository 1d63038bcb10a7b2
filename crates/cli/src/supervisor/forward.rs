//! Which signals reach the program through us.
//!
//! In: a signal that came to this process. Out: whether the program still has to be told.
//!
//! The terminal sends Ctrl-C to the whole process group, the program included; a second one from us would be a second
//! Ctrl-C, and many programs end at once on that. A signal that a process sent to our pid was meant for the program:
//! whoever sent it took us for it. Unless the program itself, or a child of its, sent it: that was meant for its group.

use libc::c_int;
use nilometer_host::process::Process;

use super::kernel::Came;
use super::witness::Witness;

/// Signals that are the program's business: the default action of each would end it.
pub(crate) const FORWARDED: [c_int; 10] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGTSTP,
];
/// Signals that are ours: the program's changes, job control, the terminal's size.
const OURS: [c_int; 3] = [libc::SIGCHLD, libc::SIGCONT, libc::SIGWINCH];

/// How far up the search for a sender's ancestors goes.
const MAX_ANCESTORS: usize = 64;

/// All signals the supervisor takes.
pub(crate) fn watched() -> Vec<c_int> {
    FORWARDED.into_iter().chain(OURS).collect()
}

/// Whether this signal has to be sent on to the program.
pub(crate) fn is_due(came: Came, program: u32, witness: Option<&Witness>) -> bool {
    if !FORWARDED.contains(&came.signal) {
        return false;
    }
    let whole_group = witness.is_some_and(|witness| witness.also_got(came.signal));
    // No sender: the kernel, for the terminal. Sender 0: a process that our pid namespace does not show.
    came.sender.is_some_and(|sender| !whole_group && !descends(sender, program))
}

/// Whether `pid` is `ancestor` or below it.
fn descends(pid: u32, ancestor: u32) -> bool {
    let mut buffer = Vec::new();
    let mut pid = pid;
    for _ in 0..MAX_ANCESTORS {
        if pid == ancestor {
            return true;
        }
        let parent = Process::open(pid).and_then(|process| process.stat(&mut buffer)).map(|stat| stat.parent);
        match parent.and_then(|parent| u32::try_from(parent).ok()) {
            Some(parent) if parent > 1 => pid = parent,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminals_signal_has_reached_the_program_already() {
        assert!(!is_due(Came { signal: libc::SIGINT, sender: None }, 1, None));
    }

    #[test]
    fn a_stranger_means_the_program() {
        let stranger = Came { signal: libc::SIGTERM, sender: Some(std::os::unix::process::parent_id()) };
        assert!(is_due(stranger, std::process::id(), None));
        assert!(!is_due(Came { signal: libc::SIGCONT, ..stranger }, std::process::id(), None));
    }

    #[test]
    fn the_program_itself_does_not_mean_itself() {
        let me = std::process::id();
        assert!(!is_due(Came { signal: libc::SIGTERM, sender: Some(me) }, me, None));
        // Whoever runs below the program belongs to it.
        assert!(!is_due(
            Came { signal: libc::SIGTERM, sender: Some(me) },
            std::os::unix::process::parent_id(),
            None
        ));
    }
}
