//! How long the next scan of the containers waits: what the scans so far told decides, and what they cost.
//!
//! In: the rise of live memory, what each scan told. Out: a time. Pure; no clock. What must not happen here: a leak that would have
//! been seen with one scan more; scan after scan of a healthy training, which rises a little as well.

use std::time::Duration;

/// Pause after a look, as a multiple of what it took.
pub(crate) const PAUSE_FACTOR: u32 = 100;
/// The first scans may follow each other faster: growth is what rose in three of them. A few more follow before long: what rose
/// early in a short run must be seen to rise later, too. Half as many for small rises, and leaks of 8 kB per epoch and of 1 kB
/// per step were missed, which live memory alone does not show.
const FIRST_SCANS: u32 = 4;
const FIRST_PAUSE: u32 = 4;
const NEXT_SCANS: u32 = FIRST_SCANS + 2;
const NEXT_PAUSE: u32 = 25;
/// Later ones lie so far apart, as a part of the time so far: a service that runs for weeks must not fill its capture.
const PARTS: u32 = 64;
/// And they wait until memory has risen by such a part more, which tells something new; but no longer than such a part of the
/// time so far: what fills up to a bound must be seen not to grow any more.
const FURTHER: u64 = 8;
const MAX_PARTS: u32 = 4;
/// Scans that it takes to tell what grows, and to see that anything does. If that tells nothing, and the collector's objects are no more
/// than so many above those of the scan before, more scans would tell no more: the rise is in C, or in what Python keeps for itself, such
/// as the lists of free tuples where it does not tell them, which fill in any healthy training. They begin anew when it has doubled.
const SCANS_TO_TELL: u32 = 3;
const SCANS_TO_SEE: u32 = 2;
const SAME_OBJECTS: u64 = 16;

/// What a scan told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Something grows that could be the rise.
    Growth,
    /// Something grew that could become one.
    Perhaps,
    Nothing,
}

/// What is known of the scans so far.
#[derive(Debug, Default)]
pub(crate) struct ScanSchedule {
    /// Bytes that live memory had risen by at the last one.
    risen: u64,
    /// Objects at the last one.
    objects: u64,
    /// The last one told nothing that could be the rise.
    told_nothing: bool,
    /// It told of growth, or of what may become one.
    tells: bool,
}

impl ScanSchedule {
    /// How long the next one waits after `times` scans, the last of which took so long, at this `age` of the process.
    pub(crate) fn wait(
        &self,
        times: u32,
        took: Duration,
        risen: u64,
        age: Duration,
        one_part_in: impl Fn(u32) -> u32,
    ) -> Duration {
        match times {
            ..FIRST_SCANS if !self.told_nothing => took * FIRST_PAUSE,
            FIRST_SCANS..NEXT_SCANS if !self.told_nothing => took * one_part_in(NEXT_PAUSE),
            _ => {
                let further = self.risen / if self.told_nothing { 1 } else { FURTHER };
                let parts = if risen >= self.risen + further { PARTS } else { MAX_PARTS };
                (took * one_part_in(PAUSE_FACTOR)).max(age / parts)
            }
        }
    }

    /// Whether the last one told of any growth: when a stretch ends, one more tells whether it went on to the end, however small it is,
    /// or whether a container that got full stayed so.
    pub(crate) fn tells(&self) -> bool {
        self.tells
    }

    /// One is made at such a rise.
    pub(crate) fn begin(&mut self, risen: u64) {
        self.risen = risen;
    }

    /// The `times`th has been made; what it told, how many objects there were, and whether it saw them all.
    pub(crate) fn end(&mut self, times: u32, told: Told, objects: u64, whole: bool) {
        let same = whole && objects <= self.objects + SAME_OBJECTS;
        let enough = match told {
            Told::Growth => false,
            Told::Perhaps => times >= SCANS_TO_TELL,
            Told::Nothing => times >= SCANS_TO_SEE,
        };
        self.told_nothing = enough && same;
        self.tells = told != Told::Nothing;
        self.objects = objects;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const MAX_AGE: Duration = Duration::from_secs(10);

    use Told::{Growth, Nothing, Perhaps};

    /// How long the next one waits at this rise, after scans of 20 ms of which each told so much and met so many objects.
    fn waits(scans: &[(Told, u64)], risen: u64) -> Duration {
        let mut scanning = ScanSchedule::default();
        for (times, (told, objects)) in (1..).zip(scans) {
            scanning.begin(100_000);
            scanning.end(times, *told, *objects, true);
        }
        scanning.wait(scans.len() as u32, 20 * MS, risen, MAX_AGE, |usual| usual)
    }

    #[test]
    fn the_first_follow_each_other_where_something_is_told() {
        for told in [
            [(Nothing, 1000)].as_slice(),
            &[(Nothing, 1000), (Perhaps, 1000)],
            &[(Growth, 1000); 3],
            &[(Nothing, 1000), (Perhaps, 1000), (Growth, 1000)],
        ] {
            assert_eq!(waits(told, 110_000), 80 * MS);
        }
        assert_eq!(waits(&[(Growth, 1000); 5], 110_000), 500 * MS);
        assert_eq!(waits(&[(Growth, 1000); 6], 112_500), 2 * MAX_AGE / 10);
    }

    #[test]
    fn what_told_nothing_is_not_asked_again_before_it_has_doubled() {
        for nothing in [
            [(Nothing, 1000), (Nothing, 1001)].as_slice(),
            &[(Nothing, 1000), (Perhaps, 1001), (Perhaps, 999)],
        ] {
            assert_eq!(waits(nothing, 199_999), MAX_AGE / 4);
            assert!(waits(nothing, 200_000) < MAX_AGE / 4);
        }
    }

    #[test]
    fn objects_that_become_more_are_a_reason_to_go_on() {
        assert_eq!(waits(&[(Nothing, 1000), (Nothing, 1100)], 110_000), 80 * MS);
        assert_eq!(waits(&[(Nothing, 1000), (Perhaps, 1000), (Perhaps, 1100)], 110_000), 80 * MS);
    }

    #[test]
    fn the_last_one_says_whether_there_is_growth_to_be_followed() {
        let mut scanning = ScanSchedule::default();
        for (told, tells) in [(Nothing, false), (Perhaps, true), (Growth, true), (Nothing, false)] {
            scanning.end(SCANS_TO_TELL, told, 1000, true);
            assert_eq!(scanning.tells(), tells, "{told:?}");
        }
    }

    #[test]
    fn a_scan_that_was_cut_short_says_nothing_of_what_it_did_not_see() {
        let mut scanning = ScanSchedule::default();
        scanning.end(SCANS_TO_TELL, Nothing, 0, false);
        assert_eq!(scanning.wait(SCANS_TO_TELL, 20 * MS, 110_000, MAX_AGE, |usual| usual), 80 * MS);
    }
}
