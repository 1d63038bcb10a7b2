//! From a script to its answer: posts the call, waits for the main thread, wakes it if it sleeps.
//!
//! In: a target and an errand. Out: [`Entered`], or why the program did not answer. What must not happen here: a call that is
//! left in the queue of a program that we have given up on.

use std::thread::sleep;
use std::time::{Duration, Instant};

use nilometer_attach::{Posted, Refusal, Target, Woken};

use super::errand::Errand;
use crate::messages::{Failure, hint};
use crate::words::attach as words;

/// A main thread that runs takes the call within this time; only then is it looked at whether it sleeps.
const BY_ITSELF: Duration = Duration::from_millis(30);
/// Between two tries to wake it: from the first on, twice as long each time, up to the last.
const WAKE_FIRST: Duration = Duration::from_millis(60);
const WAKE_LAST: Duration = Duration::from_secs(4);
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// After this a word says what is being waited for.
const QUIET_WAIT: Duration = Duration::from_secs(2);
/// The main thread may be in one call of a library for so long.
pub(crate) const MAX_WAIT: Duration = Duration::from_mins(1);
/// What the script does is done in milliseconds; a cold disk may take seconds.
const MAX_ANSWER: Duration = Duration::from_secs(30);

/// What it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    /// How long all threads stood still.
    pub(crate) pause: Duration,
    /// From the beginning to the answer.
    pub(crate) took: Duration,
}

/// Why there is no answer.
pub(crate) enum Missed {
    /// The process cannot be attached to.
    Refused(Refusal),
    /// Its main thread did not come to the call; where it was, if that is known.
    NotTaken(Option<String>),
    /// It took the call, and answered with this, or with nothing in time.
    Answered(Option<String>),
    /// Somebody wanted to stop waiting.
    Stopped,
}

/// Sends the errand; `stopped` says whether to give up. What is posted is taken back if nobody came for it.
pub(crate) fn enter(
    target: &Target,
    errand: &Errand,
    patience: Duration,
    mut stopped: impl FnMut() -> bool,
) -> Result<Entered, Missed> {
    let begun = Instant::now();
    let posted = target.post(errand.script()).map_err(Missed::Refused)?;
    let taken = wait_taken(target, &posted, begun, patience, &mut stopped);
    if let Err(missed) = taken {
        // It may have come at the last moment.
        if posted.withdraw() || posted.is_taken() != Some(true) {
            return Err(missed);
        }
    }
    let until = Instant::now() + MAX_ANSWER;
    loop {
        if let Some(answer) = errand.answer() {
            posted.clear();
            return if answer == "ok" {
                Ok(Entered { pause: posted.pause(), took: begun.elapsed() })
            } else {
                Err(Missed::Answered(Some(answer)))
            };
        }
        if Instant::now() > until {
            return Err(Missed::Answered(None));
        }
        if posted.is_taken().is_none() {
            return Err(Missed::Refused(Refusal::Gone));
        }
        sleep(POLL_INTERVAL);
    }
}

fn wait_taken(
    target: &Target,
    posted: &Posted,
    begun: Instant,
    patience: Duration,
    stopped: &mut impl FnMut() -> bool,
) -> Result<(), Missed> {
    let mut place = None;
    let mut gap = WAKE_FIRST;
    let mut wake_at = begun + BY_ITSELF;
    let mut said = false;
    loop {
        match posted.is_taken() {
            None => return Err(Missed::Refused(Refusal::Gone)),
            Some(true) => return Ok(()),
            Some(false) => {}
        }
        let now = Instant::now();
        if stopped() {
            return Err(Missed::Stopped);
        }
        if now.duration_since(begun) > patience {
            return Err(Missed::NotTaken(place));
        }
        if now >= wake_at {
            match target.wake(posted) {
                Ok((Woken::Elsewhere(name) | Woken::NotPossible(name), _)) => place = Some(name),
                Ok(_) => place = None,
                Err(Refusal::Gone) => return Err(Missed::Refused(Refusal::Gone)),
                Err(_traced_by_another) => {}
            }
            wake_at = Instant::now() + gap;
            gap = (gap * 2).min(WAKE_LAST);
        }
        if !said && now.duration_since(begun) > QUIET_WAIT {
            said = true;
            hint(words::waiting(place.as_deref()));
        }
        sleep(POLL_INTERVAL);
    }
}

impl Missed {
    /// As a failure of the command.
    pub(crate) fn failure(self, pid: u32) -> Failure {
        match self {
            Self::Refused(refusal) => words::refused(pid, &refusal),
            Self::NotTaken(place) => words::not_taken(pid, MAX_WAIT, place.as_deref()),
            Self::Answered(Some(answer)) => words::not_begun(pid, &answer),
            Self::Answered(None) => words::no_answer(pid),
            Self::Stopped => words::stopped(),
        }
    }
}
