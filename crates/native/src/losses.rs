//! What could not be recorded or read, told without flooding the capture.
//!
//! In: messages. Out: when to write a loss, and with which count. A message is written at its 1st, 2nd, 4th, 8th, ...
//! time with the number of times since it was last written; so the counts add up, and after `kill -9` at most half is
//! missing. What must not happen here: a lock that is held while anything else is called.

use std::sync::{Mutex, PoisonError};

const DIFFERENT: usize = 64;
const OTHERS: &str = "other losses";

/// One loss to be written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) what: String,
    pub(crate) count: u64,
}

#[derive(Debug)]
struct Kind {
    what: String,
    seen: u64,
    told: u64,
}

impl Kind {
    fn tell(&mut self) -> Option<Told> {
        let count = self.seen.checked_sub(self.told).filter(|count| *count > 0)?;
        self.told = self.seen;
        Some(Told { what: self.what.clone(), count })
    }
}

/// All losses so far.
#[derive(Debug, Default)]
pub(crate) struct Losses(Mutex<Vec<Kind>>);

impl Losses {
    /// Counts a loss; gives what is to be written now, if anything.
    pub(crate) fn count(&self, what: &str) -> Option<Told> {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let what =
            if kinds.len() < DIFFERENT || kinds.iter().any(|kind| kind.what == what) { what } else { OTHERS };
        if !kinds.iter().any(|kind| kind.what == what) {
            kinds.push(Kind { what: what.to_owned(), seen: 0, told: 0 });
        }
        let kind = kinds.iter_mut().find(|kind| kind.what == what)?;
        kind.seen += 1;
        if kind.seen.is_power_of_two() { kind.tell() } else { None }
    }

    /// What was counted and not yet written.
    pub(crate) fn rest(&self) -> Vec<Told> {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kinds.iter_mut().filter_map(Kind::tell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_told_at_once_and_counts_add_up() {
        let losses = Losses::default();
        let mut told: Vec<Told> = (0..1000).filter_map(|_| losses.count("x")).collect();
        assert_eq!(told.first(), Some(&Told { what: "x".to_owned(), count: 1 }));
        assert_eq!(told.len(), 10);
        told.extend(losses.rest());
        assert_eq!(told.iter().map(|told| told.count).sum::<u64>(), 1000);
        assert_eq!(losses.rest(), []);
    }

    #[test]
    fn endless_variety_is_bounded() {
        let losses = Losses::default();
        let told = (0..10_000).filter_map(|index| losses.count(&format!("loss {index}"))).count();
        assert!(told < 100, "{told} records");
        let rest = losses.rest();
        assert_eq!(rest.len(), 1);
        assert_eq!(rest.first().map(|told| told.what.as_str()), Some(OTHERS));
    }
}
