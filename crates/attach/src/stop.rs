//! A process with all its threads stopped.
//!
//! In: a process id. Out: [`StoppedProcess`]; dropping it resumes all threads, each with the signal that it
//! was about to get. What must not happen here: a thread left stopped, a lost signal, or an endless stop. It
//! is used in a thread of ours that ends right after, because the kernel then detaches anything still held.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use crate::proc_status::ProcStatus;
use crate::ptrace::{self, StopEvent};
use crate::refusal::Refusal;
use crate::words;

/// A process whose threads are all stopped.
pub(crate) struct StoppedProcess {
    /// Each thread, and the signal that it was about to get.
    threads: BTreeMap<pid_t, c_int>,
    since: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Requested,
    Stopped(c_int),
    Gone,
}

impl StoppedProcess {
    /// Stops all threads of the process. A thread that does not stop in time gets no turn on a busy machine,
    /// or waits in the kernel (for a child of `vfork`, for a disk); then all are resumed.
    pub(crate) fn of(pid: u32, limit: Duration) -> Result<Self, Refusal> {
        let mut all: BTreeMap<pid_t, State> = BTreeMap::new();
        let mut since = None;
        let until = Instant::now() + limit;
        // A list that was read while threads ended may lack one, so two lists must have nothing new.
        let mut quiet = 0;
        let mut refused = None;
        while quiet < 2 {
            let news: Vec<pid_t> = threads(pid)?.into_iter().filter(|tid| !all.contains_key(tid)).collect();
            let is_quiet = news.is_empty();
            for tid in news {
                all.insert(tid, ask(pid, tid, &mut refused));
            }
            wait_for(&mut all, &mut since, until, &mut refused);
            quiet = if is_quiet { quiet + 1 } else { 0 };
            if refused.is_some() {
                break;
            }
        }
        let mut stopped = Self { threads: BTreeMap::new(), since: since.unwrap_or_else(Instant::now) };
        for (tid, state) in all {
            if let State::Stopped(signal) = state {
                stopped.threads.insert(tid, signal);
            }
        }
        match refused {
            Some(refusal) => Err(refusal),
            None if stopped.threads.is_empty() => Err(Refusal::Gone),
            None => Ok(stopped),
        }
    }

    /// The thread with this thread pointer: `pthread_self()` in glibc.
    pub(crate) fn thread(&self, itself: u64) -> Option<pid_t> {
        // Nearly always the first.
        self.threads
            .keys()
            .copied()
            .find(|tid| ptrace::registers(*tid).is_ok_and(|registers| registers.fs_base == itself))
    }

    /// Resumes all threads. Gives how long they were stopped, from the first one's stop on.
    pub(crate) fn release(mut self) -> Duration {
        self.let_go();
        self.since.elapsed()
    }

    fn let_go(&mut self) {
        for (tid, signal) in std::mem::take(&mut self.threads) {
            // Fails only for a thread that was killed meanwhile.
            ptrace::detach(tid, signal).unwrap_or_default();
        }
    }
}

impl Drop for StoppedProcess {
    fn drop(&mut self) {
        self.let_go();
    }
}

fn threads(pid: u32) -> Result<Vec<pid_t>, Refusal> {
    let listed = fs::read_dir(format!("/proc/{pid}/task")).map_err(|_gone| Refusal::Gone)?;
    Ok(listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

/// Seizes a thread and tells it to stop.
fn ask(pid: u32, tid: pid_t, refused: &mut Option<Refusal>) -> State {
    match ptrace::seize(tid) {
        Ok(()) => {
            ptrace::interrupt(tid).unwrap_or_default();
            State::Requested
        }
        // A thread that is ending cannot be seized; the kernel reports that in two ways.
        Err(error) => {
            let lives = ProcStatus::of(&format!("{pid}/task/{tid}"))
                .is_some_and(|about| !matches!(about.state, b'Z' | b'X'));
            if error.raw_os_error() == Some(libc::EPERM) && lives && still_refused(tid) {
                *refused = Some(Refusal::Forbidden(error.to_string()));
            }
            State::Gone
        }
    }
}

/// A thread that is about to end has the state of a living one for a moment.
fn still_refused(tid: pid_t) -> bool {
    std::thread::sleep(Duration::from_millis(1));
    let error = match ptrace::seize(tid) {
        // Not held here: the next list contains it again.
        Ok(()) => return false,
        Err(error) => error,
    };
    error.raw_os_error() == Some(libc::EPERM) && fs::metadata(format!("/proc/{tid}/status")).is_ok()
}

fn wait_for(
    all: &mut BTreeMap<pid_t, State>,
    since: &mut Option<Instant>,
    until: Instant,
    refused: &mut Option<Refusal>,
) {
    loop {
        let mut waiting = false;
        for (tid, state) in all.iter_mut().filter(|(_, state)| **state == State::Requested) {
            *state = match ptrace::poll(*tid) {
                StopEvent::Nothing => {
                    waiting = true;
                    State::Requested
                }
                StopEvent::Interrupted => State::Stopped(0),
                StopEvent::Group(_) => {
                    *refused = Some(Refusal::Stopped);
                    State::Stopped(0)
                }
                StopEvent::Signal(signal) => State::Stopped(signal),
                StopEvent::Gone => State::Gone,
            };
            if matches!(state, State::Stopped(_)) {
                since.get_or_insert_with(Instant::now);
            }
        }
        if !waiting {
            return;
        }
        if Instant::now() > until {
            *refused = Some(Refusal::WouldNotStop);
            return;
        }
        ptrace::pause();
    }
}

/// Does work in a thread of its own, which may trace and gets no signals. Afterwards the kernel has detached
/// everything that it traced.
pub(crate) fn as_tracer<Answer: Send>(work: impl FnOnce() -> Answer + Send) -> io::Result<Answer> {
    std::thread::scope(|scope| {
        let tracer =
            std::thread::Builder::new().name("nilometer-attach".to_owned()).spawn_scoped(scope, || {
                ptrace::hurry();
                work()
            })?;
        tracer.join().map_err(|_panic| io::Error::other(words::TRACER_FAILED))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn state(pid: u32) -> u8 {
        ProcStatus::of(&pid.to_string()).unwrap().state
    }

    #[test]
    fn a_process_stands_and_goes_on() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id();
        let (stood, tracer) = as_tracer(|| {
            let stopped = StoppedProcess::of(pid, Duration::from_secs(9)).unwrap();
            let seen = (state(pid), ProcStatus::of(&pid.to_string()).unwrap().tracer);
            stopped.release();
            seen
        })
        .unwrap();
        assert_eq!(stood, b't');
        assert_ne!(tracer, 0);
        assert_eq!(ProcStatus::of(&pid.to_string()).unwrap().tracer, 0);
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_stopped_process_is_refused_and_stays_stopped() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id();
        std::process::Command::new("kill").args(["-STOP", &pid.to_string()]).status().unwrap();
        while state(pid) != b'T' {
            std::thread::yield_now();
        }
        assert_eq!(
            as_tracer(|| StoppedProcess::of(pid, Duration::from_secs(9)).err()).unwrap(),
            Some(Refusal::Stopped)
        );
        // The kernel stops it again on behalf of the original stop; if the process were resumed, the test's
        // time limit would end this.
        while ProcStatus::of(&pid.to_string()).unwrap().tracer != 0 || state(pid) != b'T' {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn none_is_gone() {
        assert_eq!(
            as_tracer(|| StoppedProcess::of(0x7fff_fff0, Duration::ZERO).err()).unwrap(),
            Some(Refusal::Gone)
        );
    }
}
