//! Findings of which the same is said are one finding: a traced function's graphs are held by its cache and made at many lines.
//!
//! In: explained findings. Out: one for each sentence. What must not happen here: bytes beyond the growth; findings that only share a
//! cause's name.

use nilometer_model::HolderPath;

use crate::report::{Finding, Holder};

/// Merges those with the same cause and sentence into the first of them. `rate`: the whole growth, bytes per cycle.
pub(crate) fn merge(findings: &mut Vec<Finding>, rate: f64) {
    let mut out: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        let is_same =
            |known: &&mut Finding| known.cause == finding.cause && known.sentence == finding.sentence;
        match out.iter_mut().find(is_same) {
            Some(known) => take_in(known, finding, rate),
            None => out.push(finding),
        }
    }
    *findings = out;
}

/// Takes all parts into the one finding that keeps them; nothing where there is not exactly one. `rate`: the whole growth, bytes per cycle.
pub fn gather_into_one(
    findings: &mut Vec<Finding>,
    is_keeper: impl Fn(&Finding) -> bool,
    is_part: impl Fn(&Finding) -> bool,
    rate: f64,
) {
    if findings.iter().filter(|f| is_keeper(f)).count() != 1 {
        return;
    }
    let (parts, mut rest): (Vec<_>, Vec<_>) = findings.drain(..).partition(|f| is_part(f) && !is_keeper(f));
    if let Some(keeper) = rest.iter_mut().find(|f| is_keeper(f)) {
        for part in parts {
            take_in(keeper, part, rate);
        }
    }
    *findings = rest;
}

fn take_in(known: &mut Finding, more: Finding, rate: f64) {
    let whole = (rate.round() as i64).max(known.bytes_per_cycle.estimate);
    let bytes = &mut known.bytes_per_cycle;
    bytes.estimate = bytes.estimate.saturating_add(more.bytes_per_cycle.estimate).min(whole);
    bytes.low = bytes.low.max(more.bytes_per_cycle.low).min(bytes.estimate);
    bytes.high = bytes.high.max(bytes.estimate);
    for site in more.sites {
        if !known.sites.iter().any(|s| (s.role, &s.file, s.line) == (site.role, &site.file, site.line)) {
            known.sites.push(site);
        }
    }
    // A container that grows says more than a slot of one of its elements.
    let grows = |holder: &Option<Holder>| holder.as_ref().is_some_and(|h| !HolderPath::of(&h.path).is_slot());
    if known.holder.is_none() || grows(&more.holder) && !grows(&known.holder) {
        known.holder = more.holder;
    }
    if known.stack.is_empty() {
        known.stack = more.stack;
    }
    known.cycles_seen = known.cycles_seen.max(more.cycles_seen);
}
