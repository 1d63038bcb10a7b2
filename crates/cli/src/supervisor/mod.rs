//! The supervisor: starts the program, reads what the machine says about it, passes signals on, and sees how it ends.
//!
//! In: a [`Plan`]. Out: an [`Outcome`], and a capture. What must not happen here: anything the program could feel beyond
//! what `docs/design/supervisor.md` admits; the loop sleeps between readings and takes no descriptor, no process group
//! and no terminal setting from the program.

mod ending;
mod facts;
mod forward;
pub(crate) mod kernel;
mod launch;
mod readings;
mod spawn;
mod witness;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use libc::{c_int, pid_t};
use nilometer_capture::{Capture, ProcessReading, Record};
use nilometer_host::process::Process;
use nilometer_host::rlimit::Rlimits;

use self::kernel::{Came, Change, Signals};
use self::launch::{Launched, Recording, launch};
use self::witness::Witness;
use crate::live::Live;
use crate::place::Templates;
use crate::say::Failure;

/// Between two readings.
const READ_EVERY: Duration = Duration::from_millis(250);
/// Between two looks when nothing is recorded.
const IDLE: Duration = Duration::from_hours(1);

/// What is to be run, and how.
pub(crate) struct Plan {
    pub(crate) python: String,
    pub(crate) flags: Vec<String>,
    /// The script and its arguments, or `-m`, `-c` and theirs.
    pub(crate) program: Vec<OsString>,
    /// The folder of the Python package, if the program shall be recorded from inside too.
    pub(crate) package: Option<PathBuf>,
    pub(crate) templates: Templates,
    pub(crate) overwrite: bool,
    pub(crate) live: bool,
}

/// What became of it.
pub(crate) struct Outcome {
    pub(crate) change: Change,
    /// The capture, if there is one.
    pub(crate) capture: Option<PathBuf>,
}

/// Runs the program to its end.
pub(crate) fn supervise(plan: &Plan) -> Result<Outcome, Failure> {
    let watched = forward::watched();
    let failed = |error: std::io::Error| Failure::new(format!("signals cannot be watched ({error})"));
    let inherited = kernel::block(&watched);
    let signals = Signals::open(&watched).map_err(failed)?;
    let limits = Rlimits::of(0);
    let witness = Witness::start();
    let launched = launch(plan, &inherited, |writer, pid| facts::write(plan, pid, limits, writer))?;
    let live = launched.recording.as_ref().filter(|_| plan.live).map(|recording| Live::new(&recording.path));
    Watch::new(launched, live, signals, witness, limits).follow()
}

struct Watch {
    program: pid_t,
    launched: Launched,
    live: Option<Live>,
    signals: Signals,
    witness: Option<Witness>,
    limits: Rlimits,
    /// The terminal, or somebody, asked for a stop since the program last went on.
    stop_asked: bool,
}

impl Watch {
    fn new(
        launched: Launched,
        live: Option<Live>,
        signals: Signals,
        witness: Option<Witness>,
        limits: Rlimits,
    ) -> Self {
        Self { program: launched.pid, launched, live, signals, witness, limits, stop_asked: false }
    }

    fn follow(mut self) -> Result<Outcome, Failure> {
        let every = if self.launched.recording.is_some() { READ_EVERY } else { IDLE };
        let mut next = Instant::now() + every;
        loop {
            while let Some(came) = self.signals.next() {
                self.take_signal(came);
            }
            while let Some((change, peak)) = self.changed()? {
                match change {
                    Change::Exited(_) | Change::Killed(_) => return Ok(self.end(change, peak)),
                    Change::Stopped(signal) => self.stop_too(signal),
                    Change::Continued => self.stop_asked = false,
                }
            }
            let now = Instant::now();
            if now >= next {
                self.tick();
                // After a stop or a slow moment the missed readings are not made up for.
                next = Instant::now().max(next + every).min(now + every);
            }
            self.signals.wait(next.saturating_duration_since(Instant::now()));
        }
    }

    fn changed(&mut self) -> Result<Option<(Change, Option<u64>)>, Failure> {
        kernel::wait_for(self.program).map_err(|error| {
            if let Some(live) = &mut self.live {
                live.end();
            }
            Failure::new(format!("the program's end cannot be seen ({error})"))
        })
    }

    fn tick(&mut self) {
        if let Some(recording) = &self.launched.recording {
            self.launched.readings.take(&recording.writer);
        }
        if let Some(live) = &mut self.live {
            live.tick();
        }
    }

    fn take_signal(&mut self, came: Came) {
        match came.signal {
            libc::SIGWINCH => {
                if let Some(live) = &mut self.live {
                    live.resized();
                }
            }
            libc::SIGCONT => {
                self.stop_asked = false;
                // `fg` wakes the whole group; who wakes only us means the program.
                if came.sender.is_some() && self.is_stopped() {
                    kernel::send(self.program, libc::SIGCONT);
                }
            }
            libc::SIGTSTP => {
                self.stop_asked = true;
                if let Some(live) = &mut self.live {
                    live.suspend();
                }
            }
            _ => {}
        }
        if forward::is_due(came, self.program.unsigned_abs(), self.witness.as_ref()) {
            kernel::send(self.program, came.signal);
        }
    }

    /// The shell can give its prompt only if we stop when the program does.
    ///
    /// Not for a lone `kill -STOP` of the program's pid: whoever did that will wake only that pid again, and we would
    /// sleep for ever.
    fn stop_too(&mut self, signal: c_int) {
        if signal == libc::SIGSTOP && !self.stop_asked {
            return;
        }
        if let Some(live) = &mut self.live {
            live.suspend();
        }
        kernel::suffer(signal);
    }

    fn is_stopped(&self) -> bool {
        let stat =
            Process::open(self.program.unsigned_abs()).and_then(|process| process.stat(&mut Vec::new()));
        stat.is_some_and(|stat| stat.state == b'T')
    }

    fn end(mut self, change: Change, peak: Option<u64>) -> Outcome {
        if let Some(live) = &mut self.live {
            live.end();
        }
        let Some(recording) = self.launched.recording.take() else {
            return Outcome { change, capture: None };
        };
        let after = self.launched.readings.surroundings(true);
        // The kernel's last word on the peak mixes in the children the program waited for.
        if !self.launched.readings.had_descendants() {
            let pid = u64::try_from(self.program).ok();
            let last = ProcessReading { pid, rss_peak: peak, ..ProcessReading::default() };
            recording.writer.append(&Record::Process(last));
        }
        recording.writer.append(&Record::Surroundings(after.clone()));
        let (vm_peak, vm_data) = self.launched.readings.peaks();
        let evidence = ending::Evidence {
            before: self.launched.before,
            after,
            limits: self.limits,
            vm_peak,
            vm_data,
            exception: exception(&recording, self.limits),
        };
        recording.writer.append(&Record::Exit(ending::exit(change, &evidence)));
        Outcome { change, capture: Some(recording.path) }
    }
}

/// The exception that ended the program, if that matters and the program said it.
fn exception(recording: &Recording, limits: Rlimits) -> Option<String> {
    if limits == Rlimits::default() {
        return None;
    }
    let capture = Capture::open(&recording.path).ok()?;
    capture.records.into_iter().rev().find_map(|stamped| match stamped.record {
        Record::Fact { key, value } if key == "exit.exception" => Some(value),
        _ => None,
    })
}
