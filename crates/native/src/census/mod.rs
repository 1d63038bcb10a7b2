//! When the program's heap is looked at, and what of it is written down.
//!
//! In: the ends of cycles with live memory, the end of `fit`, requests from outside; the GIL. Out: records of who holds
//! what. What must not happen here: a look in a program whose memory does not rise and that nobody asked about; a wait for
//! another thread that looks.

mod cost_meter;
mod final_look;
mod looks;
mod state;
mod waiting;

use std::sync::{Mutex, TryLockError};

use nilometer_capture::{Board, CycleUnit};
use pyo3::Python;

use crate::session::{SECOND_NS, Session};
use crate::trend::Trend;
use final_look::Ended;
use state::{MIN_CYCLE_BYTES, Risen, State, lately, least};

/// Cycles of a unit that a process has which has no cycles: a service builds its model, too.
const UNITLESS_CYCLES: u64 = 3;

/// Whether units that hooks know repeat in this process.
fn has_known_cycles(session: &Session) -> bool {
    CycleUnit::KNOWN.into_iter().any(|unit| session.board().cycles(unit) > UNITLESS_CYCLES)
}

/// A known unit that did not come in the last one of so many parts of the run is over: a model was tried, then a loop begins.
const UNIT_OVER_DIVISOR: u64 = 3;

/// Looks at the heap of this process.
#[derive(Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
}

impl Watch {
    /// A cycle ended, with so much live memory if it was read.
    pub(crate) fn cycle(
        &self,
        py: Python<'_>,
        session: &Session,
        unit: CycleUnit,
        ordinal: u64,
        live: Option<u64>,
    ) {
        let Ok(mut state) = self.state.try_lock() else { return };
        // What ends inside of an epoch comes and goes with it; and only between epochs does a path begin at `fit`.
        if state.fits > 0 && !matches!(unit, CycleUnit::Epoch | CycleUnit::Step | CycleUnit::Request) {
            return;
        }
        let is_found = matches!(unit, CycleUnit::Found(_));
        let age = session.age();
        if !is_found {
            state.known_at_ns = age;
        } else if has_known_cycles(session) && age - state.known_at_ns.min(age) < age / UNIT_OVER_DIVISOR {
            return;
        }
        let Some(rise) = state.rises.of_mut(unit) else { return };
        if let Some(live) = live {
            rise.note(ordinal, live);
        }
        if is_found && !state.leads(unit) {
            return;
        }
        if live.is_some() {
            state.marks.mark(py, session, age);
        }
        let Some(rise) = state.rises.of(unit) else { return };
        let risen = Risen::of(rise, least(unit), lately(unit));
        // Just after live memory was read: what this finds is in that level.
        if live.is_some() && risen.bytes > 0 {
            state.look_at_waiting(py, session);
        }
        state.rises_now(py, session, ordinal, risen);
    }

    /// A beat of the clock in a process that may have no cycles: a worker that a program started, a service. Seconds serve
    /// instead, those in which no module comes: what is imported rises as nothing else does, and is no leak. So many of
    /// them must have gone by: a program that reads its data before it trains rises as well.
    pub(crate) fn beat(
        &self,
        py: Python<'_>,
        session: &Session,
        modules: usize,
        live: Option<u64>,
        patience: usize,
    ) {
        let Ok(mut state) = self.state.try_lock() else { return };
        if has_known_cycles(session) || state.has_lead() {
            state.seconds = Trend::default();
            return;
        }
        if std::mem::replace(&mut state.modules, modules) != modules {
            state.seconds = Trend::default();
        }
        let Some(live) = live else { return };
        let ordinal = session.age() / SECOND_NS;
        if std::mem::replace(&mut state.second, ordinal) == ordinal {
            return;
        }
        state.seconds.note(ordinal, live);
        state.patience = patience;
        let risen = state.seconds_risen();
        state.rises_now(py, session, ordinal, risen);
    }

    /// Memory of the process, read while the main thread answers nothing. Does not allocate.
    pub(crate) fn meanwhile(&self, second: u64, memory: u64) {
        if let Ok(mut state) = self.state.try_lock() {
            state.meanwhile.note(second, memory);
        }
    }

    /// Whether that memory rises. Does not allocate.
    pub(crate) fn rises_meanwhile(&self) -> bool {
        self.state.try_lock().is_ok_and(|state| state.meanwhile.risen(MIN_CYCLE_BYTES) > 0)
    }

    /// The main thread has answered: it waits for nothing.
    pub(crate) fn main_thread_answers(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.meanwhile = Trend::default();
        }
    }

    /// A call of `fit` begins.
    pub(crate) fn fit_begins(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.fits = state.fits.saturating_add(1);
        }
    }

    /// A call of `fit` ends, after which what its frames hold is gone.
    pub(crate) fn fit_ends(&self, py: Python<'_>, session: &Session) {
        let Ok(mut state) = self.state.try_lock() else { return };
        let ended = if state.fits_ended > 0 { Ended::OneOfManyFits } else { Ended::Fit };
        state.last_chance(py, session, ended);
        state.fits = state.fits.saturating_sub(1);
        state.fits_ended = state.fits_ended.saturating_add(1);
    }

    /// The program's own code has ended.
    pub(crate) fn code_ends(&self, py: Python<'_>, session: &Session) {
        if let Ok(mut state) = self.state.try_lock() {
            state.last_chance(py, session, Ended::Code);
        }
    }

    /// Answers requests, from outside or from the program itself.
    pub(crate) fn answer(&self, py: Python<'_>, session: &Session) {
        let Ok(mut state) = self.state.try_lock() else { return };
        let asked = session.board().censuses_asked();
        if asked > state.answered {
            state.answered = asked;
            // Who asks wants to know how much it is now, not at the last scan.
            if state.scan.times > 0 {
                let latest = CycleUnit::KNOWN.into_iter().map(|unit| session.board().cycles(unit)).max();
                state.scan(session, latest.unwrap_or_default());
            }
            state.look(py, session);
        }
    }

    /// Looks at the end of this cycle, whatever it costs.
    pub(crate) fn look_now(&self, py: Python<'_>, session: &Session, ordinal: u64) {
        if let Ok(mut state) = self.state.try_lock() {
            state.scan(session, ordinal);
            state.look(py, session);
        }
    }

    /// Whether a look is under way, perhaps without the GIL. Does not allocate.
    pub(crate) fn is_looking(&self) -> bool {
        matches!(self.state.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// Whether somebody waits for an answer. Does not allocate.
    pub(crate) fn is_asked(&self, board: &Board) -> bool {
        self.state.try_lock().is_ok_and(|state| board.censuses_asked() > state.answered)
    }
}
