//! From a capture to a verdict, components and findings.
//!
//! In: a capture, whole or torn, of a program that has ended or still runs. Out: a [`Report`]. Nothing here reads a
//! file, a clock or the machine: the same capture always gets the same report. What stands in other files (names of
//! native functions, lines of source) is asked of the caller's [`Lookup`].

mod attribute;
mod causes;
mod cells;
mod children;
mod choose;
mod chosen;
mod claims;
mod components;
mod counted;
mod cycle_table;
mod cycles;
mod decide;
mod devices;
mod diff;
mod endpoints;
mod evidence;
mod forecast;
mod holders;
mod job;
mod lookup;
mod mid_run_step;
mod next_steps;
mod numbers;
mod objects;
pub mod pack;
mod phase_of_growth;
mod phase_table;
mod phases;
mod probes;
mod profile;
mod program;
mod recent;
mod reconcile;
mod report;
mod retention;
mod retracing;
mod sample;
mod sawtooth_cause;
mod sites;
mod sizes;
mod source_files;
mod timeline;
mod told;
mod unit;
mod warnings;
mod windows;

pub use causes::{gather_into_one, ranked};
pub use children::child_fact;
pub use cycle_table::{CycleRow, cycle_table};
pub use diff::{Change, CurvePoint, DIFF_SCHEMA, Diff, Difference, Side, Summary, diff};
pub use evidence::Evidence;
pub use holders::registering;
pub use lookup::{Lookup, Name, Nothing, Object, Part};
pub use profile::{OTHER_STACKS, Profile, ProfileStack, profile};
pub use report::{
    About, Attached, Bytes, Component, Culprit, Cycles as CycleCount, Device, DeviceGrowth, DeviceOthers,
    Endpoint, Exit, Finding, Forecast, Frame, Growth, Holder, HolderBytes, Job, Kind, Lives, Look,
    LostSamples, Memory, NextStep, Objects, OtherCycles, PhaseSpan, PhaseTotal, Probe, Process, Program,
    Report, Retraced, SCHEMA, Sampling, Site, TimelinePoint, TypeCounts, Verdict, Warning,
};
pub use sizes::{counted, duration, plural, size};
pub use unit::PRINTED_LINE;

use nilometer_capture::{Capture, Record, Stamped};
use nilometer_model::OWN_FACT;

use attribute::attribute;
use chosen::Chosen;
use counted::garbage::at_exit::ExitCollection;
use cycles::Cycles;
use holders::HolderEvidence;
use pack::Packs;
use program::Outside;
use reconcile::reconcile;
use sites::recording::SampleSet;
use sites::{Setting, Sites};
use timeline::Timeline;

/// The fact of a capture that names the unit which growth is to be told by.
pub const ASKED_CYCLE: &str = "cycle.asked";

/// Has growth told by this unit: `epoch`, `line`, `line:round *`, `window`.
pub fn count_by(capture: &mut Capture, unit: &str) {
    let (key, value) = (ASKED_CYCLE.to_owned(), unit.to_owned());
    capture.records.push(Stamped { at_ns: 0, pid: 0, record: Record::Fact { key, value } });
}

/// Has the code of these packages judged as the user's, beside those that the recording names.
pub fn own(capture: &mut Capture, packages: &[String]) {
    if !packages.is_empty() {
        let (key, value) = (OWN_FACT.to_owned(), packages.join(","));
        capture.records.push(Stamped { at_ns: 0, pid: 0, record: Record::Fact { key, value } });
    }
}

/// Judges a run from its capture alone, with what is known of frameworks.
pub fn diagnose(capture: &Capture, packs: Packs) -> Report {
    diagnose_with(capture, &mut Nothing(packs))
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

/// Judges the cell that repeats, where the program is a notebook whose other cells do not; else the whole run.
fn judged(capture: &Capture, lookup: &mut dyn Lookup) -> (Report, Option<SampleSet>) {
    let Some((narrowed, cell)) = cells::narrowed(capture) else { return judged_at_all(capture, lookup) };
    let (mut report, heard) = judged_whole(&narrowed, &mut cells::Sources::of(capture, lookup));
    cells::Shown::of(capture).tell(&mut report, &cell);
    (report, heard)
}

/// Of all the time, and where that shows no leak, of the last days or hours too.
fn judged_at_all(capture: &Capture, lookup: &mut dyn Lookup) -> (Report, Option<SampleSet>) {
    let (mut report, heard) = judged_whole(capture, lookup);
    for stretch in recent::stretches(capture, &report) {
        let (recent, _) = judged_whole(&stretch.narrowed(capture), lookup);
        if stretch.tell(&mut report, recent) {
            break;
        }
    }
    (report, heard)
}

/// Judges by the chosen unit. Where that shows no leak, or one that comes seldom, by a coarser unit as well.
fn judged_whole(capture: &Capture, lookup: &mut dyn Lookup) -> (Report, Option<SampleSet>) {
    let timeline = Timeline::of(capture, lookup.packs());
    let chosen = Chosen::of(&timeline, capture, timeline.basis());
    let mut told = judged_by(capture, &timeline, &chosen.cycles, lookup);
    if let Some(coarser) = chosen.coarser.as_ref().filter(|_| decide::is_asked(&told.0)) {
        let other = judged_by(capture, &timeline, coarser, lookup);
        if decide::decides(&told.0, &other.0) {
            told = other;
        }
    }
    let judged = told.0.cycles.clone();
    let others = chosen.alternatives.into_iter().chain([chosen.cycles.alternative()]);
    told.0.cycles.alternatives = others.filter(|other| decide::is_another(&judged, other)).collect();
    told
}

/// By one unit: evidence, claims, what is kept, who keeps it, the verdict.
fn judged_by(
    capture: &Capture,
    timeline: &Timeline,
    cycles: &Cycles,
    lookup: &mut dyn Lookup,
) -> (Report, Option<SampleSet>) {
    let outside = Outside::of(capture);
    let (basis, pid, folder) = (timeline.basis(), outside.pid(), outside.folder());
    let exit = ExitCollection::of(timeline, basis);
    let held = HolderEvidence::of(capture, pid);
    let count = |cycles: &Cycles| counted::count(timeline, cycles, basis, exit);
    let of_all = count(cycles);
    let ended = counted::ended(capture, pid, timeline, cycles, (basis, &of_all));
    let is_over = ended.is_some();
    let of_all = ended.unwrap_or(of_all);
    let by_mix = endpoints::over_their_own(capture, cycles, &of_all, count);
    // One axis for readings, samples and scans: where they lie on different ones, a line that leaks seems to slow.
    let (counted, axis) = by_mix.as_ref().map_or((&of_all, cycles), |(counted, axis)| (counted, axis));
    let setting = Setting { timeline, cycles: axis, counted, exit, basis, pid, folder };
    let sites = Sites::of(capture, &setting, &held, lookup);

    let mut claims = claims::kept(counted, axis, &held, sites.as_ref());
    claims.retain(|_| !is_over);
    let over = || claims::over(sites.as_ref(), counted, axis);
    let kept = reconcile(counted, &claims, over, axis);
    let told = attribute(&kept, &setting, sites.as_ref(), &held, lookup);
    let case = decide::Case::of(&kept, told, &setting, sites.as_ref(), &held, outside.limit(), lookup);
    let decided = decide::decide(case, axis);

    let setting = Setting { cycles, ..setting };
    let run =
        told::Told { capture, setting: &setting, outside: &outside, held: &held, sites: sites.as_ref() };
    let report = run.report(decided, lookup);
    (report, sites.map(Sites::into_heard))
}
