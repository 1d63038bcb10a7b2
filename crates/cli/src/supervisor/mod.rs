//! The supervisor: starts the program, reads what the machine says about it, passes signals on, and sees how it ends.
//!
//! In: a [`Plan`]. Out: an [`Outcome`], and a capture. What must not happen here: anything the program could feel beyond
//! what `docs/design/supervisor.md` admits; the loop sleeps between readings and takes no descriptor, no process group
//! and no terminal setting from the program.

mod children;
mod elf;
mod ending;
mod environment;
pub(crate) mod facts;
mod forward;
mod gpus;
pub(crate) mod keep;
pub(crate) mod kernel;
mod launch;
mod private;
pub(crate) mod readings;
pub(crate) mod recorder;
mod spawn;
mod witness;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use libc::{c_int, pid_t};
use nilometer_capture::{Capture, ProcessReading, Record, Writer};
use nilometer_host::process::Process;
use nilometer_host::rlimit::Rlimits;

pub(crate) use self::children::Child;
use self::children::Family;
use self::environment::Leads;
use self::keep::{Keep, Keeper};
use self::kernel::{Came, Change, Signals};
use self::launch::{Launched, launch};
use self::recorder::Recorder;
pub(crate) use self::recorder::Wanted;
use self::witness::Witness;
use crate::capture_path::{self, Templates};
use crate::events::Events;
use crate::guard::service;
use crate::live::Live;
use crate::messages::Failure;
use crate::metrics::{Metrics, Prepared};
use crate::words::system;

/// Between two readings.
const READING_INTERVAL: Duration = Duration::from_millis(250);
/// The same of children that have just begun: a loader of a fast training may live for a few seconds only.
const YOUNG_READING_INTERVAL: Duration = Duration::from_millis(100);
/// Between two looks when nothing is recorded.
const IDLE_INTERVAL: Duration = Duration::from_hours(1);

/// More than any step in which a file system counts time.
const CLOCK_GRANULARITY: Duration = Duration::from_secs(2);

/// What is to be run, and how.
pub(crate) struct Plan {
    pub(crate) python: String,
    pub(crate) flags: Vec<String>,
    /// The script and its arguments, or `-m`, `-c` and theirs.
    pub(crate) program: Vec<OsString>,
    /// The folder of the Python package, if it is known.
    pub(crate) package: Option<PathBuf>,
    /// Python is told not to listen to its environment, so our boot cannot run in it.
    pub(crate) deaf: bool,
    /// How the recorder is to work, if it is wanted.
    pub(crate) recorder: Option<Wanted>,
    /// How long the program may be held up by a look at its heap; none by itself if absent.
    pub(crate) pause: Option<Duration>,
    /// The unit that growth is to be told by, if it was asked for.
    pub(crate) cycle: Option<String>,
    pub(crate) children: Recorded,
    pub(crate) templates: Templates,
    pub(crate) overwrite: bool,
    /// The folder for an event file, if one is wanted.
    pub(crate) events: Option<PathBuf>,
    pub(crate) live: bool,
    /// What the guard inside the program is to know, if there is to be one.
    pub(crate) guard: Option<String>,
    /// How its workers are to be guarded, if it is a service.
    pub(crate) service: Option<service::Wanted>,
    /// Where figures are to go while it runs.
    pub(crate) metrics: Option<Prepared>,
    /// How large captures may become.
    pub(crate) keep: Keep,
    /// Packages that are the user's own although they are installed.
    pub(crate) own: Vec<String>,
}

/// Which children get captures of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recorded {
    None,
    /// Those that Python forks, once they are old enough; what says nothing new is removed at the end.
    Forked,
    /// All that are Python; the environment stays as it was made.
    All,
}

/// What became of it.
pub(crate) struct Outcome {
    pub(crate) change: Change,
    /// The capture, if there is one.
    pub(crate) capture: Option<PathBuf>,
    /// Children with captures of their own.
    pub(crate) children: Vec<Child>,
    /// The event file, to which its end is to be added.
    pub(crate) events: Option<Events>,
}

/// Runs the program to its end.
pub(crate) fn supervise(plan: &Plan) -> Result<Outcome, Failure> {
    let watched = forward::watched();
    let inherited = kernel::block(&watched);
    let signals = Signals::open(&watched).map_err(|error| system::cannot_watch_signals(&error))?;
    let limits = Rlimits::of(0);
    let witness = Witness::start();
    let at = SystemTime::now();
    let recorder = Recorder::prepare(plan.recorder, plan.python.as_ref(), plan.package.as_deref());
    let run = run_number();
    let leads = Leads {
        package: plan
            .package
            .as_deref()
            .filter(|package| !plan.deaf && environment::can_be_searched(package)),
        recorder: recorder.preload(),
        children: (plan.children == Recorded::All).then_some(run),
        // The recorder is what wakes them.
        forks: (plan.children == Recorded::Forked && recorder.preload().is_some()).then_some(run),
        guard: plan.guard.as_deref(),
        own: &plan.own,
    };
    let tell = |writer: &Writer, pid| {
        let most_ns = plan.pause.map(|pause| u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX - 1));
        writer.board().limit_pause(most_ns);
        if let Some(wanted) = &plan.recorder {
            writer.board().allow_overhead(wanted.overhead);
        }
        facts::write(plan, &leads, &recorder, pid, limits, writer);
    };
    let launched = launch(plan, &leads, &inherited, tell)?;
    let live = launched.recording.as_ref().filter(|_| plan.live).map(|recording| Live::new(&recording.path));
    let events = launched.recording.as_ref().zip(plan.events.clone());
    let events = events.map(|(recording, folder)| Events::new(&recording.path, folder));
    let metrics = launched.recording.as_ref().zip(plan.metrics.as_ref());
    let metrics =
        metrics.and_then(|(recording, to)| to.start(&recording.path, &plan.python, &plan.flags, inherited));
    let started = Started { witness, limits, recorder_is_on: leads.recorder.is_some(), run: leads.run(), at };
    let keeper = launched.recording.as_ref().map(|recording| {
        let template = started.run.map(|_| (capture_path::telling_apart(recording.template.clone()), at));
        Keeper::new(plan.keep, &recording.path, template)
    });
    let program = launched.pid;
    let guarding = launched.recording.as_ref().zip(plan.service.as_ref());
    let guarding = guarding.and_then(|(recording, wanted)| {
        wanted.start(service::Running {
            pid: program.unsigned_abs(),
            capture: &recording.path,
            template: capture_path::telling_apart(recording.template.clone()),
            python: &plan.python,
            flags: &plan.flags,
            inherited,
        })
    });
    let watch = Watch { program, launched, live, events, keeper, signals, started, stop_asked: false };
    let outcome = watch.follow();
    metrics.map(Metrics::end).unwrap_or_default();
    guarding.map(service::Guarding::end).unwrap_or_default();
    outcome
}

