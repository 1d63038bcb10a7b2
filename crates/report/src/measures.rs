//! What services export: families of measures, and their text for Prometheus.
//!
//! In: states of processes, and how their evaluation goes. Out: the same list for every exporter. What must not happen here: more
//! series than processes times a small number, or a rate of 0 where none is known.

use nilometer_diagnose::Verdict;

use crate::exposition::{Exposition, Form};
use crate::markdown::verdict_words;
use crate::status::Status;
use crate::words::measure;

/// How the evaluation of a running program goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evaluations {
    /// Seconds since the figures were made; none before the first.
    pub age_seconds: Option<f64>,
    /// How many were made.
    pub done: u64,
    /// How many more failed; the figures stay the old ones then.
    pub failed: u64,
}

/// Measures of one name.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) help: &'static str,
    pub(crate) samples: Vec<Sample>,
}

/// One measure.
pub(crate) struct Sample {
    pub(crate) labels: Vec<(&'static str, String)>,
    pub(crate) value: f64,
}

/// Text for a scraper.
pub fn metrics(statuses: &[Status], evaluations: Evaluations, form: Form) -> String {
    let mut out = Exposition::new(form);
    for family in families(statuses, evaluations) {
        out.family(family.name, family.kind, family.unit, family.help);
        let end = match family.kind {
            "info" => "_info",
            "counter" => "_total",
            _ => "",
        };
        let name = format!("{}{end}", family.name);
        for Sample { labels, value } in &family.samples {
            let labels: Vec<(&str, &str)> =
                labels.iter().map(|(name, text)| (*name, text.as_str())).collect();
            out.sample(&name, &labels, &value.to_string());
        }
    }
    out.end()
}

/// How many bytes a state has of something.
type BytesOf = fn(&Status) -> Option<u64>;

/// Sizes of a process: what they are called, what they are.
const SIZES: [(&str, &str, BytesOf); 8] = [
    ("nilometer_live_bytes", measure::LIVE, |s| s.live_bytes),
    ("nilometer_retained_bytes", measure::RETAINED, |s| s.retained_bytes),
    ("nilometer_reserved_bytes", measure::RESERVED, |s| s.reserved_bytes),
    ("nilometer_file_backed_bytes", measure::FILE_BACKED, |s| s.file_backed_bytes),
    ("nilometer_anonymous_bytes", measure::ANONYMOUS, |s| s.anonymous_bytes),
    ("nilometer_peak_bytes", measure::PEAK, |s| s.peak_bytes),
    ("nilometer_limit_bytes", measure::LIMIT, |s| s.limit_bytes),
    ("nilometer_headroom_bytes", measure::HEADROOM, |s| s.headroom_bytes),
];

/// All families that have samples.
pub(crate) fn families(statuses: &[Status], evaluations: Evaluations) -> Vec<Family> {
    let readable: Vec<&Status> = statuses.iter().filter(|status| status.error.is_none()).collect();
    let each = |of: &dyn Fn(&Status) -> Vec<Sample>| -> Vec<Sample> {
        let own = |status: &&Status| -> Vec<Sample> {
            of(status).into_iter().map(|sample| sample.of(status)).collect()
        };
        readable.iter().flat_map(own).collect()
    };
    let mut all = watching(evaluations);
    all.push(Family::new("nilometer_run", "info", measure::RUNS, each(&ran)));
    let runs = |s: &Status| vec![Sample::flag(s.running)];
    let help = measure::IS_RUNNING;
    all.push(Family::new("nilometer_running", "gauge", help, each(&runs)));
    all.push(Family::new("nilometer_verdict", "stateset", measure::VERDICT, each(&verdict)));
    let cycles = |s: &Status| vec![Sample::plain(s.cycles as f64).with("unit", &s.unit)];
    all.push(Family::new("nilometer_cycles", "counter", measure::CYCLES, each(&cycles)));
    let seconds = |s: &Status| vec![Sample::plain(s.seconds)];
    all.push(Family::new("nilometer_run_seconds", "gauge", measure::SECONDS, each(&seconds)));
    for (name, help, of) in SIZES {
        let bytes = |s: &Status| of(s).map(|bytes| Sample::plain(bytes as f64)).into_iter().collect();
        all.push(Family::new(name, "gauge", help, each(&bytes)));
    }
    all.push(Family::new("nilometer_growth_bytes", "gauge", measure::GROWTH_IF_KNOWN, each(&growth)));
    let left = |s: &Status| s.limit_in_seconds.map(Sample::plain).into_iter().collect();
    let help = measure::LIMIT_IN_IF_LEAK;
    all.push(Family::new("nilometer_limit_in_seconds", "gauge", help, each(&left)));
    let help = measure::FINDINGS_IN_ORDER;
    all.push(Family::new("nilometer_finding_bytes", "gauge", help, each(&findings)));
    all.retain(|family| !family.samples.is_empty());
    all
}

/// What is told of the watching itself.
fn watching(evaluations: Evaluations) -> Vec<Family> {
    let Evaluations { age_seconds, done, failed } = evaluations;
    let build = Sample::plain(1.0).with("version", env!("CARGO_PKG_VERSION"));
    let age = age_seconds.map(Sample::plain).into_iter().collect();
    let count = |count: u64| vec![Sample::plain(count as f64)];
    let failures = measure::FAILURES;
    vec![
        Family::new("nilometer_build", "info", measure::BUILD, vec![build]),
        Family::new("nilometer_evaluation_age_seconds", "gauge", measure::AGE, age),
        Family::new("nilometer_evaluations", "counter", measure::EVALUATIONS, count(done)),
        Family::new("nilometer_evaluations_failed", "counter", failures, count(failed)),
    ]
}

impl Family {
    /// Its unit stands at the end of its name.
    fn new(name: &'static str, kind: &'static str, help: &'static str, samples: Vec<Sample>) -> Self {
        let unit = ["bytes", "seconds"].into_iter().find(|unit| name.ends_with(unit)).unwrap_or_default();
        Self { name, kind, unit, help, samples }
    }
}

impl Sample {
    fn plain(value: f64) -> Self {
        Self { labels: Vec::new(), value }
    }

