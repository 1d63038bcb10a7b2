//! Around a plan and a proof; their own sentences are those of `crates/plan` and `crates/prove`.

use nilometer_diagnose::counted;

/// The first line of a plan: the batch, and those that were run.
pub(crate) fn plan(program: &str, batch: Option<u64>, ran: &[u64]) -> String {
    let Some(batch) = batch else { return format!("nilometer plan  {program}") };
    let ran = match ran {
        [] => String::new(),
        [one] => format!(", from a run with batch {one}"),
        _ => {
            let batches: Vec<String> = ran.iter().map(ToString::to_string).collect();
            format!(", from runs with batches {}", batches.join(", "))
        }
    };
    format!("nilometer plan  {program}: batch {batch}{ran}")
}

pub(crate) fn advice(advice: &str) -> String {
    format!("What to do: {advice}.")
}

pub(crate) const LARGER_BATCH: &str = "To plan a larger batch, name it: --batch N.";

/// A note.
pub(crate) fn note(warning: &str) -> String {
    format!("Note: {warning}.")
}

/// The first line of a proof; `growth` is the rate of the unchanged program, if it has one.
pub(crate) fn proof(program: &str, growth: Option<&str>, cycles: u64, unit: &str, time: &str) -> String {
    let growth = growth.map_or("no growth to be seen".to_owned(), |rate| format!("{rate} per {unit}"));
    format!("nilometer prove  {program}: {growth}, {} in {time}", counted(cycles, unit))
}

/// Interventions that were left out.
pub(crate) fn no_time(names: &[String]) -> String {
    format!("No time was left for: {}.", names.join(", "))
}