/// A number that no other run has: by it the captures of children are known. No file of this run is older than it, also
/// where a file system counts in coarse steps: so a child can tell another run's capture that has the name of its own.
fn run_number() -> u64 {
    let began =
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(CLOCK_GRANULARITY);
    u64::try_from(began.as_nanos()).unwrap_or_default()
}

struct Watch {
    program: pid_t,
    launched: Launched,
    live: Option<Live>,
    events: Option<Events>,
    keeper: Option<Keeper>,
    signals: Signals,
    started: Started,
    /// The terminal, or somebody, asked for a stop since the program last went on.
    stop_asked: bool,
}

/// How things stood when the program was started.
struct Started {
    witness: Option<Witness>,
    limits: Rlimits,
    recorder_is_on: bool,
    /// The number of the run, if any children are recorded too.
    run: Option<u64>,
    at: SystemTime,
}

impl Watch {
    fn follow(mut self) -> Result<Outcome, Failure> {
        let every = if self.launched.recording.is_some() { READING_INTERVAL } else { IDLE_INTERVAL };
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
            self.read_young();
            let wait = next.saturating_duration_since(Instant::now());
            let has_young = self.launched.recording.is_some() && self.launched.readings.has_young();
            self.signals.wait(if has_young { wait.min(YOUNG_READING_INTERVAL) } else { wait });
        }
    }

    fn changed(&mut self) -> Result<Option<(Change, Option<u64>)>, Failure> {
        kernel::wait_for(self.program).map_err(|error| {
            if let Some(live) = &mut self.live {
                live.end();
            }
            system::cannot_wait(&error)
        })
    }

    fn read_young(&mut self) {
        if let Some(recording) = &self.launched.recording {
            self.launched.readings.take_young(&recording.writer, YOUNG_READING_INTERVAL);
        }
    }

    fn tick(&mut self) {
        if let Some(recording) = &self.launched.recording {
            self.launched.readings.take(&recording.writer);
            if let Some(keeper) = &mut self.keeper {
                keeper.tick(recording.writer.board(), self.launched.readings.descendants());
            }
        }
        if let Some(live) = &mut self.live {
            live.tick();
        }
        if let Some(events) = &mut self.events {
            events.tick();
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
        if forward::is_due(came, self.program.unsigned_abs(), self.started.witness.as_ref()) {
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
        if let Some(keeper) = self.keeper.take() {
            keeper.end();
        }
        let Some(recording) = self.launched.recording.take() else {
            return Outcome { change, capture: None, children: Vec::new(), events: None };
        };
        let after = self.launched.readings.surroundings(true);
        // The kernel's last word on the peak mixes in the children the program waited for.
        if !self.launched.readings.had_descendants() {
            let pid = u64::try_from(self.program).ok();
            let last = ProcessReading { pid, rss_peak: peak, ..ProcessReading::default() };
            recording.writer.append(&Record::Process(Box::new(last)));
        }
        recording.writer.append(&Record::Surroundings(after.clone()));
        let (vm_peak, vm_data) = self.launched.readings.peaks();
        let limited = self.started.limits != Rlimits::default();
        let wanted = limited || self.started.recorder_is_on || self.started.run.is_some();
        let capture = if wanted { Capture::open_streamed(&recording.path).ok() } else { None };
        if let Some(capture) = capture.as_ref().filter(|_| self.started.recorder_is_on) {
            recorder::tell_whether_on(capture, &recording.writer);
        }
        let evidence = ending::Evidence {
            before: self.launched.before,
            after,
            limits: self.started.limits,
            vm_peak,
            vm_data,
            exception: capture.as_ref().filter(|_| limited).and_then(exception),
        };
        recording.writer.append(&Record::Exit(ending::exit(change, &evidence)));
        let children = capture.as_ref().zip(self.started.run).map(|(program, run)| {
            children::complete(&Family {
                program,
                program_pid: self.program.unsigned_abs(),
                template: &capture_path::telling_apart(recording.template.clone()),
                run,
                started: self.started.at,
                writer: &recording.writer,
                after: &evidence.after,
            })
        });
        let (capture, children) = (Some(recording.path), children.unwrap_or_default());
        Outcome { change, capture, children, events: self.events }
    }
}

/// The exception that ended the program, if the program said it.
fn exception(capture: &Capture) -> Option<String> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == "exit.exception" => Some(value.clone()),
        _ => None,
    })
}
