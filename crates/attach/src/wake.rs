//! Wakes the main thread from a system call, so that it takes the waiting call.
//!
//! A sleeping thread checks nothing. It is stopped for a moment; if Python itself sleeps, its system call
//! ends with EINTR, as after a signal. Python then calls one of two functions under the GIL, and only one of
//! them takes our call: up to 3.13 `Py_MakePendingCalls`, in 3.14 `PyErr_CheckSignals`. A breakpoint at the
//! other one redirects the thread. Then Python sleeps again. The breakpoint is a debug register of this one
//! thread, so no other thread and no child can hit it. What must not happen here: a breakpoint that outlives
//! [`MAX_BREAKPOINT_TIME`], or an interrupted call of other code.

use std::time::{Duration, Instant};

use libc::{c_int, pid_t};

use crate::guardian::Guardian;
use crate::memory::Memory;
use crate::post::Posted;
use crate::ptrace::{self, StopEvent};
use crate::refusal::Refusal;
use crate::sleeper::{Sleeper, sleeper};
use crate::stop::as_tracer;
use crate::target::{Target, read_maps};
use crate::words;

/// Longest life of the breakpoint: a woken thread waits for the GIL, a few milliseconds for each other
/// thread.
const MAX_BREAKPOINT_TIME: Duration = Duration::from_millis(100);
/// Interval of checks whether the call was taken meanwhile.
const TAKEN_POLL_INTERVAL: Duration = Duration::from_millis(1);
/// A thread that takes longer to stop waits in the kernel.
const MAX_STOP_TIME: Duration = Duration::from_millis(20);
/// Words of the stack that are searched for the caller.
const STACK_WORDS: usize = 512;
/// The kernel's results for a call that is restarted by default: ERESTARTSYS and the like.
const RESTART_CODES: [i64; 4] = [-512, -513, -514, -516];
const EINTR_RESULT: i64 = -(libc::EINTR as i64);
/// The first debug register holds an address; this bit of the seventh makes it an instruction breakpoint.
const ADDRESS_REGISTER: usize = 0;
const CONTROL_REGISTER: usize = 7;
const ENABLE_BIT: u64 = 1;

/// The result of a wake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Woken {
    /// It was redirected to the function that takes the call.
    Sent,
    /// It was interrupted but not redirected: it took the call by itself, or did not check for signals in
    /// time.
    Interrupted,
    /// It was running, so nothing was needed.
    Runs,
    /// It sleeps in code other than Python's, with this name, and was left alone.
    Elsewhere(String),
    /// This machine has no breakpoints, or the thread could not be stopped.
    NotPossible(String),
}

impl Target {
    /// Wakes the main thread if Python sleeps in it. Also gives the time for which the thread was stopped.
    ///
    /// # Errors
    /// The process is gone, or may no longer be traced.
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
        let event = wait(tid, Instant::now() + MAX_STOP_TIME);
        let began = Instant::now();
        let signal = match event {
            StopEvent::Interrupted => 0,
            StopEvent::Nothing => {
                return Ok((Woken::NotPossible(words::WAITS_IN_KERNEL.to_owned()), began.elapsed()));
            }
            StopEvent::Gone => return Err(Refusal::Gone),
            StopEvent::Group(_) => return Ok(let_go(tid, 0, began, Woken::Runs)),
            StopEvent::Signal(signal) => return Ok(let_go(tid, signal, began, Woken::Runs)),
        };
        posted.nudge();
        let gone = |_error| Refusal::Gone;
        let mut registers = ptrace::registers(tid).map_err(gone)?;
        let result = registers.rax.cast_signed();
        let call = registers.orig_rax.cast_signed();
        let sleeps = call >= 0 && (RESTART_CODES.contains(&result) || result == EINTR_RESULT);
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
        registers.rax = EINTR_RESULT.cast_unsigned();
        // No system call any more, so the kernel must not restart it.
        registers.orig_rax = u64::MAX;
        ptrace::set_registers(tid, &registers).map_err(gone)?;
        breakpoint.go_on(signal);
        let stood = began.elapsed();
        let (woken, second) = breakpoint.follow(self.detour.to, posted);
        Ok((woken, stood + second))
    }
}

/// Detaches from a stopped thread.
fn let_go(tid: pid_t, signal: c_int, began: Instant, woken: Woken) -> (Woken, Duration) {
    ptrace::detach(tid, signal).unwrap_or_default();
    (woken, began.elapsed())
}

/// Words from the top of the stack, as many as exist.
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
fn wait(tid: pid_t, until: Instant) -> StopEvent {
    loop {
        match ptrace::poll(tid) {
            StopEvent::Nothing if Instant::now() < until => ptrace::pause(),
            event => return event,
        }
    }
}

/// A breakpoint of one thread. Dropping it removes it, however long the thread needs to stop for that.
struct Breakpoint<'g> {
    tid: pid_t,
    at: u64,
    guardian: &'g Guardian,
    /// The thread is stopped, and gets this signal when it is resumed.
    stands: Option<c_int>,
    set: bool,
}

impl<'g> Breakpoint<'g> {
    /// Sets the breakpoint of a stopped thread.
    fn set(tid: pid_t, at: u64, guardian: &'g Guardian) -> std::io::Result<Self> {
        ptrace::set_debug(tid, ADDRESS_REGISTER, at)?;
        guardian.watch(tid);
        if let Err(error) = ptrace::set_debug(tid, CONTROL_REGISTER, ENABLE_BIT) {
            guardian.watch(0);
            return Err(error);
        }
        Ok(Self { tid, at, guardian, stands: Some(0), set: true })
    }

    fn go_on(&mut self, signal: c_int) {
        ptrace::go_on(self.tid, signal).unwrap_or_default();
        self.stands = None;
    }

    /// Waits for the hit, redirects the thread to `there` and detaches. Removes the breakpoint if the call is
    /// taken or time is up.
    fn follow(mut self, there: u64, posted: &Posted) -> (Woken, Duration) {
        let until = Instant::now() + MAX_BREAKPOINT_TIME;
        loop {
            let soon = Instant::now() + TAKEN_POLL_INTERVAL;
            match wait(self.tid, soon.min(until)) {
                StopEvent::Nothing if soon < until && posted.is_taken() == Some(false) => {}
                StopEvent::Nothing => break,
                StopEvent::Gone => {
                    self.forget();
                    return (Woken::Interrupted, Duration::ZERO);
                }
                event => {
                    let began = Instant::now();
                    if self.met(event, there) {
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

    /// Whether this stop is the breakpoint's hit: then the thread is redirected, and still stopped. Otherwise
    /// it was resumed.
    fn met(&mut self, event: StopEvent, there: u64) -> bool {
        let signal = match event {
            StopEvent::Signal(signal) => signal,
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

    /// Removes the breakpoint and detaches from the thread.
    fn take_out(&mut self) {
        if !std::mem::take(&mut self.set) {
            return;
        }
        let event = match self.stands {
            Some(0) => StopEvent::Interrupted,
            Some(signal) => StopEvent::Signal(signal),
            None => match self.stop() {
                Some(event) => event,
                None => return self.forget(),
            },
        };
        let signal = ptrace::clear_breakpoint(self.tid, event);
        self.guardian.watch(0);
        ptrace::detach(self.tid, signal).unwrap_or_default();
    }

    /// Stops the thread, however long that takes.
    fn stop(&self) -> Option<StopEvent> {
        ptrace::interrupt(self.tid).ok()?;
        loop {
            match ptrace::poll(self.tid) {
                StopEvent::Nothing => ptrace::pause(),
                StopEvent::Gone => return None,
                event => return Some(event),
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
