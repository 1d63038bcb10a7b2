//! Thinning: what of a long run is kept, so that a capture has a bound.
//!
//! In: records in about the order of time, and now. Out: fewer records, of which a report says the same. Pure: no file and no
//! clock. What must not happen here: a record changed but for sums; a living sample lost; a second thinning at the same moment
//! that takes more away; memory for more than one record of each series.
//!
//! Three passes: [`Known::hear`], [`Known::hear_again`], then [`Thinning::take`] and [`Thinning::finish`].
//! `docs/design/months.md` says why it is done so.

mod ages;
mod known;
mod lives;
mod phases;
mod series;

use std::collections::BTreeMap;

pub use ages::MAX_HARSHNESS;
use ages::{Ages, Kept, Size};
pub use known::{Known, RUN_BEGINS};
use phases::Phases;
use series::{Series, Way, way};

use crate::observation::Observation;
use crate::reader::Stamped;
use crate::record::Record;

/// The third pass.
pub struct Thinning<'a> {
    known: &'a Known,
    ages: Ages,
    /// The last record so far of each series, and its stretch.
    waiting: BTreeMap<Series, (Kept, Stamped)>,
    phases: Phases,
}

impl<'a> Thinning<'a> {
    /// At this moment, in nanoseconds since the start of the capture. `harshness`, up to [`MAX_HARSHNESS`]: each step leaves about half.
    pub fn new(known: &'a Known, now_ns: u64, harshness: u8) -> Self {
        let ages = Ages::at(now_ns, known.began_ns(), harshness);
        Self { known, ages, waiting: BTreeMap::new(), phases: Phases::default() }
    }

    /// Records of before this moment may go; all others stay.
    pub fn old_before(&self) -> u64 {
        self.ages.old_before()
    }

    /// Takes a record in; `put` gets those that stay, now or later.
    pub fn take(&mut self, stamped: Stamped, put: &mut impl FnMut(Stamped)) {
        let at_ns = stamped.at_ns;
        match way(&stamped) {
            Way::LastOf(series) => self.last(series, self.ages.kept(at_ns, Size::Small), stamped, put),
            Way::LastLarge(series) => self.last(series, self.ages.kept(at_ns, Size::Large), stamped, put),
            Way::LastForEver(series) => self.last(series, self.ages.kept_for_ever(at_ns), stamped, put),
            Way::LastOfAll(series) => {
                if self.ages.is_old(at_ns) {
                    // All of them share one stretch, whose last one waits for the end.
                    self.last(series, Kept::One(ages::ALL), stamped, put);
                } else {
                    put(stamped);
                }
            }
            Way::Summed(series) => {
                let kept = self.ages.kept(at_ns, Size::Large);
                let stamped = self.summed(series, kept, stamped);
                self.last(series, kept, stamped, put);
            }
            Way::Sample | Way::OfSamples | Way::Look if self.is_of_the_past(&stamped) => {}
            Way::Sample => {
                let goes = match &stamped.record {
                    Record::Sampling(said) => self.known.sample_goes(stamped.pid, at_ns, said, &self.ages),
                    _ => false,
                };
                if !goes {
                    put(stamped);
                }
            }
            Way::Stays | Way::OfSamples => put(stamped),
            Way::Look => {
                if self.known.look_stays(stamped.pid, at_ns, &self.ages) {
                    put(stamped);
                }
            }
            Way::Edge => self.phases.take(stamped, &self.ages, put),
        }
    }

    /// The end of the records: what waited stays.
    pub fn finish(self, put: &mut impl FnMut(Stamped)) {
        self.waiting.into_values().for_each(|(_, stamped)| put(stamped));
        self.phases.finish(put);
    }

    fn is_of_the_past(&self, stamped: &Stamped) -> bool {
        self.known.is_of_the_past(stamped.pid, stamped.at_ns, &self.ages)
    }

    /// Keeps the last of each stretch: the one before is put once another stretch begins.
    fn last(&mut self, series: Series, kept: Kept, stamped: Stamped, put: &mut impl FnMut(Stamped)) {
        let before = match kept {
            Kept::None => return,
            Kept::Whole => {
                put(stamped);
                self.waiting.remove(&series)
            }
            Kept::One(_) => self.waiting.insert(series, (kept, stamped)),
        };
        // What came later in the file may have happened before: the later moment stays.
        let Some((stretch, before)) = before else { return };
        match self.waiting.get_mut(&series) {
            Some((now, last)) if *now == stretch => {
                if before.at_ns > last.at_ns {
                    *last = before;
                }
            }
            _ => put(before),
        }
    }

    /// The record with what the waiting one of the same stretch counted.
    fn summed(&self, series: Series, kept: Kept, mut stamped: Stamped) -> Stamped {
        if let Some((stretch, before)) = self.waiting.get(&series)
            && *stretch == kept
            && let Record::Observation(Observation::Grown(before)) = &before.record
            && let Record::Observation(Observation::Grown(now)) = &mut stamped.record
        {
            now.bytes = now.bytes.saturating_add(before.bytes);
            now.new = now.new.saturating_add(before.new);
            now.native |= before.native;
            now.shared &= before.shared;
            now.partial |= before.partial;
        }
        stamped
    }
}

/// All three passes over records in memory.
pub fn thinned(records: &[Stamped], now_ns: u64, harshness: u8) -> Vec<Stamped> {
    let mut known = Known::default();
    for stamped in records {
        known.hear(stamped);
    }
    for stamped in records {
        known.hear_again(stamped);
    }
    let mut out = Vec::new();
    let mut thinning = Thinning::new(&known, now_ns, harshness);
    for stamped in records {
        thinning.take(stamped.clone(), &mut |kept| out.push(kept));
    }
    thinning.finish(&mut |kept| out.push(kept));
    out.sort_by_key(|stamped| stamped.at_ns);
    out
}
