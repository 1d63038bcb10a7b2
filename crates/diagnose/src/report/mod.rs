//! The report: what is said about a run, and the shape of its JSON (`docs/report.schema.json`).
//!
//! Sizes are bytes, times are seconds. A field that could not be known is null, never a guess. Additive changes keep
//! the schema's number; anything else raises it.

mod curve;
mod device;
mod finding;
mod growth;
mod job;
mod program;
mod warning;

use serde::{Deserialize, Serialize};

pub(crate) use curve::RUNS_OF;
pub use curve::{Component, Cycles, Kind, Memory, OtherCycles, PhaseSpan, PhaseTotal, TimelinePoint};
pub use device::{Device, DeviceGrowth, DeviceOthers};
pub use finding::{Finding, Frame, Holder, HolderBytes, LostSamples, Sampling, Site};
pub use growth::{Bytes, Endpoint, Forecast, Growth, NextStep};
pub use job::{Culprit, Job, Lives};
pub use program::{Attached, Exit, Look, Objects, Probe, Process, Program, Retraced, TypeCounts};
pub use warning::{About, Warning};

/// The name and version of the JSON report.
pub const SCHEMA: &str = "nilometer.report/1";

/// All that is said about one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// What ran.
    pub program: Program,
    /// Leak, no leak, or not known yet: of the program with the processes that it started and the devices that it uses.
    pub verdict: Verdict,
    /// Why, in one or two sentences.
    pub reason: String,
    /// Whether the verdict is about the program's own process, one that it started, or a device.
    pub job: Job,
    /// What repeats, and how often it did.
    pub cycles: Cycles,
    /// How live memory grows per cycle; null where there are too few cycles to say.
    pub growth: Option<Growth>,
    /// When the limit is reached; only where memory leaks and a limit is known.
    pub forecast: Option<Forecast>,
    /// Levels and limits.
    pub memory: Memory,
    /// What frameworks have of the memory of devices: a row for each framework and device. Empty without devices.
    pub devices: Vec<Device>,
    /// What the memory curve is made of.
    pub components: Vec<Component>,
    /// What causes a growth, the biggest first.
    pub findings: Vec<Finding>,
    /// What to run next where memory leaks and the findings do not account for it.
    pub next_steps: Vec<NextStep>,
    /// What is wrong with the training, not with its memory.
    pub warnings: Vec<Warning>,
    /// Who held how much at the last look at the program's heap, the most first; what hangs below several paths counts for
    /// one of them.
    pub holders: Vec<HolderBytes>,
    /// What the recorder of allocations saw; null where it was not at work.
    pub sampling: Option<Sampling>,
    /// `on`, or `off: ` and why; null if nothing was said of it.
    pub recorder: Option<String>,
    /// Counts of a framework's own things, by name.
    pub probes: Vec<Probe>,
    /// Objects of Python's by type, look by look; null unless the heap was looked at twice.
    pub objects: Option<Objects>,
    /// Functions that were traced again and again, and still were late in the run; the most often traced first.
    pub retraced: Vec<Retraced>,
    /// The processes that the program started.
    pub processes: Vec<Process>,
    /// The curve, thinned.
    pub timeline: Vec<TimelinePoint>,
    /// Which phase the program was in when, without gaps; `program` is outside of all. Coarser where there are thousands.
    pub phases: Vec<PhaseSpan>,
    /// What each phase took in all, those with the most time first.
    pub phase_totals: Vec<PhaseTotal>,
    /// What could not be recorded or read.
    pub losses: Vec<String>,
}

impl Report {
    /// What the verdict's memory grows by per cycle of the program: that of the process that leaks, of the device, or of the program
    /// itself. `None` where a device is told by another cycle.
    pub fn growth_told(&self) -> Option<Bytes> {
        if let Some(culprit) = &self.job.culprit {
            return culprit.bytes_per_cycle;
        }
        if self.job.device.is_some() {
            let growth = self.device_that_leaks().map(|(_, growth)| growth);
            return growth
                .filter(|growth| growth.unit == self.cycles.unit)
                .map(|growth| growth.bytes_per_cycle);
        }
        self.growth.as_ref().map(|growth| growth.bytes_per_cycle)
    }

    /// The device that makes the verdict a leak, and its growth.
    pub fn device_that_leaks(&self) -> Option<(&Device, &DeviceGrowth)> {
        let is_it = |device: &&Device| {
            device.verdict == Verdict::Leak && self.job.device.as_ref() == Some(&device.name)
        };
        let device = self.devices.iter().find(is_it)?;
        Some((device, device.growth.as_ref()?))
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Live memory grows with every cycle, with no sign of an end.
    Leak,
    /// It does not, or too little to matter.
    NoLeak,
    /// The evidence does not reach.
    Undecided,
}
