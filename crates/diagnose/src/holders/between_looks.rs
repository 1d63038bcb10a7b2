//! Who keeps a growth whose elements are made anew in each cycle: no sample survives, and no container grows at one address.
//!
//! In: what whole looks said of the bytes below each holder, or of one container whose length scans saw grow; the growth that was
//! counted. Out: findings, where nothing else explains it. What must not happen here: a holder accused that keeps much less than the growth, or
//! much more; a library's own.
//!
//! Averages of weights that are replaced in every step are such a growth, or activations that a hook takes again with each batch.

use nilometer_capture::Holder;
use nilometer_model::HolderPath;
use nilometer_stats::Interval;

use super::HolderEvidence;
use super::container_size::SCAN_ERROR_RATIO;
use super::join::{of, sentence};
use super::scans::{Pace, cycle_at};
use crate::cycles::Point;
use crate::numbers::{EXCESS, MOST, SEVERAL};
use crate::report::{Bytes, Finding};
use crate::sample::Sample;

/// What is kept is this share of the growth at least, and at most.
const EXPLAINED_RATIO: (f64, f64) = (MOST, EXCESS);
/// Two looks must lie so far apart: a look strikes anywhere inside of a cycle.
const MIN_CYCLES_BETWEEN: f64 = SEVERAL as f64;

/// Findings that explain `rate`, bytes per cycle of the series, by whole looks.
pub(crate) fn by_looks(
    held: &HolderEvidence,
    rate: &Interval,
    points: &[Point],
    samples: &[Sample],
) -> Vec<Finding> {
    let explains = |bytes: f64| {
        let (least, most) = EXPLAINED_RATIO;
        (least * rate.estimate..=most * rate.estimate).contains(&bytes)
    };
    let found = |(holder, bytes): (&Holder, f64)| finding(holder, bytes, rate);
    let between = innermost(held.between_looks(points).filter(|(_, bytes)| explains(*bytes)).collect());
    if !between.is_empty() {
        return between.into_iter().map(found).collect();
    }
    // Parts of the growth may hang below several containers, as below the hooks of several layers.
    let counted: Vec<(&Holder, f64)> = held.by_length(points, samples).collect();
    let sum: f64 = counted.iter().map(|(_, bytes)| bytes).sum();
    counted.into_iter().filter(|(_, bytes)| explains(sum) && *bytes > 0.0).map(found).collect()
}

/// One holder: the one that no other of them lies within.
fn innermost(mut holders: Vec<(&Holder, f64)>) -> Vec<(&Holder, f64)> {
    holders.sort_by_key(|(holder, _)| std::cmp::Reverse(holder.path.len()));
    holders.truncate(1);
    holders
}

impl<'a> HolderEvidence<'a> {
    /// The user's own containers whose bytes two looks told, with what they rose by per cycle.
    fn between_looks(&self, points: &[Point]) -> impl Iterator<Item = (&'a Holder, f64)> {
        self.retained.iter().filter_map(|(id, told)| {
            let holder = self.users_container(*id)?;
            let ((from, before), (to, after)) = (*told.first()?, *told.last()?);
            let cycles = cycle_at(points, to)? - cycle_at(points, from)?;
            (cycles >= MIN_CYCLES_BETWEEN).then(|| (holder, (after as f64 - before as f64) / cycles))
        })
    }

    /// The user's own containers that scans saw get longer, with what a look found below them, for each element that a cycle adds.
    fn by_length(&self, points: &[Point], samples: &[Sample]) -> impl Iterator<Item = (&'a Holder, f64)> {
        let looked = self.looks.last().copied();
        self.rises.iter().filter_map(move |(id, rises)| {
            let holder = self.users_container(*id)?;
            let pace = Pace::of(rises, &self.scans, points).filter(|pace| !pace.slows)?;
            let is_below = self.below(HolderPath::of(&holder.path));
            let lived = samples.iter().filter(|s| looked.is_some_and(|at_ns| s.lives_at(at_ns)));
            let bytes: f64 = lived.filter(|s| is_below(s.id)).map(|s| s.weight).sum();
            let length = rises.last().map(|last| last.grown.length).filter(|length| *length > 0)?;
            Some((holder, bytes / length as f64 * pace.lengthened))
        })
    }

    fn users_container(&self, id: u64) -> Option<&'a Holder> {
        self.holder(id).filter(|holder| {
            let path = HolderPath::of(&holder.path);
            let is_container = path.is_all_of(path.container());
            let is_own = self.folders.is_users(&holder.file) && !path.is_namespace(&holder.file);
            is_own && is_container && holder.bound.is_none()
        })
    }
}

fn finding(holder: &Holder, bytes: f64, rate: &Interval) -> Finding {
    let estimate = bytes.min(rate.high);
    let bounds = (estimate * (1.0 - SCAN_ERROR_RATIO), (estimate * (1.0 + SCAN_ERROR_RATIO)).min(rate.high));
    let (low, high) = (bounds.0, bounds.1.max(estimate));
    Finding {
        cause: "container-grows".to_owned(),
        confidence: "likely",
        sentence: sentence(holder),
        holder: Some(of(holder)),
        bytes_per_cycle: Bytes::round(&Interval { estimate, low, high }),
        ..Finding::default()
    }
}
