//! A report to paste into an issue or a pull request: what ran, what was found, and how to see it again.
//!
//! What must not happen here: a string of the program's that Markdown takes for markup. Such strings stand in code spans
//! or code blocks, or are escaped.

use nilometer_diagnose::{Finding, Holder, Kind, Report, Site, Verdict, Warning, counted, duration, size};

use crate::claim::rate;
use crate::devices;
use crate::endpoints::table;
use crate::headline::{Grows, Headline};
use crate::render_input::{RenderInput, label};
use crate::sparkline::sparkline;
use crate::words::growth as words;
use crate::words::profile::again as again_by;

/// Findings that are told.
const MAX_FINDINGS: usize = 10;
/// Frames of a stack that are told.
const MAX_FRAMES: usize = 40;

/// One document, its title a heading of the third level.
pub fn markdown(material: &RenderInput) -> String {
    let report = material.report;
    let mut out =
        format!("### Memory of {}: {}\n\n", code(&report.program.name), verdict_words(report.verdict));
    out += &format!("{}.\n\n", escape(report.reason.trim_end_matches('.')));
    out += &growth(report);
    out += &curve(material);
    for (i, finding) in report.findings.iter().take(MAX_FINDINGS).enumerate() {
        out += &self::finding(i + 1, finding, report.cycles.unit);
    }
    if let Some(more) = report.findings.len().checked_sub(MAX_FINDINGS).filter(|more| *more > 0) {
        out += &format!("and {more} smaller ones.\n\n");
    }
    for step in &report.next_steps {
        out += &format!("* next: {} {}\n", code(&step.command), escape(&step.why));
    }
    if !report.next_steps.is_empty() {
        out.push('\n');
    }
    for warning in &report.warnings {
        out += &self::warning(warning);
    }
    out += &components(report);
    out += &devices::table(report);
    out += &environment(material);
    if !report.losses.is_empty() {
        out += "**Not seen**\n\n";
        for loss in &report.losses {
            out += &format!("* {}\n", escape(loss));
        }
        out.push('\n');
    }
    out + &again(report)
}

pub(crate) fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Leak => "leak",
        Verdict::NoLeak => "no leak",
        Verdict::Undecided => "undecided",
    }
}

fn growth(report: &Report) -> String {
    let headline = Headline::of(report);
    let mut out = String::new();
    if let (Some(amount), Some(Grows::Program { growth, .. })) = (headline.amount(), &headline.grows) {
        let interval = words::interval(&growth.bytes_per_cycle);
        out += &format!("**{amount}** {} ({interval}).", headline.since().unwrap_or_default());
        if let Some(limit) = headline.limit {
            let bytes = limit.forecast.limit_bytes;
            out += &words::named_limit(
                (bytes, limit.forecast.limit),
                limit.likely,
                limit.earliest,
                report.cycles.unit,
            );
        }
        out += "\n\n";
    }
    // Growth is the program's own; where a child or a device leaks, the reason has its rate.
    if report.verdict != Verdict::NoLeak && report.job.is_own() && report.growth.is_some() {
        out += &table(report);
    }
    out
}

fn curve(material: &RenderInput) -> String {
    let of_cycles = material.cycles.iter().filter_map(|row| row.live_bytes.or(row.anonymous_bytes));
    let of_time = material.report.timeline.iter().filter_map(|p| p.live_bytes.or(p.anonymous_bytes));
    let mut levels: Vec<u64> = of_cycles.collect();
    let mut over = format!("per {}", material.report.cycles.unit);
    if levels.len() < 3 {
        levels = of_time.collect();
        "over time".clone_into(&mut over);
    }
    let (Some(first), Some(last)) = (levels.first(), levels.last()) else { return String::new() };
    let (first, last) = (size(*first as f64), size(*last as f64));
    match sparkline(&levels, 60) {
        line if line.is_empty() => String::new(),
        line => format!("```text\nlive memory {over}: {first} {line} {last}\n```\n\n"),
    }
}

