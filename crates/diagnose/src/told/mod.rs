//! What is told of a run: the report, from the verdict and from all else that the capture says.
//!
//! In: a judgement with its findings, the run. Out: a [`Report`]. Here, and in the files below, facts become sentences; those of `words` need no type of a module that judges.
//! What must not happen here: another verdict on the program itself; `job` may make that of the job a leak.

mod curve;
mod device;
mod filling;
mod growth;
mod job;
mod reason;
pub(crate) mod words;

use nilometer_capture::Capture;

use crate::causes;
use crate::cells;
use crate::components::Picture;
use crate::counted::{State, garbage};
use crate::decide::Decided;
use crate::devices::{Devices, judged};
use crate::holders::HolderEvidence;
use crate::lookup::Lookup;
use crate::pack::Run;
use crate::program::{Limit, Outside};
use crate::report::{Cycles, Job, LostSamples, Memory, Program, Report, SCHEMA};
use crate::sites::{Setting, Sites};
use crate::timeline::{Reading, Timeline};
use crate::{forecast, next_steps, objects, phase_table, phases, probes, retention, retracing, warnings};

/// A run that is told of.
pub(crate) struct Told<'a> {
    pub(crate) capture: &'a Capture,
    pub(crate) setting: &'a Setting<'a>,
    pub(crate) outside: &'a Outside<'a>,
    pub(crate) held: &'a HolderEvidence<'a>,
    pub(crate) sites: Option<&'a Sites<'a>>,
}

impl Told<'_> {
    /// The report on a judgement.
    pub(crate) fn report(&self, decided: Decided, lookup: &mut dyn Lookup) -> Report {
        let Self { capture, outside, .. } = *self;
        let Setting { timeline, cycles, basis, .. } = *self.setting;
        let Decided { judgement, mut findings, explained, filling } = decided;
        let stretches = phases::stretches(capture, timeline, basis);
        let course = phases::Course::of(capture);
        let (program, folders) = (outside.program(), &self.held.folders);
        let kept = retention::retained(timeline, cycles, basis, &program, outside.fact("heap.arenas"));
        let devices = Devices::of(capture);
        let packs = lookup.packs();
        let on_devices = judged(&devices, (timeline, capture), cycles, packs);
        let counts = probes::Probes::of(capture, &devices, cycles);
        let (probes, retraced) =
            (counts.told(), retracing::retraced(capture, cycles, folders, outside.folder()));
        let traced_at = retracing::called_most(capture, cycles, folders, outside.folder());
        let seen = self.sites.map(|sites| sites.holders(&findings)).unwrap_or_default();
        let keeps_models = causes::who_keeps(&seen, folders);
        let run = Run {
            packs,
            traced_at: traced_at.as_ref(),
            unit: cycles.unit.word(),
            program: &program,
            retraced: &retraced,
            probes: &probes,
            collector_off: garbage::is_off(timeline, &cycles.points),
            cycles: cycles.count,
            shared: causes::shared_growth(timeline, cycles.points.get(judgement.since..).unwrap_or_default()),
            is_notebook: cells::are_in(capture),
            builds: causes::goes_on_building(capture, cycles),
            keeps_models: keeps_models.as_ref(),
            folders,
        };
        let explained = growth::explain(&mut findings, &judgement, run, explained);
        let mut holders = self.sites.map(|sites| sites.holders(&findings)).unwrap_or_default();
        self.held.count(&mut findings, &mut holders, &cycles.ends);
        let fills: Vec<_> = filling.iter().map(|one| filling::component(one, cycles)).collect();
        let picture = Picture {
            timeline,
            cycles,
            judgement: &judgement,
            stretches: &stretches,
            basis,
            copies: outside.copies(),
            sites: self.sites,
            findings: &findings,
            fills: &fills,
            kept: kept.as_ref(),
            packs,
        };
        let components = picture.components().into_iter().chain(device::reserved(&on_devices)).collect();
        let rate = judgement.rate.map_or(0.0, |rate| rate.estimate);
        let mut warnings = warnings::warnings(outside, folders, lookup);
        warnings.extend(device::garbage(&on_devices));
        let sampling = self.sites.map(Sites::summary);
        let lost = sampling.iter().flat_map(|sampling| &sampling.lost).filter(|lost| lost.is_notable);
        let losses = outside.losses.iter().cloned().chain(lost.map(LostSamples::sentence)).collect();
        let mut report = Report {
            schema: SCHEMA,
            verdict: judgement.verdict,
            job: Job::own(judgement.verdict),
            cycles: Cycles {
                unit: cycles.unit.word(),
                kind: cycles.unit.kind(),
                found_by: cycles.found_by(),
                alternatives: Vec::new(),
                count: cycles.count,
                needed: judgement.needed,
                seconds: cycles.seconds,
            },
            growth: growth::growth(capture, &judgement, cycles, basis, explained),
            forecast: forecast::forecast(judgement.verdict, rate, cycles, limit_ahead(outside, &program)),
            reason: reason::words(&judgement.reason, cycles.unit.word()),
            program,
            memory: levels(outside, timeline),
            devices: Vec::new(),
            components,
            findings,
            next_steps: Vec::new(),
            warnings,
            holders,
            recorder: outside.recorder(),
            sampling,
            probes,
            objects: objects::objects(capture, outside.pid(), cycles),
            retraced,
            processes: Vec::new(),
            timeline: curve::curve(timeline, cycles),
            phases: phase_table::spans(&course, timeline.end_ns),
            phase_totals: phase_table::totals(capture, &course, &stretches, timeline.end_ns),
            losses,
        };
        let own = (judgement.verdict, self.setting.counted.state == State::TooFew);
        job::tell(&mut report, crate::job::settle(own, outside, (timeline, basis), cycles));
        let leaking = crate::job::device::leaking(report.verdict, &on_devices);
        device::tell(&mut report, &on_devices, leaking);
        report.next_steps = next_steps::next_steps(&report, |pid| outside.looked_into(pid));
        report
    }
}

/// Levels and limits at the end.
fn levels(outside: &Outside, timeline: &Timeline) -> Memory {
    let last = timeline.last();
    outside.memory(last.and_then(|r| r.live), last.and_then(Reading::anonymous))
}

/// The limit that growth would meet. One that has been reached needs no forecast.
fn limit_ahead(outside: &Outside, program: &Program) -> Option<Limit> {
    outside.limit().filter(|_| program.exit.as_ref().is_none_or(|exit| !exit.oom_killed))
}
