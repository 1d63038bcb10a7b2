//! Findings on the terminal: the sentence, then each place with its source and what it calls.

use nilometer_diagnose::{Finding, NextStep, Report, Site, Verdict, size};

use crate::terminal::Screen;
use crate::words::finding as words;
use crate::words::growth::interval;
use crate::wrap::columns;

/// Findings told on the screen; the JSON has them all.
const MAX_FINDINGS: usize = 3;
/// Lines of evidence begin with a word of this width.
const INDENT: usize = 16;
/// And what is to be run next with one of this.
const STEP: usize = 11;

impl Screen {
    pub(crate) fn findings(&mut self, findings: &[Finding], unit: &str) {
        let most = if self.verbose { findings.len() } else { MAX_FINDINGS };
        for (i, finding) in findings.iter().take(most).enumerate() {
            self.out.push('\n');
            let rate = rate(finding, unit);
            let sentence = format!("  {}  {}", i + 1, finding.sentence);
            self.pair(&sentence, format!("{rate}  {}", finding.confidence).trim_start(), 5);
            if let Some(holder) = &finding.holder {
                self.line(&format!("     held by    {}  {}", holder.path, holder.content(unit)), INDENT);
            }
            // Where several hold the same memory, letting go of one frees nothing.
            for holder in &finding.also_held_by {
                self.line(&format!("     and by     {}  {}", holder.path, holder.content(unit)), INDENT);
            }
            for site in &finding.sites {
                self.site(site);
            }
            if let Some(part) = finding.part.as_ref().filter(|part| !finding.sentence.contains(part.as_str()))
            {
                self.line(&format!("{:INDENT$}{part}", ""), INDENT);
            }
            if let Some(change) = &finding.change {
                self.line(&format!("     change     {change}"), INDENT);
            }
            if let Some(prove) = &finding.prove {
                self.line(&format!("     prove it   {prove}"), INDENT);
            }
            if self.verbose {
                self.stack(&finding.stack);
            }
        }
        if let Some(more) = findings.len().checked_sub(most).filter(|more| *more > 0) {
            self.out.push('\n');
            self.line(&format!("     {}", words::more(more)), 5);
        }
    }

    /// What to run next where findings do not account for a growth.
    pub(crate) fn next_steps(&mut self, steps: &[NextStep]) {
        for (i, step) in steps.iter().enumerate() {
            if i == 0 {
                self.out.push('\n');
            }
            let lead = if i == 0 { "  next" } else { "" };
            self.line(&format!("{lead:STEP$}{}", step.command), STEP);
            self.line(&format!("{:STEP$}{}", "", step.why), STEP);
        }
    }

    /// Two things on one line if they fit, else on two.
    fn pair(&mut self, left: &str, right: &str, indent: usize) {
        if columns(left) + 2 + columns(right) <= self.width || right.is_empty() {
            self.line(&format!("{left}{:1$}{right}", "", if right.is_empty() { 0 } else { 2 }), indent);
        } else {
            self.line(left, indent);
            self.line(&format!("{:indent$}{right}", ""), indent);
        }
    }

    /// A place with its source and what it calls.
    pub(crate) fn site(&mut self, site: &Site) {
        let role = site.role.replace('_', " ");
        let line = if site.line > 0 { format!(":{}", site.line) } else { String::new() };
        let place = format!("     {role:<10} {}{line}  {}", site.file, function(&site.function));
        let place = place.trim_end();
        self.pair(place, &site.text.as_deref().map_or(String::new(), cut), INDENT);
        if let Some(inside) = &site.inside {
            self.line(&format!("{:INDENT$}in {inside}", ""), INDENT);
        }
    }

    /// Why no line is named, where that is for the user to change and would help.
    pub(crate) fn recorder(&mut self, report: &Report) {
        let off = report.recorder.as_deref().is_some_and(|r| r == "off: --no-recorder");
        let could_tell = report.verdict != Verdict::NoLeak && report.job.is_own();
        if off && report.sampling.is_none() && could_tell {
            self.line(&format!("      {}", words::NO_RECORDER), 6);
        }
    }
}

/// The rate, with its interval where that is wide enough to matter.
fn rate(finding: &Finding, unit: &str) -> String {
    // Its sentence has it.
    if !finding.is_own() {
        return String::new();
    }
    let bytes = &finding.bytes_per_cycle;
    let rate = format!("+{} per {unit}", size(bytes.estimate as f64));
    let wide = (bytes.high - bytes.low) as f64 > 0.05 * bytes.estimate as f64;
    if wide { format!("{rate} ({})", interval(bytes)) } else { rate }
}

/// A function as one would say it: without the functions and classes it is defined in.
fn function(name: &str) -> &str {
    let name = around(name);
    match name.rsplit('.').next() {
        Some("<lambda>") | None => name,
        Some(last) => last,
    }
}

/// The function around a comprehension, which Python before 3.12 has as a function of its own; empty at the level of the module.
fn around(mut function: &str) -> &str {
    const COMPREHENSIONS: [&str; 4] = ["<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"];
    while let Some(outer) = COMPREHENSIONS.iter().find_map(|name| function.strip_suffix(name)) {
        function = outer.strip_suffix(".<locals>.").unwrap_or(outer);
    }
    function
}

/// A line of source, as much as says which it is.
fn cut(text: &str) -> String {
    const MAX_CHARS: usize = 72;
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let short: String = text.chars().take(MAX_CHARS - 1).collect();
    format!("{}\u{2026}", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comprehension_is_called_by_the_function_around_it() {
        for (name, said) in [
            ("Plateau.update.<locals>.<dictcomp>", "update"),
            ("load.<locals>.<listcomp>.<locals>.<genexpr>", "load"),
            ("<listcomp>", ""),
            ("main.<locals>.<lambda>", "main.<locals>.<lambda>"),
            ("Plateau.update", "update"),
        ] {
            assert_eq!(function(name), said, "{name}");
        }
    }
}
