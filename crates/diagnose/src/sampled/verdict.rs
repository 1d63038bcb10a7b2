//! What growing sites mean for the verdict, and how sure each of them is.
//!
//! In: the verdict of the counters and the growing sites. Out: findings, and a verdict that may have become "leak". What
//! must not happen here: a finding beside counters that exclude it; a verdict turned by samples that may be garbage.

use nilometer_stats::Interval;

use super::beside::{beside, take_from_native};
use super::finding::add_source;
use super::origin::Origin;
use super::{GrowingSite, Setting, Sites};
use crate::early;
use crate::held::{Claim, Held, add_kept_at, by_holder, fold, grown, hold, prove_evenly};
use crate::judge::Judgement;
use crate::lookup::Lookup;
use crate::report::{Finding, Verdict};
use crate::sizes::size;
use crate::unit::Unit;

/// What a user's container keeps is met there by looks with this share at least.
const NEARLY_ALL: f64 = 0.8;
/// Growth of a user's own line, or in a user's own container, counts from this share of the floor on: frameworks' residue does not hide in it.
const OWN_FLOOR: f64 = 0.25;
/// A site that added less in all may be a library's table that fills: pickle and numpy keep 6 KiB in the first 50 arrays from a queue.
const MIN_KEPT_BYTES: f64 = 16.0 * 1024.0;
/// The same where short turns were found: the floor of one is a few hundred bytes. A table of metrics that gets a row per round of 0.1 s kept
/// 85 KiB in 60 rounds; pandas keeps a KiB beside each row.
const MIN_KEPT_BY_FOUND_BYTES: f64 = 128.0 * 1024.0;
/// Samples that account for this share of a growth may say that it is over.
const COVERED: f64 = 0.6;
/// It is over where the last third of the cycles adds less than this share of it.
const OVER: f64 = 0.5;
/// Birth cycles that make a finding likely.
const LIKELY: usize = 4;