    fn flag(is_so: bool) -> Self {
        Self::plain(f64::from(u8::from(is_so)))
    }

    fn with(mut self, name: &'static str, text: &str) -> Self {
        self.labels.push((name, text.to_owned()));
        self
    }

    /// Of this process; its labels stand in front.
    fn of(mut self, status: &Status) -> Self {
        let pid = status.pid.map_or(String::new(), |pid| pid.to_string());
        let mut labels = vec![("program", status.program.clone()), ("pid", pid)];
        labels.append(&mut self.labels);
        Self { labels, ..self }
    }
}

fn ran(status: &Status) -> Vec<Sample> {
    vec![Sample::plain(1.0).with("python", status.python.as_deref().unwrap_or_default())]
}

fn verdict(status: &Status) -> Vec<Sample> {
    let one = |verdict| {
        Sample::flag(status.verdict == Some(verdict))
            .with("nilometer_verdict", &verdict_words(verdict).replace(' ', "_"))
    };
    [Verdict::Leak, Verdict::NoLeak, Verdict::Undecided].map(one).into()
}

fn growth(status: &Status) -> Vec<Sample> {
    let (growth, unit) = match &status.service {
        Some(service) => (service.growth, &service.unit),
        None => (status.growth, &status.unit),
    };
    let Some(growth) = growth.filter(|_| status.verdict != Some(Verdict::Undecided)) else {
        return Vec::new();
    };
    [("estimate", growth.estimate), ("low", growth.low), ("high", growth.high)]
        .map(|(bound, bytes)| Sample::plain(bytes as f64).with("unit", unit).with("bound", bound))
        .into()
}

fn findings(status: &Status) -> Vec<Sample> {
    let one = |(i, finding): (usize, &crate::status::TopFinding)| {
        Sample::plain(finding.bytes_per_cycle.estimate as f64)
            .with("finding", &(i + 1).to_string())
            .with("cause", &finding.cause)
            .with("confidence", &finding.confidence)
            .with("place", &finding.place)
            .with("holder", &finding.holder)
    };
    status.findings.iter().enumerate().map(one).collect()
}
