//! What a report comes down to: which memory grows and by how much, since when, and when a limit is met.
//!
//! In: a report. Out: one [`Headline`], whose parts every renderer sets in its own way. What must not happen here: colour, markup or
//! line breaks; a part that one renderer tells and another cannot.

use nilometer_diagnose::{Culprit, Device, DeviceGrowth, Forecast, Growth, Report, Verdict, size};
use serde::Serialize;

use crate::words::growth as words;
use crate::words::growth::Moment;

/// What a report comes down to.
pub(crate) struct Headline<'a> {
    pub(crate) verdict: Verdict,
    /// What grows; `None` unless the verdict is a leak with a known rate.
    pub(crate) grows: Option<Grows<'a>>,
    /// When the program's own memory meets its limit.
    pub(crate) limit: Option<Limit<'a>>,
    program: &'a str,
    reason: &'a str,
    needed: Option<u64>,
    unit: &'a str,
    count: u64,
}

/// The memory that a leak is about.
pub(crate) enum Grows<'a> {
    /// The program's own. A notebook's cell counts its runs, as `cell 3` would be taken for `In [3]`.
    Program { growth: &'a Growth, cell: Option<&'a str> },
    /// A process that the program started.
    Child(&'a Culprit),
    /// Memory of a device.
    Device(&'a Device, &'a DeviceGrowth),
}

/// When a limit is met.
pub(crate) struct Limit<'a> {
    pub(crate) forecast: &'a Forecast,
    /// By the estimate.
    pub(crate) likely: Moment,
    /// By the most that memory may grow by, where that is much more than the estimate.
    pub(crate) earliest: Option<Moment>,
}

/// The headline in words, for the page.
#[derive(Serialize)]
pub(crate) struct Told {
    /// `+8.0 MiB per epoch`; null where nothing is known to grow.
    amount: Option<String>,
    /// What follows it, or stands alone.
    rest: String,
}

impl<'a> Headline<'a> {
    pub(crate) fn of(report: &'a Report) -> Self {
        let grows = grows(report);
        let is_own = matches!(grows, Some(Grows::Program { .. }));
        Self {
            verdict: report.verdict,
            limit: limit(report).filter(|_| is_own),
            grows,
            program: &report.program.name,
            reason: report.reason.trim_end_matches('.'),
            needed: report.cycles.needed,
            unit: report.cycles.unit,
            count: report.cycles.count,
        }
    }

    /// `+8.0 MiB per epoch`.
    pub(crate) fn amount(&self) -> Option<String> {
        let per = |estimate: i64, unit: &str| words::amount(&size(estimate as f64), unit);
        Some(match self.grows.as_ref()? {
            Grows::Program { growth, cell: Some(cell) } => {
                per(growth.bytes_per_cycle.estimate, &words::run_of(cell))
            }
            Grows::Program { growth, .. } => per(growth.bytes_per_cycle.estimate, self.unit),
            Grows::Child(culprit) => format!("+{}", culprit.rate),
            Grows::Device(_, growth) => per(growth.bytes_per_cycle.estimate, growth.unit),
        })
    }

    /// `since epoch 3`, of the program's own memory.
    pub(crate) fn since(&self) -> Option<String> {
        let Some(Grows::Program { growth, cell }) = &self.grows else { return None };
        Some(words::since(if cell.is_some() { "run" } else { self.unit }, growth.since_cycle))
    }

    /// `in loader (pid 412)`, where the memory is not the program's own.
    fn place(&self) -> Option<String> {
        match self.grows.as_ref()? {
            Grows::Program { .. } => None,
            Grows::Child(culprit) => Some(words::in_child(&culprit.role, culprit.pid)),
            Grows::Device(device, _) => Some(words::on_device(&device.name, device.framework)),
        }
    }

    /// `+7.6 MiB per epoch since epoch 3 (95 %: 7.6 MiB to 7.7 MiB)`, of the program's own memory.
    pub(crate) fn growth(&self) -> Option<String> {
        let Some(Grows::Program { growth, .. }) = &self.grows else { return None };
        Some(format!("{} {} ({})", self.amount()?, self.since()?, words::interval(&growth.bytes_per_cycle)))
    }

