//! Which samples were born and died, as far as it matters for what may go.
//!
//! In: births, then deaths. Out: for a sample, whether both of its records may go. What must not happen here: a death that goes
//! while its birth stays, which would make dead memory look alive; memory without a bound, as this is done beside the program.

use std::collections::BTreeMap;

use super::ages::{Ages, Kept, Size};

/// Births that are looked at in one go, of 12 bytes each. Those beyond, the newest, stay for the next one.
const MAX_BIRTHS: usize = 300_000;
const SECOND: u64 = 1_000_000_000;
const ALIVE: u32 = u32::MAX;

/// A sample; times in seconds, to save room.
#[derive(Clone, Copy, Debug)]
struct Life {
    id: u32,
    born: u32,
    died: u32,
}

/// The samples of each process.
#[derive(Debug, Default)]
pub(super) struct Lives {
    of: BTreeMap<u32, Vec<Life>>,
    count: usize,
    is_full: bool,
    is_sorted: bool,
}

impl Lives {
    /// The process replaced itself: its ids begin anew.
    pub(super) fn begin(&mut self, pid: u32) {
        self.count -= self.of.remove(&pid).map_or(0, |lives| lives.len());
    }

    pub(super) fn born(&mut self, pid: u32, id: u64, at_ns: u64) {
        let (Ok(id), Some(born)) = (u32::try_from(id), seconds(at_ns)) else {
            self.is_full = true;
            return;
        };
        if self.count >= MAX_BIRTHS {
            self.is_full = true;
            return;
        }
        self.count += 1;
        self.of.entry(pid).or_default().push(Life { id, born, died: ALIVE });
    }

    /// After the last birth.
    pub(super) fn died(&mut self, pid: u32, id: u64, at_ns: u64) {
        if !self.is_sorted {
            self.of.values_mut().for_each(|lives| lives.sort_unstable_by_key(|life| life.id));
            self.is_sorted = true;
        }
        let Some(died) = seconds(at_ns) else { return };
        if let Some(life) = self.find_mut(pid, id) {
            life.died = life.died.min(died);
        }
    }

    /// Whether a birth may go, and with it the death.
    pub(super) fn may_go(&self, pid: u32, id: u64, ages: &Ages) -> bool {
        self.find(pid, id).is_some_and(|life| life.may_go(ages))
    }

    /// Whether a death may go: its birth goes, or there is none.
    pub(super) fn death_may_go(&self, pid: u32, id: u64, at_ns: u64, ages: &Ages) -> bool {
        match self.find(pid, id) {
            Some(life) => life.may_go(ages),
            None => !self.is_full && ages.is_old(at_ns),
        }
    }

    fn find(&self, pid: u32, id: u64) -> Option<&Life> {
        let lives = self.of.get(&pid)?;
        let id = u32::try_from(id).ok()?;
        if self.is_sorted { lives.get(lives.binary_search_by_key(&id, |life| life.id).ok()?) } else { None }
    }

    fn find_mut(&mut self, pid: u32, id: u64) -> Option<&mut Life> {
        let lives = self.of.get_mut(&pid)?;
        let id = u32::try_from(id).ok()?;
        let at = lives.binary_search_by_key(&id, |life| life.id).ok()?;
        lives.get_mut(at)
    }
}

impl Life {
    /// A dead sample goes when it is too old, or when no reading that is kept can have seen it alive: born and dead in one
    /// stretch. A death in what is whole stays.
    fn may_go(&self, ages: &Ages) -> bool {
        if self.died == ALIVE {
            return false;
        }
        let at = |seconds: u32| ages.kept(u64::from(seconds) * SECOND, Size::Small);
        match (at(self.born), at(self.died)) {
            (_, Kept::None) => true,
            (Kept::One(born), Kept::One(died)) => born == died,
            _ => false,
        }
    }
}

fn seconds(at_ns: u64) -> Option<u32> {
    u32::try_from(at_ns / SECOND).ok().filter(|seconds| *seconds != ALIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3600 * SECOND;

    fn lives(all: &[(u64, u64, Option<u64>)]) -> Lives {
        let mut lives = Lives::default();
        for (id, born, _) in all {
            lives.born(1, *id, *born);
        }
        for (id, _, died) in all {
            if let Some(died) = died {
                lives.died(1, *id, *died);
            }
        }
        lives
    }

    #[test]
    fn what_lives_stays_however_old_it_is() {
        let ages = Ages::at(200 * 24 * HOUR, 0, 12);
        let lives = lives(&[(1, HOUR, None), (2, HOUR, Some(2 * HOUR))]);
        assert!(!lives.may_go(1, 1, &ages));
        assert!(lives.may_go(1, 2, &ages) && lives.death_may_go(1, 2, 2 * HOUR, &ages));
    }

    #[test]
    fn what_a_kept_reading_saw_stays_with_its_death() {
        let ages = Ages::at(10 * HOUR, 0, 0);
        let at = HOUR + SECOND;
        let lives =
            lives(&[(1, at, Some(at + SECOND)), (2, at, Some(at + 30 * SECOND)), (3, at, Some(10 * HOUR))]);
        let goes: Vec<bool> = (1..=3).map(|id| lives.may_go(1, id, &ages)).collect();
        assert_eq!(goes, [true, false, false]);
        assert!(!lives.death_may_go(1, 2, at + 30 * SECOND, &ages));
    }

    #[test]
    fn a_death_without_a_birth_goes_when_it_is_old() {
        let ages = Ages::at(10 * HOUR, 0, 0);
        let lives = lives(&[(1, HOUR, Some(HOUR))]);
        assert!(lives.death_may_go(1, 77, HOUR, &ages) && !lives.death_may_go(1, 77, 10 * HOUR, &ages));
    }

    #[test]
    fn births_that_nobody_looked_at_keep_their_deaths() {
        let ages = Ages::at(10 * HOUR, 0, 0);
        let mut lives = lives(&[(1, HOUR, Some(HOUR))]);
        lives.born(1, u64::MAX, HOUR);
        assert!(!lives.may_go(1, u64::MAX, &ages) && !lives.death_may_go(1, u64::MAX, HOUR, &ages));
    }
}
