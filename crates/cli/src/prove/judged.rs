//! What one run of an experiment showed.
//!
//! In: the run, and the growth of the program as it is. Out: a row of the proof. Pure.

use nilometer_capture::CycleUnit;
use nilometer_diagnose::Bytes;
use nilometer_prove::{Effect, Experiment, Intervention, Measured, Seen, Subject, compare};

use super::results::Result as Ran;
use crate::words::prove as words;

/// What the first run says of the program beside its facts.
pub(crate) fn seen(ran: &Ran) -> Seen {
    let gpu = ["/dev/nvidia0", "/dev/kfd"].iter().any(|device| std::path::Path::new(device).exists());
    Seen { models: ran.board.cycles(CycleUnit::Model), calls: ran.board.cycles(CycleUnit::Call), gpu }
}

/// What a run showed of its interventions, and whether it would show more with more cycles.
pub(crate) fn judged(ran: &Ran, subject: &Subject, leak: Bytes, unit: &str) -> (Experiment, bool) {
    let measured = Measured::of(&ran.report, subject);
    let compared = compare(leak, unit, &measured);
    let idle = |one: &Intervention| {
        !one.is_patched()
            && one.name() != "jemalloc"
            && !ran.facts.contains_key(&format!("prove.acted.{one}"))
    };
    let idle: Vec<String> = ran.set.iter().filter(|one| idle(one)).map(ToString::to_string).collect();
    let mut notes = Vec::new();
    // A growth that ends with nothing changed was ended by something else.
    let changed = idle.len() < ran.set.len();
    if !idle.is_empty() {
        notes.push(words::idle(&idle));
    }
    if ran.cut {
        notes.push(words::CUT.to_owned());
    } else if ran.exit_code != Some(0) {
        let log = ran.log.file_name().unwrap_or_default().to_string_lossy();
        notes.push(words::failed_run(ran.exit_code, &log));
    }
    if measured.unit != unit {
        notes.push(words::other_unit(measured.unit, unit));
    }
    let experiment = Experiment {
        intervention: Experiment::words(&ran.set),
        set: ran.set.clone(),
        verdict: if changed || compared.effect == Effect::NoEffect {
            compared.effect
        } else {
            Effect::Undecided
        },
        growth: measured.growth,
        removed: compared.removed,
        cycles: measured.cycles,
        seconds: ran.took.as_secs_f64(),
        exit_code: ran.exit_code,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        capture: Some(ran.capture_name()),
    };
    (experiment, changed && compared.is_open())
}
