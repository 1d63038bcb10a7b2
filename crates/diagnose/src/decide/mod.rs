//! The verdict: one table. The first row that applies is the verdict.
//!
//! In: what was counted, what is kept and by whose word, who explains it, what of it ends or does not matter. Out: the judgement of the
//! program itself, which nobody changes afterwards; a child that leaks may make the job's verdict a leak (`job`). What must not happen here: a number of an instrument's own.

mod coarser;
mod reason;

use nilometer_stats::Interval;

pub(crate) use coarser::{decides, is_another, is_asked};
pub(crate) use reason::Reason;

use crate::attribute::Attributed;
use crate::claims::bounds::{self, Filled, Job, filled};
use crate::claims::{self, ClaimReason, Limit};
use crate::counted::{Counted, Filling};
use crate::cycles::Cycles;
use crate::holders::HolderEvidence;
use crate::lookup::Lookup;
use crate::program;
use crate::reconcile::{Kept, at_least, with_count_error};
use crate::report::{Finding, Verdict};
use crate::sites::{Setting, Sites};

/// What was decided.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Reason,
    /// Cycles that would settle it, where it is undecided.
    pub(crate) needed: Option<u64>,
    /// Bytes per cycle that are kept; `None` with too few cycles.
    pub(crate) rate: Option<Interval>,
    /// Index of the first point that counts for the rate.
    pub(crate) since: usize,
    /// Index of the point at which start-up had ended.
    pub(crate) started: usize,
    /// Bytes per cycle that collections take back.
    pub(crate) sawtooth: f64,
    /// Rise that levels off.
    pub(crate) filling: Option<Filling>,
}

/// All that a verdict rests on.
pub(crate) struct Case<'a> {
    pub(crate) counted: &'a Counted,
    pub(crate) kept: &'a Kept,
    pub(crate) told: Attributed,
    /// The part of a sure growth that fills and ends.
    pub(crate) filled: Option<Filled>,
    /// Who says that no more is kept than what cannot matter.
    pub(crate) limit: Option<Limit>,
}

impl<'a> Case<'a> {
    /// What a verdict rests on: what is kept, and what of it ends or does not matter.
    pub(crate) fn of(
        kept: &'a Kept,
        mut told: Attributed,
        setting: &Setting<'a>,
        sites: Option<&Sites>,
        held: &HolderEvidence,
        limit: Option<program::Limit>,
        lookup: &mut dyn Lookup,
    ) -> Self {
        let (cycles, folder, is_sure) = (setting.cycles, setting.folder, kept.by.is_some());
        let no_more = claims::limit((told.rate, &told.findings), is_sure, setting, held, sites);
        let filled = told.rate.filter(|_| is_sure && no_more.is_none()).map(|rate| {
            let findings = std::mem::take(&mut told.findings);
            let (rest, filled) = filled(findings, rate, Job { held, cycles, limit, folder }, lookup);
            told.findings = rest;
            filled
        });
        Self { counted: setting.counted, kept, told, filled, limit: no_more }
    }
}

/// A judgement, with the findings that it leaves.
pub(crate) struct Decided {
    pub(crate) judgement: Judgement,
    pub(crate) findings: Vec<Finding>,
    /// The share of the growth that the findings account for.
    pub(crate) explained: Option<f64>,
    /// Containers that fill.
    pub(crate) filling: Vec<bounds::Filling>,
}

/// A row of the table: verdict, reason, growth, and the cycles that would settle it.
struct Row {
    verdict: Verdict,
    reason: Reason,
    rate: Option<Interval>,
    needed: Option<u64>,
}

/// The verdict.
pub(crate) fn decide(case: Case, cycles: &Cycles) -> Decided {
    let Case { counted, kept, told: Attributed { findings, rate, mut explained }, filled, limit } = case;
    let filling = limit.as_ref().map_or(counted.filling, |limit| limit.filling);
    let row = match (limit, &filled, rate.filter(|_| kept.by.is_some())) {
        (Some(limit), _, _) => Row::no_leak(limit.reason.into(), Some(limit.rate)),
        (None, Some(filled), Some(rate)) if !filled.filling.is_empty() => {
            let row = Row::beside(filled, &findings, rate, kept, cycles);
            let told: i64 = findings.iter().map(|f| f.bytes_per_cycle.estimate).sum();
            let rate = row.rate.filter(|rate| rate.estimate > 0.0 && !findings.is_empty());
            explained = rate.map(|rate| told as f64 / rate.estimate);
            row
        }
        (None, _, Some(rate)) => Row::leak(kept.reason, rate),
        (None, _, None) if counted.is_bounded() => Row::no_leak(kept.reason.into(), rate),
        (None, _, None) => {
            Row { verdict: Verdict::Undecided, reason: kept.reason.into(), rate, needed: kept.needed }
        }
    };
    let findings = if row.verdict == Verdict::NoLeak { Vec::new() } else { findings };
    let is_leak = row.verdict == Verdict::Leak;
    let rate = row.rate.map(|rate| if is_leak { with_count_error(at_least(rate, &findings)) } else { rate });
    let Row { verdict, reason, needed, .. } = row;
    let (since, started, sawtooth) = (kept.since, counted.started, counted.sawtooth);
    let judgement = Judgement { verdict, reason, needed, rate, since, started, sawtooth, filling };
    let filling = filled.map_or_else(Vec::new, |filled| filled.filling);
    Decided { judgement, findings, explained, filling }
}

impl Row {
    fn leak(reason: ClaimReason, rate: Interval) -> Self {
        Self { verdict: Verdict::Leak, reason: reason.into(), rate: Some(rate), needed: None }
    }

    fn no_leak(reason: Reason, rate: Option<Interval>) -> Self {
        Self { verdict: Verdict::NoLeak, reason, rate, needed: None }
    }

    fn undecided(reason: Reason, rate: Interval, needed: u64) -> Self {
        Self { verdict: Verdict::Undecided, reason, rate: Some(rate), needed: Some(needed) }
    }

    /// Where a part of the growth fills and ends: the verdict is about the rest.
    fn beside(filled: &Filled, rest: &[Finding], rate: Interval, kept: &Kept, cycles: &Cycles) -> Self {
        let (beside, beside_at_most) = (filled.beside, filled.beside.high);
        let filling = || filled.filling.clone();
        match filled.unproven {
            Some(needed) if rest.is_empty() && filled.is_all => {
                Self::undecided(Reason::BoundUnproven { filling: filling() }, rate, needed)
            }
            None if rest.is_empty() && filled.is_all => {
                Self::no_leak(Reason::Fills { filling: filling(), beside_at_most }, Some(beside))
            }
            // The filling part may have proved the growth. Without it, the rest must exceed the floor alone.
            _ if beside.low <= cycles.floor() && !rest.iter().any(|f| bounds::is_sure(f, cycles)) => {
                let reason = Reason::MostlyFills { filling: filling(), beside_at_most };
                Self::undecided(reason, beside, cycles.count)
            }
            _ => {
                let told: i64 = rest.iter().map(|f| f.bytes_per_cycle.estimate).sum();
                let estimate = beside.estimate.max(told as f64).min(rate.estimate);
                let low = beside.low.min(estimate).max(0.0);
                Self::leak(kept.reason, Interval { estimate, low, high: beside.high.max(estimate) })
            }
        }
    }
}
