//! The replacement of one worker, from the moment when it was asked to end until another one answers in its place.
//!
//! In: which workers there are now. Out: what has come about. Pure but for the clock. What must not happen here: an end of the turn while the
//! service has one worker less than before.

use std::time::{Duration, Instant};

/// Longer than that is worth a word.
const SLOW: Duration = Duration::from_mins(1);
/// A replacement that got no request for so long stands for one that would answer.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slow {
    /// The worker still is at its requests.
    End,
    /// Nobody has taken its place.
    Replacement,
}

/// What came of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Waits,
    /// The worker has ended just now.
    Ended,
    /// It takes long; told once of each.
    Slow(Slow),
    /// Another one has taken its place, and has served a request or had none to serve.
    Done {
        by: u32,
        served: bool,
    },
}

/// One worker's turn.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) pid: u32,
    pub(super) since: Instant,
    /// The workers when it was asked.
    before: Vec<u32>,
    ended: Option<Instant>,
    replaced: Option<(u32, Instant)>,
    told: Option<Slow>,
}

impl Turn {
    pub(super) fn new(pid: u32, before: Vec<u32>) -> Self {
        Self { pid, since: Instant::now(), before, ended: None, replaced: None, told: None }
    }

    /// Looks at the workers that there are now.
    pub(super) fn step(&mut self, now: &[u32], has_served: impl Fn(u32) -> bool) -> Step {
        let Some(ended) = self.ended else {
            if !now.contains(&self.pid) {
                self.ended = Some(Instant::now());
                return Step::Ended;
            }
            return self.slow(self.since, Slow::End);
        };
        // The one that was seen may itself have ended.
        if self.replaced.is_none_or(|(by, _)| !now.contains(&by)) {
            let by = now.iter().rev().find(|pid| !self.before.contains(pid));
            self.replaced = by.map(|by| (*by, Instant::now()));
        }
        let Some((by, since)) = self.replaced else { return self.slow(ended, Slow::Replacement) };
        let served = has_served(by);
        if served || since.elapsed() >= MAX_IDLE { Step::Done { by, served } } else { Step::Waits }
    }

    fn slow(&mut self, since: Instant, what: Slow) -> Step {
        if since.elapsed() < SLOW || self.told == Some(what) {
            return Step::Waits;
        }
        self.told = Some(what);
        Step::Slow(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_over_when_the_replacement_answers() {
        let mut turn = Turn::new(2, vec![1, 2]);
        assert_eq!(turn.step(&[1, 2], |_| true), Step::Waits, "it finishes its requests");
        assert_eq!(turn.step(&[1], |_| true), Step::Ended);
        assert_eq!(turn.step(&[1], |_| true), Step::Waits, "one worker serves alone");
        assert_eq!(turn.step(&[1, 7], |_| false), Step::Waits, "it starts");
        assert_eq!(turn.step(&[1, 7], |pid| pid == 7), Step::Done { by: 7, served: true });
    }

    #[test]
    fn a_replacement_that_ends_is_none() {
        let mut turn = Turn::new(2, vec![1, 2]);
        turn.step(&[1], |_| false);
        turn.step(&[1, 7], |_| false);
        assert_eq!(turn.step(&[1], |_| true), Step::Waits);
        assert_eq!(turn.step(&[1, 8], |pid| pid == 8), Step::Done { by: 8, served: true });
    }

    #[test]
    fn what_takes_long_is_told_once() {
        let mut turn = Turn::new(2, vec![2]);
        turn.since = turn.since.checked_sub(SLOW).unwrap_or(turn.since);
        assert_eq!(turn.step(&[2], |_| true), Step::Slow(Slow::End));
        assert_eq!(turn.step(&[2], |_| true), Step::Waits);
    }
}
