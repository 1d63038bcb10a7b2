//! The watch over a program that we have attached to: what the machine says of it, until somebody or something ends it.
//!
//! In: the capture and the program. Out: why it ended. The loop sleeps between readings, as the supervisor of `run` does.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nilometer_capture::{Capture, Writer};
use nilometer_diagnose::Verdict;
use nilometer_host::process::Process;

use crate::live::Live;
use crate::supervisor::kernel::Signals;
use crate::supervisor::readings::Readings;

/// Between two readings.
const READING_INTERVAL: Duration = Duration::from_millis(250);
/// Between two verdicts, and the part of the time that making them may take.
const MIN_VERDICT_INTERVAL: Duration = Duration::from_secs(1);
const VERDICT_TIME_DIVISOR: u32 = 50;

/// What is watched, and until when.
pub(crate) struct Watch {
    pub(crate) pid: u32,
    pub(crate) path: PathBuf,
    pub(crate) readings: Readings,
    pub(crate) live: Option<Live>,
    pub(crate) signals: Signals,
    pub(crate) until: Option<Duration>,
    pub(crate) until_verdict: bool,
}

/// Why the watch is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Ctrl-C, or `nilometer detach`.
    Asked,
    Time,
    Verdict,
    /// The program has ended.
    Program,
}

impl Watch {
    pub(crate) fn follow(&mut self, writer: &Writer) -> Ended {
        let begun = Instant::now();
        let until = self.until.map(|time| begun + time);
        let mut next = begun + READING_INTERVAL;
        let mut judge_at = begun + MIN_VERDICT_INTERVAL;
        loop {
            while let Some(came) = self.signals.next() {
                if came.signal != libc::SIGWINCH {
                    return Ended::Asked;
                }
                if let Some(live) = &mut self.live {
                    live.resized();
                }
            }
            if !is_alive(self.pid) {
                return Ended::Program;
            }
            let now = Instant::now();
            if until.is_some_and(|until| now >= until) {
                return Ended::Time;
            }
            if now >= next {
                self.readings.take(writer);
                if let Some(live) = &mut self.live {
                    live.tick();
                }
                next = Instant::now().max(next + READING_INTERVAL).min(now + READING_INTERVAL);
            }
            if self.until_verdict && now >= judge_at {
                if self.is_judged() {
                    return Ended::Verdict;
                }
                judge_at = Instant::now() + MIN_VERDICT_INTERVAL.max(now.elapsed() * VERDICT_TIME_DIVISOR);
            }
            let wait = next.min(until.unwrap_or(next)).saturating_duration_since(Instant::now());
            self.signals.wait(wait);
        }
    }

    /// Gives the terminal back, and reads once more.
    pub(crate) fn end(&mut self, writer: &Writer) {
        if let Some(live) = &mut self.live {
            live.end();
        }
        self.readings.take(writer);
    }

    fn is_judged(&self) -> bool {
        Capture::open_streamed(&self.path).is_ok_and(|capture| {
            nilometer_diagnose::diagnose(&capture, nilometer_frameworks::DIAGNOSE).verdict
                != Verdict::Undecided
        })
    }
}

/// Whether a process is there and has not ended.
pub(crate) fn is_alive(pid: u32) -> bool {
    Process::open(pid)
        .and_then(|process| process.stat(&mut Vec::new()))
        .is_some_and(|stat| !matches!(stat.state, b'Z' | b'X'))
}
