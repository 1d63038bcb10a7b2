//! The lists of a difference: the same names in both runs, side by side.
//!
//! In: two sides. Out: each name once, the biggest difference first. A site is a file and a function: lines move when
//! programs are edited. The script is the same one though its file may have been copied to another name.

use std::collections::BTreeMap;

use crate::diff::{Difference, Side, counted};
use crate::profile::{Profile, ProfileStack};
use crate::report::{Bytes, Finding, Frame, Kind, Report};
use crate::told::words::diff::OUTSIDE_OF_PHASES;

/// An amount, and its standard deviation.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    bytes: f64,
    deviation: f64,
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.deviation = self.deviation.hypot(other.deviation);
    }

    /// A 95 % interval is four deviations wide.
    fn of(bytes: Bytes) -> Self {
        Self { bytes: bytes.estimate as f64, deviation: (bytes.high - bytes.low) as f64 / 4.0 }
    }
}

type Amounts = BTreeMap<String, Amount>;

/// Deviations that two amounts must be apart.
const MIN_DEVIATIONS: f64 = 2.0;
/// A difference below this is nobody's concern, and neither is one of a share like this.
const MIN_CHANGE_BYTES: f64 = 1024.0;
const MIN_CHANGE_RATIO: f64 = 0.02;

/// Bytes that no sample was taken of with a chance of one in twenty, in mean distances between samples.
const UNSEEN: f64 = 3.0;

/// How much of a site or below a holder a run may have had without a sample that says so.
fn unseen(report: &Report) -> f64 {
    UNSEEN * mean(report)
}

/// Bytes between two samples, where they were furthest apart.
fn mean(report: &Report) -> f64 {
    let mean = report.sampling.as_ref().and_then(|s| s.coarsest_mean.or(s.asked_mean));
    mean.unwrap_or(0) as f64
}

/// Amounts of what was found by rules, not by chance.
fn differences(a: &Amounts, b: &Amounts) -> Vec<Difference> {
    differences_beyond(a, b, [0.0; 2])
}

/// `unseen` is what may be there where each of the runs has nothing.
fn differences_beyond(a: &Amounts, b: &Amounts, unseen: [f64; 2]) -> Vec<Difference> {
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let mut out: Vec<Difference> = names
        .into_iter()
        .map(|name| {
            let (from, to) = (a.get(name), b.get(name));
            let deviation = from.map_or(0.0, |a| a.deviation).hypot(to.map_or(0.0, |b| b.deviation));
            let most = from.map_or(0.0, |a| a.bytes.abs()).max(to.map_or(0.0, |b| b.bytes.abs()));
            let chance = match (from, to) {
                (None, _) => (MIN_DEVIATIONS * deviation).hypot(unseen[0]),
                (_, None) => (MIN_DEVIATIONS * deviation).hypot(unseen[1]),
                _ => MIN_DEVIATIONS * deviation,
            };
            let spread = chance.max(MIN_CHANGE_BYTES).max(MIN_CHANGE_RATIO * most);
            let whole = |amount: &Amount| amount.bytes.round() as i64;
            Difference::new(name.as_str(), from.map(whole), to.map(whole), spread)
        })
        .collect();
    out.sort_by_key(|d| std::cmp::Reverse(d.difference.unsigned_abs()));
    out
}

pub(crate) fn causes(a: &Report, b: &Report) -> Vec<Difference> {
    let name = |finding: &Finding| Some(finding.sentence.clone());
    differences(&findings(a, name), &findings(b, name))
}

pub(crate) fn holders(a: &Report, b: &Report) -> Vec<Difference> {
    let name = |finding: &Finding| finding.holder.as_ref().map(|holder| holder.path.clone());
    differences(&findings(a, name), &findings(b, name))
}

fn findings(report: &Report, name: impl Fn(&Finding) -> Option<String>) -> Amounts {
    let mut out = Amounts::new();
    for finding in &report.findings {
        if let Some(name) = name(finding) {
            out.entry(name).or_default().add(Amount::of(finding.bytes_per_cycle));
        }
    }
    out
}

/// By site, growth of all that was sampled; of findings alone where one side has no samples.
pub(crate) fn sites(a: Side, b: Side) -> Vec<Difference> {
    let script = &b.report.program.name;
    if a.profile.is_some() && b.profile.is_some() {
        let per_cycle = |side: Side| unseen(side.report) / (side.report.cycles.count.max(1)) as f64;
        let unseen = [per_cycle(a), per_cycle(b)];
        return differences_beyond(&sampled(a, growth, script), &sampled(b, growth, script), unseen);
    }
    let sums = |side: Side| {
        findings(side.report, |finding| {
            let site = finding.sites.first()?;
            Some(place(called(&site.file, side.report, script), &site.function))
        })
    };
    differences(&sums(a), &sums(b))
}

