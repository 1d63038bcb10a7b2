//! The look at the end of a stretch of cycles, after which what its frames hold is gone.
//!
//! In: live memory by cycle, what looks took so far. Out: a scan, a look. What must not happen here: the looks that are taken whatever they
//! cost spent on the first of many short fits, where there is little to see yet.

use std::time::Duration;

use nilometer_capture::CycleUnit;
use pyo3::Python;

use super::looks::limits;
use super::state::{
    FIRST_TIME_DIVISOR, MIN_CYCLES_BETWEEN_WALKS, MIN_RISE_BYTES, Risen, State, WHATEVER_THE_COST, is_cheap,
    lately, least, one_part_in,
};
use crate::scan_schedule::PAUSE_FACTOR;
use crate::session::{SECOND_NS, Session};

/// Where many fits follow each other, the second look waits for so many times as many cycles as the first: one that comes at the next fit
/// sees no more than the first did, and a third is paid for by hundreds of its kind. A run that ends before has been seen to its third.
const SECOND_LOOK_FACTOR: u64 = 3;
/// When the program's code has ended, nothing waits for the look but the exit: it may take so many times as long. A look that is
/// cut short tells nothing of garbage.
const EXIT_PAUSE_FACTOR: u64 = 4;

/// What has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// A call of `fit`, the first of the program.
    Fit,
    /// A call of `fit`; others like it came before, and more may come.
    OneOfManyFits,
    /// The program's own code.
    Code,
}

impl State {
    /// A stretch of cycles is over.
    pub(super) fn last_chance(&mut self, py: Python<'_>, session: &Session, ended: Ended) {
        let risen = |unit: CycleUnit| {
            let rise = self.rises.of(unit)?;
            Some((session.board().cycles(unit), Risen::of(rise, least(unit), lately(unit))))
        };
        let seconds = Some((session.age() / SECOND_NS, self.seconds_risen()));
        let all: Vec<_> = CycleUnit::all().map(risen).chain([seconds]).flatten().collect();
        let most = all.iter().copied().filter(|(_, rise)| rise.bytes > 0).max();
        if most.is_none() && ended == Ended::Code {
            self.see_whether_it_stayed(session, all.iter().map(|(ordinal, _)| *ordinal).max());
        }
        // A look that was cut short is worth another where that may take longer.
        let again = ended == Ended::Code && self.was_cut;
        let is_new = |ordinal: u64| again || ordinal >= self.looked_at + MIN_CYCLES_BETWEEN_WALKS;
        let Some((ordinal, rise)) = most.filter(|(ordinal, _)| is_new(*ordinal)) else { return };
        if session.board().pause_limit().is_none() {
            return;
        }
        let (age, risen) = (Duration::from_nanos(session.age()), rise.bytes);
        // What grew since the scans before is told once more, cheaply, and for short runs enough: a small rise only where it is known to
        // be somebody's.
        if risen >= MIN_RISE_BYTES || self.scanning.tells() {
            self.scan_once_more(session, ordinal);
        }
        let soon = ended == Ended::OneOfManyFits
            && self.whole.times > 0
            && ordinal < SECOND_LOOK_FACTOR * self.looked_at;
        let early = self.whole.times < WHATEVER_THE_COST
            && !soon
            && (risen >= MIN_RISE_BYTES || is_cheap(session, risen));
        // In such a loop the first looks see little: later ones come when much more has been kept.
        let later = ordinal >= 2 * self.looked_at
            && self.whole.is_within(one_part_in(FIRST_TIME_DIVISOR, session), age);
        let due = again
            || early
            || self.whole.times > 0 && (later || self.whole.is_due(one_part_in(PAUSE_FACTOR, session)));
        // The last chance is not let go by without one.
        if due && (self.whole.times == 0 || rise.is_worth_a_look()) {
            let mut limits = limits(session);
            if ended == Ended::Code {
                limits.max_pause_ns = limits.max_pause_ns.saturating_mul(EXIT_PAUSE_FACTOR);
            }
            self.look_within(py, session, &limits);
            self.looked_at = ordinal;
        }
    }

    /// Memory does not rise when the code ends: a container that had grown before may have got full.
    fn see_whether_it_stayed(&mut self, session: &Session, ordinal: Option<u64>) {
        let may_look = session.board().pause_limit().is_some() && self.scanning.tells();
        if let Some(ordinal) = ordinal.filter(|_| may_look) {
            self.scan_once_more(session, ordinal);
        }
    }

    /// Makes the scan that closes a stretch. In a loop of many short fits it is paced like any other.
    fn scan_once_more(&mut self, session: &Session, ordinal: u64) {
        let age = Duration::from_nanos(session.age());
        let closing = self.closing < WHATEVER_THE_COST || self.scan.is_within(PAUSE_FACTOR, age);
        if self.scan.times > 0 && closing && self.scanned_at < ordinal {
            self.closing = self.closing.saturating_add(1);
            self.scan(session, ordinal);
        }
    }
}
