//! The main thread, woken out of a system call so that it takes the call that waits for it.
//!
//! A thread that sleeps looks nowhere. It is stopped for a moment; where Python itself sleeps, its system call ends with EINTR,
//! as after a signal. Python then calls one of two functions under the GIL, and only one of them comes to our call: up to 3.13
//! `Py_MakePendingCalls`, in 3.14 `PyErr_CheckSignals`. A breakpoint at the other one sends the thread there. Then Python sleeps on.
//! The breakpoint is a debug register of this one thread, so no other thread and no child can meet it.
//! What must not happen here: a breakpoint that outlives [`HOLD`], or an interrupted call of somebody else's code.

use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use crate::guardian::Guardian;
use crate::memory::Memory;
use crate::post::Posted;
use crate::ptrace::{self, Told};
use crate::refuse::Refusal;
use crate::sleeper::{Sleeper, sleeper};
use crate::stop::as_tracer;
use crate::target::{Target, read_maps};

/// How long the breakpoint may stand: a thread that was woken waits for the GIL, a few milliseconds for each other thread.
const HOLD: Duration = Duration::from_millis(100);
/// Between two looks whether the call was taken meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// A thread that does not stop by then waits in the kernel.
const MAX_STOPPING: Duration = Duration::from_millis(20);
/// Words of the stack that are searched for the caller.
const STACK_WORDS: usize = 512;
/// What the kernel writes where a call is to be begun anew, if nothing else is done: ERESTARTSYS and its kin.
const RESTARTS: [i64; 4] = [-512, -513, -514, -516];
const INTERRUPTED: i64 = -(libc::EINTR as i64);
/// The first debug register holds an address; this bit of the seventh makes it a breakpoint for instructions.
const ADDRESS: usize = 0;
const CONTROL: usize = 7;
const ON: u64 = 1;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Woken {
    /// It was sent to where the call is taken.
    Sent,
    /// It was interrupted, and not sent anywhere: it came to the call by itself, or did not look for signals meanwhile.
    Interrupted,
    /// It runs; no need.
    Runs,
    /// It sleeps in other code than Python's, with this name, and was left alone.
    Elsewhere(String),
    /// This machine has no breakpoints, or the thread could not be stopped.
    NotPossible(String),
}

impl Target {
    /// Wakes the main thread, if Python sleeps in it; the time that it stood still for this.
    ///
    /// # Errors
    /// The process is gone, or no longer to be traced.
    pub fn wake(&self, posted: &Posted) -> Result<(Woken, Duration), Refusal> {
        let guardian = Guardian::start().map_err(|error| Refusal::Forbidden(error.to_string()))?;
        as_tracer(|| self.wake_once(posted, &guardian))
            .map_err(|error| Refusal::Forbidden(error.to_string()))?
    }

    fn wake_once(&self, posted: &Posted, guardian: &Guardian) -> Result<(Woken, Duration), Refusal> {
        let maps = read_maps(self.pid)?;
        let tid = posted.main;
        ptrace::seize(tid).map_err(|error| Refusal::Forbidden(error.to_string()))?;
        ptrace::interrupt(tid).unwrap_or_default();
        let told = wait(tid, Instant::now() + MAX_STOPPING);
        let began = Instant::now();
        let signal = match told {
            Told::Interrupted => 0,
            Told::Nothing => {
                return Ok((Woken::NotPossible("it waits inside the kernel".to_owned()), began.elapsed()));
            }
            Told::Gone => return Err(Refusal::Gone),
            Told::Group(_) => return Ok(let_go(tid, 0, began, Woken::Runs)),
            Told::Signal(signal) => return Ok(let_go(tid, signal, began, Woken::Runs)),
        };
        posted.nudge();
        let gone = |_error| Refusal::Gone;
        let mut registers = ptrace::registers(tid).map_err(gone)?;
        let result = registers.rax.cast_signed();
        let call = registers.orig_rax.cast_signed();
        let sleeps = call >= 0 && (RESTARTS.contains(&result) || result == INTERRUPTED);
        if !sleeps || posted.is_taken() != Some(false) {
            return Ok(let_go(tid, signal, began, Woken::Runs));
        }
        let memory = Memory::of(self.pid);
        let stack = stack(memory, registers.rsp);
        let before = |at: u64| {
            let mut bytes = [0; 7];
            memory.read(at.checked_sub(7)?, &mut bytes).map(|()| bytes)
        };
        if let Sleeper::Other(name) = sleeper(call, &stack, &maps, before) {
            return Ok(let_go(tid, signal, began, Woken::Elsewhere(name)));
        }
        let mut breakpoint = match Breakpoint::set(tid, self.detour.from, guardian) {
            Ok(breakpoint) => breakpoint,
            Err(error) => return Ok(let_go(tid, signal, began, Woken::NotPossible(error.to_string()))),
        };
        registers.rax = INTERRUPTED.cast_unsigned();
        // No system call any more: the kernel must not begin it anew.
        registers.orig_rax = u64::MAX;
        ptrace::set_registers(tid, &registers).map_err(gone)?;
        breakpoint.go_on(signal);
        let stood = began.elapsed();
        let (woken, second) = breakpoint.follow(self.detour.to, posted);
        Ok((woken, stood + second))
    }
}