/// What each holder keeps alive at the end, where both runs were looked at.
pub(crate) fn live_by_holder(a: &Report, b: &Report) -> Vec<Difference> {
    if a.holders.is_empty() || b.holders.is_empty() {
        return Vec::new();
    }
    let held = |report: &Report| {
        let mut out = Amounts::new();
        for held in &report.holders {
            let bytes = held.live_bytes as f64;
            // The report does not say how sure it is: what so many samples make differ, and a tenth at least.
            let deviation = (bytes.max(0.0) * mean(report)).sqrt().max(0.1 * bytes);
            out.entry(held.holder.path.clone()).or_default().add(Amount { bytes, deviation });
        }
        out
    };
    differences_beyond(&held(a), &held(b), [unseen(a), unseen(b)])
}

pub(crate) fn live_by_site(a: Side, b: Side) -> Vec<Difference> {
    if a.profile.is_none() || b.profile.is_none() {
        return Vec::new(); // memory that was not sampled did not appear or go
    }
    let script = &b.report.program.name;
    let unseen = [unseen(a.report), unseen(b.report)];
    differences_beyond(&sampled(a, live, script), &sampled(b, live, script), unseen)
}

pub(crate) fn phases(a: Side, b: Side) -> Vec<Difference> {
    let by_phase = |profile: &Profile| {
        let mut out = Amounts::new();
        for stack in &profile.stacks {
            let phase = stack.phase.clone().unwrap_or_else(|| OUTSIDE_OF_PHASES.to_owned());
            out.entry(phase).or_default().add(live(stack));
        }
        out
    };
    match (a.profile, b.profile) {
        (Some(from), Some(to)) => {
            let unseen = [unseen(a.report), unseen(b.report)];
            differences_beyond(&by_phase(from), &by_phase(to), unseen)
        }
        _ => counted_phases(a.report, b.report),
    }
}

/// What live memory rose by in each phase: counted, where it was not sampled.
fn counted_phases(a: &Report, b: &Report) -> Vec<Difference> {
    let rise = |report: &Report, name: &str| {
        let phase = report.phase_totals.iter().find(|phase| phase.name == name)?;
        u64::try_from(phase.bytes).ok()
    };
    let mut names: Vec<&str> =
        a.phase_totals.iter().chain(&b.phase_totals).map(|phase| phase.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut out: Vec<Difference> =
        names.into_iter().map(|name| counted(name, rise(a, name), rise(b, name))).collect();
    out.sort_by_key(|d| std::cmp::Reverse(d.difference.unsigned_abs()));
    out
}

pub(crate) fn kinds(a: &Report, b: &Report) -> Vec<Difference> {
    let sums = |report: &Report| {
        let mut out: BTreeMap<Kind, u64> = BTreeMap::new();
        for component in &report.components {
            *out.entry(component.kind).or_default() += u64::try_from(component.bytes).unwrap_or(0);
        }
        out
    };
    let (from, to) = (sums(a), sums(b));
    let mut kinds: Vec<Kind> = from.keys().chain(to.keys()).copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    let name = |kind: Kind| serde_json::to_value(kind).ok()?.as_str().map(str::to_owned);
    kinds
        .into_iter()
        .filter_map(|kind| Some(counted(&name(kind)?, from.get(&kind).copied(), to.get(&kind).copied())))
        .collect()
}

fn sampled(side: Side, amount: fn(&ProfileStack) -> Amount, script: &str) -> Amounts {
    let mut out = Amounts::new();
    if let Some(profile) = side.profile {
        for stack in &profile.stacks {
            let made_at = site(profile, stack);
            let name = made_at.map_or_else(
                || "unknown".to_owned(),
                |frame| place(called(&frame.file, side.report, script), &frame.function),
            );
            out.entry(name).or_default().add(amount(stack));
        }
    }
    out
}

/// The file; if it is the run's script, under the name that the script has in the second run.
fn called<'a>(file: &'a str, report: &'a Report, script: &'a str) -> &'a str {
    if file == report.program.name { script } else { file }
}

fn live(stack: &ProfileStack) -> Amount {
    Amount { bytes: stack.live_bytes as f64, deviation: stack.deviation_bytes as f64 }
}

fn growth(stack: &ProfileStack) -> Amount {
    Amount { bytes: stack.bytes_per_cycle as f64, deviation: stack.deviation_per_cycle as f64 }
}

/// The user's innermost frame, else a library's, else what there is.
fn site<'a>(profile: &'a Profile, stack: &ProfileStack) -> Option<&'a Frame> {
    let frames = || stack.frames.iter().rev().filter_map(|frame| profile.frames.get(*frame as usize));
    let of = |kind: &str| frames().find(|frame| frame.kind == kind);
    let python = of("user").or_else(|| of("library")).or_else(|| of("standard"));
    python.or_else(|| frames().find(|frame| !frame.function.is_empty()))
}

fn place(file: &str, function: &str) -> String {
    match (file, function) {
        ("", function) => function.to_owned(),
        (file, "") => file.to_owned(),
        (file, function) => format!("{file} {function}"),
    }
}
