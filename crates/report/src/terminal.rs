//! The report on a terminal: the verdict first, then what is no leak, then what was lost.
//!
//! In: a report and a style. Out: text with line breaks, escapes only where the style allows colour. Fits any width
//! from 40 columns on.

use anstyle::{AnsiColor, Style as Paint};
use nilometer_diagnose::{Attached, Bytes, Component, Exit, Kind, Report, Site, Verdict, duration, size};

use crate::Style;
use crate::headline::earliest;
use crate::markdown::verdict_words;
use crate::stillborn::stillborn;
use crate::wrap::wrap;

/// The screen at the end of a run.
pub fn terminal(report: &Report, style: &Style) -> String {
    draw(report, Screen::new(style))
}

/// The same with all findings, their stacks, who holds what, and how the sampling went.
pub fn terminal_verbose(report: &Report, style: &Style) -> String {
    draw(report, Screen { verbose: true, ..Screen::new(style) })
}

fn draw(report: &Report, mut screen: Screen) -> String {
    if let Some(words) = stillborn(report) {
        screen.line(&words, 11);
        return screen.out;
    }
    screen.heading(report);
    screen.verdict(report);
    screen.growing_children(report);
    screen.recorder(report);
    screen.findings(&report.findings, report.cycles.unit);
    screen.next_steps(&report.next_steps);
    screen.warnings(&report.warnings);
    screen.components(report);
    screen.devices(report);
    screen.processes(report);
    if screen.verbose {
        screen.endpoints(report);
        screen.holders(report);
        screen.phases(report);
        screen.sampling(report);
    }
    screen.losses(&report.losses);
    screen.out
}

pub(crate) struct Screen {
    pub(crate) out: String,
    pub(crate) width: usize,
    pub(crate) verbose: bool,
    color: bool,
}

impl Screen {
    pub(crate) fn new(style: &Style) -> Self {
        Self { out: String::new(), width: style.width.max(40), verbose: false, color: style.color }
    }

    pub(crate) fn line(&mut self, text: &str, indent: usize) {
        self.out.push_str(&wrap(text.trim_end(), self.width, indent));
        self.out.push('\n');
    }

    pub(crate) fn paint(&self, word: &str, paint: Paint) -> String {
        if self.color { format!("{paint}{word}{paint:#}") } else { word.to_owned() }
    }

    /// The word for a verdict, in its colour.
    pub(crate) fn verdict_word(&self, verdict: Verdict) -> String {
        let color = match verdict {
            Verdict::Leak => AnsiColor::Red,
            Verdict::NoLeak => AnsiColor::Green,
            Verdict::Undecided => AnsiColor::Yellow,
        };
        self.paint(&verdict_words(verdict).to_uppercase(), color.on_default().bold())
    }

    pub(crate) fn heading(&mut self, report: &Report) {
        let program = &report.program;
        let mut text = format!("nilometer  {}: {}", program.name, course(report));
        if let Some(peak) = report.memory.peak_bytes {
            text += &format!(", peak {}", size(peak as f64));
            if let (Some(limit), Some(name)) = (report.memory.limit_bytes, report.memory.limit) {
                text += &format!(" of {} ({})", size(limit as f64), limit_words(name));
            }
        }
        self.line(&text, 11);
        if let Some(attached) = &program.attached {
            self.line(&format!("           {}", since_attach(attached)), 11);
        }
        if let Some(words) = program.exit.as_ref().and_then(ending) {
            self.line(&format!("           {words}"), 11);
        }
        self.out.push('\n');
    }