/// Lets go of a thread that stands.
fn let_go(tid: pid_t, signal: c_int, began: Instant, woken: Woken) -> (Woken, Duration) {
    ptrace::detach(tid, signal).unwrap_or_default();
    (woken, began.elapsed())
}

/// Words from the top of the stack on, as many as there are.
fn stack(memory: Memory, top: u64) -> Vec<u64> {
    let mut length = STACK_WORDS * 8;
    while length >= 64 {
        if let Some(bytes) = memory.bytes(top, length) {
            return bytes
                .chunks_exact(8)
                .filter_map(|word| word.try_into().ok().map(u64::from_le_bytes))
                .collect();
        }
        length /= 2;
    }
    Vec::new()
}

/// Waits for the thread's next stop; `Nothing` if none came in time.
fn wait(tid: pid_t, until: Instant) -> Told {
    loop {
        match ptrace::told(tid) {
            Told::Nothing if Instant::now() < until => ptrace::rest(),
            told => return told,
        }
    }
}

/// A breakpoint of one thread. Dropping it takes it out, however long the thread needs to stop for that.
struct Breakpoint<'g> {
    tid: pid_t,
    at: u64,
    guardian: &'g Guardian,
    /// The thread stands, and gets this signal when it goes on.
    stands: Option<c_int>,
    set: bool,
}

impl<'g> Breakpoint<'g> {
    /// Sets it in a thread that stands.
    fn set(tid: pid_t, at: u64, guardian: &'g Guardian) -> std::io::Result<Self> {
        ptrace::set_debug(tid, ADDRESS, at)?;
        guardian.watch(tid);
        if let Err(error) = ptrace::set_debug(tid, CONTROL, ON) {
            guardian.watch(0);
            return Err(error);
        }
        Ok(Self { tid, at, guardian, stands: Some(0), set: true })
    }

    fn go_on(&mut self, signal: c_int) {
        ptrace::go_on(self.tid, signal).unwrap_or_default();
        self.stands = None;
    }

    /// Waits until it is met, sends the thread to `there` and lets go of it; or takes it out when the call is taken, or in time.
    fn follow(mut self, there: u64, posted: &Posted) -> (Woken, Duration) {
        let until = Instant::now() + HOLD;
        loop {
            let soon = Instant::now() + LOOK_EVERY;
            match wait(self.tid, soon.min(until)) {
                Told::Nothing if soon < until && posted.is_taken() == Some(false) => {}
                Told::Nothing => break,
                Told::Gone => {
                    self.forget();
                    return (Woken::Interrupted, Duration::ZERO);
                }
                told => {
                    let began = Instant::now();
                    if self.met(told, there) {
                        self.take_out();
                        return (Woken::Sent, began.elapsed());
                    }
                }
            }
        }
        let began = Instant::now();
        self.take_out();
        (Woken::Interrupted, began.elapsed())
    }

    /// Whether this stop is the breakpoint's: then the thread is at the other place, and stands. Else it has gone on.
    fn met(&mut self, told: Told, there: u64) -> bool {
        let signal = match told {
            Told::Signal(signal) => signal,
            _ => 0,
        };
        if signal == libc::SIGTRAP
            && let Ok(mut registers) = ptrace::registers(self.tid)
            && registers.rip == self.at
        {
            registers.rip = there;
            if ptrace::set_registers(self.tid, &registers).is_ok() {
                self.stands = Some(0);
                return true;
            }
        }
        self.go_on(signal);
        false
    }

    /// Takes it out and lets go of the thread.
    fn take_out(&mut self) {
        if !std::mem::take(&mut self.set) {
            return;
        }
        let told = match self.stands {
            Some(0) => Told::Interrupted,
            Some(signal) => Told::Signal(signal),
            None => match self.stop() {
                Some(told) => told,
                None => return self.forget(),
            },
        };
        let signal = ptrace::clear_breakpoint(self.tid, told);
        self.guardian.watch(0);
        ptrace::detach(self.tid, signal).unwrap_or_default();
    }

    /// Stops the thread, however long that takes.
    fn stop(&self) -> Option<Told> {
        ptrace::interrupt(self.tid).ok()?;
        loop {
            match ptrace::told(self.tid) {
                Told::Nothing => ptrace::rest(),
                Told::Gone => return None,
                told => return Some(told),
            }
        }
    }

    fn forget(&mut self) {
        self.set = false;
        self.guardian.watch(0);
    }
}

impl Drop for Breakpoint<'_> {
    fn drop(&mut self) {
        self.take_out();
    }
}
