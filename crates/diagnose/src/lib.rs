//! From a capture to a verdict, components and findings.
//!
//! In: a capture, whole or torn, of a program that has ended or still runs. Out: a [`Report`]. Nothing here reads a
//! file, a clock or the machine: the same capture always gets the same report. What stands in other files (names of
//! native functions, lines of source) is asked of the caller's [`Lookup`].

mod adds_up;
mod at_exit;
mod causes;
mod children;
mod choose;
mod chosen;
mod coarser;
mod collector;
mod components;
mod cycle_table;
mod cycles;
mod diff;
mod diff_lists;
mod early;
mod evidence;
mod floor;
mod forecast;
mod garbage_weight;
mod gpu;
mod held;
mod job;
mod judge;
mod leftover;
mod lookup;
mod next_steps;
mod numbers;
mod objects;
mod onset;
mod phase_of_growth;
mod phase_table;
mod phases;
mod probes;
mod profile;
mod program;
mod report;
mod retention;
mod retracing;
mod sampled;
mod sawtooth;
mod sizes;
mod taken_back;
mod teeth;
mod timeline;
mod turned;
mod unit;
mod until_full;
mod warnings;
mod windows;

pub use cycle_table::{CycleRow, cycle_table};
pub use diff::{Change, CurvePoint, DIFF_SCHEMA, Diff, Difference, Side, Summary, diff};
pub use evidence::Evidence;
pub use job::child_fact;
pub use lookup::{Lookup, Name, Nothing, Object, Part};
pub use profile::{OTHER_STACKS, Profile, ProfileStack, profile};
pub use report::{
    About, Bytes, Component, Culprit, Cycles as CycleCount, Exit, Finding, Forecast, Frame, Growth, Holder,
    HolderBytes, Job, Kind, Look, Memory, NextStep, Objects, OtherCycles, PhaseSpan, PhaseTotal, Probe,
    Process, Program, Report, Retraced, SCHEMA, Sampling, Site, TimelinePoint, TypeCounts, Verdict, Warning,
};
pub use sizes::{duration, size};

use nilometer_capture::{Capture, Record, Stamped};

use at_exit::ExitCollection;
use chosen::Chosen;
use components::Picture;
use cycles::Cycles;
use held::Held;
use program::Outside;
use sampled::recording::Heard;
use sampled::{Setting, Sites, conclude, in_flight};
use timeline::{Basis, Timeline};

/// The fact of a capture that names the unit which growth is to be told by.
pub const ASKED_CYCLE: &str = "cycle.asked";

/// Has growth told by this unit: `epoch`, `line`, `line:round *`, `window`.
pub fn count_by(capture: &mut Capture, unit: &str) {
    let (key, value) = (ASKED_CYCLE.to_owned(), unit.to_owned());
    capture.records.push(Stamped { at_ns: 0, pid: 0, record: Record::Fact { key, value } });
}

/// Judges a run from its capture alone.
pub fn diagnose(capture: &Capture) -> Report {
    diagnose_with(capture, &mut Nothing)
}

/// Judges a run, with names and source lines where `lookup` knows them.
pub fn diagnose_with(capture: &Capture, lookup: &mut dyn Lookup) -> Report {
    judged(capture, lookup).0
}

/// Judges a run and draws its sampled memory; the samples of a long run are read but once for both. `between` is called when the
/// first is done.
pub fn diagnose_and_profile(
    capture: &Capture,
    lookup: &mut dyn Lookup,
    between: impl FnOnce(),
) -> (Report, Option<Profile>) {
    let (report, heard) = judged(capture, lookup);
    between();
    (report, heard.and_then(|heard| profile::of_heard(capture, heard, lookup)))
}

/// Judges by the unit that was chosen; where that shows no leak, by a coarser one as well, and tells by the one that decides.
fn judged(capture: &Capture, lookup: &mut dyn Lookup) -> (Report, Option<Heard>) {
    let timeline = Timeline::of(capture);
    let chosen = Chosen::of(&timeline, capture, timeline.basis());
    let mut told = judged_by(capture, &timeline, &chosen.cycles, lookup);
    if let Some(coarser) = chosen.coarser.as_ref().filter(|_| told.0.verdict != Verdict::Leak) {
        let other = judged_by(capture, &timeline, coarser, lookup);
        if coarser::decides(&told.0, &other.0) {
            told = other;
        }
    }
    let judged = told.0.cycles.clone();
    let others = chosen.alternatives.into_iter().chain([chosen.cycles.alternative()]);
    told.0.cycles.alternatives = others.filter(|other| coarser::is_another(&judged, other)).collect();
    told
}