    pub(crate) fn verdict(&mut self, report: &Report) {
        let unit = report.cycles.unit;
        let word = self.verdict_word(report.verdict);
        match (report.verdict, &report.growth) {
            // Growth is the program's own.
            (Verdict::Leak, _) if !report.job.is_own() => {
                self.line(&format!("{word}  {}.", report.reason), 6);
            }
            (Verdict::Leak, Some(growth)) => {
                let mut text = format!(
                    "{word}  +{} per {unit} since {unit} {} ({}).",
                    size(growth.bytes_per_cycle.estimate as f64),
                    growth.since_cycle,
                    interval(&growth.bytes_per_cycle)
                );
                let within =
                    |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!(", in {}", duration(s)));
                let earliest = earliest(report);
                if let Some((left, seconds)) = earliest {
                    let at = report.cycles.count + left;
                    text +=
                        &format!(" The limit is reached at {unit} {at} at the earliest{};", within(seconds));
                }
                if let Some(forecast) = &report.forecast {
                    let at = report.cycles.count + forecast.cycles_left;
                    let rate = match earliest {
                        Some(_) => "by the lesser rate",
                        None => "At this rate the limit is reached",
                    };
                    text += &format!(" {rate} at {unit} {at}{}.", within(forecast.seconds_left));
                }
                self.line(&text, 6);
                if unit == "window" || earliest.is_some() {
                    self.line(&format!("      {}", report.reason), 6);
                }
                self.made_in(report);
                for component in report.components.iter().filter(|c| c.kind == Kind::Growing) {
                    self.line(&format!("      {}", component.sentence), 6);
                }
            }
            (Verdict::NoLeak, _) => {
                self.line(&format!("{word}  {}.", report.reason), 9);
            }
            _ => {
                let mut text = format!("{word}  {}.", report.reason);
                if let Some(needed) = report.cycles.needed {
                    text += &format!(" Run {needed} more {unit}{}.", if needed == 1 { "" } else { "s" });
                }
                self.line(&text, 11);
            }
        }
    }

    fn components(&mut self, report: &Report) {
        let unit = report.cycles.unit;
        let rest: Vec<_> = report.components.iter().filter(|c| c.kind != Kind::Growing).collect();
        if rest.is_empty() {
            return;
        }
        let title = if report.verdict == Verdict::NoLeak { "WHAT THE MEMORY IS" } else { "NOT A LEAK" };
        let title = self.paint(title, Paint::new().bold());
        self.out += &format!("\n{title}\n");
        let amounts: Vec<String> = rest.iter().map(|c| amount(c, unit)).collect();
        let widest = amounts.iter().map(|a| a.chars().count()).max().unwrap_or(0);
        for (component, amount) in rest.iter().zip(&amounts) {
            let made = component.made_at.as_ref().map_or(String::new(), |site| format!(", {}", place(site)));
            let sentence = format!("{}{made}", component.sentence);
            if self.width >= widest + 44 {
                self.line_in_columns(amount, widest, &sentence);
            } else {
                self.line(&format!("  {amount}: {sentence}"), 4);
            }
            for (word, text) in [("change", &component.change), ("prove it", &component.prove)] {
                match text {
                    Some(text) if self.width >= widest + 44 => {
                        self.line_in_columns("", widest, &format!("{word}: {text}"));
                    }
                    Some(text) => self.line(&format!("    {word}: {text}"), 6),
                    None => {}
                }
            }
        }
    }

    fn line_in_columns(&mut self, left: &str, widest: usize, right: &str) {
        let indent = widest + 4;
        let text = wrap(right, self.width - indent, 0).replace('\n', &format!("\n{:indent$}", ""));
        self.out += &format!("  {left:<widest$}  {text}\n");
    }

    fn losses(&mut self, losses: &[String]) {
        if losses.is_empty() {
            return;
        }
        let title = self.paint("NOT SEEN", Paint::new().bold());
        self.out += &format!("\n{title}\n");
        for loss in losses {
            self.line(&format!("  {loss}"), 4);
        }
    }
}

/// A place, short: the file's name, the line, and what it calls.
fn place(site: &Site) -> String {
    let file = site.file.rsplit('/').next().unwrap_or(&site.file);
    let line = if site.line > 0 { format!(":{}", site.line) } else { String::new() };
    let inside = site.inside.as_ref().map_or(String::new(), |inside| format!(", in {inside}"));
    format!("made at {file}{line}{inside}")
}

