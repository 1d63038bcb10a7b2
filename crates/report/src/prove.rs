//! A proof on a terminal and as JSON: a row for each experiment, then the answer in one sentence.
//!
//! In: a proof and a style. Out: text with line breaks, escapes only where the style allows colour.

use anstyle::{AnsiColor, Style as Paint};
use nilometer_diagnose::{Bytes, duration, size};
use nilometer_prove::{Answer, Effect, Experiment, Proof};

use crate::Style;
use crate::words::experiments as words;
use crate::wrap::wrap;

/// Below this width the interval goes to a line of its own.
const MIN_WIDE_COLUMNS: usize = 92;

/// As JSON: `docs/prove.schema.json`.
pub fn prove_json(proof: &Proof) -> String {
    serde_json::to_string_pretty(proof).unwrap_or_default() + "\n"
}

/// The screen at the end.
pub fn prove(proof: &Proof, style: &Style) -> String {
    let width = style.width.max(40);
    let mut out = format!("{}\n", wrap(&heading(proof), width, 17));
    if !proof.interventions.is_empty() {
        out += "\n";
        out += &table(proof, width, style.color);
    }
    out += &format!("\n{}\n", answer(proof, width, style.color));
    if !proof.not_tried.is_empty() {
        let names: Vec<String> = proof.not_tried.iter().map(ToString::to_string).collect();
        out += &format!("{}\n", wrap(&words::no_time(&names), width, 2));
    }
    for warning in &proof.warnings {
        out += &format!("{}\n", wrap(&words::note(warning), width, 6));
    }
    out += &format!("Captures: {}\n", proof.folder);
    out
}

fn heading(proof: &Proof) -> String {
    let name = proof.program.first().map_or("program", String::as_str);
    let baseline = &proof.baseline;
    let growth = baseline.growth.as_ref().map(rate);
    words::proof(name, growth.as_deref(), baseline.cycles, proof.unit, &duration(baseline.seconds))
}

fn table(proof: &Proof, width: usize, color: bool) -> String {
    let rows = &proof.interventions;
    let unit = format!("growth per {}", proof.unit);
    let growths: Vec<String> = rows.iter().map(|row| growth(row, width >= MIN_WIDE_COLUMNS)).collect();
    let longest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let first = longest(&mut rows.iter().map(|row| row.intervention.chars().count())).clamp(12, width / 2);
    let second = longest(&mut growths.iter().map(|text| text.chars().count()).chain([unit.len()]));
    let third = longest(&mut rows.iter().map(|row| duration(row.seconds).chars().count())).max("took".len());
    let mut out = format!("  {:<first$}  {unit:<second$}  {:>third$}  verdict\n", "intervention", "took");
    for (row, growth) in rows.iter().zip(&growths) {
        let took = duration(row.seconds);
        let word = paint(row.verdict.words(), ink(row.verdict), color);
        let name = &row.intervention;
        if name.chars().count() > first {
            out += &format!("  {name}\n  {:<first$}  {growth:<second$}  {took:>third$}  {word}\n", "");
        } else {
            out += &format!("  {name:<first$}  {growth:<second$}  {took:>third$}  {word}\n");
        }
        if let Some(note) = &row.note {
            out += &format!("{}\n", wrap(&format!("    {note}"), width, 4));
        }
    }
    out
}

fn growth(row: &Experiment, wide: bool) -> String {
    match row.growth {
        Some(growth) if wide => rate(&growth),
        Some(growth) => signed(growth.estimate),
        None => "too few cycles".to_owned(),
    }
}

/// `+4.0 MiB (95 %: 3.9 MiB to 4.1 MiB)`.
fn rate(growth: &Bytes) -> String {
    let (low, high) = (size(growth.low as f64), size(growth.high as f64));
    format!("{} (95 %: {low} to {high})", signed(growth.estimate))
}

fn signed(bytes: i64) -> String {
    format!("{}{}", if bytes > 0 { "+" } else { "" }, size(bytes as f64))
}

fn answer(proof: &Proof, width: usize, color: bool) -> String {
    let (word, paint_of) = match proof.answer {
        Answer::Cured => ("CURED", AnsiColor::Green),
        Answer::NothingToCure => ("NO LEAK", AnsiColor::Green),
        Answer::Reduced => ("REDUCED", AnsiColor::Yellow),
        Answer::Undecided => ("UNDECIDED", AnsiColor::Yellow),
        Answer::Unexplained => ("NOT EXPLAINED", AnsiColor::Red),
    };
    let indent = word.len() + 2;
    let text = wrap(&format!("{word}  {}.", proof.sentence), width, indent);
    text.replacen(word, &paint(word, Some(paint_of), color), 1)
}

fn ink(effect: Effect) -> Option<AnsiColor> {
    match effect {
        Effect::Cures => Some(AnsiColor::Green),
        Effect::Reduces => Some(AnsiColor::Yellow),
        Effect::NoEffect | Effect::Undecided => None,
    }
}

fn paint(word: &str, ink: Option<AnsiColor>, allowed: bool) -> String {
    match ink.filter(|_| allowed) {
        Some(ink) => {
            let paint: Paint = ink.on_default().bold();
            format!("{paint}{word}{paint:#}")
        }
        None => word.to_owned(),
    }
}