fn judged_by(
    capture: &Capture,
    timeline: &Timeline,
    cycles: &Cycles,
    lookup: &mut dyn Lookup,
) -> (Report, Option<Heard>) {
    let outside = Outside::of(capture);
    let basis = timeline.basis();
    let exit = ExitCollection::of(timeline, basis);
    let held = Held::of(capture, outside.pid());
    let counted = held::prove(&held, judge::judge(timeline, cycles, basis, exit), cycles);
    let setting = Setting {
        timeline,
        cycles,
        judgement: &counted,
        exit,
        basis,
        pid: outside.pid(),
        folder: outside.folder(),
    };
    let sites = Sites::of(capture, &setting, &held, lookup);
    let settled = settled(sites.as_ref(), &setting, &held, &outside, lookup);
    let (judgement, mut findings, explained) = (at_least(&settled), settled.findings, settled.explained);
    let stretches = phases::stretches(capture, timeline, basis);
    let course = phases::Course::of(capture);
    let program = outside.program();
    let kept = retention::retained(timeline, cycles, basis, &program, outside.fact("heap.arenas"));
    let rate = judgement.rate.map_or(0.0, |r| r.estimate);
    let retraced = retracing::retraced(capture, cycles, outside.folder());
    let counts = probes::Probes::of(capture, cycles);
    let probes = counts.told();
    let phase_totals = phase_table::totals(capture, &course, &stretches, timeline.end_ns);
    let traced_at = retracing::called_most(capture, cycles, outside.folder());
    let seen = sites.as_ref().map(|sites| sites.holders(&findings)).unwrap_or_default();
    let keeps_models = causes::who_keeps(&seen);
    let run = causes::Run {
        traced_at: traced_at.as_ref(),
        unit: cycles.unit.word(),
        program: &program,
        retraced: &retraced,
        probes: &probes,
        collector_off: collector::is_off(timeline, &cycles.points),
        cycles: cycles.count,
        shared: causes::shared_growth(timeline, cycles.points.get(judgement.since..).unwrap_or_default()),
        builds: causes::goes_on_building(capture, cycles),
        keeps_models: keeps_models.as_ref(),
    };
    causes::explain(&mut findings, run);
    causes::merge(&mut findings, rate);
    let explained = explained_with(&mut findings, &judgement, run, explained);
    let mut holders = sites.as_ref().map(|sites| sites.holders(&findings)).unwrap_or_default();
    held.count(&mut findings, &mut holders, &cycles.points);
    let picture = Picture {
        timeline,
        cycles,
        judgement: &judgement,
        stretches: &stretches,
        basis,
        copies: outside.copies(),
        sites: sites.as_ref(),
        findings: &findings,
        fills: &settled.filling,
        kept: kept.as_ref(),
    };
    let mut warnings = warnings::warnings(&outside, lookup);
    warnings.extend(gpu::growing(&counts, cycles.unit.word()));
    let mut report = Report {
        schema: SCHEMA,
        verdict: judgement.verdict,
        reason: judgement.reason.clone(),
        job: Job::own(judgement.verdict),
        cycles: CycleCount {
            unit: cycles.unit.word(),
            kind: cycles.unit.kind(),
            found_by: cycles.found_by(),
            alternatives: Vec::new(),
            count: cycles.count,
            needed: judgement.needed,
            seconds: cycles.seconds,
        },
        growth: growth(&judgement, cycles, basis, explained),
        forecast: forecast::forecast(judgement.verdict, rate, cycles, limit_ahead(&outside, &program)),
        program,
        memory: levels(&outside, timeline),
        components: picture.components().into_iter().chain(gpu::reserved(&counts)).collect(),
        findings,
        next_steps: Vec::new(),
        warnings,
        holders,
        recorder: outside.recorder(),
        sampling: sites.as_ref().map(Sites::summary),
        probes,
        objects: objects::objects(capture, outside.pid(), cycles),
        retraced,
        processes: Vec::new(),
        timeline: curve(timeline, cycles),
        phases: phase_table::spans(&course, timeline.end_ns),
        phase_totals,
        losses: outside.losses.clone(),
    };
    job::settle(&mut report, &outside, timeline, cycles);
    report.next_steps = next_steps::next_steps(&report, outside.records_children());
    (report, sites.map(Sites::into_heard))
}

