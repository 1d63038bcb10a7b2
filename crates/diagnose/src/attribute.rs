//! What is kept, by who keeps it and which line made it.
//!
//! In: what is kept of each cycle, the sites that explain it, what scans and looks saw held. Out: findings, and the growth, where they
//! show it to be more. What must not happen here: a finding beside counters that exclude it, or surer than its samples.

use crate::numbers::SEVERAL;
use nilometer_stats::Interval;

use crate::claims::{Instrument, sum, suspects};
use crate::holders::{
    BySite, HolderEvidence, add_kept_at, by_holder, by_looks, fold, fold_ways, grown, hold, take_in_native,
};
use crate::lookup::Lookup;
use crate::reconcile::Kept;
use crate::report::Finding;
use crate::sites::finding::add_source;
use crate::sites::lines_beside_holders::{beside, take_from_native};
use crate::sites::{GrowingSite, Setting, Sites};

/// Birth cycles that make a finding likely.
const MIN_LIKELY_CYCLES: usize = SEVERAL as usize + 1;

/// A growth with what explains it.
pub(crate) struct Attributed {
    pub(crate) findings: Vec<Finding>,
    /// Bytes per cycle.
    pub(crate) rate: Option<Interval>,
    /// The share of it that the findings account for.
    pub(crate) explained: Option<f64>,
}

/// Who keeps what is kept; where nobody is sure that anything is, the sites that may be told.
pub(crate) fn attribute(
    kept: &Kept,
    setting: &Setting,
    sites: Option<&Sites>,
    held: &HolderEvidence,
    lookup: &mut dyn Lookup,
) -> Attributed {
    let ends = &setting.cycles.ends;
    let sure = kept.sure.filter(|rate| rate.estimate > 0.0);
    let mut findings = match (sites, sure) {
        (Some(sites), _) => by_site(kept, setting, sites, held, lookup),
        (None, Some(rate)) => grown(held, &rate, ends, &[]),
        (None, None) => Vec::new(),
    };
    if let (Some(sites), Some(rate), true) = (sites, sure, findings.is_empty()) {
        findings = by_looks(held, &rate, ends, &sites.recording.samples);
    }
    add_kept_at(&mut findings, &held.folders, setting.folder, lookup);
    if sites.is_none() {
        findings = fold(findings);
    }
    let is_sure = kept.by.is_some();
    let mut rate = kept.rate;
    if sites.is_some() && is_sure {
        rate = rate.map(|rate| held.widen(&mut findings, rate, ends));
    }
    let told: i64 = findings.iter().map(|finding| finding.bytes_per_cycle.estimate).sum();
    let explained =
        rate.filter(|rate| is_sure && rate.estimate > 0.0).map(|rate| told as f64 / rate.estimate);
    let explained = explained.filter(|_| sites.is_some() || !findings.is_empty());
    Attributed { findings, rate, explained }
}

/// Findings of the sites that explain it, by holder where one was seen.
fn by_site(
    kept: &Kept,
    setting: &Setting,
    sites: &Sites,
    held: &HolderEvidence,
    lookup: &mut dyn Lookup,
) -> Vec<Finding> {
    let (cycles, ends) = (setting.cycles, &setting.cycles.ends);
    let told = suspects(sites, setting.counted, cycles, kept.by);
    let mut findings =
        by_holder(told.iter().map(|site| with_holders(site, &told, kept, sites, held)).collect());
    if let Some(rate) = kept.sure.filter(|rate| rate.estimate > 0.0) {
        // The places that make memory for one holder make no more than all of the growth.
        for finding in &mut findings {
            finding.bytes_per_cycle.cap(rate.high.round() as i64);
        }
        held.weigh(&mut findings, &rate, ends);
        add_source(&mut findings, setting.folder, lookup);
        let (mut told, unheld): (Vec<_>, Vec<_>) = findings.into_iter().partition(|f| f.holder.is_some());
        told.extend(grown(held, &rate, ends, &told));
        take_from_native(&mut told);
        add_kept_at(&mut told, &held.folders, setting.folder, lookup);
        findings = beside(fold(fold_ways(told, rate.high)), unheld, &rate);
        findings.extend(grown(held, &rate, ends, &findings));
        sites.add_made_at(&mut findings);
        hold(held, &mut findings, ends, setting.folder, lookup);
        // Some holders are known by now that were not before.
        held.take_in_lines(&mut findings, &rate, ends);
        let most = (ends.as_slice(), rate.high.round() as i64);
        findings = take_in_native(held, findings, most, setting.folder, lookup);
        findings = held.take_in_parts(findings);
    }
    add_source(&mut findings, setting.folder, lookup);
    findings
}

/// The finding of a site, and who was seen to keep its memory.
fn with_holders<'a>(
    site: &GrowingSite<'a>,
    told: &[&GrowingSite<'a>],
    kept: &Kept,
    sites: &Sites<'a>,
    held: &HolderEvidence<'a>,
) -> BySite<'a> {
    let all = sum(told.iter().copied());
    let agrees = kept.sure.is_some_and(|rate| all.low <= rate.high && rate.low <= all.high);
    let confidence = match () {
        () if agrees && site.growing.speaks => "certain",
        () if site.growing.distinct >= MIN_LIKELY_CYCLES => "likely",
        () => "possible",
    };
    let mut finding = sites.finding(site, confidence);
    if let Some(rate) = kept.rate.filter(|_| kept.by.is_some_and(|by| by < Instrument::Sites)) {
        let most = rate.high.round() as i64;
        finding.bytes_per_cycle.cap(most);
        finding.sites.iter_mut().for_each(|site| site.bytes_per_cycle = site.bytes_per_cycle.min(most));
    }
    let arrays = site.survivors.iter().all(|one| sites.is_array(one.stack));
    let keeps = match arrays.then(|| held.by_native_code(&site.survivors)).flatten() {
        Some(native) => vec![native],
        None => held.keeps(&site.survivors),
    };
    BySite { finding, keeps, direct: site.direct }
}