fn finding(number: usize, finding: &Finding, unit: &str) -> String {
    let mut out = format!(
        "**{number}. {}**{}, {}\n\n",
        escape(&finding.sentence),
        rate(finding, unit),
        finding.confidence,
    );
    if let Some(holder) = &finding.holder {
        out += &held_by("held by", holder, unit);
    }
    for holder in &finding.also_held_by {
        out += &held_by("and by", holder, unit);
    }
    for site in &finding.sites {
        out += &self::site(site);
    }
    for (name, text) in [("part", &finding.part), ("change", &finding.change)] {
        if let Some(text) = text {
            out += &format!("* {name}: {}\n", prose(text));
        }
    }
    if let Some(prove) = &finding.prove {
        out += &format!("* prove it: {}\n", code(prove));
    }
    out.push('\n');
    if !finding.stack.is_empty() {
        out += "<details><summary>stack, innermost first</summary>\n\n```text\n";
        for frame in finding.stack.iter().take(MAX_FRAMES) {
            out += &format!("{}\n", label(frame).replace("```", "'''"));
        }
        out += "```\n\n</details>\n\n";
    }
    out
}

fn warning(warning: &Warning) -> String {
    let mut out = format!("**Warning, {}**: {}\n\n", warning.about.words(), escape(&warning.sentence));
    if let Some(called) = &warning.called_at {
        out += &site(called);
    }
    out + &format!("* change: {}\n\n", prose(&warning.change))
}

fn held_by(words: &str, holder: &Holder, unit: &str) -> String {
    let content = holder.content(unit);
    let content = if content.is_empty() { content } else { format!(": {}", escape(&content)) };
    format!("* {words} {}{content}\n", code(&holder.path))
}

fn site(site: &Site) -> String {
    let line = if site.line > 0 { format!(":{}", site.line) } else { String::new() };
    let function =
        if site.function.is_empty() { String::new() } else { format!(" in {}", code(&site.function)) };
    let text = site.text.as_ref().map_or(String::new(), |text| format!(": {}", code(text)));
    let inside = site.inside.as_ref().map_or(String::new(), |inside| format!(" (in {})", escape(inside)));
    format!(
        "* {} {}{function}{text}{inside}\n",
        site.role.replace('_', " "),
        code(&format!("{}{line}", site.file))
    )
}

fn components(report: &Report) -> String {
    let rest: Vec<_> = report.components.iter().filter(|c| c.kind != Kind::Growing).collect();
    if rest.is_empty() {
        return String::new();
    }
    let mut out = "**Not a leak**\n\n".to_owned();
    for component in rest {
        let rate = component.bytes_per_cycle;
        let bytes = size(rate.unwrap_or(component.bytes) as f64);
        let per = rate.map_or(String::new(), |_| format!(" per {}", report.cycles.unit));
        out += &format!("* {bytes}{per}: {}\n", escape(&component.sentence));
        if let Some(change) = &component.change {
            out += &format!("  * change: {}\n", prose(change));
        }
        if let Some(prove) = &component.prove {
            out += &format!("  * prove it: {}\n", code(prove));
        }
    }
    out + "\n"
}

fn environment(material: &RenderInput) -> String {
    let report = material.report;
    let fact = |name: &str| material.facts.get(name).cloned();
    let mut rows = vec![("Python".to_owned(), report.program.python.clone())];
    rows.extend(
        report.program.frameworks.iter().map(|(name, version)| (name.clone(), Some(version.clone()))),
    );
    rows.push(("allocator".to_owned(), fact("recorder.allocator").or_else(|| fact("allocator"))));
    let course = format!(
        "{} in {}",
        counted(report.cycles.count, report.cycles.unit),
        duration(report.program.seconds)
    );
    rows.push(("run".to_owned(), Some(course)));
    rows.push(("peak".to_owned(), report.memory.peak_bytes.map(|b| size(b as f64))));
    let limit = report.memory.limit_bytes.zip(report.memory.limit);
    rows.push(("limit".to_owned(), limit.map(|(b, name)| format!("{} ({name})", size(b as f64)))));
    rows.push(("nilometer".to_owned(), Some(env!("CARGO_PKG_VERSION").to_owned())));
    let mut out = "| | |\n|---|---|\n".to_owned();
    for (name, value) in rows {
        if let Some(value) = value {
            out += &format!("| {} | {} |\n", escape(&name), escape(&value));
        }
    }
    out + "\n"
}

fn again(report: &Report) -> String {
    let line = report.program.argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let line = if line.is_empty() { quoted(&report.program.name) } else { line };
    again_by(&format!("nilometer run {}", line.replace("```", "'''")))
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A code span, whatever backticks the text has.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A sentence of ours: what stands between backticks is code.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // One that is not closed is none.
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    parts.iter().enumerate().map(|(at, part)| if at % 2 == 0 { escape(part) } else { code(part) }).collect()
}

/// Text in which nothing is markup.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
