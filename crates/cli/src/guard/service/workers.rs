//! The workers of a service: who they are, how one is asked to end, and who took its place.
//!
//! In: the program's process id. Out: process ids, and a signal or a file. What must not happen here: a signal to a process that is no child
//! of the program, or a signal that ends a request or a task.

use std::path::{Path, PathBuf};

use nilometer_capture::{Capture, CycleUnit};
use nilometer_host::process::Process;
use nilometer_host::tree;

use super::kind::Kind;
use crate::capture_path;
use crate::supervisor::kernel;

/// The workers of one program.
pub(super) struct Workers {
    pub(super) kind: Kind,
    program: u32,
    /// The captures of the program's processes.
    template: PathBuf,
    /// Where our hooks in a worker look for a file of its number.
    leave: PathBuf,
    buffer: Vec<u8>,
}

impl Workers {
    pub(super) fn new(kind: Kind, program: u32, template: PathBuf, leave: &Path) -> Self {
        Self { kind, program, template, leave: leave.to_owned(), buffer: Vec::new() }
    }

    /// The children of the program that run.
    pub(super) fn now(&mut self) -> Vec<u32> {
        let below = tree::descendants(self.program, &mut self.buffer);
        below.into_iter().filter(|pid| self.is_child(*pid)).collect()
    }

    fn is_child(&mut self, pid: u32) -> bool {
        let stat = Process::open(pid).and_then(|process| process.stat(&mut self.buffer));
        stat.is_some_and(|stat| stat.parent == u64::from(self.program) && !matches!(stat.state, b'Z' | b'X'))
    }

    /// Asks a worker to finish what it is at and to end; false where it is not there any more.
    pub(super) fn ask(&mut self, pid: u32) -> bool {
        if !self.is_child(pid) {
            return false;
        }
        // Our hooks in the worker look for it: one of uvicorn would else close connections whose request is under way to it.
        let is_said = std::fs::write(self.request(pid), b"").is_ok();
        match self.kind {
            Kind::Gunicorn | Kind::Uvicorn => kernel::send(pid.cast_signed(), libc::SIGTERM),
            Kind::Celery => is_said,
        }
    }

    /// The worker has ended: another one may get its number.
    pub(super) fn ended(&self, pid: u32) {
        std::fs::remove_file(self.request(pid)).unwrap_or_default();
    }

    fn request(&self, pid: u32) -> PathBuf {
        self.leave.join(pid.to_string())
    }

    /// Whether it has served a request or a task.
    pub(super) fn has_served(&self, pid: u32) -> bool {
        let path = capture_path::with_pid(&self.template, pid);
        let units = [CycleUnit::Served, CycleUnit::Request, CycleUnit::Task];
        Capture::open_streamed(&path)
            .is_ok_and(|capture| units.into_iter().any(|unit| capture.board.cycles(unit) > 0))
    }
}
