//! A word on stderr while a report takes long: what is being done, in one line that goes away again.
//!
//! What must not happen here: a byte where stderr is no terminal, or before a second has passed.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::env;
use crate::messages::{stderr_is_terminal, to_stderr};

/// Whoever waits shorter needs no word.
const QUIET_WAIT: Duration = Duration::from_secs(1);

/// Says what is being done until it is dropped.
#[derive(Default)]
pub(crate) struct Progress {
    says: Option<(Sender<&'static str>, JoinHandle<()>)>,
}

impl Progress {
    pub(crate) fn begin(doing: &'static str) -> Self {
        let able = env::get(env::TERM).is_none_or(|term| term != "dumb");
        if !able || env::is_on(env::NO_PROGRESS) || !stderr_is_terminal() {
            return Self::default();
        }
        let (says, hears) = channel();
        let thread = std::thread::Builder::new().spawn(move || show(doing, &hears));
        Self { says: thread.ok().map(|thread| (says, thread)) }
    }

    /// Something else is being done now.
    pub(crate) fn now(&self, doing: &'static str) {
        if let Some((says, _)) = &self.says {
            says.send(doing).unwrap_or_default(); // nobody listens: nothing is said
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((says, thread)) = self.says.take() {
            drop(says);
            thread.join().unwrap_or_default();
        }
    }
}

/// Shows the line once a second until nobody has anything to say any more.
fn show(mut doing: &'static str, hears: &Receiver<&'static str>) {
    let began = Instant::now();
    let mut next = began + QUIET_WAIT;
    let mut shown = false;
    loop {
        match hears.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(other) => doing = other,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                next += QUIET_WAIT;
                shown = true;
                // Erases the line, so that a shorter word leaves nothing of a longer one.
                to_stderr(&format!("\r\x1b[Knilometer  {doing}, {} s", began.elapsed().as_secs()));
            }
        }
    }
    if shown {
        to_stderr("\r\x1b[K");
    }
}