fn amount(component: &Component, unit: &str) -> String {
    match (component.kind, component.bytes_per_cycle) {
        (Kind::OneTime, _) => format!("+{} once, {}", size(component.bytes as f64), when(component)),
        (Kind::Reserved, _) => format!("{} reserved", size(component.bytes as f64)),
        (Kind::FileBacked, _) => format!("{} file-backed", size(component.bytes as f64)),
        (Kind::Retained, None) => format!("{} retained", size(component.bytes as f64)),
        (Kind::Filling, _) => format!("+{} filling", size(component.bytes as f64)),
        (kind, Some(rate)) => {
            let word = if kind == Kind::Retained { "retained" } else { "sawtooth" };
            format!("+{} per {unit}, {word}", size(rate as f64))
        }
        (_, None) => size(component.bytes as f64),
    }
}

fn when(component: &Component) -> String {
    match component.phase.as_deref() {
        Some("import") => "importing".to_owned(),
        Some("fit_entry") => "entering fit()".to_owned(),
        Some("first_batch") => "in the first batch".to_owned(),
        Some("first_op") => "at the first operation".to_owned(),
        Some("build") => "building the model".to_owned(),
        Some("epoch") => "in the first epochs".to_owned(),
        Some("validation") => "in the first validation".to_owned(),
        Some("predict") => "in the first predict()".to_owned(),
        Some("evaluate") => "in the first evaluate()".to_owned(),
        Some("trace") => "tracing".to_owned(),
        Some("before") => "before the recording".to_owned(),
        Some("program") => "in the program itself".to_owned(),
        Some(other) => format!("in {other}"),
        None => "in mid-run".to_owned(),
    }
}

pub(crate) fn interval(bytes: &Bytes) -> String {
    format!("95 %: {} to {}", size(bytes.low as f64), size(bytes.high as f64))
}

fn counted(count: u64, unit: &str) -> String {
    match (count, unit) {
        (1, unit) => format!("1 {unit}"),
        (n, unit) => format!("{n} {unit}s"),
    }
}

/// How far the program came.
fn course(report: &Report) -> String {
    let time = duration(report.program.seconds);
    match (report.cycles.unit, report.cycles.seconds) {
        ("window", Some(seconds)) => {
            let windows = format!("{} of {}", counted(report.cycles.count, "window"), duration(seconds));
            // Cycles may have been seen of which too few could be read, or windows were asked for.
            if report.cycles.alternatives.is_empty() {
                format!("{time}, no cycle seen ({windows} serve)")
            } else {
                format!("{time}, told by {windows}")
            }
        }
        (unit, _) => {
            let how =
                report.cycles.found_by.as_ref().map_or(String::new(), |how| format!(" (counted by {how})"));
            format!("{}{how} in {time}", counted(report.cycles.count, unit))
        }
    }
}

/// What a recording that began late cannot tell.
fn since_attach(attached: &Attached) -> String {
    let age = duration(attached.uptime_seconds);
    let before = attached
        .resident_bytes
        .map_or_else(|| "the memory".to_owned(), |bytes| format!("the {}", size(bytes as f64)));
    format!("attached {age} after its start; nobody saw what made {before} that it had by then")
}

fn limit_words(limit: &str) -> &'static str {
    match limit {
        "cgroup" => "cgroup limit",
        _ => "RAM",
    }
}

/// How the program ended, if that is worth a line.
fn ending(exit: &Exit) -> Option<String> {
    let by_limit = match exit.limit {
        Some("cgroup") => Some("killed by the cgroup's memory limit"),
        Some("ram") => Some("killed because the machine ran out of memory"),
        Some("rlimit") => Some("ended by its memory resource limit (ulimit)"),
        _ => None,
    };
    match (by_limit, exit.code, exit.signal) {
        (Some(words), _, Some(signal)) => Some(format!("{words} (signal {signal})")),
        (Some(words), Some(code), _) => Some(format!("{words} (exit code {code})")),
        (None, _, Some(signal)) => Some(format!("ended by signal {signal}{}", signal_name(signal))),
        (None, Some(code), _) if code != 0 => Some(format!("exit code {code}")),
        _ => None,
    }
}

/// The name behind the numbers that end training jobs.
fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}
