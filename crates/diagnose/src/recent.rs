//! The last hours of a long run by themselves: a leak that came with this morning's traffic is lost in weeks that went well.
//!
//! In: a run of a day or more that shows no leak. Out: what its last hours or days show, if that is one. What must not happen here: the
//! swing of a day taken for growth. So nobody looks unless memory has stayed above all that it ever was before.

use nilometer_capture::{Capture, Moment, Observation, Record};

use crate::numbers::MIN_RISE_BYTES;
use crate::report::{Report, Verdict};
use crate::timeline::Timeline;
use crate::told::words::narrowed;

const HOUR_NS: u64 = 3600 * 1_000_000_000;
/// A shorter run has not seen a whole day.
const MIN_RUN_NS: u64 = 24 * HOUR_NS;
/// What is looked at, the longest first: it has most to say. The run before it must be longer still.
const WINDOWS_NS: [u64; 3] = [240 * HOUR_NS, 48 * HOUR_NS, 6 * HOUR_NS];
/// The part at the end of it in which memory must have stayed above all that was before.
const END_DIVISOR: u64 = 4;

/// The stretches at the end that are worth a look.
pub(crate) fn stretches(capture: &Capture, whole: &Report) -> Vec<Stretch> {
    let end_ns = capture.records.last().map_or(0, |last| last.at_ns);
    if whole.verdict == Verdict::Leak || end_ns < MIN_RUN_NS {
        return Vec::new();
    }
    let timeline = Timeline::of(capture, &[]);
    let windows = WINDOWS_NS.into_iter().filter(|length| 2 * length <= end_ns);
    let stretches = windows.map(|length_ns| Stretch { from_ns: end_ns - length_ns, length_ns });
    stretches.filter(|stretch| stretch.is_above_all_before(&timeline)).collect()
}

/// A stretch at the end of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    from_ns: u64,
    length_ns: u64,
}

impl Stretch {
    fn is_above_all_before(&self, timeline: &Timeline) -> bool {
        let basis = timeline.basis();
        let end_ns = self.from_ns + self.length_ns - self.length_ns / END_DIVISOR;
        let (mut highest, mut lowest) = (0.0_f64, f64::INFINITY);
        for reading in &timeline.readings {
            let Some(level) = reading.level(basis) else { continue };
            if reading.at_ns < self.from_ns {
                highest = highest.max(level);
            } else if reading.at_ns >= end_ns {
                lowest = lowest.min(level);
            }
        }
        lowest.is_finite() && lowest > highest + MIN_RISE_BYTES
    }

    /// The capture with what was read and seen in this stretch alone. Facts, stacks and samples stay: what was made before is old.
    pub(crate) fn narrowed(&self, capture: &Capture) -> Capture {
        let is_of_it = |record: &Record| match record {
            Record::Reading { moment, .. } => {
                matches!(moment, Moment::BeforeExit | Moment::AfterExitCollection)
            }
            Record::Cycle { .. } | Record::Phase { .. } | Record::Observation(_) => false,
            _ => true,
        };
        let mut out = capture.clone();
        out.records.retain(|stamped| {
            let is_name = matches!(&stamped.record, Record::Observation(Observation::Holder(_)));
            stamped.at_ns >= self.from_ns || is_name || is_of_it(&stamped.record)
        });
        out
    }

    /// The whole report with what this stretch shows, where that is a leak.
    pub(crate) fn tell(&self, whole: &mut Report, recent: Report) -> bool {
        if recent.verdict != Verdict::Leak {
            return false;
        }
        let hours = self.length_ns / HOUR_NS;
        whole.verdict = recent.verdict;
        whole.reason = narrowed::in_the_last(hours, &recent.reason);
        whole.cycles = recent.cycles;
        whole.growth = recent.growth;
        whole.forecast = recent.forecast;
        whole.findings = recent.findings;
        whole.next_steps = recent.next_steps;
        true
    }
}
