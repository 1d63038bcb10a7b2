//! What survivors of sampled allocations say: which lines make memory that stays, and whether that is over.
//!
//! In: the growing sites, what was counted. Out: claims, and the sites that a report names. What must not happen here: a claim beside
//! counters that exclude it; a claim from samples that may be garbage.

use crate::numbers::{HALF, LONG_FLOOR_BYTES, MIN_RISE_BYTES, MOST, NEARLY_ALL, PART};
use nilometer_model::HolderPath;
use nilometer_stats::Interval;

use super::{Claim, ClaimReason, Instrument, numbers};
use crate::counted::{Counted, State};
use crate::cycles::Cycles;
use crate::holders::HolderEvidence;
use crate::sites::{GrowingSite, Sites};
use crate::unit::Unit;

/// A user's container keeps a site's memory if looks met this share of it there.
const MIN_KEPT_RATIO: f64 = NEARLY_ALL;
/// Growth of a user's own line, or in a user's own container, counts from this share of the floor on: frameworks' residue does not hide in it.
const OWN_FLOOR_RATIO: f64 = PART;
/// A site that added less in all may be a library's table that fills: pickle and numpy keep 6 KiB in the first 50 arrays from a queue.
const MIN_KEPT_BYTES: f64 = LONG_FLOOR_BYTES;
/// The same where short turns were found: the floor of one is a few hundred bytes. A table of metrics that gets a row per round of 0.1 s kept
/// 85 KiB in 60 rounds; pandas keeps a KiB beside each row.
const MIN_KEPT_BY_FOUND_BYTES: f64 = MIN_RISE_BYTES / 2.0;
/// Samples that account for this share of a growth may say that it is over.
const COVERED_RATIO: f64 = MOST;
/// It is over where the last third of the cycles adds less than this share of it.
const MAX_LATE_RATIO: f64 = HALF;

/// A leak that sites alone are sure of.
pub(super) fn claim(sites: &Sites, counted: &Counted, cycles: &Cycles) -> Option<Claim> {
    let case = Case { sites, counted, cycles };
    let speaking: Vec<_> = sites.growing.iter().filter(|site| case.speaks(site)).collect();
    let kept = sum(speaking.iter().copied());
    speaking.first().filter(|_| case.fits(kept.low))?;
    let are_numbers = speaking.iter().all(|site| sites.is_of_numbers(site));
    if are_numbers && numbers::prove_nothing(kept.estimate, counted, cycles) {
        return None;
    }
    let may_be_more = counted.is_open() && counted.rate.is_some_and(|rate| rate.estimate > kept.high);
    let reason = ClaimReason::Survivors { kept: kept.estimate, may_be_more };
    let since = speaking.iter().map(|site| site.growing.since).min().unwrap_or(1);
    let since = cycles.points.iter().position(|point| point.ordinal >= since).unwrap_or(0);
    Some(Claim { by: Instrument::Sites, kept, is_whole: true, since, reason })
}

/// Samples see what the counters count, and see that the last cycles add little to it.
pub(super) fn over(sites: &Sites, counted: &Counted, cycles: &Cycles) -> Option<ClaimReason> {
    let case = Case { sites, counted, cycles };
    if sites.growing.iter().any(|site| case.speaks(site)) {
        return None;
    }
    let ((all, late), rate) = sites.kept.zip(counted.rate)?;
    let is_over = all >= COVERED_RATIO * rate.estimate && late < MAX_LATE_RATIO * rate.low;
    is_over.then_some(ClaimReason::MayBeOver { at_most: late })
}

/// Sites that may be named where nothing is decided: nothing speaks against them.
pub(super) fn likely<'s, 'a: 's>(
    sites: &'s Sites<'a>,
    counted: &'s Counted,
    cycles: &'s Cycles,
) -> impl Iterator<Item = &'s GrowingSite<'a>> {
    let case = Case { sites, counted, cycles };
    sites.growing.iter().filter(move |site| case.may_be_told(site))
}