    /// Why, and what it takes to decide.
    pub(crate) fn why(&self) -> String {
        let needed = self.needed.filter(|_| self.verdict == Verdict::Undecided);
        let needed = needed.map_or(String::new(), |cycles| format!(" {}", words::needed(cycles, self.unit)));
        format!("{}.{needed}", self.reason)
    }

    /// One sentence, where there is room for one: `Memory of train.py leaks: +8.0 MiB per epoch since epoch 2`.
    pub(crate) fn sentence(&self) -> String {
        match self.verdict {
            Verdict::Leak => match (self.amount(), self.since()) {
                (Some(amount), Some(since)) => words::leaks(self.program, &format!("{amount} {since}")),
                _ => words::leaks(self.program, self.reason),
            },
            Verdict::NoLeak => words::does_not_leak(self.program, self.reason),
            Verdict::Undecided => words::may_leak(self.program, self.reason),
        }
    }

    /// For the live line.
    pub(crate) fn live(&self) -> String {
        match (self.verdict, self.amount(), self.place()) {
            (Verdict::Leak, Some(amount), Some(place)) => words::live_leak_elsewhere(&amount, &place),
            (Verdict::Leak, Some(amount), None) => {
                let limit = self.limit.as_ref();
                let earliest = limit.and_then(|limit| limit.earliest);
                let left = earliest.or(limit.map(|limit| limit.likely)).and_then(|(_, seconds)| seconds);
                words::live_leak(&amount, left, earliest.is_some())
            }
            (Verdict::NoLeak, ..) => words::NO_LEAK.to_owned(),
            _ => words::undecided(self.needed, self.unit),
        }
    }

    /// For the page, behind the word of the verdict.
    pub(crate) fn told(&self) -> Told {
        let rest = match (self.verdict, self.since().or_else(|| self.place())) {
            (Verdict::Leak, Some(where_or_when)) => {
                let started = if matches!(self.grows, Some(Grows::Child(_))) { words::STARTED } else { "" };
                format!(" {where_or_when}{started}.{}", self.until().unwrap_or_default())
            }
            (Verdict::Leak, None) => words::GROWS_AND_STAYS.to_owned(),
            (Verdict::NoLeak, _) => words::after(self.count, self.unit),
            (Verdict::Undecided, _) => {
                self.needed.map_or(words::SO_FAR.to_owned(), |cycles| words::run_more(cycles, self.unit))
            }
        };
        Told { amount: self.amount(), rest }
    }

    /// When a limit is met, as one or two sentences.
    pub(crate) fn until(&self) -> Option<String> {
        match self.grows.as_ref()? {
            Grows::Program { .. } => {
                let limit = self.limit.as_ref()?;
                Some(words::limit(limit.likely, limit.earliest, self.unit))
            }
            Grows::Child(_) => None,
            Grows::Device(_, growth) => {
                growth.cycles_left.map(|cycles| words::device_is_full(cycles, growth.unit))
            }
        }
    }
}

fn grows(report: &Report) -> Option<Grows<'_>> {
    if report.verdict != Verdict::Leak {
        return None;
    }
    if let Some(culprit) = &report.job.culprit {
        return Some(Grows::Child(culprit));
    }
    if report.job.device.is_some() {
        let (device, growth) = report.device_that_leaks()?;
        return Some(Grows::Device(device, growth));
    }
    report.growth.as_ref().map(|growth| Grows::Program { growth, cell: report.cycles.cell() })
}

fn limit(report: &Report) -> Option<Limit<'_>> {
    const MIN_FACTOR: f64 = 2.0;
    let (growth, forecast) = (report.growth.as_ref()?, report.forecast.as_ref()?);
    let at = |left: u64| report.cycles.count + left;
    let (estimate, high) = (growth.bytes_per_cycle.estimate as f64, growth.bytes_per_cycle.high as f64);
    let part = estimate / high;
    let left = (forecast.cycles_left as f64 * part).floor() as u64;
    let earliest = (at(left), forecast.seconds_left.map(|seconds| seconds * part));
    Some(Limit {
        forecast,
        likely: (at(forecast.cycles_left), forecast.seconds_left),
        earliest: (estimate > 0.0 && high > MIN_FACTOR * estimate).then_some(earliest),
    })
}
