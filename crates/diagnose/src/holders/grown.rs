//! Containers that were seen to grow, for a leak that samples do not account for: too few of them, or none.
//!
//! In: what the scans said of each container, the growth that was counted. Out: findings without a line. What must not happen
//! here: a container accused that grows too little for it, or that stopped; a harmless list of numbers beside a real leak.

use crate::numbers::{ALIKE, HALF, SEVERAL};
use nilometer_model::HolderPath;
use nilometer_stats::Interval;

use super::HolderEvidence;
use super::container_size::SCAN_ERROR_RATIO;
use super::join::{of, sentence};
use super::scans::{Pace, Weighed};
use crate::cycles::Point;
use crate::report::{Bytes, Finding};

/// It must carry this share of the growth that is left to explain.
const MIN_EXPLAINED_RATIO: f64 = ALIKE;
/// Memory that Python cannot see is credited to a container of native things if nothing else explains this share.
const UNSEEN: f64 = HALF;
/// Scans that a container which still grows may be missed by, one after the other.
const MAX_QUIET_SCANS: usize = SEVERAL as usize;
/// Bytes that agree with the growth this well are no coincidence.
const MAX_DIFFERENCE_RATIO: f64 = ALIKE;

/// Findings for what `told` leaves unexplained of `rate`, bytes per cycle of the series.
pub(crate) fn grown(
    held: &HolderEvidence,
    rate: &Interval,
    series: &[Point],
    told: &[Finding],
) -> Vec<Finding> {
    let explained: i64 = told.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    let mut left = rate.estimate - explained as f64;
    let mut candidates: Vec<(u64, Pace)> = held
        .rises
        .iter()
        .filter_map(|(id, rises)| Some((*id, Pace::of(rises, &held.scans, series)?)))
        .collect();
    // A kernel adds names to its module with each cell: the list that one of them means is told first.
    let is_namespace = |id: u64| {
        held.holder(id).is_some_and(|holder| HolderPath::of(&holder.path).is_namespace(&holder.file))
    };
    candidates.sort_by(|a, b| {
        is_namespace(a.0).cmp(&is_namespace(b.0)).then_with(|| b.1.bytes.total_cmp(&a.1.bytes))
    });
    let mut out = Vec::new();
    for (id, pace) in candidates {
        let Some(holder) = held.holder(id) else { continue };
        // Weak references live as long as what they refer to, which somebody else keeps.
        if is_weak(&holder.elements) && !(told.is_empty() && out.is_empty()) {
            continue;
        }
        // What was told already of what hangs below it, or of what it hangs below.
        let mut below = 0.0;
        let mut is_told = false;
        for finding in told.iter().chain(&out) {
            let Some(path) = finding.holder.as_ref().map(|h| HolderPath::of(&h.path)) else { continue };
            // Another way to what is called the same; one around it may keep much more.
            let alike = finding.also_held_by.iter().map(|h| HolderPath::of(&h.path));
            let alike = alike.filter(|other| other.name() == path.name());
            let own = HolderPath::of(&holder.path);
            is_told |= [path].into_iter().chain(alike).any(|path| own.is_within(path));
            if path.is_within(own) {
                below += finding.bytes_per_cycle.estimate as f64;
            }
        }
        let pace = Pace { bytes: pace.bytes - below, ..pace };
        // Other parts of the same elements: nobody else is to be accused of them.
        if is_told && below > 0.0 && pace.bytes > 0.0 && pace.bytes + below <= rate.high {
            left -= pace.bytes;
        }
        if is_told || (below >= UNSEEN * rate.estimate && pace.weighed != Weighed::All) {
            continue;
        }
        let unseen = pace.weighed != Weighed::All
            && out.is_empty()
            && left > UNSEEN * rate.estimate
            && !held.is_quiet(id);
        let bytes = if unseen { left } else { pace.bytes };
        // All that the growth may be, less what is told already.
        let most = rate.high - (rate.estimate - left);
        // Elements that are told of were weighed with it: beside them it cannot keep more than that.
        let is_weighed_twice = below > 0.0 && pace.bytes * (1.0 - SCAN_ERROR_RATIO) > most;
        if left <= 0.0
            || is_weighed_twice
            || bytes < MIN_EXPLAINED_RATIO * left.max(MIN_EXPLAINED_RATIO * rate.estimate)
            || pace.bytes > 2.0 * rate.high
        {
            continue;
        }
        let agrees = pace.weighed == Weighed::All
            && !pace.shared
            && (pace.bytes - left).abs() <= MAX_DIFFERENCE_RATIO * rate.estimate;
        let confidence = match () {
            () if agrees => "certain",
            () if unseen || pace.bytes >= UNSEEN * left => "likely",
            () => "possible",
        };
        let bytes_per_cycle = between(&pace, bytes, most);
        left -= bytes;
        out.push(Finding {
            cause: "container-grows".to_owned(),
            confidence,
            sentence: sentence(holder),
            holder: Some(of(holder)),
            also_held_by: Vec::new(),
            sites: Vec::new(),
            bytes_per_cycle,
            phase: None,
            part: None,
            cycles_seen: pace.cycles,
            stack: Vec::new(),
            change: None,
            prove: None,
            process: None,
            device: None,
        });
    }
    // Together they may account for all of it where each alone does not.
    let sum: i64 = out.iter().map(|f: &Finding| f.bytes_per_cycle.estimate).sum::<i64>() + explained;
    if (sum as f64 - rate.estimate).abs() <= MAX_DIFFERENCE_RATIO * rate.estimate {
        for finding in out.iter_mut().filter(|f| f.confidence == "possible") {
            finding.confidence = "likely";
        }
    }
    out
}

impl HolderEvidence<'_> {
    /// Whether many scans have seen nothing of a container since it grew: it is gone, as what a compiler needs for a moment is.
    fn is_quiet(&self, id: u64) -> bool {
        let last = self.rises.get(&id).and_then(|rises| rises.last());
        let since = |at_ns: u64| self.scans.iter().filter(|at| **at > at_ns).count();
        // The scan that tells of it ends behind it.
        last.is_some_and(|rise| since(rise.at_ns) > MAX_QUIET_SCANS)
    }
}

/// The bytes with their bounds. What was weighed is right within a share; of what was not, or what Python cannot see, there may be nothing, or
/// as much as the growth may be.
fn between(pace: &Pace, bytes: f64, most: f64) -> Bytes {
    let weighed = pace.bytes * (1.0 + SCAN_ERROR_RATIO);
    let (low, high) = match pace.weighed {
        Weighed::All => (pace.bytes * (1.0 - SCAN_ERROR_RATIO), weighed),
        Weighed::Part | Weighed::AllButNative => (pace.bytes.min(bytes), weighed.max(most)),
    };
    Bytes::round(&Interval { estimate: bytes, low, high: high.max(bytes) })
}

/// Whether the new elements of a container are weak references: a `WeakSet`'s, a registry's.
fn is_weak(elements: &str) -> bool {
    ["ReferenceType", "KeyedRef", "WeakMethod"].iter().any(|kind| elements.contains(kind))
}
