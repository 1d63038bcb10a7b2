//! A call for the main thread: written while all threads are stopped, watched, and withdrawn if nobody takes
//! it.
//!
//! In: a [`Target`] and the path of a script. Out: [`Posted`]. Up to 3.13 the call goes into the queue of
//! pending calls, in 3.14 into the fields of PEP 768. What must not happen here: a write while a thread still
//! runs, or endless tries.

use std::path::Path;
use std::time::Duration;

use libc::pid_t;

use crate::memory::Memory;
use crate::queue::Queued;
use crate::refusal::Refusal;
use crate::request::{self, RemoteRequest};
use crate::stop::{StoppedProcess, as_tracer};
use crate::target::{EntryPoint, Target};

/// How often a process is stopped again if the queue was in use or a thread did not stop; and the pause
/// between.
const MAX_STOP_TRIES: u32 = 40;
const TRY_INTERVAL: Duration = Duration::from_millis(10);
/// The longest that the threads may take to stop, while those already stopped wait. Short at first; later
/// longer, for a machine so busy that a thread gets no turn in that time.
const FIRST_STOP_LIMIT: Duration = Duration::from_millis(3);
const LAST_STOP_LIMIT: Duration = Duration::from_millis(20);
const LAST_LIMIT_FROM_TRY: u32 = 20;

/// A call that waits, or was taken.
#[derive(Debug)]
pub struct Posted {
    pub(crate) pid: u32,
    call: Call,
    /// Python's main thread.
    pub(crate) main: pid_t,
    pause: Duration,
}

#[derive(Debug)]
enum Call {
    Queued(Queued),
    Remote(RemoteRequest),
}

impl Target {
    /// Writes the call that runs `script`, a file that the process can read.
    ///
    /// # Errors
    /// The reason why it could not be written; then nothing was written.
    pub fn post(&self, script: &Path) -> Result<Posted, Refusal> {
        let mut tried = 0;
        loop {
            let answer = as_tracer(|| self.post_once(script, stop_limit(tried)));
            tried += 1;
            match answer.map_err(|error| Refusal::Forbidden(error.to_string()))? {
                Err(Refusal::Busy(_) | Refusal::WouldNotStop) if tried < MAX_STOP_TRIES => {
                    std::thread::sleep(TRY_INTERVAL);
                }
                answer => return answer,
            }
        }
    }

    fn post_once(&self, script: &Path, limit: Duration) -> Result<Posted, Refusal> {
        let stopped = StoppedProcess::of(self.pid, limit)?;
        let memory = self.memory;
        let main_thread = |itself| stopped.thread(itself).ok_or(Refusal::Unknown("the main thread"));
        // Every address is looked up again, now that nothing can change.
        let (call, main) = match &self.entry {
            EntryPoint::Queue(queue) => {
                let found = queue.layout.find(memory, self.runtime)?;
                let main = main_thread(found.main_thread)?;
                let written = Queued::write(memory, found, queue, &self.images, script);
                (written.map(Call::Queued), main)
            }
            EntryPoint::Request => {
                let place = request::find(memory, self.runtime)?;
                let main = main_thread(place.main_thread)?;
                (RemoteRequest::write(memory, place, script).map(Call::Remote), main)
            }
        };
        let pause = stopped.release();
        Ok(Posted { pid: self.pid, call: call?, main, pause })
    }
}

impl Posted {
    /// How long the process was stopped, from its first thread's stop to its last thread's resumption.
    pub fn pause(&self) -> Duration {
        self.pause
    }

    fn memory(&self) -> Memory {
        Memory::of(self.pid)
    }

    /// Whether the main thread has taken the call; `None` if the process is gone.
    pub fn is_taken(&self) -> Option<bool> {
        match &self.call {
            Call::Queued(queued) => queued.is_taken(self.memory()),
            Call::Remote(remote) => remote.is_taken(self.memory()),
        }
    }

    /// Tells the interpreter again to check the queue.
    pub(crate) fn nudge(&self) {
        if let Call::Queued(queued) = &self.call {
            queued.nudge(self.memory());
        }
    }

    /// Withdraws the call. True: it was still waiting.
    pub fn withdraw(&self) -> bool {
        for tried in 0..MAX_STOP_TRIES {
            match as_tracer(|| self.withdraw_once(stop_limit(tried))) {
                Ok(Ok(taken_back)) => return taken_back,
                Ok(Err(Refusal::Busy(_) | Refusal::WouldNotStop)) => std::thread::sleep(TRY_INTERVAL),
                _ => return false,
            }
        }
        false
    }

    fn withdraw_once(&self, limit: Duration) -> Result<bool, Refusal> {
        let stopped = StoppedProcess::of(self.pid, limit)?;
        let taken_back = match &self.call {
            Call::Queued(queued) => queued.take_back(self.memory())?,
            Call::Remote(remote) => remote.take_back(self.memory()),
        };
        stopped.release();
        Ok(taken_back)
    }

    /// Overwrites the text with zeros. Only valid once the script has begun or the call is withdrawn.
    pub fn clear(&self) -> Option<()> {
        match &self.call {
            Call::Queued(queued) => queued.clear(self.memory()),
            Call::Remote(remote) => remote.clear(self.memory()),
        }
    }
}

/// How long the threads may take to stop in the try with this number.
fn stop_limit(tried: u32) -> Duration {
    if tried < LAST_LIMIT_FROM_TRY { FIRST_STOP_LIMIT } else { LAST_STOP_LIMIT }
}
