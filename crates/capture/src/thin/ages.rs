//! How much of which age is kept.
//!
//! In: now, when the run began, how little there must be. Out: for a moment, whether all of it is kept, one record of a stretch
//! of time, or none. What must not happen here: two neighbouring stretches that share a record, or an answer that differs when
//! it is asked again.
//!
//! Stretches begin at multiples of their own length since the start of the capture. So what one compaction keeps, the next one
//! keeps too until it is older.

const SECOND: u64 = 1_000_000_000;
/// So much of the end is kept whole.
const WHOLE_NS: u64 = 3600 * SECOND;
/// So much of the beginning of a run too: what was made once came there.
const BEGINNING_NS: u64 = 120 * SECOND;
/// Up to this age there is one reading of each [`FINE_NS`], then up to the next one of each [`COARSE_NS`].
const DAY_NS: u64 = 24 * 3600 * SECOND;
const MAX_AGE_NS: u64 = 90 * DAY_NS;
const FINE_NS: u64 = 10 * SECOND;
const COARSE_NS: u64 = 600 * SECOND;
/// The same for what says much at a time: looks at the heap, counts of types.
const FINE_LOOK_NS: u64 = COARSE_NS;
const COARSE_LOOK_NS: u64 = DAY_NS;

/// The highest harshness: stretches are so many times doubled.
pub const MAX_HARSHNESS: u8 = 12;

/// How much of a moment is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Whole,
    /// One record of each kind in this stretch.
    One(Stretch),
    None,
}

/// A stretch of time, by its length and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch(u64, u64);

/// All of time.
pub(super) const ALL: Stretch = Stretch(0, 0);

/// Of what a stretch keeps one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// Readings and marks.
    Small,
    /// Looks at the heap, counts of types: much at a time, and of most use when new.
    Large,
}

/// What is kept, as seen from one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ages {
    harshness: u8,
    began_ns: u64,
    /// What is younger than this is kept whole; what is younger than the next is dense; what is older than the last goes.
    whole_from: u64,
    fine_from: u64,
    from: u64,
}

impl Ages {
    /// As seen from `now_ns`, of a run that began at `began_ns`. Each step of `harshness` halves what is whole and doubles
    /// the stretches.
    pub(super) fn at(now_ns: u64, began_ns: u64, harshness: u8) -> Self {
        let harshness = harshness.min(MAX_HARSHNESS);
        // By short steps: a capture that is full within minutes must be thinned, too.
        let before = |age: u64, step: u64| now_ns.saturating_sub(age) / step * step;
        Self {
            harshness,
            began_ns,
            whole_from: before(WHOLE_NS >> harshness, FINE_NS),
            fine_from: before(DAY_NS, COARSE_NS),
            from: before(MAX_AGE_NS, COARSE_NS),
        }
    }

    /// What is kept of this moment.
    pub(super) fn kept(&self, at_ns: u64, size: Size) -> Kept {
        let is_beginning = (self.began_ns..self.began_ns + (BEGINNING_NS >> self.harshness)).contains(&at_ns);
        if at_ns >= self.whole_from || is_beginning {
            return Kept::Whole;
        }
        if at_ns < self.from {
            return Kept::None;
        }
        let length = match (size, at_ns >= self.fine_from) {
            (Size::Small, true) => FINE_NS,
            (Size::Small, false) => COARSE_NS,
            (Size::Large, true) => FINE_LOOK_NS,
            (Size::Large, false) => COARSE_LOOK_NS,
        };
        let length = length << self.harshness;
        Kept::One(Stretch(length, at_ns / length))
    }

    /// The same of what must never be forgotten: the oldest share one stretch.
    pub(super) fn kept_for_ever(&self, at_ns: u64) -> Kept {
        match self.kept(at_ns, Size::Large) {
            Kept::None => Kept::One(ALL),
            kept => kept,
        }
    }

    /// Whether this is older than all that is kept whole.
    pub(super) fn is_old(&self, at_ns: u64) -> bool {
        at_ns < self.whole_from
    }

    /// Whether this is of an earlier run, and old.
    pub(super) fn is_of_an_earlier_run(&self, at_ns: u64) -> bool {
        at_ns < self.began_ns && self.is_old(at_ns)
    }

    /// What lies before this may be thinned.
    pub(super) fn old_before(&self) -> u64 {
        self.whole_from
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAYS: u64 = DAY_NS;

    #[test]
    fn the_last_hour_is_whole_and_the_beginning_of_the_run() {
        let ages = Ages::at(2 * DAYS, 0, 0);
        assert_eq!(ages.kept(2 * DAYS - WHOLE_NS, Size::Small), Kept::Whole);
        assert_eq!(ages.kept(BEGINNING_NS - 1, Size::Large), Kept::Whole);
        assert_ne!(ages.kept(BEGINNING_NS, Size::Small), Kept::Whole);
    }

    #[test]
    fn the_last_day_has_ten_seconds_and_ninety_days_have_ten_minutes() {
        let ages = Ages::at(100 * DAYS, 0, 0);
        let stretch = |at: u64| ages.kept(at, Size::Small);
        let yesterday = 99 * DAYS + 600 * SECOND;
        assert_eq!(stretch(yesterday), stretch(yesterday + FINE_NS - 1));
        assert_ne!(stretch(yesterday), stretch(yesterday + FINE_NS));
        assert_eq!(stretch(50 * DAYS), stretch(50 * DAYS + COARSE_NS - 1));
        assert_ne!(stretch(50 * DAYS), stretch(50 * DAYS + COARSE_NS));
        assert_eq!(stretch(10 * DAYS - 1), Kept::None);
        assert_ne!(stretch(10 * DAYS), Kept::None);
        assert_eq!(ages.kept_for_ever(DAYS), ages.kept_for_ever(9 * DAYS));
    }

    #[test]
    fn minutes_can_be_thinned_too() {
        let ages = Ages::at(436 * SECOND, 0, MAX_HARSHNESS);
        assert!(ages.is_old(420 * SECOND) && !ages.is_old(430 * SECOND));
        assert_eq!(ages.kept(SECOND, Size::Small), ages.kept(420 * SECOND, Size::Small));
    }

    #[test]
    fn a_harsher_step_halves_what_is_whole() {
        let ages = Ages::at(DAYS, 0, 1);
        assert!(ages.is_old(DAYS - WHOLE_NS) && !ages.is_old(DAYS - WHOLE_NS / 2));
        assert_eq!(ages.kept(DAYS / 2, Size::Small), ages.kept(DAYS / 2 + 2 * FINE_NS - 1, Size::Small));
    }
}
