//! What growing sites mean for the verdict, and how sure each of them is.
//!
//! In: the verdict of the counters and the growing sites. Out: findings, and a verdict that may have become "leak". What
//! must not happen here: a finding beside counters that exclude it; a verdict turned by samples that may be garbage.

use nilometer_stats::Interval;

use super::finding::add_source;
use super::origin::Origin;
use super::{GrowingSite, Setting, Sites};
use crate::cycles::Unit;
use crate::early;
use crate::held::{Claim, Held, NATIVE, add_kept_at, adds_elsewhere, adds_to, by_holder, fold, grown, hold};
use crate::judge::Judgement;
use crate::lookup::Lookup;
use crate::report::{Finding, Site, Verdict};
use crate::sizes::size;

/// What a user's container keeps is met there by looks with this share at least.
const NEARLY_ALL: f64 = 0.8;
/// Growth of a user's own line, or in a user's own container, counts from this share of the floor on: frameworks' residue does not hide in it.
const OWN_FLOOR: f64 = 0.25;
/// All sites together must keep at least this share of what one is accused of: else memory just changes places.
const NET: f64 = 0.5;
/// Samples that account for this share of a growth may say that it is over.
const COVERED: f64 = 0.6;
/// It is over where the last third of the cycles adds less than this share of it.
const OVER: f64 = 0.5;
/// The role of a place that makes memory.
const MADE_AT: &str = "made_at";
/// A line makes what a holder keeps if their bytes differ by no more than this share.
const ALIKE: f64 = 0.25;
/// A line fills a holder of native things if it makes this share of what the holder is credited with.
const MOST_OF_NATIVE: f64 = 0.5;
/// Where holders account for all of a growth, a place without one may still be told with this share of it.
const MOST_UNHELD: f64 = 0.25;
/// As much as native code is said to keep: within this share.
const NATIVE_ALIKE: f64 = 0.4;
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
                (early::proven(counted, setting.cycles, &likely, held), likely)
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
        findings = held.take_in_parts(beside(fold(told), unheld, &rate));
        findings.extend(grown(held, &rate, points, &findings));
        sites.add_made_at(&mut findings);
        hold(held, &mut findings, points, setting.folder);
    }
    add_source(&mut findings, setting.folder, lookup);
    add_kept_at(&mut findings, setting.folder, lookup);
    let explained = leaking(&judgement).map(|rate| share(&findings, rate));
    (judgement, findings, explained)
}

/// A container of arrays that was seen to grow by as much as native code is said to keep is who keeps it: a look that went over the
/// heap just before the arrays were put there finds nothing that leads to them.
fn take_from_native(told: &mut Vec<Finding>) {
    let is_native = |f: &Finding| f.holder.as_ref().is_some_and(|h| h.kind == NATIVE);
    let Some(at) = told.iter().position(is_native) else { return };
    let bytes = told[at].bytes_per_cycle.estimate as f64;
    let holds = |f: &Finding| {
        let of_arrays = f.holder.as_ref().is_some_and(|h| h.kind != NATIVE && h.elements.contains("ndarray"));
        of_arrays && (f.bytes_per_cycle.estimate as f64 - bytes).abs() <= NATIVE_ALIKE * bytes
    };
    if !told.iter().any(holds) {
        return;
    }
    let native = told.remove(at);
    if let Some(known) = told.iter_mut().find(|f| holds(f)) {
        known.sites.extend(native.sites);
        known.stack = native.stack;
        known.part = native.part;
    }
}

/// Places that nobody is known to hold, beside holders that were seen: memory that Python keeps for reuse has the stack of
/// its first use, so that a line may seem to make what another one did. What holders account for needs no such line.
fn beside(mut told: Vec<Finding>, mut unheld: Vec<Finding>, rate: &Interval) -> Vec<Finding> {
    for holder in told.iter_mut().filter(|f| f.sites.iter().all(|site| site.role != MADE_AT)) {
        adopt(holder, &mut unheld);
    }
    let held: i64 = told.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    let left = (rate.estimate - held as f64).max(MOST_UNHELD * rate.estimate);
    let fits = |f: &Finding| f.bytes_per_cycle.estimate as f64 <= (1.0 + ALIKE) * left;
    told.extend(unheld.into_iter().filter(|f| held == 0 || fits(f)));
    told.sort_by_key(|f| std::cmp::Reverse(f.bytes_per_cycle.estimate));
    told
}

/// The one line that surely makes as much as this holder keeps is where it is made.
fn adopt(holder: &mut Finding, unheld: &mut Vec<Finding>) {
    let keeps = holder.bytes_per_cycle.estimate as f64;
    let path = holder.holder.as_ref().map(|h| h.path.clone());
    // The line that makes it may put it there as well.
    let kept = holder.sites.pop();
    let is_kept_there = |f: &Finding| {
        let place = |site: &Site| (site.file.clone(), site.line);
        // Where several lines might fill it, the one that makes so much is the one.
        let fills = |made: &Site| path.as_ref().is_some_and(|path| adds_to(made, path));
        let is_there =
            |made: &Site| kept.as_ref().map_or_else(|| fills(made), |kept| place(made) == place(kept));
        f.sites.iter().any(is_there)
    };
    if let Some(at) = unheld.iter().position(is_kept_there) {
        let site = unheld.remove(at);
        holder.confidence = if site.confidence == "certain" { "certain" } else { holder.confidence };
        take_place(holder, site);
        return;
    }
    holder.sites.extend(kept);
    // A line that fills another container says so itself.
    let elsewhere =
        |f: &Finding| path.as_ref().is_some_and(|path| f.sites.iter().any(|made| adds_elsewhere(made, path)));
    let alike = |f: &Finding| {
        f.confidence == "certain"
            && !elsewhere(f)
            && (f.bytes_per_cycle.estimate as f64 - keeps).abs() <= ALIKE * keeps
    };
    let mut found = (0..unheld.len()).filter(|at| unheld.get(*at).is_some_and(alike));
    if let (Some(at), None) = (found.next(), found.next()) {
        let site = unheld.remove(at);
        take_place(holder, site);
        return;
    }
    // What a holder of native things keeps cannot be weighed; the line that makes most of so much is the one that fills it.
    let makes_most =
        |f: &&Finding| !elsewhere(f) && f.bytes_per_cycle.estimate as f64 >= MOST_OF_NATIVE * keeps;
    if let Some(site) = unheld.first().filter(|_| holder.confidence == "likely").filter(makes_most) {
        holder.sites.extend(site.sites.iter().cloned());
        holder.stack.clone_from(&site.stack);
        holder.phase.clone_from(&site.phase);
    }
}

/// The holder's memory is made there.
fn take_place(holder: &mut Finding, site: Finding) {
    holder.sites.extend(site.sites);
    holder.stack = site.stack;
    holder.phase = site.phase;
    holder.part = site.part;
    holder.bytes_per_cycle = site.bytes_per_cycle;
    holder.cycles_seen = holder.cycles_seen.max(site.cycles_seen);
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
            let file = first.holder.file.as_str();
            first.share >= NEARLY_ALL
                && first.path.contains("[*]")
                && !file.is_empty()
                && Origin::of(file) == Origin::User
        })
    }

    /// The counters leave room for that much.
    fn fits(&self, low: f64) -> bool {
        low <= self.setting.judgement.at_most && low * NET <= self.sites.net
    }

    fn speaks(&self, site: &GrowingSite) -> bool {
        matches!(self.setting.cycles.unit, Unit::Marked(_))
            && site.growing.speaks
            && site.growing.rate.low > self.floor(site)
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
