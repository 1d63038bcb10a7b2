//! A growth that ends by arithmetic: what a container with a bound keeps is no leak where the bound is in reach.
//!
//! In: a leak with its findings, what scans said of lengths, the limit. Out: the leak without what only fills; no leak if nothing
//! else is left. What must not happen here: a leak hidden behind a container that fills; a bound that this job, or the machine's
//! memory, never reaches taken for an end.

use nilometer_stats::Interval;

use crate::cycles::Cycles;
use crate::held::Held;
use crate::judge::Judgement;
use crate::program::Limit;
use crate::report::{Component, Finding, Kind, Verdict};
use crate::sizes::size;

/// All of it may take this share of what the limit leaves free, ...
const OF_FREE: f64 = 0.5;
/// ... and it must be near, or take no more than this.
const SMALL: f64 = 256.0 * 1024.0 * 1024.0;
/// Growth beside it of this share may be what was not weighed of it.
const REST: f64 = 0.25;
/// What was weighed is right within this share.
const WEIGHED: f64 = 0.2;

/// What is left of a judgement without what fills.
pub(crate) struct Settled {
    pub(crate) judgement: Judgement,
    pub(crate) findings: Vec<Finding>,
    /// One for each container that fills.
    pub(crate) filling: Vec<Component>,
    /// The share of the growth that the findings account for.
    pub(crate) explained: Option<f64>,
}

/// Takes what fills out of a leak.
pub(crate) fn settle(
    (judgement, findings, explained): (Judgement, Vec<Finding>, Option<f64>),
    held: &Held,
    cycles: &Cycles,
    limit: Option<Limit>,
) -> Settled {
    let rate = judgement.rate.filter(|_| judgement.verdict == Verdict::Leak);
    let ends = |finding: &Finding| rate.and_then(|_| end(finding, held, cycles, limit));
    let (mut full, mut rest) = (Vec::new(), Vec::new());
    for finding in findings {
        match ends(&finding) {
            Some(component) => full.push(component),
            None => rest.push(finding),
        }
    }
    let (Some(rate), false) = (rate, full.is_empty()) else {
        return Settled { judgement, findings: rest, filling: Vec::new(), explained };
    };
    let fills: f64 = full.iter().filter_map(|c| c.bytes_per_cycle).sum::<i64>() as f64;
    let beside = Interval {
        estimate: rate.estimate - fills,
        low: rate.low - (1.0 + WEIGHED) * fills,
        high: (rate.high - fills).max(0.0),
    };
    let nothing_else = beside.estimate <= REST * rate.estimate && beside.low <= cycles.unit.floor();
    let sure = |f: &Finding| f.confidence != "possible" && f.bytes_per_cycle.low as f64 > cycles.unit.floor();
    let rest: Vec<Finding> = if nothing_else { rest.into_iter().filter(sure).collect() } else { rest };
    if rest.is_empty() && nothing_else {
        let reason = format!(
            "what live memory grows by is kept by what fills and ends: {} (beside it at most {} per {})",
            full.iter().map(|c| c.sentence.as_str()).collect::<Vec<_>>().join("; "),
            size(beside.high),
            cycles.unit.word()
        );
        let judgement = Judgement {
            verdict: Verdict::NoLeak,
            reason,
            needed: None,
            rate: Some(beside),
            at_most: beside.high,
            ..judgement
        };
        return Settled { judgement, findings: rest, filling: full, explained: None };
    }
    // What fills made the growth sure; what is beside it must be so by itself.
    if rest.is_empty() && beside.low <= cycles.unit.floor() {
        let unit = cycles.unit.word();
        let reason = format!(
            "most of what live memory grows by is kept by what fills and ends: {}; beside it the {unit}s differ too much to tell a \
             growth of up to {} per {unit} from none",
            full.iter().map(|c| c.sentence.as_str()).collect::<Vec<_>>().join("; "),
            size(beside.high),
        );
        let judgement = Judgement {
            verdict: Verdict::Undecided,
            reason,
            needed: Some(cycles.count),
            rate: Some(beside),
            at_most: beside.high,
            ..judgement
        };
        return Settled { judgement, findings: rest, filling: full, explained: None };
    }
    let told: i64 = rest.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    let estimate = beside.estimate.max(told as f64).min(rate.estimate);
    let beside =
        Interval { estimate, low: beside.low.min(estimate).max(0.0), high: beside.high.max(estimate) };
    let explained = (!rest.is_empty() && estimate > 0.0).then_some(told as f64 / estimate);
    let judgement = Judgement { rate: Some(beside), ..judgement };
    Settled { judgement, findings: rest, filling: full, explained }
}

/// The container that a finding accuses, if it is full soon enough.
fn end(finding: &Finding, held: &Held, cycles: &Cycles, limit: Option<Limit>) -> Option<Component> {
    let holder = finding.holder.as_ref()?;
    let room = held.room(&holder.path, cycles)?;
    let per_cycle = finding.bytes_per_cycle.estimate;
    let more = room.cycles * per_cycle.max(0) as f64;
    let fits = limit.is_none_or(|limit| more <= OF_FREE * limit.headroom as f64);
    let near = room.is_near(cycles.count) || more <= SMALL;
    (fits && near).then(|| Component {
        kind: Kind::Filling,
        phase: None,
        bytes: per_cycle.saturating_mul(i64::try_from(cycles.count).unwrap_or(i64::MAX)),
        bytes_per_cycle: Some(per_cycle),
        sentence: format!(
            "{} is full with {} elements, in {:.0} more {}s and with {} more",
            room.name,
            room.bound,
            room.cycles.ceil(),
            cycles.unit.word(),
            size(more)
        ),
        made_at: None,
        change: None,
        prove: None,
    })
}