/// Findings, and the judgement with what they add to it.
pub(crate) fn conclude<'a>(
    sites: Option<&Sites<'a>>,
    setting: &Setting<'a>,
    held: &Held,
    lookup: &mut dyn Lookup,
) -> (Judgement, Vec<Finding>, Option<f64>) {
    let (counted, points) = (setting.judgement, &setting.cycles.points);
    let leaking = |j: &Judgement| j.rate.filter(|rate| j.verdict == Verdict::Leak && rate.estimate > 0.0);
    let Some(sites) = sites else {
        let evenly = prove_evenly(held, counted, setting.cycles);
        let counted = evenly.as_ref().unwrap_or(counted);
        let mut findings = leaking(counted).map_or(Vec::new(), |rate| grown(held, &rate, points, &[]));
        add_kept_at(&mut findings, setting.folder, lookup);
        let findings = fold(findings);
        let explained = leaking(counted).filter(|_| !findings.is_empty()).map(|rate| share(&findings, rate));
        return (counted.clone(), findings, explained);
    };
    let case = Case { sites, setting };
    let speaking: Vec<_> = sites.growing.iter().filter(|s| case.speaks(s)).collect();
    let likely = || sites.growing.iter().filter(|s| case.may_be_told(s));
    let (turned, speaking) = match counted.verdict {
        Verdict::Leak if speaking.is_empty() => (case.is_over(), speaking),
        Verdict::Leak => (None, speaking),
        _ => case.turned(&speaking).map_or_else(
            || {
                let likely: Vec<_> = likely().collect();
                let early = early::proven(counted, setting.cycles, &likely, &sites.of_users, held);
                (early.or_else(|| prove_evenly(held, counted, setting.cycles)), likely)
            },
            |turned| (Some(turned), speaking.clone()),
        ),
    };
    let told: Vec<_> = match (counted.verdict, &turned) {
        (Verdict::Leak, None) => {
            sites.growing.iter().filter(|s| s.growing.rate.low > case.floor(s)).collect()
        }
        (Verdict::NoLeak | Verdict::Undecided, Some(_)) => speaking,
        (Verdict::Undecided, None) => likely().collect(),
        (Verdict::Leak, Some(_)) | (Verdict::NoLeak, None) => Vec::new(),
    };
    let counted_alone = turned.is_none();
    let judgement = turned.unwrap_or_else(|| counted.clone());
    let sum = sum(told.iter().copied());
    let agree = judgement.verdict == Verdict::Leak
        && judgement.rate.is_some_and(|rate| sum.low <= rate.high && rate.low <= sum.high);
    let confidence = |site: &GrowingSite| match () {
        () if agree && site.growing.speaks => "certain",
        () if site.growing.distinct >= LIKELY => "likely",
        () => "possible",
    };
    let mut findings: Vec<Finding> = told.iter().map(|s| sites.finding(s, confidence(s))).collect();
    if let Some(rate) = judgement.rate.filter(|_| counted_alone && judgement.verdict == Verdict::Leak) {
        let most = rate.high.round() as i64;
        for finding in &mut findings {
            finding.bytes_per_cycle.cap(most);
            finding.sites.iter_mut().for_each(|site| site.bytes_per_cycle = site.bytes_per_cycle.min(most));
        }
    }
    let keeps = told.iter().map(|s| {
        let arrays = s.survivors.iter().all(|one| sites.is_array(one.stack));
        match arrays.then(|| held.by_native_code(&s.survivors)).flatten() {
            Some(native) => vec![native],
            None => held.keeps(&s.survivors),
        }
    });
    let direct = told.iter().map(|site| site.direct);
    let claims = findings.into_iter().zip(keeps).zip(direct);
    let claims = claims.map(|((finding, keeps), direct)| Claim { finding, keeps, direct });
    let mut findings = by_holder(claims.collect());
    if let Some(rate) = leaking(&judgement) {
        // What several places make for one holder is no more than all of the growth either.
        for finding in &mut findings {
            finding.bytes_per_cycle.cap(rate.high.round() as i64);
        }
        held.weigh(&mut findings, &rate, points);
        add_source(&mut findings, setting.folder, lookup);
        let (mut told, unheld): (Vec<_>, Vec<_>) = findings.into_iter().partition(|f| f.holder.is_some());
        told.extend(grown(held, &rate, points, &told));
        take_from_native(&mut told);
        add_kept_at(&mut told, setting.folder, lookup);
        findings = beside(fold(told), unheld, &rate);
        findings.extend(grown(held, &rate, points, &findings));
        sites.add_made_at(&mut findings);
        hold(held, &mut findings, points, setting.folder, lookup);
        findings = held.take_in_parts(findings);
    }
    add_source(&mut findings, setting.folder, lookup);
    add_kept_at(&mut findings, setting.folder, lookup);
    let mut judgement = if counted_alone { judgement } else { case.with_room(judgement) };
    if let Some(rate) = leaking(&judgement) {
        judgement.rate = Some(held.widen(&mut findings, rate, points));
    }
    let explained = leaking(&judgement).map(|rate| share(&findings, rate));
    (judgement, findings, explained)
}

/// The share of a growth that findings account for.
fn share(findings: &[Finding], rate: Interval) -> f64 {
    let sum: i64 = findings.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    sum as f64 / rate.estimate
}

struct Case<'c, 'a> {
    sites: &'c Sites<'a>,
    setting: &'c Setting<'a>,
}

impl Case<'_, '_> {
    fn floor(&self, site: &GrowingSite) -> f64 {
        let is_own = site.growing.speaks && (site.direct || self.is_kept_by_user(site));
        let own = if is_own { OWN_FLOOR } else { 1.0 };
        own * self.setting.cycles.unit.floor()
    }

    /// Whether a look met nearly all of it in a container of the user's: a framework's residue is not there.
    fn is_kept_by_user(&self, site: &GrowingSite) -> bool {
        let keeps = self.sites.held.keeps(&site.survivors);
        keeps.first().is_some_and(|first| {
            first.share >= NEARLY_ALL && first.path.contains("[*]") && Origin::is_users(&first.holder.file)
        })
    }

    /// The counters leave room for that much, and so do all sites together.
    fn fits(&self, low: f64) -> bool {
        low <= self.setting.judgement.at_most && self.sites.net.leaves_room_for(low)
    }

