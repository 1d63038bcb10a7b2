//! Levels without what is in flight: big blocks that come and go while a pipeline hands on its batches.
//!
//! In: samples, the cycles. Out: the same cycles, their levels less those blocks. What must not happen here: anything taken out that
//! grows. An array that is joined with the next and replaced lives for no longer than a batch does, but is of another size each time;
//! what a queue piles up lives ever longer.
//!
//! A pipeline has some batches in flight at the end of each epoch, now more and now fewer: megabytes of noise in which a growth of a
//! hundred kilobytes cannot be told from none. The recorder sees blocks of that size without fail, and sees them go.

use crate::numbers::{MOST, NEARLY_ALL, THIRD};
use std::collections::BTreeMap;

use nilometer_stats::growth;

use super::lower_band::lower_band;
use super::{ClaimReason, Limit};
use crate::counted::{State, count};
use crate::cycles::{Cycles, Point};
use crate::sample::Sample;
use crate::sites::bins::Bins;
use crate::sites::growing::{Look, SURVIVAL_CYCLES};
use crate::sites::{Setting, Sites, look};
use crate::timeline::Basis;

/// Only blocks with at least this chance of being sampled are used: of the others too few are seen.
const SURELY_SEEN_CHANCE: f64 = NEARLY_ALL;
/// Sizes in flight recur: each was already seen in this first part of the judged stretch.
const EARLY_RATIO: f64 = THIRD;
/// Memory in flight is steady if the first half of the cycles has this share of the second half's, by its maximum or by its mean.
/// Either alone may be chance: three batches in one half, seven in the other. Growing memory meets neither.
const NO_MORE_RATIO: f64 = MOST;

/// Says that memory does not grow but for what is in flight, where the counters leave it open: by the blocks that the recorder saw, or by
/// the levels alone.
pub(super) fn limit(sites: &Sites, setting: &Setting) -> Option<Limit> {
    let counted = setting.counted;
    let is_open = counted.rate.is_some() && !counted.is_bounded() && !counted.surely_rose;
    if !is_open || setting.basis != Basis::Live {
        return None;
    }
    let without = || sites.without_in_flight(setting);
    // Of two kinds of noise one at a time may be taken away: what both together hide may be a leak.
    without()
        .and_then(|cycles| bounded(&cycles, setting))
        .or_else(|| bounded(&lower_band(setting.cycles)?, setting))
}

/// The limit where what lasts is bounded.
fn bounded(cycles: &Cycles, setting: &Setting) -> Option<Limit> {
    let lasting = count(setting.timeline, cycles, setting.basis, setting.exit);
    let rate = lasting.rate.filter(|_| lasting.state == State::Bounded)?;
    let reason = ClaimReason::InFlight { at_most: lasting.at_most.max(0.0) };
    Some(Limit { rate, filling: lasting.filling, reason })
}

impl Sites<'_> {
    /// The cycles less what was in flight at the end of each; nothing where no such blocks were seen. The last cycles are missing:
    /// of what they made it is not known whether it stays.
    fn without_in_flight(&self, setting: &Setting) -> Option<Cycles> {
        let cycles = setting.cycles;
        let bins = &Bins::of(setting.timeline, cycles);
        let look = &look(setting, bins);
        let last = bins.ordinal(bins.len().checked_sub(SURVIVAL_CYCLES + 1)?);
        // Between the ends of bins the recording does not tell what came and went.
        let ends_bin = |ordinal: u64| bins.ordinal(bins.of_ordinal(ordinal)) == ordinal;
        let mut points = cycles.points.clone();
        points.retain(|point| point.ordinal <= last && ends_bin(point.ordinal));
        let passing = self.passing(look);
        let levels = passing.values().filter_map(|samples| in_flight(samples, &points));
        let sum = levels.reduce(|all, one| all.iter().zip(one).map(|(a, b)| a + b).collect())?;
        points.iter_mut().zip(sum).for_each(|(point, bytes)| point.level -= bytes);
        cycles.unit.repeats().then(|| Cycles { points, ..cycles.clone() })
    }

    /// Big blocks that did not grow old, by their size; of sizes that the first part of the judged stretch made already.
    fn passing(&self, look: &Look) -> BTreeMap<u64, Vec<&Sample>> {
        let judged = look.bins.len().saturating_sub(look.first);
        let until = look.first + (EARLY_RATIO * judged as f64) as usize;
        let is_early = |s: &Sample| (look.first..until).contains(&look.bins.at(s.born_ns));
        let mut by_size: BTreeMap<u64, Vec<&Sample>> = BTreeMap::new();
        for sample in self.recording.samples.iter().filter(|s| s.chance >= SURELY_SEEN_CHANCE) {
            by_size.entry(bytes_of(sample)).or_default().push(sample);
        }
        by_size.retain(|_, samples| samples.iter().any(|s| is_early(s)));
        for samples in by_size.values_mut() {
            samples.retain(|s| !look.is_old(s));
        }
        by_size
    }
}

/// Bytes of these blocks at each point; nothing if they become more: an array for each cycle so far may be made anew in every one.
fn in_flight(samples: &[&Sample], points: &[Point]) -> Option<Vec<f64>> {
    let at =
        |point: &Point| samples.iter().filter(|s| s.lives_at(point.at_ns)).map(|s| bytes_of(s) as f64).sum();
    let levels: Vec<f64> = points.iter().map(at).collect();
    let most = |part: &[f64]| part.iter().copied().fold(0.0, f64::max);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let (early, late) = levels.split_at(levels.len() / 2);
    let ordinals: Vec<f64> = points.iter().map(|point| point.ordinal as f64).collect();
    let rises = growth(&ordinals, &levels).is_none_or(|rate| rate.low > 0.0);
    let is_as_much = |of: &dyn Fn(&[f64]) -> f64| of(early) >= NO_MORE_RATIO * of(late);
    (!rises && (is_as_much(&most) || is_as_much(&mean))).then_some(levels)
}

/// What was asked of the allocator.
fn bytes_of(sample: &Sample) -> u64 {
    (sample.weight * sample.chance).round() as u64
}