/// The verdict with its findings: what counters and samples say, less numbers, batches in flight, and what fills and ends.
fn settled(
    sites: Option<&Sites>,
    setting: &Setting,
    held: &Held,
    outside: &Outside,
    lookup: &mut dyn Lookup,
) -> until_full::Settled {
    let cycles = setting.cycles;
    let concluded = conclude(sites, setting, held, lookup);
    let concluded = numbers::settle(concluded, held, sites, cycles);
    let concluded = in_flight::settle(concluded, sites, setting);
    let job = until_full::Job { held, cycles, limit: outside.limit(), folder: outside.folder() };
    until_full::settle(concluded, job, lookup)
}

/// Levels and limits at the end.
fn levels(outside: &Outside, timeline: &Timeline) -> Memory {
    let last = timeline.last();
    outside.memory(last.and_then(|r| r.live), last.and_then(timeline::Reading::anonymous))
}

/// The limit that growth would meet. One that has been reached needs no forecast.
fn limit_ahead(outside: &Outside, program: &Program) -> Option<program::Limit> {
    outside.limit().filter(|_| program.exit.as_ref().is_none_or(|exit| !exit.oom_killed))
}

/// The judgement, of a leak with the lower end that its findings are sure of.
fn at_least(settled: &until_full::Settled) -> judge::Judgement {
    let judgement = settled.judgement.clone();
    if judgement.verdict != Verdict::Leak {
        return judgement;
    }
    let rate = judgement.rate.map(|rate| adds_up::at_least(rate, &settled.findings));
    judge::Judgement { rate, ..judgement }
}

/// The share of a leak that the findings explain, when they add up to no more than it and what is left has been asked for.
fn explained_with(
    findings: &mut Vec<Finding>,
    judgement: &judge::Judgement,
    run: causes::Run,
    explained: Option<f64>,
) -> Option<f64> {
    let Some(rate) = judgement.rate.filter(|_| judgement.verdict == Verdict::Leak) else { return explained };
    let explained = adds_up::add_up(findings, &rate).or(explained);
    causes::add(findings, run, rate.estimate, explained)
}

fn growth(
    judgement: &judge::Judgement,
    cycles: &Cycles,
    basis: Basis,
    explained: Option<f64>,
) -> Option<Growth> {
    let rate = judgement.rate?;
    let began = match judgement.verdict {
        Verdict::Leak => onset::began(&cycles.points, judgement.since, rate.low.max(rate.estimate / 2.0)),
        Verdict::NoLeak | Verdict::Undecided => judgement.since,
    };
    let since_cycle = cycles.points.get(began).map_or(1, |p| p.ordinal);
    Some(Growth { bytes_per_cycle: Bytes::round(&rate), since_cycle, basis: basis.word(), explained })
}

/// Points of the curve in the report at most.
const CURVE: usize = 500;

fn curve(timeline: &Timeline, cycles: &Cycles) -> Vec<TimelinePoint> {
    let every = timeline.readings.len().div_ceil(CURVE).max(1);
    let mut ended = cycles.points.iter().peekable();
    let mut cycle = 0;
    let mut out = Vec::new();
    for (i, reading) in timeline.readings.iter().enumerate() {
        while let Some(point) = ended.next_if(|p| p.at_ns <= reading.at_ns) {
            cycle = point.ordinal;
        }
        if i % every == 0 || i + 1 == timeline.readings.len() {
            out.push(TimelinePoint {
                seconds: reading.at_ns as f64 / 1e9,
                cycle,
                live_bytes: reading.live.map(|b| b as u64),
                anonymous_bytes: reading.anonymous().map(|b| b as u64),
                file_bytes: reading.counters.rss_file,
            });
        }
    }
    out
}