    fn speaks(&self, site: &GrowingSite) -> bool {
        let is_sure = self.setting.cycles.unit.repeats() && site.growing.speaks;
        let least = match self.setting.cycles.unit {
            Unit::Found { floor, .. } if floor < Unit::LONG_FLOOR => MIN_KEPT_BY_FOUND_BYTES,
            Unit::Found { .. } | Unit::Marked(_) | Unit::Window { .. } => MIN_KEPT_BYTES,
        };
        is_sure && site.growing.rate.low > self.floor(site) && self.kept(site) > least
    }

    /// Bytes that a site added in all, from the first cycle of its growth to the last.
    fn kept(&self, site: &GrowingSite) -> f64 {
        let last = self.setting.cycles.points.last().map_or(0, |point| point.ordinal);
        site.growing.rate.low * (last.saturating_sub(site.growing.since) + 1) as f64
    }

    /// Under "undecided": what is seen, if nothing speaks against it.
    fn may_be_told(&self, site: &GrowingSite) -> bool {
        let rate = site.growing.rate;
        // With cycles enough for a judgement, what is seen must be enough for one as well.
        let sure = site.growing.speaks || self.setting.judgement.rate.is_none();
        sure && rate.low > self.setting.cycles.unit.floor() && self.fits(rate.low)
    }

    /// The judgement when samples see what the counters count, and see that the last cycles add little to it.
    fn is_over(&self) -> Option<Judgement> {
        let rate = self.setting.judgement.rate?;
        let (all, late) = self.sites.kept?;
        let over = all >= COVERED * rate.estimate && late < OVER * rate.low;
        let unit = self.setting.cycles.unit.word();
        over.then(|| Judgement {
            verdict: Verdict::Undecided,
            reason: format!(
                "live memory rose, but of what the last {unit}s made at most {} per {unit} stays: the rise may be over",
                size(late)
            ),
            needed: Some(self.setting.cycles.count),
            ..self.setting.judgement.clone()
        })
    }

    /// The judgement when sites are sure enough to call a leak that the counters could not.
    fn turned(&self, speaking: &[&GrowingSite]) -> Option<Judgement> {
        let sum = sum(speaking.iter().copied());
        if speaking.is_empty() || !self.fits(sum.low) {
            return None;
        }
        let unit = self.setting.cycles.unit.word();
        let reason = format!(
            "{} per {unit} stays alive for good, though live memory as a whole moves too much to show it",
            size(sum.estimate)
        );
        let since = speaking.iter().map(|s| s.growing.since).min().unwrap_or(1);
        let points = &self.setting.cycles.points;
        let since = points.iter().position(|p| p.ordinal >= since).unwrap_or(0);
        Some(Judgement {
            verdict: Verdict::Leak,
            reason,
            needed: None,
            rate: Some(sum),
            since,
            ..self.setting.judgement.clone()
        })
    }
    /// A leak that sites alone are sure of, with room for all that the counters see beyond it: where collections were few nobody knows how
    /// much of that is garbage, and none of it is said to be made or held by what was found.
    fn with_room(&self, judgement: Judgement) -> Judgement {
        let (counted, sure) = (self.setting.judgement, judgement.rate);
        let Some((sum, all)) = sure.zip(counted.rate).filter(|(sum, all)| all.estimate > sum.high) else {
            return judgement;
        };
        let reason = format!(
            "{} per {} stays alive for good; what live memory grows by beyond it may be garbage",
            size(sum.estimate),
            self.setting.cycles.unit.word()
        );
        let estimate = counted.outlived.min(all.high).max(sum.estimate);
        let rate = Some(Interval { estimate, low: sum.low, high: all.high });
        Judgement { reason, rate, ..judgement }
    }
}

fn sum<'s, 'a: 's>(sites: impl Iterator<Item = &'s GrowingSite<'a>>) -> Interval {
    sites.fold(Interval { estimate: 0.0, low: 0.0, high: 0.0 }, |all, site| {
        let rate = site.growing.rate;
        Interval {
            estimate: all.estimate + rate.estimate,
            low: all.low + rate.low,
            high: all.high + rate.high,
        }
    })
}
