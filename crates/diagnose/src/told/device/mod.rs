//! Memory of devices, in words: a row for each, what is only reserved, garbage that waits, and tensors that are kept.
//!
//! In: devices judged, and the one that makes the job a leak. Out: the report with them. What must not happen here: a decision.

mod others;

use crate::devices::{Growth, Judged, Pool};
use crate::report::{About, Bytes, Component, Device, DeviceGrowth, Finding, Kind, Report, Verdict, Warning};
use crate::sizes::size;

/// The finding and the warning, as `docs/gpu.md` and `docs/warnings.md` have them.
const NAME: &str = "gpu-memory-grows";

/// Adds devices to what is said about the program. `leaking`: the one that makes the job a leak.
pub(super) fn tell(report: &mut Report, devices: &[Judged], leaking: Option<&Judged>) {
    if let Some(leaking) = leaking {
        let own = match report.verdict {
            Verdict::NoLeak => "the program's own memory does not grow",
            Verdict::Leak | Verdict::Undecided => "whether the program's own memory grows is undecided",
        };
        report.reason = format!("{}; {own}", reason(leaking));
        report.verdict = Verdict::Leak;
        report.cycles.needed = None;
        report.job.device = Some(name(leaking.pool));
    }
    report.findings.extend(devices.iter().filter_map(finding));
    report.devices = devices.iter().map(row).collect();
}

/// `GPU 0`; `GPU` where an older capture tells of all together.
fn name(pool: Pool) -> String {
    pool.device.map_or_else(|| "GPU".to_owned(), |device| format!("GPU {device}"))
}

/// The same within a sentence.
fn place(pool: Pool) -> String {
    pool.device.map_or_else(|| "the GPU".to_owned(), |device| format!("GPU {device}"))
}

fn row(judged: &Judged) -> Device {
    let growth = match judged.growth {
        Growth::Grows { per_cycle, word, .. } => Some(DeviceGrowth {
            bytes_per_cycle: Bytes::round(&per_cycle),
            unit: word,
            cycles_left: judged.cycles_left,
        }),
        Growth::None | Growth::TooFew | Growth::Open => None,
    };
    Device {
        name: name(judged.pool),
        framework: judged.known.framework,
        verdict: judged.verdict,
        reason: reason(judged),
        in_use_bytes: judged.last.in_use,
        peak_bytes: judged.last.peak,
        reserved_bytes: Some(judged.last.reserved).filter(|bytes| *bytes > 0),
        limit_bytes: judged.limit,
        total_bytes: judged.whole.as_ref().ok().map(|whole| whole.total),
        others: judged.whole.as_ref().ok().map(|whole| others::told(whole, &place(judged.pool))),
        others_unknown: judged.whole.as_ref().err().and_then(others::why),
        growth,
    }
}

/// Why its verdict is what it is.
fn reason(judged: &Judged) -> String {
    let (framework, place) = (judged.known.framework, place(judged.pool));
    let [used, reserved] = [judged.last.in_use, judged.last.reserved].map(|bytes| size(bytes as f64));
    match judged.growth {
        Growth::Grows { is_garbage: true, per_cycle, word } => format!(
            "{} more is in use on {place} with each {word}; Python's collection at the end gave it back",
            size(per_cycle.estimate)
        ),
        Growth::Grows { is_garbage: false, per_cycle, word } => {
            let [more, low, high] = [per_cycle.estimate, per_cycle.low, per_cycle.high].map(size);
            format!(
                "{more} more of {place} is in use with each {word} (95 %: {low} to {high}), {used} at the last"
            )
        }
        Growth::None if judged.last.reserved > 0 => {
            format!("{framework} reserved {reserved} of {place}; {used} are in use, and that does not grow")
        }
        Growth::None => {
            format!("tensors of {framework} have {used} of {place} in use, and that does not grow")
        }
        Growth::TooFew => {
            format!("too few cycles were seen to say whether the {used} in use on {place} grow")
        }
        Growth::Open => {
            format!(
                "the memory in use on {place} rose to {used}, and this run does not show whether it rises on"
            )
        }
    }
}

/// What pools hold beyond what is in use.
pub(super) fn reserved(devices: &[Judged]) -> impl Iterator<Item = Component> {
    let is_one = devices.len() < 2;
    devices.iter().filter_map(move |judged| Some(part(judged, judged.reserved?, is_one)))
}

fn part(judged: &Judged, kept: u64, is_one: bool) -> Component {
    let Judged { pool, last, .. } = judged;
    let [all, peak, used] = [last.reserved, last.peak, last.in_use].map(|bytes| size(bytes as f64));
    let subject = if is_one { "GPU memory".to_owned() } else { format!("{} memory", name(*pool)) };
    let framework = judged.known.framework;
    let sentence = if judged.known.takes_all {
        format!(
            "{subject}: {framework} took {all} when it began; tensors had {peak} of it in use at most. Tools that watch the GPU show all that \
             this and other programs took."
        )
    } else {
        format!(
            "{subject}: {framework} holds {all}; tensors have {used} of it in use now and had {peak} at most. Tools that watch the GPU show \
             all that this and other programs hold."
        )
    };
    let no_growth = match (judged.growth, judged.rose) {
        (Growth::None, Some(rose)) => {
            format!(
                " What it holds rose by {}, and what is in use did not: no leak on the GPU.",
                size(rose as f64)
            )
        }
        (Growth::None, None) => " What is in use does not grow: no leak on the GPU.".to_owned(),
        _ => String::new(),
    };
    Component {
        kind: Kind::Reserved,
        phase: None,
        bytes: i64::try_from(kept).unwrap_or(i64::MAX),
        bytes_per_cycle: None,
        sentence: format!("{sentence}{no_growth}"),
        made_at: None,
        change: judged.known.left_to_others.map(str::to_owned),
        prove: None,
    }
}

/// Garbage on devices, where small objects of Python's make no collection due.
pub(super) fn garbage(devices: &[Judged]) -> impl Iterator<Item = Warning> {
    devices.iter().filter_map(|judged| {
        let Growth::Grows { per_cycle, word, is_garbage: true } = judged.growth else { return None };
        let (framework, place) = (judged.known.framework, place(judged.pool));
        let [more, used] = [per_cycle.estimate, judged.last.in_use as f64].map(size);
        Some(Warning {
            name: NAME.to_owned(),
            about: About::GpuMemory,
            sentence: format!(
                "tensors of {framework} have {more} more of {place} in use with each {word}, {used} at the last. Python's collection at \
                 the end gave it back: garbage that waited for it"
            ),
            called_at: None,
            change: format!(
                "call `gc.collect()` at the end of each {word}, or break the reference cycle that holds tensors: a kept exception, a \
                 closure, a module that knows its parent"
            ),
        })
    })
}

/// Tensors that are kept on a device.
fn finding(judged: &Judged) -> Option<Finding> {
    let Growth::Grows { per_cycle, word, is_garbage: false } = judged.growth else { return None };
    let (framework, place, more) = (judged.known.framework, place(judged.pool), size(per_cycle.estimate));
    Some(Finding {
        cause: NAME.to_owned(),
        confidence: "likely",
        sentence: format!(
            "tensors of {framework} have {more} more of {place} in use with each {word}; memory that is only reserved is not counted"
        ),
        device: Some(name(judged.pool)),
        change: Some(
            "tensors on a GPU are small objects in Python. Find the object that keeps more of them with each cycle: losses, outputs, \
             models. Keep `float(loss)` or a copy on the processor instead"
                .to_owned(),
        ),
        ..Finding::default()
    })
}
