//! From a capture to a verdict, components and findings.
//!
//! In: a capture, whole or torn, of a program that has ended or still runs. Out: a [`Report`]. Nothing here reads a
//! file, a clock or the machine: the same capture always gets the same report.

mod collector;
mod components;
mod cycles;
mod floor;
mod forecast;
mod judge;
mod phases;
mod program;
mod report;
mod sizes;
mod timeline;

pub use report::{
    Bytes, Component, Cycles as CycleCount, Exit, Finding, Forecast, Growth, Holder, Kind, Memory, Process,
    Program, Report, SCHEMA, Site, TimelinePoint, Verdict,
};
pub use sizes::{duration, size};

use nilometer_capture::Capture;

use collector::ExitCollection;
use components::Evidence;
use cycles::Cycles;
use program::Outside;
use timeline::{Basis, Timeline};

/// Judges a run.
pub fn diagnose(capture: &Capture) -> Report {
    let outside = Outside::of(capture);
    let timeline = Timeline::of(capture);
    let basis = timeline.basis();
    let cycles = Cycles::of(&timeline, &capture.board, basis);
    let exit = ExitCollection::of(&timeline, basis);
    let judgement = judge::judge(&timeline, &cycles, basis, exit);
    let stretches = phases::stretches(capture, &timeline, basis);
    let copies = outside.copies();
    let evidence = Evidence {
        timeline: &timeline,
        cycles: &cycles,
        judgement: &judgement,
        stretches: &stretches,
        basis,
        copies,
    };
    let rate = judgement.rate.map_or(0.0, |r| r.estimate);
    let last = timeline.last();
    let program = outside.program();
    // A limit that has been reached needs no forecast.
    let limit = outside.limit().filter(|_| program.exit.as_ref().is_none_or(|exit| !exit.oom_killed));
    Report {
        schema: SCHEMA,
        program,
        verdict: judgement.verdict,
        reason: judgement.reason.clone(),
        cycles: CycleCount {
            unit: cycles.unit.word(),
            count: cycles.count,
            needed: judgement.needed,
            seconds: cycles.seconds,
        },
        growth: growth(&judgement, &cycles, basis),
        forecast: forecast::forecast(judgement.verdict, rate, &cycles, limit),
        memory: outside.memory(last.and_then(|r| r.live), last.and_then(timeline::Reading::anonymous)),
        components: evidence.components(),
        findings: Vec::new(),
        processes: outside.processes(),
        timeline: curve(&timeline, &cycles),
        losses: outside.losses,
    }
}

fn growth(judgement: &judge::Judgement, cycles: &Cycles, basis: Basis) -> Option<Growth> {
    let rate = judgement.rate?;
    let since_cycle = cycles.points.get(judgement.since).map_or(1, |p| p.ordinal);
    Some(Growth { bytes_per_cycle: Bytes::round(&rate), since_cycle, basis: basis.word() })
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
