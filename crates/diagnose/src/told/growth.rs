//! The growth as it is told: with its causes, since when, and how much of it is explained.
//!
//! In: a judgement and its findings. Out: the growth, and the findings with their causes. What must not happen here: findings that add up to
//! more than the growth.

use nilometer_capture::Capture;

use crate::causes;
use crate::counted::began;
use crate::cycles::Cycles;
use crate::decide::Judgement;
use crate::endpoints::by_endpoint;
use crate::pack::Run;
use crate::reconcile::add_up;
use crate::report::{Bytes, Finding, Growth, Verdict};
use crate::timeline::Basis;

/// Gives findings their causes. Returns the share of a leak that they explain, after they are capped to the growth and the causes of
/// the whole run are added.
pub(super) fn explain(
    findings: &mut Vec<Finding>,
    judgement: &Judgement,
    run: Run,
    explained: Option<f64>,
) -> Option<f64> {
    causes::explain(findings, run);
    let whole = judgement.rate.map_or(0.0, |rate| rate.estimate);
    causes::merge(findings, whole);
    for gather in run.packs.iter().flat_map(|pack| pack.gather) {
        gather(findings, whole);
    }
    let Some(rate) = judgement.rate.filter(|_| judgement.verdict == Verdict::Leak) else { return explained };
    let explained = add_up(findings, &rate).or(explained);
    causes::add(findings, run, rate.estimate, explained)
}

/// The growth per cycle, and the cycle since which it was there.
pub(super) fn growth(
    capture: &Capture,
    judgement: &Judgement,
    cycles: &Cycles,
    basis: Basis,
    explained: Option<f64>,
) -> Option<Growth> {
    let rate = judgement.rate?;
    let began = match judgement.verdict {
        Verdict::Leak => began(&cycles.points, judgement.since, rate.low.max(rate.estimate / 2.0)),
        Verdict::NoLeak | Verdict::Undecided => judgement.since,
    };
    let since_cycle = cycles.points.get(began).map_or(1, |p| p.ordinal);
    let endpoints = match judgement.verdict {
        Verdict::Leak => by_endpoint(capture, cycles, judgement.since, rate),
        Verdict::NoLeak | Verdict::Undecided => Vec::new(),
    };
    Some(Growth {
        bytes_per_cycle: Bytes::round(&rate),
        since_cycle,
        basis: basis.word(),
        explained,
        endpoints,
    })
}
