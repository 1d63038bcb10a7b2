//! The guard of a service: workers that leak are replaced one at a time before a memory limit is met.
//!
//! In: the program's process id, its limits, the states of its workers by their captures. Out: a worker that is asked to end, and lines on
//! stderr. A thread of the supervisor does it. What must not happen here: two workers at once; a worker that ends although nothing says
//! that it keeps memory; an act without a word; a signal that a worker does not answer by finishing its work.

mod command;
pub(super) mod dry;
pub(crate) mod kind;
mod rule;
mod turn;
mod workers;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use nilometer_report::Status;

pub(super) use self::command::guard;
use self::kind::Kind;
use self::rule::LOOK_INTERVAL;
pub(crate) use self::turn::Slow;
use self::turn::{Step, Turn};
use self::workers::Workers;
use super::look::{Judged, Watch};
use crate::messages;
use crate::metrics::evaluate::{Evaluations, Haste};
use crate::supervisor::kernel::Inherited;
use crate::words::guard_service as words;

/// An evaluation may take one part in this many of the time while the limit is near.
const EVALUATION_TIME_DIVISOR: u32 = 4;
/// Before it is near, one part in this many.
const EARLY_EVALUATION_TIME_DIVISOR: u32 = 200;
/// What was said of a limit that is near and a service that nobody makes room in is said again after so long.
const SAID_AGAIN: Duration = Duration::from_mins(10);
/// Between two looks at a worker that is being replaced.
const TURN_INTERVAL: Duration = Duration::from_millis(250);
const STACK_BYTES: usize = 256 << 10;

/// What is to be guarded.
pub(crate) struct Wanted {
    pub(crate) kind: Kind,
    /// A limit of its own, in bytes.
    pub(crate) limit: Option<u64>,
    /// Where workers look whether they are asked to end, if they do.
    pub(crate) leave: PathBuf,
}

/// The program that runs.
pub(crate) struct Running<'a> {
    pub(crate) pid: u32,
    pub(crate) capture: &'a Path,
    /// The captures of all its processes.
    pub(crate) template: PathBuf,
    pub(crate) python: &'a str,
    pub(crate) flags: &'a [String],
    pub(crate) inherited: Inherited,
}

impl Wanted {
    /// Begins to guard. Only after the program was started: it must not have our threads in its fork.
    pub(crate) fn start(&self, running: Running<'_>) -> Option<Guarding> {
        let Running { python, flags, capture, inherited, .. } = running;
        let evaluations = Arc::new(Evaluations::new(python, flags, capture, inherited, Haste::LimitIsNear)?);
        let workers = Workers::new(self.kind, running.pid, running.template, &self.leave);
        let (stop, stopped) = channel();
        let mut guard = Guard {
            watch: Watch::of_service(running.pid, self.limit),
            workers,
            evaluations: Arc::clone(&evaluations),
            longest: Duration::ZERO,
            next_evaluation: Instant::now(),
            next_early_evaluation: Instant::now(),
            statuses: Vec::new(),
            said: None,
            turn: None,
            replaced: 0,
        };
        let work = move || {
            guard.follow(&stopped);
            guard.replaced
        };
        let thread = Builder::new().name("nilometer-guard".to_owned()).stack_size(STACK_BYTES).spawn(work);
        let thread = thread.map_err(|error| messages::warning(words::no_thread(&error))).ok()?;
        Some(Guarding { stop, evaluations, thread })
    }
}

/// A service that is being guarded.
pub(crate) struct Guarding {
    stop: Sender<()>,
    evaluations: Arc<Evaluations>,
    thread: JoinHandle<u32>,
}

impl Guarding {
    /// The program has ended; says how many of its workers were replaced.
    pub(crate) fn end(self) {
        drop(self.stop);
        self.evaluations.end();
        if let Ok(replaced @ 1..) = self.thread.join() {
            messages::to_stderr(&words::replaced_in_all(replaced));
        }
    }
}

struct Guard {
    watch: Watch,
    workers: Workers,
    evaluations: Arc<Evaluations>,
    /// How long the slowest replacement took.
    longest: Duration,
    next_evaluation: Instant,
    next_early_evaluation: Instant,
    /// The states of the workers at the last evaluation: near a limit there may be no memory for another one.
    statuses: Vec<Status>,
    /// When it was last said that nobody can make room.
    said: Option<Instant>,
    /// The worker that is being replaced.
    turn: Option<Turn>,
    replaced: u32,
}

impl Guard {
    fn follow(&mut self, stopped: &Receiver<()>) {
        let wait = |guard: &Self| if guard.turn.is_some() { TURN_INTERVAL } else { LOOK_INTERVAL };
        while stopped.recv_timeout(wait(self)) == Err(RecvTimeoutError::Timeout) {
            if self.turn.is_some() {
                self.go_on();
                continue;
            }
            let Some(judged) = self.watch.epoch_ended(0) else { continue };
            let ahead = rule::ahead(self.longest);
            let is_near = rule::is_near(&judged.judgement, ahead);
            let due = if is_near { self.next_evaluation } else { self.next_early_evaluation };
            if Instant::now() < due || !(is_near || rule::is_half_full(&judged.judgement)) {
                continue;
            }
            let began = Instant::now();
            if let Some(statuses) = self.evaluations.evaluate() {
                self.statuses = statuses;
            }
            let (now, took) = (Instant::now(), began.elapsed());
            self.next_evaluation = now + took * EVALUATION_TIME_DIVISOR;
            self.next_early_evaluation = now + took * EARLY_EVALUATION_TIME_DIVISOR;
            // The program may have ended meanwhile, and its workers with it.
            if stopped.try_recv() == Err(TryRecvError::Disconnected) {
                return;
            }
            if is_near {
                self.act(&judged, ahead);
            }
        }
    }

    /// The limit is near: a worker that leaks is asked to end, or it is said that none is.
    fn act(&mut self, judged: &Judged, ahead: Duration) {
        let state = words::near(judged, rule::growth_in(&judged.judgement, ahead), ahead);
        let workers = self.workers.now();
        let chosen = rule::choose(&self.statuses, &workers);
        let pid = chosen.and_then(|status| status.pid).and_then(|pid| u32::try_from(pid).ok());
        let Some((status, pid)) = chosen.zip(pid) else {
            if self.said.is_none_or(|at| at.elapsed() >= SAID_AGAIN) {
                self.said = Some(Instant::now());
                messages::to_stderr(&words::nobody(&state));
            }
            return;
        };
        // Said first: what is asked may end at once.
        messages::to_stderr(&words::asked(&state, pid, self.workers.kind.noun(), status, rule::kept(status)));
        if self.workers.ask(pid) {
            self.turn = Some(Turn::new(pid, workers));
        } else {
            messages::to_stderr(&words::gone(pid));
        }
    }

    /// A worker was asked: it ends, another one takes its place, and that one answers.
    fn go_on(&mut self) {
        let now = self.workers.now();
        let Some(turn) = &mut self.turn else { return };
        let workers = &self.workers;
        match turn.step(&now, |pid| workers.has_served(pid)) {
            Step::Waits => {}
            Step::Ended => self.workers.ended(turn.pid),
            Step::Slow(what) => messages::to_stderr(&words::slow(turn.pid, what)),
            Step::Done { by, served } => {
                let took = turn.since.elapsed();
                self.longest = self.longest.max(took);
                self.replaced += 1;
                self.watch.made_room();
                let judged = self.watch.epoch_ended(0);
                messages::to_stderr(&words::done(turn.pid, by, took, served, judged.as_ref()));
                (self.turn, self.said) = (None, None);
            }
        }
    }
}
