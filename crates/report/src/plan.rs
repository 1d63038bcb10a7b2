//! A plan on a terminal and as JSON: a row for each part, the peak, and the answer in one sentence.
//!
//! In: a plan and a style. Out: text with line breaks, escapes only where the style allows colour.

use anstyle::{AnsiColor, Style as Paint};
use nilometer_diagnose::size;
use nilometer_plan::{Answer, Part, Plan, Range};

use crate::Style;
use crate::words::experiments as words;
use crate::wrap::wrap;

/// With less room than this beside a part, its advice goes to a line of its own.
const MIN_ADVICE_COLUMNS: usize = 32;

/// As JSON: `docs/plan.schema.json`.
pub fn plan_json(plan: &Plan) -> String {
    serde_json::to_string_pretty(plan).unwrap_or_default() + "\n"
}

/// The screen at the end.
pub fn plan(plan: &Plan, style: &Style) -> String {
    let width = style.width.max(40);
    let mut out = format!("{}\n", wrap(&heading(plan), width, 16));
    if !plan.parts.is_empty() {
        out += &format!("\n{}", table(plan, width));
    }
    out += &format!("\n{}\n", answer(plan, width, style.color));
    if let Some(refusal) = &plan.refusal {
        out += &format!("{}\n", wrap(&words::advice(&refusal.advice), width, 12));
    }
    if plan.answer == Answer::Fits {
        out += &format!("{}\n", words::LARGER_BATCH);
    }
    for warning in &plan.warnings {
        out += &format!("{}\n", wrap(&words::note(warning), width, 6));
    }
    out += &format!("Captures: {}\n", plan.folder);
    out
}

fn heading(plan: &Plan) -> String {
    let name = plan.program.first().map_or("program", String::as_str);
    let batches: Vec<u64> = plan.points.iter().filter_map(|point| point.batch).collect();
    words::plan(name, plan.batch, &batches)
}

fn table(plan: &Plan, width: usize) -> String {
    let name = |part: &Part| match part.per_sample {
        Some(bytes) => format!("{} ({} per sample)", part.name, size(bytes as f64)),
        None => part.name.to_owned(),
    };
    let names: Vec<String> = plan.parts.iter().map(name).collect();
    let sizes: Vec<String> = plan.parts.iter().map(|part| size(part.bytes as f64)).collect();
    let peak = plan.peak.map(|peak| size(peak.estimate as f64));
    let longest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let first = longest(&names).max(12);
    let second = longest(&sizes).max(peak.as_ref().map_or(0, |text| text.chars().count()));
    let mut out = String::new();
    for ((part, name), bytes) in plan.parts.iter().zip(&names).zip(&sizes) {
        let how = if part.exact { "counted " } else { "measured" };
        let line = format!("  {name:<first$}  {bytes:>second$}  {how}");
        let at = line.chars().count() + 2;
        if at + MIN_ADVICE_COLUMNS > width {
            out += &format!("{}\n{}\n", line.trim_end(), wrap(&format!("    {}", part.shrinks), width, 4));
        } else {
            out += &format!("{}\n", wrap(&format!("{line}  {}", part.shrinks), width, at));
        }
    }
    if let (Some(peak), Some(estimate)) = (plan.peak, peak) {
        out += &format!("  {:<first$}  {estimate:>second$}  {}\n", "peak", between(&peak));
    }
    out
}

/// `2.5 GiB to 2.9 GiB`.
fn between(peak: &Range) -> String {
    format!("{} to {}", size(peak.low as f64), size(peak.high as f64))
}

fn answer(plan: &Plan, width: usize, color: bool) -> String {
    let (word, ink) = match plan.answer {
        Answer::Fits => ("FITS", AnsiColor::Green),
        Answer::DoesNotFit => ("DOES NOT FIT", AnsiColor::Red),
        Answer::Undecided => ("MAY NOT FIT", AnsiColor::Yellow),
        Answer::Refused => ("NO PLAN", AnsiColor::Yellow),
        Answer::Static => ("EXACT PARTS", AnsiColor::Green),
    };
    let text = wrap(&format!("{word}  {}.", plan.sentence), width, word.len() + 2);
    if color {
        let paint: Paint = ink.on_default().bold();
        return text.replacen(word, &format!("{paint}{word}{paint:#}"), 1);
    }
    text
}