/// The sites that explain what `by` says; where nobody claims anything, those that are likely, unless the counters exclude a growth.
pub(crate) fn suspects<'s, 'a: 's>(
    sites: &'s Sites<'a>,
    counted: &'s Counted,
    cycles: &'s Cycles,
    by: Option<Instrument>,
) -> Vec<&'s GrowingSite<'a>> {
    let case = Case { sites, counted, cycles };
    let all = sites.growing.iter();
    match by {
        Some(Instrument::Counters | Instrument::Containers | Instrument::NativeElements) => {
            all.filter(|site| site.growing.rate.low > case.floor(site)).collect()
        }
        Some(Instrument::Sites) => all.filter(|site| case.speaks(site)).collect(),
        Some(Instrument::FirstCycles | Instrument::EvenContainers) => {
            likely(sites, counted, cycles).collect()
        }
        None if counted.is_bounded() || counted.state == State::Grows => Vec::new(),
        None => likely(sites, counted, cycles).collect(),
    }
}

#[derive(Clone, Copy)]
struct Case<'c, 'a> {
    sites: &'c Sites<'a>,
    counted: &'c Counted,
    cycles: &'c Cycles,
}

impl Case<'_, '_> {
    fn floor(&self, site: &GrowingSite) -> f64 {
        let is_own = site.growing.speaks && (site.direct || is_kept_by_user(site, self.sites.held));
        let own = if is_own { OWN_FLOOR_RATIO } else { 1.0 };
        own * self.cycles.floor()
    }

    /// The counters leave room for that much, and so do all sites together.
    fn fits(&self, low: f64) -> bool {
        low <= self.counted.at_most && self.sites.net.leaves_room_for(low)
    }

    fn speaks(&self, site: &GrowingSite) -> bool {
        let is_sure = self.cycles.unit.repeats() && site.growing.speaks;
        let least = match self.cycles.unit {
            Unit::Found { floor, .. } if floor < LONG_FLOOR_BYTES => MIN_KEPT_BY_FOUND_BYTES,
            Unit::Found { .. } | Unit::Marked(_) | Unit::Window { .. } => MIN_KEPT_BYTES,
        };
        is_sure && site.growing.rate.low > self.floor(site) && self.kept(site) > least
    }

    /// Bytes that a site added in all, from the first cycle of its growth to the last.
    fn kept(&self, site: &GrowingSite) -> f64 {
        let last = self.cycles.points.last().map_or(0, |point| point.ordinal);
        site.growing.rate.low * (last.saturating_sub(site.growing.since) + 1) as f64
    }

    fn may_be_told(&self, site: &GrowingSite) -> bool {
        let rate = site.growing.rate;
        // With cycles enough for a judgement, what is seen must be enough for one as well.
        let is_sure = site.growing.speaks || self.counted.rate.is_none();
        is_sure && rate.low > self.cycles.floor() && self.fits(rate.low)
    }
}

/// Whether a look met nearly all of it in a container of the user's: a framework's residue is not there.
fn is_kept_by_user(site: &GrowingSite, held: &HolderEvidence) -> bool {
    let keeps = held.keeps(&site.survivors);
    keeps.first().is_some_and(|first| {
        first.share >= MIN_KEPT_RATIO
            && !HolderPath::of(&first.path).is_slot()
            && held.folders.is_users(&first.holder.file)
    })
}

/// What sites keep together.
pub(crate) fn sum<'s, 'a: 's>(sites: impl Iterator<Item = &'s GrowingSite<'a>>) -> Interval {
    sites.fold(Interval { estimate: 0.0, low: 0.0, high: 0.0 }, |all, site| {
        let rate = site.growing.rate;
        Interval {
            estimate: all.estimate + rate.estimate,
            low: all.low + rate.low,
            high: all.high + rate.high,
        }
    })
}
