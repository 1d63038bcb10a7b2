//! The evaluation of the capture that is being written, in a process of its own: `nilometer status CAPTURE --format json`.
//!
//! In: a capture. Out: states, or none. What must not happen here: memory of an evaluation in the supervisor, which stays small for
//! weeks; an evaluation that costs the program its memory (its limit is what is left, and the kernel takes it first), its
//! processor (it is the most modest of all), or that outlives us.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use nilometer_host::cgroup::Cgroup;
use nilometer_host::memory::Machine;
use nilometer_report::{Status, statuses};

use crate::env;
use crate::machine::surroundings;
use crate::supervisor::kernel::{self, Inherited, Modesty};

/// What an evaluation prints; sixteen processes with five findings have a tenth of it.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
const MAX_BYTES: u64 = 1 << 30;
const MAX_CPU_SECONDS: u64 = 300;
/// The priority of what is served last.
const LAST: i32 = 19;

/// How soon a state is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// For figures: with what the program leaves of the processors.
    None,
    /// A limit is near: at the program's own priority, and without workers that have ended.
    LimitIsNear,
}

impl Haste {
    /// What an evaluation may take of the memory that is left under the limit; none where that is too little to be worth it.
    ///
    /// Python and an evaluation of a small capture take 7 MiB of data. Figures can wait until there is room. A guard's cannot: most of what
    /// is left is theirs, and where that was too much the kernel ends the evaluation and no worker.
    fn share(self, left: u64) -> Option<u64> {
        let (share, least) = match self {
            Self::None => (left / 2, 64 << 20),
            Self::LimitIsNear => (left / 4 * 3, 12 << 20),
        };
        let share = share.min(MAX_BYTES);
        (share >= least).then_some(share)
    }
}

/// How evaluations are made.
pub(crate) struct Evaluations {
    python: String,
    flags: Vec<String>,
    entry: PathBuf,
    capture: PathBuf,
    inherited: Inherited,
    haste: Haste,
    running: Mutex<Option<Child>>,
}

impl Evaluations {
    /// Of this capture; none where the Python package is not known.
    pub(crate) fn new(
        python: &str,
        flags: &[String],
        capture: &Path,
        inherited: Inherited,
        haste: Haste,
    ) -> Option<Self> {
        Some(Self {
            python: python.to_owned(),
            flags: flags.to_vec(),
            entry: PathBuf::from(env::get(env::PACKAGE)?).join("__main__.py"),
            capture: capture.to_owned(),
            inherited,
            haste,
            running: Mutex::new(None),
        })
    }

    /// The states now; none if the evaluation failed.
    pub(crate) fn evaluate(&self) -> Option<Vec<Status>> {
        let most = self.haste.share(left())?;
        let mut command = Command::new(&self.python);
        command.args(&self.flags).arg(&self.entry).args(["status", "--format", "json"]).arg(&self.capture);
        let is_near = self.haste == Haste::LimitIsNear;
        command.args(is_near.then_some("--running-only"));
        let nice = if is_near { 0 } else { LAST };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // What is sent to the program's group is not for it.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        kernel::start_clean(&mut command, self.inherited);
        kernel::be_modest(&mut command, Modesty { bytes: most, cpu_seconds: MAX_CPU_SECONDS, nice });
        let mut child = command.spawn().ok()?;
        let answer = child.stdout.take();
        *self.running() = Some(child);
        let mut bytes = Vec::new();
        let read = answer.map(|answer| answer.take(MAX_ANSWER_BYTES).read_to_end(&mut bytes));
        let ended = self.running().take().and_then(|mut child| child.wait().ok());
        let is_well = ended.is_some_and(|status| status.success()) && read.is_some_and(|read| read.is_ok());
        statuses(&bytes).filter(|statuses| is_well && !statuses.is_empty())
    }

    /// Ends the evaluation that runs, if one does.
    pub(crate) fn end(&self) {
        if let Some(child) = self.running().as_mut() {
            // It may have ended by itself.
            child.kill().unwrap_or_default();
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is left under the limits. We are in the program's group, or in one above it.
fn left() -> u64 {
    let mut buffer = Vec::new();
    let now = surroundings(&Machine::open(), Cgroup::of(std::process::id()).as_mut(), true, &mut buffer);
    let used = now.cgroup_current.unwrap_or(0).saturating_sub(now.cgroup_file.unwrap_or(0));
    let group = now.cgroup_limit.map(|limit| limit.saturating_sub(used));
    [group, now.ram_available].into_iter().flatten().min().unwrap_or(MAX_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_answered_with_the_last_memory_and_figures_are_not() {
        let share = |haste: Haste, left_mib: u64| haste.share(left_mib << 20).map(|share| share >> 20);
        assert_eq!((share(Haste::None, 127), share(Haste::None, 128)), (None, Some(64)));
        assert_eq!((share(Haste::LimitIsNear, 15), share(Haste::LimitIsNear, 16)), (None, Some(12)));
        assert_eq!(
            (share(Haste::None, 1 << 20), share(Haste::LimitIsNear, 1 << 20)),
            (Some(1024), Some(1024))
        );
    }
}
