//! A call that the main thread is to take: written while all threads stand, watched, and taken back where nobody comes.
//!
//! In: a [`Target`] and the path of a script. Out: [`Posted`]. Up to 3.13 it goes into the queue of pending calls, in 3.14
//! into the fields of PEP 768. What must not happen here: a write while a thread still runs, or tries without an end.

use std::path::Path;
use std::time::Duration;

use libc::pid_t;

use crate::memory::Memory;
use crate::queue::Queued;
use crate::refuse::Refusal;
use crate::request::{self, Asked};
use crate::stop::{Still, as_tracer};
use crate::target::{Target, Way};

/// How often a process is stopped again where the queue was in use, or a thread did not stop; and the time between.
const TRIES: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(10);
/// The longest that the threads of a try may take to stop, while those that stopped stand: short at first, and longer for a
/// machine so busy that a thread gets no turn in that time.
const STOPPING_FIRST: Duration = Duration::from_millis(3);
const STOPPING_LAST: Duration = Duration::from_millis(20);
const PATIENT_FROM: u32 = 20;

/// A call that waits, or has been taken.
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
    Asked(Asked),
}

impl Target {
    /// Writes the call that runs `script`, a file that the process can read.
    ///
    /// # Errors
    /// Why it could not be written; then nothing was.
    pub fn post(&self, script: &Path) -> Result<Posted, Refusal> {
        let mut tried = 0;
        loop {
            let answer = as_tracer(|| self.post_once(script, stopping(tried)));
            tried += 1;
            match answer.map_err(|error| Refusal::Forbidden(error.to_string()))? {
                Err(Refusal::Busy(_) | Refusal::WouldNotStop) if tried < TRIES => std::thread::sleep(BETWEEN),
                answer => return answer,
            }
        }
    }

    fn post_once(&self, script: &Path, most: Duration) -> Result<Posted, Refusal> {
        let still = Still::of(self.pid, most)?;
        let memory = self.memory;
        let main_thread = |itself| still.thread(itself).ok_or(Refusal::Unknown("the main thread"));
        // Where everything lies is found again, now that nothing moves.
        let (call, main) = match &self.way {
            Way::Queue(queue) => {
                let found = queue.layout.find(memory, self.runtime)?;
                let main = main_thread(found.main_thread)?;
                let written = Queued::write(memory, found, queue, &self.images, script);
                (written.map(Call::Queued), main)
            }
            Way::Request => {
                let place = request::find(memory, self.runtime)?;
                let main = main_thread(place.main_thread)?;
                (Asked::write(memory, place, script).map(Call::Asked), main)
            }
        };
        let pause = still.release();
        Ok(Posted { pid: self.pid, call: call?, main, pause })
    }
}

impl Posted {
    /// How long the process stood, from its first thread's stop to its last one's going on.
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
            Call::Asked(asked) => asked.is_taken(self.memory()),
        }
    }

    /// Asks the interpreter again to look.
    pub(crate) fn nudge(&self) {
        if let Call::Queued(queued) = &self.call {
            queued.nudge(self.memory());
        }
    }

    /// Takes the call back, if it still waits; whether that was so.
    pub fn withdraw(&self) -> bool {
        for tried in 0..TRIES {
            match as_tracer(|| self.withdraw_once(stopping(tried))) {
                Ok(Ok(taken_back)) => return taken_back,
                Ok(Err(Refusal::Busy(_) | Refusal::WouldNotStop)) => std::thread::sleep(BETWEEN),
                _ => return false,
            }
        }
        false
    }

    fn withdraw_once(&self, most: Duration) -> Result<bool, Refusal> {
        let still = Still::of(self.pid, most)?;
        let taken_back = match &self.call {
            Call::Queued(queued) => queued.take_back(self.memory())?,
            Call::Asked(asked) => asked.take_back(self.memory()),
        };
        still.release();
        Ok(taken_back)
    }

    /// Puts zeros back where the text stood; only when the script has begun or the call is withdrawn.
    pub fn clear(&self) -> Option<()> {
        match &self.call {
            Call::Queued(queued) => queued.clear(self.memory()),
            Call::Asked(asked) => asked.clear(self.memory()),
        }
    }
}

/// How long the threads may take to stop, after so many tries.
fn stopping(tried: u32) -> Duration {
    if tried < PATIENT_FROM { STOPPING_FIRST } else { STOPPING_LAST }
}
