//! The processes of experiments, from start to end: whatever happens to us, none is left behind.
//!
//! In: processes, each at the head of a group of its own. Out: how they ended. A run whose time is over is asked to end
//! as Ctrl-C asks, then told, then killed; so are all when we are interrupted.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use libc::c_int;

use crate::messages::Failure;
use crate::supervisor::kernel::{self, Inherited, Signals};
use crate::words::prove::cannot_wait;
use crate::words::system::cannot_watch_signals;

/// Signals that end us.
const ENDS: [c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];
/// Between two looks.
const LOOK: Duration = Duration::from_millis(200);
/// From being asked to being told, and from that to being killed.
const GRACE_PERIODS: [(c_int, Duration); 3] = [
    (libc::SIGINT, Duration::from_secs(10)),
    (libc::SIGTERM, Duration::from_secs(5)),
    (libc::SIGKILL, Duration::from_secs(5)),
];

/// Watches for signals to us.
pub(crate) struct Watch {
    signals: Signals,
    inherited: Inherited,
    interrupted: Option<c_int>,
}

/// A run that has not ended.
pub(crate) struct Running {
    child: Child,
    began: Instant,
    /// When it gets the next one of [`GRACE_PERIODS`].
    next: Instant,
    asked: usize,
    ended: Option<Ended>,
}

/// A run that has.
#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) took: Duration,
    /// It was asked to end.
    pub(crate) cut: bool,
}

impl Running {
    pub(crate) fn new(child: Child, until: Instant) -> Self {
        Self { child, began: Instant::now(), next: until, asked: 0, ended: None }
    }

    fn look(&mut self) -> std::io::Result<()> {
        if self.ended.is_some() {
            return Ok(());
        }
        if let Some(status) = self.child.try_wait()? {
            self.ended = Some(Ended { status, took: self.began.elapsed(), cut: self.asked > 0 });
            // What is left of the program's own processes goes with it.
            self.send(libc::SIGKILL);
        } else if Instant::now() >= self.next {
            self.ask();
        }
        Ok(())
    }

    fn ask(&mut self) {
        let (signal, wait) = GRACE_PERIODS.get(self.asked).copied().unwrap_or((libc::SIGKILL, LOOK));
        self.asked += 1;
        self.next = Instant::now() + wait;
        self.send(signal);
    }

    fn send(&self, signal: c_int) {
        if let Ok(pid) = c_int::try_from(self.child.id()) {
            kernel::send(-pid, signal);
        }
    }
}

impl Watch {
    pub(crate) fn start() -> Result<Self, Failure> {
        let mut watched = ENDS.to_vec();
        watched.push(libc::SIGCHLD);
        let inherited = kernel::block(&watched);
        let signals = Signals::open(&watched).map_err(|error| cannot_watch_signals(&error))?;
        Ok(Self { signals, inherited, interrupted: None })
    }

    /// Starts a process at the head of a group of its own, which ends if we are killed.
    pub(crate) fn spawn(&self, command: &mut Command) -> std::io::Result<Child> {
        command.process_group(0);
        kernel::start_clean(command, self.inherited);
        command.spawn()
    }

    /// The signal that asked us to end, if one did.
    pub(crate) fn interrupted(&self) -> Option<c_int> {
        self.interrupted
    }

    /// Follows all of them to their ends; `tick` is told the time since the first began.
    pub(crate) fn follow(
        &mut self,
        mut running: Vec<Running>,
        mut tick: impl FnMut(Duration),
    ) -> Result<Vec<Ended>, Failure> {
        let began = Instant::now();
        while running.iter().any(|run| run.ended.is_none()) {
            while let Some(came) = self.signals.next() {
                if ENDS.contains(&came.signal) {
                    self.interrupted = Some(came.signal);
                    running.iter_mut().filter(|run| run.ended.is_none()).for_each(Running::ask);
                }
            }
            for at in 0..running.len() {
                let looked = running.get_mut(at).map_or(Ok(()), Running::look);
                if let Err(error) = looked {
                    self.end_all(&mut running);
                    return Err(cannot_wait(&error));
                }
            }
            tick(began.elapsed());
            if running.iter().any(|run| run.ended.is_none()) {
                self.signals.wait(LOOK);
            }
        }
        Ok(running.into_iter().filter_map(|run| run.ended).collect())
    }

    /// Kills what runs.
    #[expect(clippy::unused_self, reason = "only who watches may end")]
    pub(crate) fn end_all(&mut self, running: &mut [Running]) {
        for run in running.iter_mut().filter(|run| run.ended.is_none()) {
            run.send(libc::SIGKILL);
            run.child.wait().map(|_| ()).unwrap_or_default();
        }
    }
}
