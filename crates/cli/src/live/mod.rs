//! The live line: how the program's memory does, in the bottom row of the terminal, while it runs.
//!
//! In: the capture's path, and the clock. Out: single writes to stderr. What must not happen here: a byte in the rows of
//! the program, a byte when we are not in the foreground, or a terminal left with its bottom row taken.

mod screen;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nilometer_capture::Capture;

use self::screen::Size;
use crate::env;
use crate::messages::{stderr_is_terminal, to_stderr};
use crate::supervisor::kernel;

/// Programs that end sooner never see the line.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Making the line may take one part in this many of the time.
const LINE_TIME_DIVISOR: u32 = 200;
const STDERR: i32 = 2;

/// The live line of one run.
pub(crate) struct Live {
    capture: PathBuf,
    next: Instant,
    /// The terminal's size when its bottom row was taken; `None` while it is not.
    taken: Option<Size>,
    possible: bool,
}

impl Live {
    pub(crate) fn new(capture: &Path) -> Self {
        let able = env::get(env::TERM).is_some_and(|term| term != "dumb");
        Self {
            capture: capture.to_path_buf(),
            next: Instant::now() + FIRST_DELAY,
            taken: None,
            possible: able && stderr_is_terminal(),
        }
    }

    /// Renews the line if it is time.
    pub(crate) fn tick(&mut self) {
        if !self.possible || Instant::now() < self.next {
            return;
        }
        let began = Instant::now();
        if kernel::in_foreground(STDERR) {
            self.show();
        }
        let cost = began.elapsed();
        self.next = began + MIN_INTERVAL.max(cost * LINE_TIME_DIVISOR);
    }

    /// The terminal has another size now.
    pub(crate) fn resized(&mut self) {
        if let Some(old) = self.taken.take() {
            to_stderr(&screen::release_for_resize(old));
            self.next = Instant::now();
            self.tick();
        }
    }

    /// Gives the bottom row back until the next tick.
    pub(crate) fn suspend(&mut self) {
        if let Some(size) = self.taken.take() {
            to_stderr(&screen::release(size));
        }
        self.next = Instant::now() + MIN_INTERVAL;
    }

    /// Gives the bottom row back for good.
    pub(crate) fn end(&mut self) {
        self.suspend();
        self.possible = false;
    }

    fn show(&mut self) {
        let Some(size) = kernel::window_size(STDERR).map(Size::from).filter(|size| size.is_enough()) else {
            return self.suspend();
        };
        let Ok(capture) = Capture::open_streamed(&self.capture) else { return };
        let report = nilometer_diagnose::diagnose(&capture, nilometer_frameworks::DIAGNOSE);
        let line = nilometer_report::live_line(&report, size.columns());
        let mut text = String::new();
        if self.taken != Some(size) {
            text.push_str(&screen::reserve(size));
            self.taken = Some(size);
        }
        text.push_str(&screen::line(size, &line));
        to_stderr(&text);
    }
}

/// Whatever ends us gently gives the terminal back.
impl Drop for Live {
    fn drop(&mut self) {
        self.end();
    }
}
